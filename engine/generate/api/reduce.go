package api

import (
	"context"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/weight"
	"github.com/smtlark/smtlark/solvers"
)

// Reduce makes the trace of a case smaller while fails, or the Asker of the options, confirms that it still has the
// property to keep. The calls are given to package reduce as the commands of a script, so that everything that it does
// to scripts is done to traces: calls are left out by delta debugging (Zeller and Hildebrandt, "Simplifying and
// isolating failure-inducing input", 2002) with what depends on them, terms are replaced by their parts, by constants
// and by literals, and literals, widths, formats, sorts, datatypes and names become smaller throughout the trace.
// Before and after that, it removes features that only traces have: calls that make terms ahead of their use, further
// solvers, the seeds of choices between equivalent calls, conditions. In the end no call can be left out.
//
// The result is the smallest case found when ctx is done, or when nothing more can go; it has no trace where its script
// says the same. It depends on the replies only, not on Options.Jobs. The case must have a LiveTrace. It returns an
// error if a pass does not exist.
func Reduce(ctx context.Context, c *testcase.Case, fails driver.Predicate, opt reduce.Options) (*reduce.Result, error) {
	r := &reducer{ctx: ctx, opt: opt}
	r.fails = r.memo.Predicate(fails, func() bool { return ctx.Err() != nil || opt.Done != nil && opt.Done() })
	if opt.Asker != nil {
		r.opt.Asker = r.memo.Asker(opt.Asker)
	}
	r.memo.Note(driver.Key(c), driver.Observation{Holds: true})
	search := driver.SearchOptions[testcase.Case]{Tests: opt.Tests, Asker: r.opt.Asker, Jobs: opt.Jobs, Helpers: opt.Helpers,
		Done: opt.Done}
	if opt.Progress != nil {
		search.Progress = func(pass string, c *testcase.Case) {
			opt.Progress(reduce.Step{Pass: pass, Weight: callsWeight(c), Tests: r.Stats().Tests, Case: c})
		}
	}
	r.Search = driver.New(ctx, &traces{fails: r.fails, truth: claim.TruthOf(c)}, c, search)
	defer r.Close()
	done, err := r.rounds()
	r.Confirm()
	if err != nil {
		return nil, err
	}
	stats := r.Stats()
	stats.Done = done
	return &reduce.Result{Case: r.Current(), Stats: stats}, nil
}

// reducer is one reduction of a trace: a search for calls to remove, and within it searches for smaller commands. All
// of them share a memo of replies.
type reducer struct {
	*driver.Search[testcase.Case]
	ctx   context.Context
	opt   reduce.Options
	fails driver.Predicate
	memo  driver.Memo
}

// rounds repeats everything that makes a trace smaller until nothing changes it; done reports whether that point was
// reached.
func (r *reducer) rounds() (done bool, err error) {
	calls := func(run func()) { r.Use(&driver.Pass{Name: "calls", Run: run}) }
	calls(r.plain)
	for !r.Stopped() {
		before := driver.Key(r.Current())
		if err := r.commands(r.opt.Passes); err != nil {
			return false, err
		}
		calls(r.seeds)
		calls(r.calls)
		if before == driver.Key(r.Current()) && r.opt.Passes == nil {
			if err := r.commands([]string{"overflow"}); err != nil { // a last resort: the rest is harder to change
				return false, err
			}
		}
		if before == driver.Key(r.Current()) { // a stand-in for a sort may have been renamed, which is no progress
			return !r.Stopped(), nil
		}
	}
	return false, nil
}

// traces is the space of a reduction of a trace. A candidate has fewer calls, or plainer ones.
type traces struct {
	fails driver.Predicate
	truth *claim.Truth
}

func (*traces) Finish(*testcase.Case)                            {}
func (*traces) Admits(_, _ *testcase.Case, _ driver.Change) bool { return true }
func (t *traces) Holds(c *testcase.Case) bool                    { return t.fails(c) }
func (*traces) Case(c *testcase.Case) *testcase.Case             { return c }
func (*traces) Weight(c *testcase.Case) int                      { return callsWeight(c) }
func (*traces) Enter(*testcase.Case)                             {}
func (*traces) Mark() (m smt.Mark)                               { return m }
func (*traces) Release(smt.Mark)                                 {} // their terms belong to the trace
func (t *traces) Keeps(c *testcase.Case, _ driver.Change) bool {
	return t.truth.Keeps(c.Script, c.Expect, c.Witness)
}

func (*traces) Name(c *testcase.Case) (n driver.Name) {
	k := driver.Key(c)
	copy(n[:], k[:])
	return n
}

// traceOf is the trace of a case, or that of its script.
func traceOf(c *testcase.Case) *solvers.Trace {
	if t := c.LiveTrace(); t != nil {
		return t
	}
	return solvers.TraceOf(c.Script)
}

