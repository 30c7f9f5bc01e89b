package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/manual"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/results"
)

func init() {
	command.Register("man", newMan)
}

const manAbout = `Writes the manual pages smtlark.1 and smtlark-VERB.1 into FOLDER, generated from the help of the verbs:

  smtlark man ~/.local/share/man/man1
  man smtlark-run

Without FOLDER the page of smtlark itself goes to the standard output. Exit code 0, 74 when a page cannot be written.`

func newMan(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "man [FOLDER]",
		Short: "write the manual pages",
		Long:  manAbout,
	}
	flags := c.Flags()
	command.Does(c, func(ctx context.Context) int {
		dir, err := results.FolderArg(flags, "")
		if err != nil {
			return e.UsageError("man", "%v", err)
		}
		root := command.Program(e, "")
		if flags.NArg() == 0 {
			manual.Main(e.Stdout, root)
			return command.ExitOK
		}
		var page bytes.Buffer
		manual.Main(&page, root)
		if err := writeFile(filepath.Join(dir, "smtlark.1"), page.Bytes()); err != nil {
			return e.Fail(command.ExitDisk, "man", err)
		}
		pages := 1
		for _, verb := range root.Commands() {
			if verb.Hidden {
				continue
			}
			page.Reset()
			manual.Page(&page, verb)
			if err := writeFile(filepath.Join(dir, "smtlark-"+verb.Name()+".1"), page.Bytes()); err != nil {
				return e.Fail(command.ExitDisk, "man", err)
			}
			pages++
		}
		fmt.Fprintf(e.Stdout, "%d pages in %s\n", pages, dir)
		return command.ExitOK
	})
	return c
}
