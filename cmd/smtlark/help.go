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
	if code, done := e.parse(fs, "version", "Prints the version of smtlark, the commit it was built from where the build knows it, and the version of the compiler.", args); done {
		return code
	}
	if fs.NArg() > 0 {
		return e.usageError("version", "it takes no arguments")
	}
	fmt.Fprintf(e.Stdout, "smtlark %s (%s%s %s/%s)\n", version(), commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, changed := revisionOf(info)
	switch {
	case revision == "":
		return "devel"
	case changed:
		return revision + "+changes"
	}
	return revision
}

// commit tells the commit that smtlark was built from, as far as the build knows it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := revisionOf(info)
	switch {
	case revision == "":
		return ""
	case changed:
		return "commit " + revision + " with changes, "
	}
	return "commit " + revision + ", "
}

// revisionOf returns the start of the commit's hash, and whether files were changed.
func revisionOf(info *debug.BuildInfo) (revision string, changed bool) {
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = true
		}
	}
	return revision, changed
}
