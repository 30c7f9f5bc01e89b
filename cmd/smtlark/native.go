package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/rule"
)

func init() {
	command.RegisterHidden("native", newNative)
	if len(os.Args) > 1 && os.Args[1] == "native" {
		runtime.LockOSThread() // C code then runs on the main thread, whose stack obeys its limit
	}
}

const nativeAbout = `Loads the C library of a solver (z3, cvc5, bitwuzla, boolector, yices2) into this process.

With FILE (- is the standard input), an SMT-LIB script or a trace, it makes the calls that a native target makes, and
prints the replies. A crash of the library ends this process: this is how to reproduce a finding.

Without FILE it serves a native target over its standard input and output; this is not meant to be used by hand. See docs/native.md.`

func newNative(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "native KIND LIBRARY [FILE]",
		Short: "drive a solver's C library",
		Long:  nativeAbout,
	}
	fs := c.Flags()
	options := fs.StringArrayP("option", "o", nil, "NAME=VALUE: set an option first (can be repeated)")
	record := fs.String("c", "", "write a C program that makes the same calls of the library into this `FILE`")
	plain := fs.Bool("plain", false, "of equivalent calls always make the simplest")
	command.UnsafeFlag(fs)
	command.Does(c, func(_ context.Context) int {
		if fs.NArg() < 2 || fs.NArg() > 3 {
			return e.UsageError("native", "want KIND LIBRARY [FILE], got %d arguments", fs.NArg())
		}
		kind, library := fs.Arg(0), fs.Arg(1)
		if err := native.Reenter(library); err != nil {
			return e.Fail(command.ExitSolver, "native", err)
		}
		if fs.NArg() == 2 {
			out, ok := e.Stdout.(*os.File)
			if !ok {
				return e.UsageError("native", "the standard output must be a pipe")
			}
			if err := native.Serve(kind, library, e.Stdin, out); err != nil {
				return e.Fail(command.ExitSolver, "native", err)
			}
			return command.ExitOK
		}
		var opts []rule.Setting
		for _, o := range *options {
			name, value, ok := strings.Cut(o, "=")
			if !ok {
				return e.UsageError("native", "--option %q: want NAME=VALUE", o)
			}
			opts = append(opts, rule.Setting{Name: name, Value: value})
		}
		text, err := readInput(e, fs.Arg(2))
		if err != nil {
			return e.Fail(command.ExitDisk, "native", err)
		}
		// The library executes the file on this thread, which is locked: see init.
		writable := ""
		if *record != "" {
			writable = filepath.Dir(*record)
		}
		if err := confine.Bind(writable); err != nil {
			return e.Fail(command.ExitInternal, "native", err)
		}
		if *record != "" {
			if err := native.RecordC(kind, library, text, opts, *plain, *record); err != nil {
				return e.Fail(command.ExitSolver, "native", err)
			}
			return command.ExitOK
		}
		if err := native.PlayText(kind, library, text, opts, *plain, e.Stdout); err != nil {
			return e.Fail(command.ExitSolver, "native", err)
		}
		return command.ExitOK
	})
	return c
}

// readInput reads a file, or the standard input for "-".
func readInput(e *command.Env, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(e.Stdin)
	}
	return system.ReadInput(name)
}