// callsWeight is the weight of the script that stands for a trace.
func callsWeight(c *testcase.Case) int {
	script := (&carrier{c}).script().Script
	return (&weight.Measure{Arena: script.Arena, Calls: true}).Commands(script.Commands)
}

// commands lets package reduce do its part.
func (r *reducer) commands(passes []string) error {
	k := &carrier{r.Current()}
	opt := r.opt
	opt.Wrap, opt.Calls, opt.Passes = k.wrap, true, passes
	before := r.Stats()
	if opt.Tests > 0 {
		opt.Tests = max(1, opt.Tests-before.Tests)
	}
	if opt.Progress != nil {
		opt.Progress = func(s reduce.Step) {
			s.Tests += before.Tests
			r.opt.Progress(s)
		}
	}
	res, err := reduce.Run(r.ctx, k.script(), r.fails, opt)
	if err == nil {
		r.Adopt(res.Case, &res.Stats)
	}
	return err
}

// carrier represents a trace as a script: each call is a command whose Pos is the number of the call. Commands of
// solver 0 stay as they are; every other call is a command of unknown kind with the terms of the call.
type carrier struct{ orig *testcase.Case }

func (k *carrier) script() *testcase.Case {
	t := traceOf(k.orig)
	out := &testcase.Case{Script: k.orig.Script.WithCommands(nil), Expect: k.orig.Expect, Witness: k.orig.Witness,
		Origin: k.orig.Origin}
	for i := range t.Calls {
		c := &t.Calls[i]
		cmd := smtlib.Command{Kind: smtlib.CmdOther}
		switch {
		case c.Kind == solvers.CallCommand && c.Instance == 0:
			cmd = c.Command
		case c.Kind == solvers.CallCommand:
			cmd.Terms, cmd.Symbols = c.Command.Terms, c.Command.Symbols
		case c.Kind == solvers.CallMakeSort: // a variable stands for its sort
			cmd.Terms = []smt.Term{t.Arena.Var("of sort", c.Sort)}
		case c.Kind == solvers.CallMakeTerm:
			cmd.Terms = []smt.Term{c.Term}
		case c.Kind == solvers.CallCustom, c.Kind == solvers.CallTransfer:
			cmd.Terms = c.Args
		}
		cmd.Pos = smtlib.Pos{Line: i + 1}
		out.Script.Commands = append(out.Script.Commands, cmd)
	}
	return out
}

// wrap makes the case of a script that was made of ours. The rest is only a script if its calls have nothing that
// commands have not.
func (k *carrier) wrap(c *testcase.Case) *testcase.Case {
	old := traceOf(k.orig)
	t := &solvers.Trace{Arena: old.Arena, Notes: old.Notes}
	for i := range c.Script.Commands {
		cmd := c.Script.Commands[i]
		call := solvers.CommandCall(cmd)
		if n := cmd.Pos.Line - 1; n >= 0 && n < len(old.Calls) {
			call = unpack(old.Arena, old.Calls[n], &cmd)
		}
		call.Command.Pos = smtlib.Pos{}
		if call.Command.Kind == smtlib.CmdAssert {
			call.Command.Named = scope.NamesIn(old.Arena, call.Command.Terms...)
		}
		t.Calls = append(t.Calls, call)
	}
	return caseOf(k.orig, t, c)
}

// caseOf is the case of some calls, with the known facts about another one's answers.
func caseOf(orig *testcase.Case, t *solvers.Trace, known *testcase.Case) *testcase.Case {
	out := testcase.FromTrace(orig.Script.Name, t)
	if isScript(t) {
		out.Trace, out.TraceOf = nil, nil
	}
	out.Script.Notes = orig.Script.Notes
	out.Expect, out.Witness, out.Origin = known.Expect, known.Witness, orig.Origin
	return out
}

// unpack takes the changed data of a command back into its call.
func unpack(a *smt.Arena, call solvers.Call, cmd *smtlib.Command) solvers.Call {
	switch {
	case call.Kind == solvers.CallCommand && call.Instance == 0:
		call.Command = *cmd
	case call.Kind == solvers.CallCommand:
		call.Command.Terms, call.Command.Symbols = cmd.Terms, cmd.Symbols
	case call.Kind == solvers.CallMakeSort:
		call.Sort = a.Sort(cmd.Terms[0])
	case call.Kind == solvers.CallMakeTerm:
		call.Term = cmd.Terms[0]
	case call.Kind == solvers.CallCustom, call.Kind == solvers.CallTransfer:
		call.Args = cmd.Terms
	}
	return call
}

// isScript reports whether the calls say no more than the commands of solver 0.
func isScript(t *solvers.Trace) bool {
	return !slices.ContainsFunc(t.Calls, func(c solvers.Call) bool {
		return c.Kind != solvers.CallCommand || c.Instance != 0 || c.Seed != 0 || c.When != smtlib.None
	})
}
