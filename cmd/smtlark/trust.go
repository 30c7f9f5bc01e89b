package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers/trust"
)

func init() {
	command.Register(command.Verb{Name: "trust", Summary: "let the files of a folder name programs to run", Group: command.GroupOther, Run: runTrust})
}

const trustAbout = `Trusts folders: campaign files and findings in them, and below, may name programs to run (path = ..., their own profiles of
solvers), and solvers in .solvers there are used. Files elsewhere may only use solvers that are registered: those in PATH,
in $SMTLARK_SOLVERS, and in .solvers of smtlark's own folder and of trusted ones. Without FOLDER it lists the trusted folders.

The list is kept in smtlark/trusted in your settings folder; $SMTLARK_TRUST may name more folders and programs,
separated as in PATH. See docs/trust.md.`

func runTrust(_ context.Context, e *command.Env, args []string) int {
	fs := pflag.NewFlagSet("trust", pflag.ContinueOnError)
	remove := fs.Bool("remove", false, "stop trusting the folders")
	if code, done := e.Parse(fs, "trust [FOLDER...] [flags]", trustAbout, args); done {
		return code
	}
	if fs.NArg() == 0 {
		if *remove {
			return e.UsageError("trust", "--remove wants the folders")
		}
		known, err := trust.Folders()
		if err != nil {
			return e.Fail(command.ExitDisk, "trust", err)
		}
		for _, folder := range append(known, filepath.SplitList(os.Getenv(trust.Env))...) {
			fmt.Fprintln(e.Stdout, display.Line(folder))
		}
		return command.ExitOK
	}
	for _, folder := range fs.Args() {
		if *remove {
			was, err := trust.Remove(folder)
			if err != nil {
				return e.Fail(command.ExitDisk, "trust", err)
			}
			if !was {
				return e.UsageError("trust", "%s was not trusted; `smtlark trust` lists what is", folder)
			}
			continue
		}
		if _, err := os.Stat(folder); err != nil {
			return e.UsageError("trust", "no such folder: %s", folder)
		}
		real, err := trust.Add(folder)
		if err != nil {
			return e.Fail(command.ExitDisk, "trust", err)
		}
		fmt.Fprintf(e.Stdout, "trusted: %s\n", display.Line(real))
	}
	return command.ExitOK
}
