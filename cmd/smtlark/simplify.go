package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register("simplify", newSimplify)
}

const simplifyAbout = `Prints FILE with its assertions and definitions simplified: ground terms are computed exactly, and laws of the library with
a lighter side are applied until none is left, also under quantifiers (docs/laws.md). Every assertion keeps its value under every
interpretation, so answers and models do not change. Terms with unknown values do not change, such as a division by zero.

With --facts earlier assertions also simplify later ones: they are true in those that follow, and a constant
that equals a literal is replaced by it. Every check keeps its answer and its models, but a single assertion need not keep its value.

Exit codes: 0; 64 there is no such law; 65 FILE cannot be read.`

func newSimplify(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "simplify FILE [flags]",
		Short:   "simplify an SMT-LIB file by proven laws",
		Long:    simplifyAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	var without []string
	var stats, facts bool
	fs.StringArrayVar(&without, "without", nil, "do not use the `law`, such as core.and_flat; may be repeated")
	fs.BoolVar(&facts, "facts", false, "use the assertions before an assertion, also for conditions of laws")
	fs.BoolVar(&stats, "stats", false, "print to the standard error the number of terms before and after, and how often each law was used")
	command.Does(c, func(_ context.Context) int {
		if fs.NArg() != 1 {
			return e.UsageError("simplify", "want one file, got %d arguments", fs.NArg())
		}
		from, err := command.ReadProblem(fs.Arg(0))
		if err != nil {
			return e.Fail(command.ExitScript, "simplify", err)
		}
		rules, err := script.StandardRules()
		if err != nil {
			return e.Fail(command.ExitInternal, "simplify", err)
		}
		s := rewrite.New(from.Arena, rules)
		for _, name := range without {
			if err := s.Without(name); err != nil {
				return e.UsageError("simplify", "--without: %v", err)
			}
		}
		simplified := s.Script
		if facts {
			simplified = s.ScriptInContext
		}
		to := simplified(from)
		if err := s.Err(); err != nil {
			return e.Fail(command.ExitInternal, "simplify", err)
		}
		fmt.Fprintln(e.Stdout, strings.TrimSuffix(to.Text(), "\n"))
		if stats {
			printRewriteStats(e, from, to, s.Stats())
		}
		return command.ExitOK
	})
	return c
}

// printRewriteStats prints a line for the whole and one for each law that was used, the most frequent first.
func printRewriteStats(e *command.Env, from, to *smtlib.Script, stats rewrite.Counters) {
	size := func(s *smtlib.Script) int { return s.Arena.Size(s.Asserts()...) }
	fmt.Fprintf(e.Stderr, "%d terms, %d before; %d ground terms computed\n", size(to), size(from), stats.Folded)
	for _, name := range stats.Names() {
		fmt.Fprintf(e.Stderr, "%6d %s\n", stats.Applied[name], name)
	}
}
