package api

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/claim"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// Reduce makes the trace of a case smaller while fails, or the Asker of the options, says that it still shows what is to be
// kept. The calls are given to package reduce as the commands of a script, so that everything that it does to scripts is
// done to traces: calls are left out by delta debugging (Zeller and Hildebrandt, "Simplifying and isolating
// failure-inducing input", 2002) with what depends on them, terms are replaced by their parts, by constants and by
// literals, and literals, widths, formats, sorts, datatypes and names become smaller throughout the trace. Before and
// after that, what only traces have goes: calls that make terms ahead of their use, further solvers, the seeds of choices
// between equivalent calls, conditions. In the end no call can be left out.
//
// The result is the smallest case found when ctx is done, or when nothing more can go; it has no trace where its script
// says the same. It depends on the replies only, not on Options.Jobs. The case must have a LiveTrace. The error is a pass
// that does not exist.
func Reduce(ctx context.Context, c *testcase.Case, fails reduce.Predicate, opt reduce.Options) (*reduce.Result, error) {
	r := &reducer{ctx: ctx, opt: opt, fails: fails, best: c, truth: claim.TruthOf(c), known: map[[32]byte]bool{}, replies: map[[32]byte]reduce.Reply{}}
	r.known[reduce.Key(c)] = true
	r.stats.Before, r.stats.After = weight(c), weight(c)
	r.plain()
	for r.more() {
		before := reduce.Key(r.best)
		if err := r.commands(opt.Passes); err != nil {
			return nil, err
		}
		r.seeds()
		r.calls()
		if before == reduce.Key(r.best) && opt.Passes == nil {
			if err := r.commands([]string{"overflow"}); err != nil { // a last resort: what is left is harder to change
				return nil, err
			}
		}
		if before == reduce.Key(r.best) { // what stands for a sort may have got another name, which says nothing
			r.stats.Done = r.more()
			break
		}
	}
	r.stats.After = weight(r.best)
	return &reduce.Result{Case: r.best, Stats: r.stats}, nil
}

type reducer struct {
	ctx   context.Context
	opt   reduce.Options
	fails reduce.Predicate
	best  *testcase.Case
	stats reduce.Stats
	truth *claim.Truth
	over  bool // the bound on tests was reached

	mu      sync.Mutex
	known   map[[32]byte]bool         // replies of fails
	replies map[[32]byte]reduce.Reply // replies of the Asker
}

func (r *reducer) more() bool {
	return r.ctx.Err() == nil && !r.over && (r.opt.Done == nil || !r.opt.Done())
}

// traceOf is the trace of a case, or that of its script.
func traceOf(c *testcase.Case) *solvers.Trace {
	if t := c.LiveTrace(); t != nil {
		return t
	}
	return solvers.TraceOf(c.Script)
}

// weight is the weight of the script that stands for a trace.
func weight(c *testcase.Case) int { return reduce.CallsWeight((&carrier{c}).script().Script) }

// ask asks about one case, and keeps it if it holds.
func (r *reducer) ask(c *testcase.Case) bool {
	if !r.more() {
		return false
	}
	k := reduce.Key(c)
	holds, asked := r.known[k], false
	if _, known := r.known[k]; !known {
		if r.opt.Tests > 0 && r.stats.Tests >= r.opt.Tests {
			r.over = true
			return false
		}
		r.stats.Tests++
		asked = true
		if r.opt.Asker != nil {
			reply := r.opt.Asker.Ask(r.ctx, reduce.Detach(c))
			r.stats.Runs += max(1, reply.Runs)
			if holds = reply.Holds && !reply.Cut; holds {
				r.opt.Asker.Accepted(reply)
			}
		} else {
			holds = r.fails(c)
		}
		if !r.more() {
			return false // the reply may be about the interruption
		}
		r.known[k] = holds
	}
	if !holds {
		return false
	}
	if asked {
		r.stats.Kept++
	}
	r.best = c
	if r.opt.Progress != nil {
		r.opt.Progress(reduce.Step{Pass: "calls", Weight: weight(c), Tests: r.stats.Tests, Case: c})
	}
	return true
}

// commands lets package reduce do its part.
func (r *reducer) commands(passes []string) error {
	k := &carrier{r.best}
	opt := r.opt
	opt.Wrap, opt.Calls, opt.Passes = k.wrap, true, passes
	if opt.Tests > 0 {
		opt.Tests = max(1, opt.Tests-r.stats.Tests)
	}
	before := r.stats
	if opt.Progress != nil {
		opt.Progress = func(s reduce.Step) {
			s.Tests += before.Tests
			r.opt.Progress(s)
		}
	}
	if opt.Asker != nil {
		opt.Asker = remembering{r}
	}
	res, err := reduce.Run(r.ctx, k.script(), func(c *testcase.Case) bool {
		at := reduce.Key(c)
		if holds, known := r.known[at]; known {
			return holds
		}
		holds := r.fails(c)
		if r.more() {
			r.known[at] = holds
		}
		return holds
	}, opt)
	if err != nil {
		return err
	}
	r.add(&res.Stats)
	if res.Stats.Kept > 0 {
		r.best = res.Case
	}
	r.over = r.over || r.opt.Tests > 0 && r.stats.Tests >= r.opt.Tests
	return nil
}

