package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/starlark/lint"
	"github.com/smtlark/smtlark/stdlib"
)

func init() {
	command.Register("fmt", newFmt)
	command.Register("lint", newLint)
}

const fmtAbout = `Prints each file in the format of buildifier. A folder means the .star files
in it, no file the standard input.

Exit codes: 0, 10 with -d or -l when a file has another format, 65 when a file cannot be read as Starlark.`

type fmtOptions struct{ diff, list, write bool }

func fmtFlags(fs *pflag.FlagSet) *fmtOptions {
	o := &fmtOptions{}
	fs.BoolVarP(&o.diff, "diff", "d", false, "print the differences, change nothing")
	fs.BoolVarP(&o.list, "list", "l", false, "print the names of files with another format, change nothing")
	fs.BoolVarP(&o.write, "write", "w", false, "rewrite the files")
	return o
}

// Validate checks the flags together.
func (o *fmtOptions) Validate(files int) error {
	set := 0
	for _, b := range []bool{o.diff, o.list, o.write} {
		if b {
			set++
		}
	}
	if set > 1 {
		return fmt.Errorf("--diff, --list and --write exclude each other")
	}
	if o.write && files == 0 {
		return fmt.Errorf("--write needs files")
	}
	return nil
}

func newFmt(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "fmt [FILE|FOLDER...] [flags]",
		Short:   "format campaign files",
		Long:    fmtAbout,
		GroupID: command.GroupScripts,
	}
	flags := c.Flags()
	o := fmtFlags(flags)
	command.Does(c, func(_ context.Context) int {
		if err := o.Validate(flags.NArg()); err != nil {
			return e.UsageError("fmt", "%v", err)
		}
		return eachScript(e, "fmt", flags.Args(), func(name string, src []byte) int { return o.one(e, name, src) })
	})
	return c
}

func (o *fmtOptions) one(e *command.Env, name string, src []byte) int {
	out, err := lint.Format(name, src)
	if err != nil {
		fmt.Fprintln(e.Stderr, display.Text(err.Error()))
		return command.ExitScript
	}
	same := bytes.Equal(src, out)
	switch {
	case !o.diff && !o.list && !o.write:
		_, err = e.Stdout.Write(out)
	case same:
		return command.ExitOK
	case o.write:
		err = replaceFile(name, out)
	case o.list:
		_, err = fmt.Fprintln(e.Stdout, name)
	default:
		_, err = e.Stdout.Write(lint.Diff(name, src, out))
	}
	if err != nil {
		return e.Fail(command.ExitDisk, "fmt", err)
	}
	if o.diff || o.list {
		return command.ExitFindings
	}
	return command.ExitOK
}

// replaceFile replaces a file atomically and keeps its mode.
func replaceFile(name string, data []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(info.Mode().Perm())
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

const lintAbout = `Reports names, attributes and arguments that cannot work, unused variables and loads, unreachable code and more, one
per line: file:line:col: rule: message. A comment "# lint: ignore RULE" at the end of a line silences it there.

Exit codes: 0 nothing, 10 something was reported.`

func newLint(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "lint [FILE|FOLDER...]",
		Short:   "find mistakes in campaign files without running them",
		Long:    lintAbout,
		GroupID: command.GroupScripts,
	}
	flags := c.Flags()
	command.Does(c, func(_ context.Context) int {
		reg, err := script.Registry()
		if err != nil {
			return e.Fail(command.ExitInternal, "lint", err)
		}
		libraries, err := registry.Libraries(stdlib.FS())
		if err != nil {
			return e.Fail(command.ExitInternal, "lint", err)
		}
		return eachScript(e, "lint", flags.Args(), func(name string, src []byte) int {
			code := command.ExitOK
			for _, f := range lint.Check(name, src, reg, libraries) {
				fmt.Fprintln(e.Stdout, f)
				code = command.ExitFindings
			}
			return code
		})
	})
	return c
}

// eachScript calls f for each file, each .star file below a folder, or the standard
// input, and returns the highest code.
func eachScript(e *command.Env, verb string, args []string, f func(name string, src []byte) int) int {
	if len(args) == 0 {
		src, err := io.ReadAll(e.Stdin)
		if err != nil {
			return e.Fail(command.ExitDisk, verb, err)
		}
		return f("<stdin>", src)
	}
	code := command.ExitOK
	for _, arg := range args {
		files, err := scriptFiles(arg)
		if err != nil {
			return e.Fail(command.ExitScript, verb, err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				return e.Fail(command.ExitScript, verb, err)
			}
			code = max(code, f(name, src))
		}
	}
	return code
}

// scriptFiles lists the .star files of a name, which is a file or a folder; it skips hidden folders.
func scriptFiles(name string) (files []string, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != name && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".star"):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}
