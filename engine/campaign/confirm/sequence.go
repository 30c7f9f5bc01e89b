package confirm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/solvers"
)

const (
	maxRepeat = 8 // times that a case is given to one process
	// sequenceTime bounds the repetitions and the histories of one verdict.
	MaxSequenceTime = time.Minute
)

// primed is a target whose process is given a sequence ahead of each of its runs. It is closed after each of them.
type primed struct {
	solvers.Target
	before []*solvers.Query
	repeat int
	atOnce bool // everything in one input; the target is an InputRunner
}

// withSequence returns the target with a sequence ahead; the target itself when there is none, or when it has a process
// a case anyway.
func withSequence(t solvers.Target, s finding.Sequence) solvers.Target {
	_, takesInput := t.(solvers.InputRunner)
	atOnce := s.AtOnce && takesInput
	if !atOnce && (s.Len() == 0 || t.Mode() == solvers.Fresh) {
		return t
	}
	return &primed{Target: t, before: queriesOf(s.Before), repeat: s.Repeat, atOnce: atOnce}
}

// queriesOf reads cases; what cannot be read is left out.
func queriesOf(texts []string) (out []*solvers.Query) {
	for _, text := range texts {
		if script, err := smtlib.Parse("before", []byte(text), smt.NewArena()); err == nil {
			q := solvers.FromScript(script)
			for i := range q.Commands {
				if script.Commands[i].Kind == smtlib.CmdGetModel { // one of several targets may have said something else
					q.Commands[i].When = smtlib.Sat
				}
			}
			out = append(out, q)
		}
	}
	return out
}

// Run implements solvers.Target.
func (p *primed) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	_ = p.Close() // a process of its own
	if p.atOnce {
		return p.runAtOnce(ctx, q, lim)
	}
	asked := *q
	asked.Models = q.Models || slices.ContainsFunc(p.before, asksForModel)
	asked.Shares = true // as in the campaign
	for _, earlier := range p.before {
		if ctx.Err() != nil {
			break
		}
		// The requests of a case (models, cores) determine the options of its process.
		b := *earlier
		b.Models, b.Cores, b.Shares = asked.Models, asked.Cores, true
		p.Target.Run(ctx, &b, lim)
	}
	for range p.repeat {
		p.Target.Run(ctx, &asked, lim)
	}
	return p.Target.Run(ctx, &asked, lim)
}

// runAtOnce gives a process the sequence and the case in one input.
func (p *primed) runAtOnce(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	preamble := p.Target.Run(ctx, q, lim).Preamble // the target's options as commands, for this query
	_ = p.Close()
	if ctx.Err() != nil {
		return p.Target.Run(ctx, q, lim) // cancelled
	}
	before := make([]string, len(p.before))
	for i, earlier := range p.before {
		before[i] = string(earlier.Text())
	}
	run := runInput(ctx, p.Target, q, wholeInput{preamble: preamble, before: before, repeat: p.repeat, text: string(q.Text()), reset: true}, lim)
	run.Preamble = preamble
	return run
}

// wholeInput gives a process all queries as one input.
type wholeInput struct {
	preamble string
	before   []string
	repeat   int
	text     string // of the case
	reset    bool   // see finding.Input
}

// runInput gives a target, which is an InputRunner, everything as repro.sh does: in one input and without markers.
func runInput(ctx context.Context, t solvers.Target, q *solvers.Query, w wholeInput, lim solvers.Limits) *solvers.Run {
	p := t.Solver().Profile
	given := finding.Target{Kind: p.Name, CheckSatUsing: p.CheckSatUsing, ChecksStatus: p.ChecksStatus}
	in := finding.Input{Mode: t.Mode(), Preamble: w.preamble, Case: given.Given(w.text), Reset: w.reset}
	from := ""
	if in.Mode != solvers.Fresh {
		for _, earlier := range w.before {
			in.Ahead = append(in.Ahead, given.Given(earlier))
		}
		for range w.repeat {
			in.Ahead = append(in.Ahead, in.Case)
		}
		if len(in.Ahead) > 0 {
			from = finding.CaseMark
		}
	}
	text, _ := in.Text()
	return t.(solvers.InputRunner).RunInput(ctx, q, text, from, lim)
}

