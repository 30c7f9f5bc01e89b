package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"
)

func init() {
	register(verb{Name: "help", Summary: "tell about a verb", Run: runHelp})
	register(verb{Name: "version", Summary: "print the version", Run: runVersion})
}

func runHelp(ctx context.Context, e *env, args []string) int {
	fs := pflag.NewFlagSet("help", pflag.ContinueOnError)
	if code, done := e.parse(fs, "help [VERB]", "Prints the help of a verb, or the list of verbs.", args); done {
		return code
	}
	if fs.NArg() == 0 {
		usage(e.Stdout)
		return exitOK
	}
	v, ok := verbs[fs.Arg(0)]
	if !ok {
		return unknownVerb(e, fs.Arg(0))
	}
	return v.Run(ctx, e, []string{"--help"})
}

func runVersion(_ context.Context, e *env, args []string) int {
	fs := pflag.NewFlagSet("version", pflag.ContinueOnError)
	if code, done := e.parse(fs, "version", "Prints the version of smtlark and of the compiler that built it.", args); done {
		return code
	}
	if fs.NArg() > 0 {
		return e.usageError("version", "it takes no arguments")
	}
	fmt.Fprintf(e.Stdout, "smtlark %s (%s %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	if commit == "" {
		return "devel"
	}
	return commit + dirty
}
