package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

func init() {
	command.Register("new", newNew)
}

//go:embed templates/*.star
var templates embed.FS

// templateNames are the kinds of files that smtlark new writes.
func templateNames() []string {
	entries, _ := templates.ReadDir("templates") // embedded: it is there
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".star"))
	}
	return names
}

const newAbout = `Writes a working file with a test, as a starting point for your own:

  campaign   a technique of the library, seeds, targets, oracles and when to stop
  mutator    a function that changes a case and keeps its meaning, with a proof by a solver
  oracle     a function that judges what the targets did with a case
  solver     a profile of a solver that smtlark does not know

Without FILE it is KIND.star. An existing file is never replaced.

Exit codes: 0, 64 when the file is there already, 74 when it cannot be written.`

func newNew(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "new " + strings.Join(templateNames(), "|") + " [FILE]",
		Short:   "write a new campaign file from a template",
		Long:    newAbout,
		GroupID: command.GroupScripts,
	}
	command.Words(c, templateNames()...)
	flags := c.Flags()
	command.Does(c, func(_ context.Context) int {
		kind := flags.Arg(0)
		if !slices.Contains(templateNames(), kind) || flags.NArg() > 2 {
			return e.UsageError("new", "want one of %s and perhaps a file, got %q", strings.Join(templateNames(), ", "), strings.Join(flags.Args(), " "))
		}
		file := kind + ".star"
		if flags.NArg() == 2 {
			file = flags.Arg(1)
		}
		text, err := templates.ReadFile("templates/" + kind + ".star")
		if err != nil {
			return e.Fail(command.ExitInternal, "new", err)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return e.Fail(command.ExitDisk, "new", err)
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return e.UsageError("new", "%s is there already; name another file", file)
		}
		if err == nil {
			_, err = f.Write(text)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return e.Fail(command.ExitDisk, "new", err)
		}
		word, program := folder.ShellWord(file), e.Program()
		fmt.Fprintf(e.Stdout, "%s is written.\nnext: %s test %s; %s run %s --for 60s\n", file, program, word, program, word)
		return command.ExitOK
	})
	return c
}