// add adds what a part of the reduction did.
func (r *reducer) add(s *reduce.Stats) {
	t := &r.stats
	t.Tests, t.Kept, t.Repeated, t.Untrue = t.Tests+s.Tests, t.Kept+s.Kept, t.Repeated+s.Repeated, t.Untrue+s.Untrue
	t.Runs, t.Ahead, t.TimedOut, t.Rechecks, t.Flaky = t.Runs+s.Runs, t.Ahead+s.Ahead, t.TimedOut+s.TimedOut, t.Rechecks+s.Rechecks, t.Flaky+s.Flaky
	for _, p := range s.Passes {
		i := slices.IndexFunc(t.Passes, func(x reduce.PassStats) bool { return x.Name == p.Name })
		if i < 0 {
			t.Passes = append(t.Passes, p)
			continue
		}
		t.Passes[i].Tests, t.Passes[i].Kept, t.Passes[i].Gain = t.Passes[i].Tests+p.Tests, t.Passes[i].Kept+p.Kept, t.Passes[i].Gain+p.Gain
	}
}

// remembering is the Asker of the options with a memory that outlives one search.
type remembering struct{ r *reducer }

// Ask implements reduce.Asker.
func (m remembering) Ask(ctx context.Context, c *reduce.Candidate) reduce.Reply {
	k := c.Key()
	m.r.mu.Lock()
	reply, known := m.r.replies[k]
	m.r.mu.Unlock()
	if known && !reply.Holds { // what held is asked about again where it may not always show
		return reply
	}
	reply = m.r.opt.Asker.Ask(ctx, c)
	if !reply.Cut {
		m.r.mu.Lock()
		m.r.replies[k] = reply
		m.r.mu.Unlock()
	}
	return reply
}

// Accepted implements reduce.Asker.
func (m remembering) Accepted(reply reduce.Reply) { m.r.opt.Asker.Accepted(reply) }

// carrier tells a trace as a script: each call is a command whose Pos has its number. Commands of solver 0 are themselves;
// all else is a command of unknown kind with the terms of the call.
type carrier struct{ orig *testcase.Case }

func (k *carrier) script() *testcase.Case {
	t := traceOf(k.orig)
	out := &testcase.Case{Script: k.orig.Script.WithCommands(nil), Expect: k.orig.Expect, Witness: k.orig.Witness, Origin: k.orig.Origin}
	for i := range t.Calls {
		c := &t.Calls[i]
		cmd := smtlib.Command{Kind: smtlib.CmdOther}
		switch {
		case c.Kind == solvers.CallCommand && c.Instance == 0:
			cmd = c.Command
			if _, ok := withTerms(t.Arena, &cmd, cmd.Terms); ok {
				cmd.Text = ""
			}
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

// wrap makes the case of a script that was made of ours. What is left is only a script if its calls have nothing that
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
		call.Command.Named = namedIn(old.Arena, &call.Command)
		t.Calls = append(t.Calls, call)
	}
	return caseOf(k.orig, t, c)
}

// caseOf is the case of some calls, with what is known of another one's answers.
func caseOf(orig *testcase.Case, t *solvers.Trace, known *testcase.Case) *testcase.Case {
	out := testcase.FromTrace(orig.Script.Name, t)
	if isScript(t) {
		out.Trace, out.TraceOf = nil, nil
	}
	out.Script.Notes = orig.Script.Notes
	out.Expect, out.Witness, out.Origin = known.Expect, known.Witness, orig.Origin
	return out
}

// unpack gives a call back what its command carried.
func unpack(a *smt.Arena, call solvers.Call, cmd *smtlib.Command) solvers.Call {
	switch {
	case call.Kind == solvers.CallCommand && call.Instance == 0:
		old := call.Command
		call.Command = *cmd
		if text, ok := withTerms(a, &old, cmd.Terms); ok {
			call.Command.Text = text
		}
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

// namedIn returns the symbols that :named gives in an assertion.
func namedIn(a *smt.Arena, c *smtlib.Command) []smt.Symbol {
	if c.Kind != smtlib.CmdAssert {
		return nil
	}
	var out []smt.Symbol
	a.PostOrder(c.Terms, func(t smt.Term) {
		if a.Op(t) != smt.OpAnnot {
			return
		}
		for _, x := range a.Annotations(t) {
			if x.Keyword == ":named" {
				out = append(out, a.Name(strings.Trim(x.Value, "|"), a.Arg(t, 0)))
			}
		}
	})
	return out
}

// isScript reports whether the calls say no more than the commands of solver 0.
func isScript(t *solvers.Trace) bool {
	return !slices.ContainsFunc(t.Calls, func(c solvers.Call) bool {
		return c.Kind != solvers.CallCommand || c.Instance != 0 || c.Seed != 0 || c.When != smtlib.None
	})
}
