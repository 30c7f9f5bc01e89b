package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

func init() {
	command.Register(command.Verb{Name: "help", Summary: "print the help of a verb", Run: runHelp})
	command.Register(command.Verb{Name: "version", Summary: "print the version", Run: runVersion})
}

func runHelp(ctx context.Context, e *command.Env, args []string) int {
	fs := pflag.NewFlagSet("help", pflag.ContinueOnError)
	if code, done := e.Parse(fs, "help [VERB]", "Prints the help of a verb, or the list of verbs.", args); done {
		return code
	}
	if fs.NArg() == 0 {
		usage(e.Stdout)
		return command.ExitOK
	}
	v, ok := command.Verbs[fs.Arg(0)]
	if !ok {
		return unknownVerb(e, fs.Arg(0))
	}
	return v.Run(ctx, e, []string{"--help"})
}

func runVersion(_ context.Context, e *command.Env, args []string) int {
	fs := pflag.NewFlagSet("version", pflag.ContinueOnError)
	if code, done := e.Parse(fs, "version", "Prints the version of smtlark, the commit if the build knows it, and the version of the compiler.", args); done {
		return code
	}
	if fs.NArg() > 0 {
		return e.UsageError("version", "it takes no arguments")
	}
	fmt.Fprintf(e.Stdout, "smtlark %s (%s%s %s/%s)\n", command.Version(), commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return command.ExitOK
}

// commit tells the commit that smtlark was built from, as far as the build knows it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := command.RevisionOf(info)
	switch {
	case revision == "":
		return ""
	case changed:
		return "commit " + revision + " with changes, "
	}
	return "commit " + revision + ", "
}
