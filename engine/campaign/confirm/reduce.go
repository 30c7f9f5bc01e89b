package confirm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/solvers"
)

// reduction is one case being made smaller.
type reduction struct {
	*questioning
	job   uint64
	mode  string           // in which the verdict was confirmed
	given finding.Sequence // the input before the case when the reduction began
	after []*solvers.Run   // runs of the latest case that was tried after another sequence
	memo  driver.Memo      // whether cases show the verdict, after what comes ahead of them now
	help  *help            // of other workers; nil: none is asked for

	best    wire.Smallest // without a case while none is smaller
	trail   driver.Trail[wire.Smallest]
	flaky   int       // cases given up since they did not show the verdict when they were run again
	refuted int       // and those that a model satisfies
	sent    time.Time // when the coordinator was told last
}

// reduceFinding makes a case smaller while its verdict stays. Whatever happens, the smallest case seen is reported.
func (w *Confirmer) reduceFinding(job context.Context, o *wire.Reduce) error {
	ctx, cancel := context.WithTimeout(job, o.Budget)
	defer cancel()
	r := &wire.Reduced{Job: o.Job}
	c, err := o.Case.Case(nil)
	if err != nil {
		r.Reason = fmt.Sprintf("smtlark cannot read back the case it printed: %v", err)
		return w.endJob(r, &r.Spending)
	}
	if o.Verdict.Relation == oracle.RelationScripted {
		r.Reason = scriptedRelation
		return w.endJob(r, &r.Spending)
	}
	c.Origin.Answers = nil // those of the case as it was found; each smaller one travels
	q := &questioning{w: w, ctx: ctx, orig: c, verdict: o.Verdict, truth: claim.TruthOf(c), oracles: w.plan.OraclesNamed(o.Verdict.Oracle)}
	d := &reduction{questioning: q, job: o.Job, mode: o.Mode, trail: driver.Trail[wire.Smallest]{Longest: maxEarlier}}
	defer w.helpers.end()
	var ended error
	if err = campaign.Protect(func() { ended = d.runReduction(o) }); err == nil {
		err = ended
	}
	r.Smallest, o.Verdict = d.smallestSoFar(), d.verdict
	var out *campaign.LoadError
	switch {
	case err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		if ctx.Err() != nil {
			r.Reason = "stopped at its time limit"
		}
		if d.refuted > 0 {
			r.Reason = strings.TrimPrefix(fmt.Sprintf("%s; smaller cases that solvers called unsat and a model satisfies, which were given up: %d", r.Reason, d.refuted), "; ")
		}
		if d.flaky > 0 {
			r.Reason = strings.TrimPrefix(fmt.Sprintf("%s; smaller cases that did not show it again, and were given up: %d", r.Reason, d.flaky), "; ")
		}
	case errors.As(err, &out):
		r.Fault, r.Reason = out.Fault, err.Error()
	default:
		r.Reason, r.NotApart = err.Error(), errors.Is(err, errNotApart)
	}
	closeReplicas(d.targets)
	if r.Case != nil {
		_ = campaign.Protect(func() { // a table without the others is no reason to lose the case
			if small, err := r.Case.Case(nil); err == nil {
				r.Details = append(r.Details, w.runOthers(job, small, r.Details)...)
				r.Details = append(r.Details, d.references.runOthers(job, small, d.verdict, r.Details)...)
				after := o.Subject
				after.Sequence = r.Ahead
				w.ahead = r.Ahead
				r.Needs, r.Plain = w.needsOf(job, small, &after)
				r.Modes = w.showsInModes(job, small, &after)
			}
		})
	}
	d.references.closeAll()
	d.comparing.close()
	if r.NotApart { // nobody will read of it
		return w.endJob(r, &r.Spending)
	}
	_ = campaign.Protect(func() { // nor are these
		small := c
		if r.Case != nil {
			if again, err := r.Case.Case(nil); err == nil {
				small = again
			}
		}
		r.Upstream = w.tryForReport(job, small, &o.Subject)
	})
	return w.endJob(r, &r.Spending)
}

var (
	errTargetsGone = errors.New("the targets of the verdict are gone")
	errNotApart    = errors.New("it does not show without what makes a known finding")
)

