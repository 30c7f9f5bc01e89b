package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

func init() {
	command.Register(command.Verb{Name: "backtrace", Summary: "run a command and note where it dies", Hidden: true, Run: runBacktrace})
}

const backtraceAbout = `Runs a command and writes the state at each fatal signal to FILE: registers, the innermost part of the stack, and the mapped
files. smtlark uses it for crashes without a message; it is not meant to be called by hand.`

func runBacktrace(_ context.Context, e *command.Env, args []string) int {
	fs := pflag.NewFlagSet("backtrace", pflag.ContinueOnError)
	fs.SetInterspersed(false) // the flags are the command's
	if code, done := e.Parse(fs, "backtrace FILE COMMAND [ARGUMENT...]", backtraceAbout, args); done {
		return code
	}
	if fs.NArg() < 2 {
		return e.UsageError("backtrace", "want FILE COMMAND [ARGUMENT...], got %d arguments", fs.NArg())
	}
	exit, err := backtrace.Trace(fs.Arg(0), fs.Args()[1:])
	if err != nil {
		return e.Fail(command.ExitSolver, "backtrace", err)
	}
	return exit
}
