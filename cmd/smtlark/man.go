package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/manual"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/results"
)

func init() {
	command.Register(command.Verb{Name: "man", Summary: "write the manual pages", Run: runMan})
}

const manAbout = `Writes the manual pages smtlark.1 and smtlark-VERB.1 into FOLDER, generated from the help of the verbs:

  smtlark man ~/.local/share/man/man1
  man smtlark-run

Without FOLDER the page of smtlark itself goes to the standard output. Exit code 0, 74 when a page cannot be written.`

func runMan(ctx context.Context, e *command.Env, args []string) int {
	flags := pflag.NewFlagSet("man", pflag.ContinueOnError)
	if code, done := e.Parse(flags, "man [FOLDER]", manAbout, args); done {
		return code
	}
	dir, err := results.FolderArg(flags, "")
	if err != nil {
		return e.UsageError("man", "%v", err)
	}
	p := programOf(ctx)
	if flags.NArg() == 0 {
		manual.Main(e.Stdout, p)
		return command.ExitOK
	}
	var page bytes.Buffer
	manual.Main(&page, p)
	if err := writeFile(filepath.Join(dir, "smtlark.1"), page.Bytes()); err != nil {
		return e.Fail(command.ExitDisk, "man", err)
	}
	for i := range p.Verbs {
		page.Reset()
		manual.Page(&page, p, &p.Verbs[i])
		if err := writeFile(filepath.Join(dir, "smtlark-"+p.Verbs[i].Name+".1"), page.Bytes()); err != nil {
			return e.Fail(command.ExitDisk, "man", err)
		}
	}
	fmt.Fprintf(e.Stdout, "%d pages in %s\n", len(p.Verbs)+1, dir)
	return command.ExitOK
}