func (d *reduction) runReduction(o *wire.Reduce) error {
	if d.targets = d.w.replicasIn(d.w.inOneMode(neededTargets(d.verdict), d.verdict), modeNamed(o.Mode)); len(d.targets) == 0 {
		return errTargetsGone
	}
	d.lim, d.given, d.ahead = d.w.plan.Limits, o.Sequence, o.Sequence
	d.sayModels()
	// If unsat rests on the construction of the case, it does not carry over to a smaller case: somebody has to say
	// that the smaller case is unsat, too.
	if list := claim.Of(d.orig, d.verdict); slices.ContainsFunc(list, func(k claim.Claim) bool { return k.Want == smtlib.Unsat && !k.Proven() }) {
		if d.references = d.w.chooseReferences(d.ctx, d.verdict, list); len(d.references.trusted) == 0 {
			return d.references.noReferenceError()
		}
	}
	details, shows := d.measureReliability()
	if !shows {
		return errors.New("it did not reproduce when the reduction began")
	}
	d.best.Details = details
	d.memo.Note(driver.Key(d.orig), driver.Observation{Holds: true})
	d.best.Bytes = sizeOf(d.orig)
	d.shortenList()
	if d.verdict.Relation != "" {
		err := d.reducePair()
		if d.ctx.Err() == nil {
			d.recheckBest()
		}
		return err
	}
	d.help = d.w.helpers.begin(d)
	from, keeps := d.orig, driver.Predicate(d.keepsVerdict)
	if len(o.Apart) > 0 {
		if from, keeps = d.withoutKnown(o.Apart); from == nil {
			return errNotApart
		}
	}
	min, err := d.w.plan.Reducer.Reduce(d.ctx, from, keeps, d.help)
	d.help = nil
	// A reducer of the campaign file may return a case that it never asked about.
	another := d.best.Case == nil || min != nil && (min.LiveTrace() != nil || d.best.Case.Script != string(min.Text()))
	if err == nil && min != nil && min != d.orig && d.hasShown(min) && another {
		d.confirmed.by = d.best.ConfirmedBy
		d.acceptCase(min, d.best.Details)
	}
	// If the verdict does not always show, the best case may have been accepted by chance.
	if d.ctx.Err() == nil {
		d.recheckBest()
	}
	d.dropRefuted()
	d.settleBest()
	if err == nil && d.ctx.Err() == nil {
		d.isolateOperator()
	}
	d.shortenMembers()
	d.shortenList()
	return err
}

// withoutKnown returns the case to reduce, and the predicate. A case that contains everything that a known finding with
// the same symptom was reduced to would be reduced to that finding again. Therefore, the part that makes the known
// finding is replaced by values, if the case still shows the verdict; smaller cases must not have this part, either.
// The result is nil if the case does not show the verdict without it.
func (d *reduction) withoutKnown(apart []wire.Apart) (*testcase.Case, driver.Predicate) {
	from := d.orig
	has := func(c *testcase.Case, list ...wire.Apart) bool {
		operators := triage.Operators(c.Script)
		return slices.ContainsFunc(list, func(k wire.Apart) bool { return triage.Within(k.Skeleton, operators) })
	}
	for _, known := range apart {
		for _, name := range triage.BySpecificity(known.Skeleton) {
			c := withoutName(from, name)
			if c != nil && !has(c, known) && d.makes(known, name) && d.keepsVerdict(c) {
				from = c
				break
			}
		}
	}
	if from == d.orig || has(from, apart...) {
		return nil, nil
	}
	return from, func(c *testcase.Case) bool { return !has(c, apart...) && d.keepsVerdict(c) }
}

// withoutName returns a case with values in the place of terms that a name of a skeleton stands for; nil where they
// have none.
func withoutName(c *testcase.Case, name string) *testcase.Case {
	return reduce.Without(c, func(t smt.Term) bool { return triage.HasName(c.Script.Arena, t, name) })
}

// makes reports whether a name of a skeleton is what makes its finding: without it, the finding is not there.
// Reductions also leave things that do not matter.
func (d *reduction) makes(known wire.Apart, name string) bool {
	c, err := known.Case.Case(nil)
	if err != nil {
		return false
	}
	about := *d.questioning
	about.orig, about.truth = c, claim.TruthOf(c)
	without := withoutName(c, name)
	return without != nil && about.try(c).Shows && !about.try(without).Shows
}

// keepsVerdict is the predicate: the verdict is still there, and the known facts about the answer still true.
func (d *reduction) keepsVerdict(c *testcase.Case) bool {
	return d.memo.Predicate(d.tryCandidate, d.isOver)(c)
}

