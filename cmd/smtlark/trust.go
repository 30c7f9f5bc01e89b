package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/display"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/trust"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	register(verb{Name: "trust", Summary: "let the files of a folder name programs to run", Group: groupOther, Run: runTrust})
}

const trustAbout = `Trusts folders: campaign files and findings in them, and below, may name programs to run (path = ..., profiles of solvers of
their own), and solvers in .solvers there are used. Files elsewhere may only use solvers that are registered: those in PATH,
in $SMTLARK_SOLVERS, and in .solvers of smtlark's own folder and of trusted ones. Without FOLDER it lists what is trusted.

The list is kept in smtlark/trusted in your folder of settings; $SMTLARK_TRUST may name more folders and programs,
separated as in PATH. See docs/trust.md.`

func runTrust(_ context.Context, e *env, args []string) int {
	fs := pflag.NewFlagSet("trust", pflag.ContinueOnError)
	remove := fs.Bool("remove", false, "trust the folders no more")
	if code, done := e.parse(fs, "trust [FOLDER...] [flags]", trustAbout, args); done {
		return code
	}
	if fs.NArg() == 0 {
		if *remove {
			return e.usageError("trust", "--remove wants the folders")
		}
		known, err := trust.Folders()
		if err != nil {
			return e.fail(exitDisk, "trust", err)
		}
		for _, folder := range append(known, filepath.SplitList(os.Getenv(trust.Env))...) {
			fmt.Fprintln(e.Stdout, display.Line(folder))
		}
		return exitOK
	}
	for _, folder := range fs.Args() {
		if *remove {
			was, err := trust.Remove(folder)
			if err != nil {
				return e.fail(exitDisk, "trust", err)
			}
			if !was {
				return e.usageError("trust", "%s was not trusted; `smtlark trust` lists what is", folder)
			}
			continue
		}
		if _, err := os.Stat(folder); err != nil {
			return e.usageError("trust", "no such folder: %s", folder)
		}
		real, err := trust.Add(folder)
		if err != nil {
			return e.fail(exitDisk, "trust", err)
		}
		fmt.Fprintf(e.Stdout, "trusted: %s\n", display.Line(real))
	}
	return exitOK
}

// safetyFlags adds the flags of verbs that start solvers. They hold for this process and those that it starts.
func safetyFlags(fs *pflag.FlagSet) {
	unsafeFlag(fs)
	fs.BoolFunc("trust", "let the files of this command name programs to run, wherever they lie; see smtlark help trust", func(string) error { return trust.All() })
}

func unsafeFlag(fs *pflag.FlagSet) {
	fs.BoolFunc("unsafe-solver", "let solvers write files and use the network: no Landlock, and no options or commands held back", func(string) error {
		return confine.SetCurrent(confine.None)
	})
}

// noteTrust remembers that a file could not be used because its folder is not trusted; see askTrust. dir is the folder of
// the project where that is not told by the file.
func (e *env) noteTrust(err error, file, dir string) {
	var untrusted *trust.Error
	var fault *campaign.LoadError
	switch {
	case errors.As(err, &untrusted):
		e.untrusted = untrusted.Folder
	case errors.As(err, &fault) && fault.Fault == campaign.FaultTrust:
		if e.untrusted = dir; dir == "" {
			e.untrusted, _ = script.ProjectRoot(file)
		}
	}
}

// askTrust asks the user, where there is one, whether to trust the folder that noteTrust has remembered, and reports whether
// it is trusted now, so that the verb can run again.
func (e *env) askTrust() bool {
	folder := e.untrusted
	e.untrusted = ""
	in, isFile := e.Stdin.(*os.File)
	out, isFileToo := e.Stderr.(*os.File)
	if folder == "" || !isFile || !isFileToo || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return false
	}
	return e.asked(folder)
}

// asked puts the question of askTrust.
func (e *env) asked(folder string) bool {
	fmt.Fprintf(e.Stderr, "\nTrust %s, from now on? Its files may then run any program. [y/N] ", display.Line(folder))
	line, _ := bufio.NewReader(e.Stdin).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return false
	}
	if _, err := trust.Add(folder); err != nil {
		e.fail(exitDisk, "trust", err)
		return false
	}
	return true
}