// takesInput reports whether a target can be asked about a query in one input, and has a profile.
func takesInput(t solvers.Target, q *solvers.Query) bool {
	_, ok := t.(solvers.InputRunner)
	solver := t.Solver()
	return ok && solver != nil && solver.Profile != nil && !q.Trace.Several()
}

// tryAtOnce handles a verdict that does not show piece by piece, as a campaign asks. It asks as repro.sh does, with
// everything in one input: first the case alone, then with all cases that the process had had before it. Only what
// answers and the end of the process decide can be told in this way.
func (w *repeater) tryAtOnce(ctx context.Context, c *testcase.Case, o *wire.Subject, r *wire.Confirmed) {
	names := targetsOf(o.Verdict)
	q := w.queryFor(c)
	rs := w.replicasIn(names, "")
	able := slices.ContainsFunc(rs, func(r *replica) bool { return takesInput(r.run, q) })
	closeReplicas(rs)
	if !able || names == nil || o.Verdict.Kind == oracle.KindInvalidModel {
		return
	}
	w.tellStage("with everything in one file")
	t := &trial{w, ctx, c, o, names}
	if !t.confirmAfter(finding.Sequence{AtOnce: true}, r) && len(o.Before) > 0 && ctx.Err() == nil {
		t.confirmAfter(finding.Sequence{Before: o.Before, AtOnce: true}, r)
	}
}

func asksForModel(q *solvers.Query) bool {
	return slices.ContainsFunc(q.Commands, func(c solvers.PrintedCommand) bool { return c.Text == "(get-model)" })
}

// trial is a verdict that does not show with its case alone, being tried with sequences.
type trial struct {
	w     *repeater
	ctx   context.Context
	c     *testcase.Case
	o     *wire.Subject
	names []string // of targets
}

// trySequences tries a verdict that does not show with its case alone: with the case several times in one process, then
// with the latest of the cases that the process had had before it, then with ever more of these.
func (w *repeater) trySequences(job context.Context, c *testcase.Case, o *wire.Subject, r *wire.Confirmed) bool {
	ctx, cancel := context.WithTimeout(job, MaxSequenceTime)
	defer cancel()
	t := &trial{w, ctx, c, o, o.Verdict.Targets}
	if o.Verdict.Kind != oracle.KindCrash {
		t.names = w.inOneMode(targetsOf(o.Verdict), o.Verdict)
	}
	if n := t.countRepeats(); n > 0 && t.confirmAfter(finding.Sequence{Repeat: n}, r) {
		return true
	}
	if len(o.Before) == 0 || ctx.Err() != nil {
		return false
	}
	w.tellStage(fmt.Sprintf("after the %d cases before it", len(o.Before)))
	r.Tried = 1
	for n := 1; ctx.Err() == nil; n *= 2 {
		all := n >= len(o.Before)
		s := finding.Sequence{Before: o.Before[max(0, len(o.Before)-n):]}
		hit := all // every chance for the whole history
		if !all {
			hit, _ = t.showsAfter(s, 1)
		}
		if hit && t.confirmAfter(s, r) {
			r.Tried = 0
			return true
		}
		if all {
			break
		}
	}
	return false
}

// countRepeats gives the case to one process again and again. It returns how often the process had the case before the
// verdict showed; 0 if it never did.
func (t *trial) countRepeats() int {
	rs := t.w.replicasIn(t.names, "")
	defer closeReplicas(rs)
	lim, q := t.w.plan.Limits, t.w.queryFor(t.c)
	q.Shares = true // as in the campaign
	oracles := t.w.plan.OraclesNamed(t.o.Verdict.Oracle)
	for n := range maxRepeat {
		runs := make([]*solvers.Run, len(rs))
		for i, r := range rs {
			run := *r.run.Run(t.ctx, q, lim)
			run.Target = r.orig.Name()
			runs[i] = &run
		}
		if t.ctx.Err() != nil {
			return 0
		}
		if n > 0 && t.w.sameVerdict(oracles, t.c, runs, t.o.Verdict) != nil {
			return n
		}
	}
	return 0
}

