package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

func init() {
	command.Register("help", newHelp)
	command.Register("version", newVersion)
}

func newHelp(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "help [VERB]",
		Short: "print the help of a verb",
		Long:  "Prints the help of a verb, or the list of verbs.",
	}
	fs := c.Flags()
	command.Arguments(c, func(args []string) []string {
		if len(args) > 0 {
			return nil
		}
		return command.Names(false)
	})
	command.Does(c, func(ctx context.Context) int {
		if fs.NArg() == 0 {
			command.Overview(e.Stdout)
			return command.ExitOK
		}
		verb := command.New(e, fs.Arg(0))
		if verb == nil {
			return e.UnknownVerb(fs.Arg(0))
		}
		return command.Execute(ctx, e, append(fs.Args(), "--help"))
	})
	return c
}

func newVersion(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Long:  "Prints the version of smtlark, the commit and its date if the build knows them, and the version of the compiler.",
	}
	fs := c.Flags()
	command.Does(c, func(_ context.Context) int {
		if fs.NArg() > 0 {
			return e.UsageError("version", "it takes no arguments")
		}
		fmt.Fprintf(e.Stdout, "smtlark %s (%s%s %s/%s)\n", command.Version(), commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return command.ExitOK
	})
	return c
}

// commit tells the commit that smtlark was built from and its date, as far as the build knows them.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	r := command.RevisionOf(info)
	if r.Commit == "" {
		return ""
	}
	text := "commit " + r.Commit
	if r.Day != "" {
		text += " of " + r.Day
	}
	if r.Changed {
		text += " with changes"
	}
	return text + ", "
}
