package confirm

import (
	"context"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// repeater finds out whether a verdict comes back: in new processes, after other cases, with fewer options, with the
// case as its file says it.
type repeater struct {
	*instances
	*teller
}

// tryMode repeats a case and reports whether the verdict came back. The first repetition that shows it is stored.
func (w *repeater) tryMode(ctx context.Context, c *testcase.Case, o *wire.Subject, mode solvers.Mode, rs []*replica, r *wire.Repetitions) bool {
	return w.tryQuery(ctx, c, w.queryFor(c), o, mode, rs, r)
}

// tryQuery is tryMode for the question about the case.
func (w *repeater) tryQuery(ctx context.Context, c *testcase.Case, q *solvers.Query, o *wire.Subject, mode solvers.Mode, rs []*replica, r *wire.Repetitions) bool {
	defer closeReplicas(rs)
	lim := limitsFor(o.Verdict, w.repetitionLimits(rs))
	oracles := w.plan.OraclesNamed(o.Verdict.Oracle)
	hits, tries, waited := 0, 0, false
	var first []*solvers.Run
	r.Varies = nil
	for range o.Times {
		runs := askReplicas(ctx, rs, q, lim)
		if !waited && slices.ContainsFunc(runs, (*solvers.Run).Starved) { // that says nothing about the solver
			waited = true
			more := lim
			more.Wall *= 4
			runs = askReplicas(ctx, rs, q, more)
		}
		if ctx.Err() != nil {
			break
		}
		if tries++; first == nil {
			first = runs
		}
		for i := range runs {
			r.Varies = addNew(r.Varies, describeDifferences(first[i], runs[i]))
		}
		said := w.sameVerdict(oracles, c, runs, o.Verdict)
		if said == nil {
			if len(r.Details) == 0 {
				r.Details = finding.RunsOf(runs)
			}
			continue
		}
		if hits++; hits == 1 {
			r.Details = finding.RunsOf(runs)
			r.Said = said
		}
	}
	r.Hits, r.Tries = hits, tries
	if hits > 0 {
		if r.Mode = string(mode); mode == "" {
			r.Mode = ownMode
		}
	}
	return hits > 0
}

// byItself returns the case with the questions about models that the oracles of the campaign add to every case, if it
// does not show its verdict without them: a finding is replayed from its files. It returns nil if the case shows the
// verdict as it is, or if it shows it in no way but that of the campaign.
func (w *repeater) byItself(ctx context.Context, c *testcase.Case, o *wire.Subject, mode solvers.Mode, r *wire.Repetitions) *testcase.Case {
	if !w.models || o.Verdict.Kind == oracle.KindInvalidModel || ctx.Err() != nil {
		return nil
	}
	w.ahead = o.Sequence
	defer func() { w.ahead = finding.Sequence{} }()
	once := *o
	if r.Hits == r.Tries {
		once.Times = 1
	}
	shows := func(c *testcase.Case) bool {
		got := &wire.Repetitions{}
		if !w.tryQuery(ctx, c, c.Query(), &once, mode, w.replicasIn(w.inOneMode(targetsOf(o.Verdict), o.Verdict), mode), got) {
			return false
		}
		for _, run := range got.Details { // use the runs of the stored case, not those with added model queries
			if i := slices.IndexFunc(r.Details, func(d finding.Run) bool { return d.Target == run.Target }); i >= 0 {
				r.Details[i] = run
			}
		}
		return true
	}
	if shows(c) {
		return nil
	}
	all := withModels(c)
	if !shows(all) {
		return nil
	}
	return all
}

// withModels returns a case that asks for a model after each sat.
func withModels(c *testcase.Case) *testcase.Case {
	calls := &solvers.Trace{Arena: c.Script.Arena, Calls: c.Query().WithModel().Calls()}
	if t := c.LiveTrace(); t != nil {
		calls.Notes = t.Notes
		return knownAs(c, testcase.FromTrace(c.Script.Name, calls))
	}
	return knownAs(c, &testcase.Case{Script: calls.Script(c.Script.Name)}) // a text has no conditions
}

// belowPush returns the case with a push after its initial settings. Libraries that serve several cases with one solver
// get the case in this form, and some verdicts need nothing more to show. It returns nil for traces, which get a solver
// of their own.
func belowPush(c *testcase.Case) *testcase.Case {
	if c.LiveTrace() != nil {
		return nil
	}
	script := *c.Script
	n := slices.IndexFunc(script.Commands, func(x smtlib.Command) bool { return !x.Kind.IsSetting() })
	if n < 0 {
		return nil
	}
	script.Commands = slices.Insert(slices.Clone(script.Commands), n, smtlib.Command{Kind: smtlib.CmdPush, N: 1})
	return knownAs(c, &testcase.Case{Script: &script})
}

// describeDifferences describes how the outputs of two runs of the same target and case differ. If they do, the solver
// depends on more than its input.
func describeDifferences(a, b *solvers.Run) (out []string) {
	ended := func(r *solvers.Run) string {
		if r.Class == solvers.OK {
			return "came to the end"
		}
		return r.Class.String()
	}
	if a.Class != b.Class {
		return append(out, fmt.Sprintf("%s: one run %s, another %s", a.Target, ended(a), ended(b)))
	}
	for i := range min(len(a.Answers), len(b.Answers)) {
		if a.Answers[i] != b.Answers[i] {
			out = append(out, fmt.Sprintf("%s: check-sat %d is %s in one run, %s in another", a.Target, i+1, a.Answers[i], b.Answers[i]))
			break // those after it may be consequences
		}
	}
	for i := range min(len(a.Values), len(b.Values)) {
		if a.Values[i] != b.Values[i] {
			out = append(out, fmt.Sprintf("%s: reply %d to a question about models, values or cores is another one in another run", a.Target, i+1))
			break
		}
	}
	if !slices.Equal(a.Failed, b.Failed) {
		out = append(out, fmt.Sprintf("%s: what is expected of further solvers fails in other ways in another run", a.Target))
	}
	return out
}

// addNew adds the items that are not in a list yet, up to a few.
func addNew(list, more []string) []string {
	const most = 6
	for _, s := range more {
		if len(list) < most && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// showsInModes says which modes of the wrong target show a verdict, if that target is asked in several modes. Each mode
// is tried once, in a new process. It returns nil for a target with a mode of its own.
func (w *repeater) showsInModes(ctx context.Context, c *testcase.Case, o *wire.Subject) (out []finding.InMode) {
	if len(o.Verdict.Targets) == 0 || w.plan.Scripted(o.Verdict, false) != "" { // an oracle of the campaign file may look at all targets
		return nil
	}
	name := o.Verdict.Targets[0]
	i := slices.IndexFunc(w.plan.Targets, func(t solvers.Target) bool { return t.Name() == name })
	if i < 0 {
		return nil
	}
	wrong := w.plan.Targets[i]
	once := *o
	once.Times = 1
	for _, j := range w.plan.Modes.Others(i) {
		way := w.plan.Targets[j]
		rs := w.replicasIn([]string{way.Name()}, "")
		rs[0].orig, rs[0].run = wrong, withSequence(rs[0].run, o.Sequence) // oracles are to speak of the target that is wrong
		rs = append(rs, w.replicasIn(append([]string{}, o.Verdict.Against...), "")...)
		got := &wire.Repetitions{}
		shows := w.tryMode(ctx, c, &once, way.Mode(), rs, got)
		if ctx.Err() != nil {
			return nil
		}
		if !shows && (len(got.Details) == 0 || got.Details[0].Class == solvers.StartFailure || got.Details[0].Class == solvers.Unsupported) {
			continue
		}
		out = append(out, finding.InMode{Mode: string(way.Mode()), Found: j == i, Shows: shows})
	}
	return out
}
