package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

func init() {
	command.RegisterHidden("backtrace", newBacktrace)
}

const backtraceAbout = `Runs a command and writes the state at each fatal signal to FILE: registers, the innermost part of the stack, and the mapped
files. smtlark uses it for crashes without a message; it is not meant to be called by hand.`

func newBacktrace(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "backtrace FILE COMMAND [ARGUMENT...]",
		Short: "run a command and note where it dies",
		Long:  backtraceAbout,
	}
	fs := c.Flags()
	fs.SetInterspersed(false) // the flags are the command's
	command.Does(c, func(_ context.Context) int {
		if fs.NArg() < 2 {
			return e.UsageError("backtrace", "want FILE COMMAND [ARGUMENT...], got %d arguments", fs.NArg())
		}
		exit, err := backtrace.Trace(fs.Arg(0), fs.Args()[1:])
		if err != nil {
			return e.Fail(command.ExitSolver, "backtrace", err)
		}
		return exit
	})
	return c
}
