package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers/trust"
)

func init() {
	command.Register("trust", newTrust)
}

const trustAbout = `Trusts folders: campaign files and findings in them, and below, may name programs to run (path = ..., their own profiles of
solvers), and solvers in .solvers there are used. Files elsewhere may only use solvers that are registered: those in PATH,
in $SMTLARK_SOLVERS, and in .solvers of smtlark's own folder and of trusted ones. Without FOLDER it lists the trusted folders.

The list is kept in smtlark/trusted in your settings folder; $SMTLARK_TRUST may name more folders and programs,
separated as in PATH. See docs/trust.md.`

func newTrust(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "trust [FOLDER...] [flags]",
		Short:   "let the files of a folder name programs to run",
		Long:    trustAbout,
		GroupID: command.GroupOther,
	}
	fs := c.Flags()
	remove := fs.Bool("remove", false, "stop trusting the folders")
	command.Does(c, func(_ context.Context) int {
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
	})
	return c
}
