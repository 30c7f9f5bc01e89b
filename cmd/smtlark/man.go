package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

func init() {
	register(verb{Name: "man", Summary: "write the manual pages", Run: runMan})
}

const manAbout = `Writes the manual pages smtlark.1 and smtlark-VERB.1 into FOLDER, made of the help of the verbs:

  smtlark man ~/.local/share/man/man1
  man smtlark-run

Without FOLDER the page of smtlark itself goes to the standard output. Exit code 0, 74 when a page cannot be written.`

func runMan(ctx context.Context, e *env, args []string) int {
	flags := pflag.NewFlagSet("man", pflag.ContinueOnError)
	if code, done := e.parse(flags, "man [FOLDER]", manAbout, args); done {
		return code
	}
	dir, err := folderArg(flags)
	if err != nil {
		return e.usageError("man", "%v", err)
	}
	all := synopses(ctx)
	if flags.NArg() == 0 {
		mainPage(e.Stdout, all)
		return exitOK
	}
	var page bytes.Buffer
	mainPage(&page, all)
	if err := writeFile(filepath.Join(dir, "smtlark.1"), page.Bytes()); err != nil {
		return e.fail(exitDisk, "man", err)
	}
	for i := range all {
		page.Reset()
		verbPage(&page, &all[i])
		if err := writeFile(filepath.Join(dir, "smtlark-"+all[i].Name+".1"), page.Bytes()); err != nil {
			return e.fail(exitDisk, "man", err)
		}
	}
	fmt.Fprintf(e.Stdout, "%d pages in %s\n", len(all)+1, dir)
	return exitOK
}

// roff writes text so that troff takes none of it for a request or an escape.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// roffText writes paragraphs; lines that are indented stay as they are.
func roffText(w io.Writer, text string) {
	indented := false
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		switch now := strings.HasPrefix(line, " "); {
		case now && !indented:
			fmt.Fprintln(w, ".nf")
			indented = true
		case !now && indented:
			fmt.Fprintln(w, ".fi")
			indented = false
		}
		if line == "" {
			fmt.Fprintln(w, ".PP")
			continue
		}
		fmt.Fprintln(w, roff(line))
	}
	if indented {
		fmt.Fprintln(w, ".fi")
	}
}

// pageHead begins a page. It has no date: the same program writes the same pages.
func pageHead(w io.Writer, name, summary, usage string) {
	fmt.Fprintf(w, ".TH %s 1 \"\" %q \"User Commands\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n",
		strings.ToUpper(name), "smtlark "+version(), roff(name), roff(summary), roff(usage))
}

func mainPage(w io.Writer, all []synopsis) {
	pageHead(w, "smtlark", "find bugs in SMT solvers", "smtlark VERB [FLAGS] [ARGUMENTS]")
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	roffText(w, "smtlark finds bugs in SMT solvers. A campaign is a Starlark file.")
	for _, g := range groups {
		fmt.Fprintf(w, ".SH %s\n", strings.ToUpper(g))
		for _, s := range all {
			if s.Group == g {
				fmt.Fprintf(w, ".TP\n.BR smtlark\\-%s (1)\n%s\n", roff(s.Name), roff(s.Summary))
			}
		}
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n")
	roffText(w, exitCodesText)
	fmt.Fprint(w, ".SH ENVIRONMENT\n.TP\n.B SMTLARK_SOLVERS\n")
	roffText(w, "Folders and programs in which solvers are looked for first, separated as in PATH.")
	fmt.Fprint(w, ".TP\n.B NO_COLOR\n")
	roffText(w, "If it is set, nothing is coloured.")
}

func verbPage(w io.Writer, s *synopsis) {
	pageHead(w, "smtlark-"+s.Name, s.Summary, "smtlark "+s.Usage)
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	roffText(w, s.About)
	head := ".SH OPTIONS\n"
	s.Flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(w, "%s.TP\n.B %s\n%s\n", head, roff(name), roff(usage))
		head = ""
	})
	fmt.Fprint(w, ".SH SEE ALSO\n.BR smtlark (1)\n")
}
