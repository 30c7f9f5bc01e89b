package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/report"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

func init() {
	register(verb{Name: "docs", Summary: "write the reference and the stubs of the script API", Group: groupOther, Run: runDocs})
	register(verb{Name: "stubs", Summary: "write stubs for editors", Group: groupScripts, Run: runStubs})
}

const docsAbout = `Writes docs/reference.md and stubs/` + registry.StubFile + ` below FOLDER (default: the working directory), both generated
from the registry of builtins, and docs/schema/*.json, made of the types that are written.

Exit codes: 0, 10 with --check when a file is not what would be written, 74 when writing failed.`

func runDocs(_ context.Context, e *env, args []string) int {
	flags := pflag.NewFlagSet("docs", pflag.ContinueOnError)
	check := flags.Bool("check", false, "write nothing, say which files are stale")
	if code, done := e.parse(flags, "docs [FOLDER] [flags]", docsAbout, args); done {
		return code
	}
	if flags.NArg() > 1 {
		return e.usageError("docs", "want at most one folder, got %d", flags.NArg())
	}
	reg, err := script.Registry()
	if err != nil {
		return e.fail(exitInternal, "docs", err)
	}
	files, err := script.Generated(reg)
	if err != nil {
		return e.fail(exitInternal, "docs", err)
	}
	for _, f := range report.Schemas() {
		files = append(files, script.GeneratedFile{Path: f.Path, Data: f.Data})
	}
	code := exitOK
	for _, f := range files {
		path := filepath.Join(flags.Arg(0), f.Path)
		if !*check {
			if err := writeFile(path, f.Data); err != nil {
				return e.fail(exitDisk, "docs", err)
			}
			fmt.Fprintln(e.Stdout, path)
			continue
		}
		if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, f.Data) {
			fmt.Fprintf(e.Stdout, "%s is stale; run: smtlark docs\n", path)
			code = exitFindings
		}
	}
	return code
}

const stubsAbout = `Writes ` + registry.StubFile + ` into FOLDER: the names, parameters and documentation of the script API in a form that
language servers for Python read, so that editors complete and explain them. Put it at the project's root.`

func runStubs(_ context.Context, e *env, args []string) int {
	flags := pflag.NewFlagSet("stubs", pflag.ContinueOnError)
	if code, done := e.parse(flags, "stubs FOLDER", stubsAbout, args); done {
		return code
	}
	if flags.NArg() != 1 {
		return e.usageError("stubs", "want one folder")
	}
	reg, err := script.Registry()
	if err != nil {
		return e.fail(exitInternal, "stubs", err)
	}
	libraries, err := registry.Libraries(stdlib.FS())
	if err != nil {
		return e.fail(exitInternal, "stubs", err)
	}
	path := filepath.Join(flags.Arg(0), registry.StubFile)
	if err := writeFile(path, reg.Stubs(libraries)); err != nil {
		return e.fail(exitDisk, "stubs", err)
	}
	fmt.Fprintln(e.Stdout, path)
	return exitOK
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