// showsAfter repeats the case after a sequence.
func (t *trial) showsAfter(s finding.Sequence, times int) (bool, *wire.Repetitions) {
	t.w.ahead = s
	defer func() { t.w.ahead = finding.Sequence{} }()
	got, again := &wire.Repetitions{}, *t.o
	again.Times = times
	return t.w.tryMode(t.ctx, t.c, &again, "", t.w.replicasIn(t.names, ""), got), got
}

// confirmAfter repeats the case after a sequence often enough to tell how reliable the verdict is, and records the
// result.
func (t *trial) confirmAfter(s finding.Sequence, r *wire.Confirmed) bool {
	hit, got := t.showsAfter(s, t.o.Times)
	if !hit {
		r.Tries += got.Tries
		return false
	}
	r.Repetitions, r.Ahead = *got, s
	r.Mode = ownMode
	return true
}

// shortenList drops cases from the sequence ahead, as long as the best case still shows the verdict.
func (d *reduction) shortenList() {
	if d.ahead.Len() == 0 {
		return
	}
	d.w.tellStage(fmt.Sprintf("which of the %d cases ahead it needs", d.ahead.Len()))
	c, err := d.smallestCase()
	if err != nil {
		return
	}
	for d.ahead.Repeat > 1 { // more often than needed after other cases were dropped, or by chance
		less := d.ahead
		less.Repeat--
		if !d.showsAfter(less, c) {
			break
		}
		d.takeSequence(less, c)
	}
	short, _ := driver.Shortest(d.ctx, d.ahead.Before, 0, func(list []string) bool {
		return d.showsAfter(finding.Sequence{Before: list, Repeat: d.ahead.Repeat, AtOnce: d.ahead.AtOnce}, c)
	})
	if len(short) < len(d.ahead.Before) {
		d.takeSequence(finding.Sequence{Before: short, Repeat: d.ahead.Repeat, AtOnce: d.ahead.AtOnce}, c)
	}
}

// shortenMembers makes each of the cases ahead smaller, the latest first, as any case is reduced: while the verdict of
// the best case shows after them.
func (d *reduction) shortenMembers() {
	c, err := d.smallestCase()
	if err != nil {
		return
	}
	for i := len(d.ahead.Before) - 1; i >= 0 && d.ctx.Err() == nil; i-- {
		d.w.tellStage(fmt.Sprintf("case %d of the %d ahead", i+1, len(d.ahead.Before)))
		script, err := smtlib.Parse("before", []byte(d.ahead.Before[i]), smt.NewArena())
		if err != nil {
			continue
		}
		member := &testcase.Case{Script: script}
		var memo driver.Memo
		memo.Note(driver.Key(member), driver.Observation{Holds: true})
		fails := memo.Predicate(func(m *testcase.Case) bool {
			text := string(m.Query().Text())
			with := finding.Sequence{Before: slices.Clone(d.ahead.Before), Repeat: d.ahead.Repeat, AtOnce: d.ahead.AtOnce}
			with.Before[i] = text
			shown := d.showsAfter(with, c)
			if shown && d.ctx.Err() == nil && len(text) < len(d.ahead.Before[i]) {
				d.takeSequence(with, c)
			}
			return shown
		}, func() bool { return d.ctx.Err() != nil })
		_, _ = d.w.plan.Reducer.Reduce(d.ctx, member, fails, nil) // smaller members were accepted during the reduction
	}
}

// smallestCase returns the best case so far, or the original case.
func (d *reduction) smallestCase() (*testcase.Case, error) {
	if d.best.Case == nil {
		return d.orig, nil
	}
	return d.best.Case.Case(nil)
}

// showsAfter reports whether a case whose right answer is known shows the verdict after a sequence.
func (d *reduction) showsAfter(s finding.Sequence, c *testcase.Case) bool {
	if d.ctx.Err() != nil {
		return false
	}
	old := d.ahead
	d.setSequence(s)
	ok, runs := d.testCase(c, true)
	d.setSequence(old)
	if ok {
		d.after = runs
	}
	return ok
}

// takeSequence goes on with a sequence after which a case showed the verdict.
func (d *reduction) takeSequence(s finding.Sequence, c *testcase.Case) {
	d.setSequence(s)
	d.memo.Clear() // after another sequence
	d.memo.Note(driver.Key(c), driver.Observation{Holds: true})
	d.confirmed.by = d.best.ConfirmedBy
	d.acceptCase(c, d.runsToReport(d.after))
}