// tryCandidate runs a candidate, and takes it where it shows the verdict and is smaller than the best one.
func (d *reduction) tryCandidate(c *testcase.Case) bool {
	out := d.help.outcomeOf(d.ctx, c)
	if out == nil {
		out = d.try(c)
	} else {
		d.tests++
	}
	if d.isOver() {
		return false // a cancelled run says nothing
	}
	if d.trail.Asked(out.Shows) {
		d.recheckBest()
	}
	if out.Shows && sizeOf(c) < d.best.Bytes {
		d.said, d.confirmed.by = out.Said, out.ConfirmedBy
		d.acceptCase(c, out.Details)
		d.lowerLimit(out.Longest)
	}
	return out.Shows
}

// isOver reports whether the time of the reduction is over.
func (d *reduction) isOver() bool { return d.ctx.Err() != nil }

// sizeOf is the size of a case, with its seed where a verdict is about both, in bytes.
func sizeOf(c *testcase.Case) int {
	n := len(c.Text())
	if c.Origin.Compared && c.Origin.SeedScript != nil {
		n += len(c.Origin.SeedScript.Text())
	}
	return n
}

// hasShown reports whether a case has shown the verdict.
func (d *reduction) hasShown(c *testcase.Case) bool {
	reply, _ := d.memo.Lookup(driver.Key(c))
	return reply.Holds
}

// recheckBest runs the best case again. Where it no longer shows the verdict it was accepted by chance, and the best
// one before it takes its place.
func (d *reduction) recheckBest() {
	for d.best.Case != nil {
		c, err := d.best.Case.Case(nil)
		if err != nil {
			return // other code reads the report back and reports this error
		}
		ok, _ := d.testCase(c, true)
		if ok {
			d.best.Said = d.said
		}
		if ok || d.ctx.Err() != nil {
			return
		}
		d.flaky++
		if !d.stepBack() {
			return
		}
	}
}

// stepBack replaces the best case by the best one before it. It returns false if that is the case as it was found.
func (d *reduction) stepBack() bool {
	before, ok := d.trail.Back()
	if !ok {
		before = wire.Smallest{Case: d.orig.Wire(), Bytes: sizeOf(d.orig), Ahead: d.given}
	}
	d.best = before
	d.setSequence(before.Ahead)
	return ok
}

// dropRefuted takes back smaller cases that a reference solver confirmed but a model refutes, since they are no longer
// unsat.
func (d *reduction) dropRefuted() {
	for d.best.Case != nil && len(d.best.ConfirmedBy) > 0 && d.ctx.Err() == nil {
		c, err := d.best.Case.Case(nil)
		if err != nil {
			return
		}
		said := d.verdict
		if d.best.Said != nil {
			said = d.best.Said
		}
		if !d.w.isRefuted(d.ctx, c, said) {
			return
		}
		d.refuted++
		if !d.stepBack() {
			return
		}
	}
}

// settleBest finds out which side of a disagreement is wrong about the best case: it is often small enough for the
// evaluator where the case as it was found was not.
func (d *reduction) settleBest() {
	if d.best.Case == nil || d.verdict.Kind != oracle.KindDisagreement || d.verdict.Settled || d.ctx.Err() != nil {
		return
	}
	c, err := d.best.Case.Case(nil)
	if err != nil {
		return
	}
	said := *d.verdict
	if d.best.Said != nil {
		said = *d.best.Said
	}
	if d.w.settleSides(d.ctx, c, &said); said.Settled {
		d.best.Said, d.verdict = &said, &said
	}
}

// maxEarlier bounds how many cases before the best one are remembered.
const maxEarlier = 32

// acceptCase remembers the smallest case so far and reports it to the coordinator. It reports big cases only a few
// times a second.
func (d *reduction) acceptCase(c *testcase.Case, runs []finding.Run) {
	if d.best.Case != nil {
		d.trail.Accept(d.best)
	}
	smaller := c.Wire()
	if w := c.OwnWitness(); w != nil && c != d.orig {
		smaller.Witness = w.Text() // leave out values of dropped symbols
	}
	d.best = wire.Smallest{Case: smaller, Details: runs, Said: d.said, ConfirmedBy: d.confirmed.by, Bytes: sizeOf(c), Ahead: d.ahead}
	if c == d.orig && d.ahead.Len() == d.given.Len() || d.best.Bytes > 64<<10 && time.Since(d.sent) < 200*time.Millisecond {
		return
	}
	d.sent = time.Now()
	_ = d.w.out.Line(&wire.Smaller{Job: d.job, Smallest: d.smallestSoFar()}, true)
}

// smallestSoFar returns the report on the best case for the coordinator. It includes the oracle's verdict on this case,
// since its values, models and cores differ from those of the original.
func (d *reduction) smallestSoFar() wire.Smallest {
	best := d.best
	best.Tests = d.tests
	return best
}
