package proving

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/builtins/smt"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/semantics/discovery"
)

// Time limit of a solver, and values for which an instance is evaluated, where the flags say nothing: there are many
// laws to prove, and those that are hard are seldom of use.
const (
	discoveryTimeout = 2 * time.Second
	discoveryValues  = 1024
)

// discover prints laws that are new.
func (o *lawOptions) discover(ctx context.Context, e *command.Env, fs *pflag.FlagSet) int {
	if len(o.theories) != 1 || fs.NArg() > 1 {
		return e.UsageError("law", "law discover wants one --theory of %s, and no file", strings.Join(discovery.Theories(), ", "))
	}
	if o.size < 2 || o.size > 9 || o.duration <= 0 {
		return e.UsageError("law", "--size is from 2 to 9, and --for positive")
	}
	if !fs.Changed("timeout") {
		o.timeout = discoveryTimeout
	}
	if !fs.Changed("values") {
		o.values = discoveryValues
	}
	book, th, err := lawsOf(ctx, e, []string{"@std//laws/book.star"})
	if err != nil {
		return e.ScriptError(err)
	}
	search, err := discovery.New(o.theories[0], o.size, th, book)
	if err != nil {
		return e.UsageError("law", "--theory: %v", err)
	}
	prover, end, err := o.prover(ctx)
	defer end()
	if err != nil {
		return e.Fail(command.ExitSolver, "law", err)
	}
	fmt.Fprintf(e.Stdout, "\"\"\"Laws of %s that smtlark law discover found: each is proven, and none follows from the library's by simplifying.\"\"\"\n\nFOUND = [\n", o.theories[0])
	n := 0
	within, cancel := context.WithTimeout(ctx, o.duration)
	defer cancel()
	err = search.Run(within, prover, func(f *discovery.Found) {
		n++
		_, proven, _ := strings.Cut(f.Verdict.Certificate.String(), " | ")
		fmt.Fprintf(e.Stdout, "    # %s\n    %s,\n", proven, f.Text(smt.FunctionName))
	})
	fmt.Fprintln(e.Stdout, "]")
	disputes := disputes{solvers: o.solverNames(), timeout: o.timeout, out: o.out, log: true}
	disputes.add("law discover "+o.theories[0], search.Disputes)
	fmt.Fprintf(e.Stderr, "%d laws found: %d terms, of which known laws simplify %d; %d pairs that came to the same, %d refuted, %d not proven\n",
		n, search.Terms, search.Reducible, search.Pairs, search.Refuted, search.Unproven)
	switch {
	case err != nil && within.Err() == nil:
		return e.Fail(command.ExitInternal, "law", err)
	case ctx.Err() != nil:
		return e.Fail(command.ExitInternal, "law", ctx.Err())
	}
	return disputes.store(ctx, e)
}
