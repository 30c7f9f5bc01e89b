package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/results/report"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

func init() {
	command.Register("docs", newDocs)
	command.Register("stubs", newStubs)
}

const docsAbout = `Writes docs/reference.md and stubs/` + registry.StubFile + ` below FOLDER (default: the working directory), both generated
from the registry of builtins, and docs/schema/*.json, generated from the types that are written.

Exit codes: 0, 10 with --check when a file is not what would be written, 74 when writing failed.`

func newDocs(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "docs [FOLDER] [flags]",
		Short:   "write the reference and the stubs of the script API",
		Long:    docsAbout,
		GroupID: command.GroupOther,
	}
	flags := c.Flags()
	check := flags.Bool("check", false, "write nothing, list stale files")
	command.Does(c, func(_ context.Context) int {
		if flags.NArg() > 1 {
			return e.UsageError("docs", "want at most one folder, got %d", flags.NArg())
		}
		reg, err := script.Registry()
		if err != nil {
			return e.Fail(command.ExitInternal, "docs", err)
		}
		files, err := script.Generated(reg)
		if err != nil {
			return e.Fail(command.ExitInternal, "docs", err)
		}
		for _, f := range report.Schemas() {
			files = append(files, script.GeneratedFile{Path: f.Path, Data: f.Data})
		}
		code := command.ExitOK
		for _, f := range files {
			path := filepath.Join(flags.Arg(0), f.Path)
			if !*check {
				if err := writeFile(path, f.Data); err != nil {
					return e.Fail(command.ExitDisk, "docs", err)
				}
				fmt.Fprintln(e.Stdout, path)
				continue
			}
			if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, f.Data) {
				fmt.Fprintf(e.Stdout, "%s is stale; run: smtlark docs\n", path)
				code = command.ExitFindings
			}
		}
		return code
	})
	return c
}

const stubsAbout = `Writes ` + registry.StubFile + ` into FOLDER: the names, parameters and documentation of the script API in a form that
language servers for Python read, so that editors complete and explain them. Put it at the project's root: it also has the names that
campaign files there load from each other. docs/editor.md describes how to set up editors.`

func newStubs(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "stubs FOLDER",
		Short:   "write stubs for editors",
		Long:    stubsAbout,
		GroupID: command.GroupScripts,
	}
	flags := c.Flags()
	command.Does(c, func(_ context.Context) int {
		if flags.NArg() != 1 {
			return e.UsageError("stubs", "want one folder")
		}
		reg, err := script.Registry()
		if err != nil {
			return e.Fail(command.ExitInternal, "stubs", err)
		}
		libraries, err := registry.Libraries(stdlib.FS())
		if err != nil {
			return e.Fail(command.ExitInternal, "stubs", err)
		}
		path := filepath.Join(flags.Arg(0), registry.StubFile)
		own, err := ownNames(flags.Arg(0))
		if err != nil {
			return e.Fail(command.ExitDisk, "stubs", err)
		}
		if err := writeFile(path, append(reg.Stubs(libraries), own...)); err != nil {
			return e.Fail(command.ExitDisk, "stubs", err)
		}
		fmt.Fprintln(e.Stdout, path)
		return command.ExitOK
	})
	return c
}

// ownNames returns stubs for the names that the campaign files of a project load from their own modules; the types of
// these names are not known.
func ownNames(folder string) ([]byte, error) {
	files, err := scriptFiles(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it will be made
	} else if err != nil {
		return nil, err
	}
	from := map[string]string{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		tree, err := registry.Dialect().Parse(file, src, 0)
		if err != nil {
			continue // its own trouble, which other verbs tell
		}
		for _, stmt := range tree.Stmts {
			load, ok := stmt.(*syntax.LoadStmt)
			if !ok {
				continue
			}
			for i, to := range load.To { // the library's are there under their own names
				if !strings.HasPrefix(load.ModuleName(), "@std//") || to.Name != load.From[i].Name {
					from[to.Name] = load.ModuleName()
				}
			}
		}
	}
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(from)) {
		fmt.Fprintf(&out, "\n%s: Any  # load(%q, %q)\n", name, from[name], name)
	}
	return out.Bytes(), nil
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
