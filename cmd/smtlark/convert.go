package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
	"github.com/smtlark/smtlark/engine/semantics/smtml"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register("convert", newConvert)
}

const convertAbout = `Prints a file of SMT-LIB as a text of Smt.ml, or a text of Smt.ml (.smtml) as SMT-LIB (docs/from-smtml.md). Folders stand for the files
.smt2 and .smtml below them; several files and folders go to --out, under the names that they have below their folder. Terms do not
change, except where the other format has another operator for them; with --simplify the proven laws simplify them first.

With --model the file is the problem of a model, which is printed in the format of --to: as solvers print it (smt2), as JSON or as scfg; it can be
read in any of these. Use ` + "`smtlark eval`" + ` to check whether it is a model of the problem.

Features that .smtml lacks are an error with its place: functions with arguments, arrays, quantifiers, vectors that are not whole bytes, and
more. The other files are converted.

Exit codes: 0; 10 a file cannot be expressed in the other format; 64 usage; 65 a file cannot be read; 74 writing failed.`

// convertOptions are the flags of convert.
type convertOptions struct {
	to       string
	out      string
	model    string
	simplify bool
	rules    *rewrite.Rules
}

func newConvert(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "convert FILE|FOLDER... [flags]",
		Short:   "convert problems and models between SMT-LIB and the formats of Smt.ml",
		Long:    convertAbout,
		GroupID: command.GroupOther,
	}
	fs := c.Flags()
	var o convertOptions
	fs.StringVar(&o.to, "to", "", "`format` to write, smtml or smt2, or for a model smt2, json or scfg; the default is the other one of each file, and json")
	fs.StringVarP(&o.out, "out", "o", "", "`folder` to write the files to, made if it is not there; the default prints the one file")
	fs.StringVar(&o.model, "model", "", "print this `model` of the problem in the file, - for the standard input")
	fs.BoolVar(&o.simplify, "simplify", false, "simplify the assertions first, as smtlark simplify does")
	command.Choices(c, "to", "smtml", "smt2", "json", "scfg")
	command.Does(c, func(_ context.Context) int {
		if fs.NArg() == 0 {
			return e.UsageError("convert", "want files or folders to convert")
		}
		if o.model != "" {
			return o.convertModel(e, fs.Args())
		}
		if o.to != "" && o.to != "smtml" && o.to != "smt2" {
			return e.UsageError("convert", "--to %s: want smtml or smt2", o.to)
		}
		if o.simplify {
			var err error
			if o.rules, err = script.StandardRules(); err != nil {
				return e.Fail(command.ExitInternal, "convert", err)
			}
		}
		var todo []conversion
		for _, name := range fs.Args() {
			found, err := conversionsBelow(e, name)
			if err != nil {
				return e.Fail(command.ExitScript, "convert", err)
			}
			todo = append(todo, found...)
		}
		if o.out == "" && len(todo) != 1 {
			return e.UsageError("convert", "there are %d files to convert; name a folder for them by --out", len(todo))
		}
		seen := map[string]string{}
		for _, c := range todo {
			if other, ok := seen[c.name]; ok {
				return e.UsageError("convert", "%s and %s would be written to one file below --out", other, c.file)
			}
			seen[c.name] = c.file
		}
		code := command.ExitOK
		for _, c := range todo {
			code = max(code, o.convert(e, c))
		}
		return code
	})
	return c
}

// convertModel prints a model in another format.
func (o *convertOptions) convertModel(e *command.Env, files []string) int {
	format := smtml.ModelFormat(o.to)
	switch {
	case o.to == "":
		format = smtml.ModelJSON
	case format != smtml.ModelSMTLIB && format != smtml.ModelJSON && format != smtml.ModelSCFG:
		return e.UsageError("convert", "--to %s: want smt2, json or scfg for a model", o.to)
	}
	if len(files) != 1 || o.out != "" || o.simplify {
		return e.UsageError("convert", "--model takes one file, the problem, and prints")
	}
	src, err := system.ReadInput(files[0])
	if err != nil {
		return e.Fail(command.ExitScript, "convert", err)
	}
	problem, _, err := readProblem(files[0], src)
	if err != nil {
		return e.Fail(command.ExitScript, "convert", err)
	}
	m, err := readModel(e, problem, o.model)
	if err != nil {
		return e.Fail(command.ExitScript, "convert", err)
	}
	fmt.Fprint(e.Stdout, smtml.WriteModel(m, format))
	return command.ExitOK
}

// readProblem reads a file in its format, and says which is the other one.
func readProblem(file string, src []byte) (s *smtlib.Script, other string, err error) {
	s, err = command.ParseProblem(file, src)
	if command.IsSmtml(file) {
		return s, "smt2", err
	}
	return s, "smtml", err
}

// conversion is a file to convert, and its name below the folder that it was found in.
type conversion struct{ file, name string }

// conversionsBelow lists the conversions for a name, which is a file or a folder.
func conversionsBelow(e *command.Env, name string) (out []conversion, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []conversion{{name, filepath.Base(name)}}, err
	}
	files, err := e.FilesBelow(name, ".smt2", ".smtml")
	for _, path := range files {
		below, _ := filepath.Rel(name, path)
		out = append(out, conversion{path, below})
	}
	return out, err
}

// errRefused says why a readable file was not converted.
type errRefused struct{ error }

// convert converts a file and returns an exit code.
func (o *convertOptions) convert(e *command.Env, c conversion) int {
	src, err := system.ReadInput(c.file)
	if err != nil {
		return e.Fail(command.ExitScript, "convert", err)
	}
	text, to, err := o.text(c.file, src)
	if err != nil {
		fmt.Fprintln(e.Stderr, display.Text(err.Error()))
		if errors.As(err, new(errRefused)) {
			return command.ExitFindings
		}
		return command.ExitScript
	}
	if o.out == "" {
		_, err = e.Stdout.Write([]byte(text))
	} else {
		path := filepath.Join(o.out, strings.TrimSuffix(c.name, filepath.Ext(c.name))+"."+to)
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
	}
	if err != nil {
		return e.Fail(command.ExitDisk, "convert", err)
	}
	return command.ExitOK
}

// text reads a file in its format and writes it in the other one, or in that of --to.
func (o *convertOptions) text(file string, src []byte) (text, to string, err error) {
	s, to, err := readProblem(file, src)
	if err != nil {
		return "", "", err
	}
	if o.to != "" {
		to = o.to
	}
	if o.simplify {
		simplifier := rewrite.New(s.Arena, o.rules)
		if s = simplifier.Script(s); simplifier.Err() != nil {
			return "", "", simplifier.Err()
		}
	}
	if to == "smt2" {
		return s.Text(), to, nil
	}
	if text, err = smtml.Write(s); err != nil {
		err = errRefused{err}
	}
	return text, to, err
}
