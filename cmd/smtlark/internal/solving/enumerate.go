package solving

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
)

func init() {
	command.Register("enumerate", newEnumerate)
}

const enumerateAbout = `Prints all combinations of values that the terms of --term have in models of the assertions of FILE
at its last check-sat, or with --core a minimal unsatisfiable core of these assertions. Any
solver with push, pop and assumptions can be used: it is asked repeatedly, without the values so far, or without one assertion
after the other.

This is short for smtlark solve FILE --term TERM and smtlark solve FILE --core, which take several solvers and all other flags of solve.

Exit codes: 0 all values are printed, or a minimal core; 10 there are more values than --limit, there is no core since the assertions have a model, or
it may not be minimal; 64 wrong flags, 65 FILE or a term cannot be read, 69 the solver is missing, or does not decide.`

// enumeration asks for more than an answer: all values of terms, or a minimal core.
type enumeration struct {
	terms []string
	core  bool
	limit int // how many values at most; 0: no limit
}

// limitDefault is the default number of values to print.
const limitDefault = 1000

func (w *enumeration) addFlags(fs *pflag.FlagSet, short string) {
	fs.StringArrayVarP(&w.terms, "term", short, nil, "print all values of `term` in models of the assertions of FILE at its last check-sat, over the constants that FILE declares; may be repeated, for combinations of values")
	fs.BoolVar(&w.core, "core", false, "print a minimal unsatisfiable core of the assertions of FILE")
	fs.IntVar(&w.limit, "limit", limitDefault, "greatest number of values of --term; 0 for all")
}

// wanted reports whether anything is.
func (w *enumeration) wanted() bool { return w.core || len(w.terms) > 0 }

// mistake describes the error in the flags; "" for none.
func (w *enumeration) mistake(files int) string {
	switch {
	case files != 1:
		return fmt.Sprintf("want one file, got %d arguments", files)
	case w.core == (len(w.terms) > 0):
		return "want terms by --term, or --core"
	case w.limit < 0:
		return "limits are positive"
	}
	return ""
}

func newEnumerate(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "enumerate FILE (--term TERM... | --core) [flags]",
		Short:   "enumerate all values of terms, or find a minimal unsatisfiable core",
		Long:    enumerateAbout,
		GroupID: command.GroupOther,
	}
	fs := c.Flags()
	o := &options{mode: string(frontend.Incremental)}
	o.addFlags(fs, "t")
	var solver string
	command.SolverFlag(fs, &solver, "z3", "")
	var timeout time.Duration
	command.DurationFlag(fs, &timeout, "timeout", time.Minute, "`time` limit of all questions together")
	command.UnsafeFlag(fs)
	command.Does(c, func(ctx context.Context) int {
		if mistake := o.mistake(fs.NArg()); mistake != "" {
			return e.UsageError("enumerate", "%s", mistake)
		}
		if timeout <= 0 {
			return e.UsageError("enumerate", "limits are positive")
		}
		o.solvers = []string{solver}
		s := &solving{options: o, env: e, past: frontend.NewExperience(), verb: "enumerate"}
		if err := s.openTargets(ctx); err != nil {
			return e.Fail(command.ExitSolver, "enumerate", err)
		}
		defer s.closeTargets()
		ctx, end := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("the time of %v is over", timeout))
		defer end()
		return s.enumerate(ctx, fs.Arg(0))
	})
	return c
}

// enumerate prints the results that the flags request for a file.
func (s *solving) enumerate(ctx context.Context, path string) int {
	fail := func(code int, err error) int { return s.env.Fail(code, s.verb, err) }
	script, err := command.ReadProblem(path)
	if err != nil {
		return fail(command.ExitScript, err)
	}
	a := script.Arena
	var terms []smt.Term
	for _, text := range s.terms {
		t, err := smtlib.ParseTerm(a, script, text)
		if err != nil {
			return fail(command.ExitScript, err)
		}
		terms = append(terms, t)
	}
	f, err := s.newSolver(a, nil)
	if err != nil {
		return fail(command.ExitUsage, err)
	}
	defer f.Close()
	found := enumerated{}
	if err = frontend.Prepare(ctx, f, script); err == nil && s.core {
		err = s.findCore(ctx, f, script, &found)
	} else if err == nil {
		err = s.findValues(ctx, f, script, terms, &found)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fail(command.ExitSolver, err)
	}
	if s.json {
		enc := json.NewEncoder(s.env.Stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(&found); err != nil {
			return fail(command.ExitDisk, err)
		}
	}
	s.printStats(f)
	if !found.Complete {
		return command.ExitFindings
	}
	return command.ExitOK
}

// enumerated is the result of an enumeration in JSON.
type enumerated struct {
	Terms    []string   `json:"terms,omitempty"`
	Values   [][]string `json:"values,omitempty"` // of the terms, a row for values that they have together
	Core     []string   `json:"core,omitempty"`   // assertions
	Complete bool       `json:"complete"`         // these are all values, or nothing can be left out of the core
}

// say prints a line of the text that is for people.
func (s *solving) say(format string, args ...any) error {
	if s.json {
		return nil
	}
	_, err := fmt.Fprintf(s.env.Stdout, format+"\n", args...)
	return err
}

// findValues prints the values of terms as solvers reply to get-value.
func (s *solving) findValues(
	ctx context.Context, x solvers.Caller, script *smtlib.Script, terms []smt.Term, found *enumerated,
) error {
	a := script.Arena
	for _, t := range terms {
		found.Terms = append(found.Terms, smtlib.TermText(a, t))
	}
	for _, t := range script.Asserts() {
		if err := solvers.Tell(ctx, x, smtlib.AssertCommand(t)); err != nil {
			return err
		}
	}
	var err error
	found.Complete, err = frontend.Models(ctx, x, script, terms, s.limit, func(values []value.TermValue) error {
		var row, pairs []string
		for i := range values {
			text := values[i].Value.Text(a)
			row, pairs = append(row, text), append(pairs, "("+found.Terms[i]+" "+text+")")
		}
		found.Values = append(found.Values, row)
		return s.say("(%s)", strings.Join(pairs, " "))
	})
	switch n := len(found.Values); {
	case err != nil:
		return err
	case found.Complete:
		return s.say("; %d, which are all", n)
	default:
		return s.say("; %d, and there may be more", n)
	}
}

// findCore prints the assertions of a core.
func (s *solving) findCore(ctx context.Context, x solvers.Caller, script *smtlib.Script, found *enumerated) error {
	asserts := script.Asserts()
	core, minimal, err := frontend.Core(ctx, x, asserts)
	if err != nil {
		return err
	}
	if core == nil {
		return s.say("; the %d assertions have a model", len(asserts))
	}
	for _, t := range core {
		text := smtlib.TermText(script.Arena, t)
		found.Core = append(found.Core, text)
		if err := s.say("(assert %s)", text); err != nil {
			return err
		}
	}
	if found.Complete = minimal; minimal {
		return s.say("; %d of %d assertions, none of which can be left out", len(core), len(asserts))
	}
	return s.say("; %d of %d assertions; the solver did not decide whether each is needed", len(core), len(asserts))
}
