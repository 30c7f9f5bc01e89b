// Package manual generates pages for man(1) from the help and the flags of the verbs.
package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

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
		strings.ToUpper(name), "smtlark "+command.Version(), roff(name), roff(summary), roff(usage))
}

// Main writes the page of the program itself: the verbs by their groups.
func Main(w io.Writer, root *cobra.Command) {
	pageHead(w, "smtlark", "find bugs in SMT solvers", "smtlark VERB [FLAGS] [ARGUMENTS]")
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	roffText(w, "smtlark finds bugs in SMT solvers. A campaign is a Starlark file.")
	for _, g := range root.Groups() {
		fmt.Fprintf(w, ".SH %s\n", strings.ToUpper(g.Title))
		for _, verb := range root.Commands() {
			if verb.GroupID == g.ID && !verb.Hidden {
				fmt.Fprintf(w, ".TP\n.BR smtlark\\-%s (1)\n%s\n", roff(verb.Name()), roff(verb.Short))
			}
		}
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n")
	roffText(w, command.ExitCodesText)
	fmt.Fprint(w, ".SH ENVIRONMENT\n.TP\n.B SMTLARK_SOLVERS\n")
	roffText(w, "Folders and programs in which solvers are looked for first, separated as in PATH.")
	fmt.Fprint(w, ".TP\n.B NO_COLOR\n")
	roffText(w, "If it is set, nothing is coloured.")
}

// Page writes the page of a verb, with those below it.
func Page(w io.Writer, verb *cobra.Command) {
	pageHead(w, "smtlark-"+verb.Name(), verb.Short, "smtlark "+verb.Use)
	describe(w, verb, "DESCRIPTION", "OPTIONS")
	for _, below := range verb.Commands() {
		name := strings.ToUpper(below.CommandPath())
		describe(w, below, name, "OPTIONS OF "+name)
	}
	fmt.Fprint(w, ".SH SEE ALSO\n.BR smtlark (1)\n")
}

// describe writes the help of a command and its flags.
func describe(w io.Writer, c *cobra.Command, heading, options string) {
	fmt.Fprintf(w, ".SH %s\n", heading)
	roffText(w, c.Long)
	head := ".SH " + options + "\n"
	c.Flags().VisitAll(func(f *pflag.Flag) {
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
}
