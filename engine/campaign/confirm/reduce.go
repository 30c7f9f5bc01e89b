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
	"github.com/smtlark/smtlark/engine/claim"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// reduction is one case being made smaller.
type reduction struct {
	w       *Confirmer
	ctx     context.Context
	job     uint64
	orig    *testcase.Case
	verdict *oracle.Verdict
	truth   *claim.Truth // what is known of the case as it was found
	oracles []oracle.Oracle
	targets []*replica
	given   finding.Sequence // what came ahead of the case when the reduction began
	ahead   finding.Sequence // what comes ahead now
	after   []*solvers.Run   // runs of the latest case that was tried after another sequence
	lim     solvers.Limits
	judged  map[[32]byte]bool
	tests   int
	tries   int     // how often a case is run before it counts as not showing the verdict
	asks    bool    // targets are asked what the case says, no more
	jury    *jury   // nil until somebody has to vouch
	vouched vouched // for the latest case that showed it

	best    wire.Smallest // without a case while none is smaller
	trail   driver.Trail[wire.Smallest]
	said    *oracle.Verdict // what the oracle said of the latest case that showed it
	flaky   int             // cases given up since they did not show the verdict when they were run again
	refuted int             // and those that a model satisfies
	sent    time.Time       // when the coordinator was told last
}

// vouched is who said that the right answer of a case is what it was, and how.
type vouched struct {
	by   []string
	runs []*solvers.Run
}

// reduce makes a case smaller while its verdict stays. Whatever happens, the smallest case seen is reported.
func (w *Confirmer) reduce(job context.Context, o *wire.Reduce) error {
	ctx, cancel := context.WithTimeout(job, o.Budget)
	defer cancel()
	r := &wire.Reduced{Job: o.Job}
	c, err := o.Case.Case(nil)
	if err != nil {
		r.Reason = fmt.Sprintf("smtlark cannot read back the case it printed: %v", err)
		return w.ended(r, &r.Spending)
	}
	if o.Verdict.Relation != "" {
		r.Reason = NotReduced
		return w.ended(r, &r.Spending)
	}
	c.Origin.Answers = nil // those of the case as it was found; each smaller one travels
	d := &reduction{w: w, ctx: ctx, job: o.Job, orig: c, verdict: o.Verdict, truth: claim.TruthOf(c), oracles: w.plan.OraclesNamed(o.Verdict.Oracle), judged: map[[32]byte]bool{}, trail: driver.Trail[wire.Smallest]{Longest: maxEarlier}}
	var ended error
	if err = campaign.Protect(func() { ended = d.run(o) }); err == nil {
		err = ended
	}
	r.Smallest = d.smallestSoFar()
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
		r.Reason = err.Error()
	}
	closeReplicas(d.targets)
	if r.Case != nil {
		_ = campaign.Protect(func() { // a table without the others is no reason to lose the case
			if small, err := r.Case.Case(nil); err == nil {
				r.Details = append(r.Details, w.others(job, small, r.Details)...)
				r.Details = append(r.Details, d.jury.others(job, small, d.verdict, r.Details)...)
				after := o.Subject
				after.Sequence = r.Ahead
				w.ahead = r.Ahead
				r.Needs, r.Plain = w.needsOf(job, small, &after)
			}
		})
	}
	d.jury.close()
	_ = campaign.Protect(func() { // nor are these
		small := c
		if r.Case != nil {
			if again, err := r.Case.Case(nil); err == nil {
				small = again
			}
		}
		r.Upstream = w.upstream(job, small, &o.Subject)
	})
	return w.ended(r, &r.Spending)
}

// NotReduced says why a verdict about a case and its seed is left as it is.
const NotReduced = "the verdict is about a case and its seed, and what holds between the two need not hold of a smaller case"

func (d *reduction) run(o *wire.Reduce) error {
	if d.targets = d.w.replicas(needed(d.verdict), modeNamed(o.Mode)); len(d.targets) == 0 {
		return errors.New("the targets of the verdict are gone")
	}
	d.lim, d.given, d.ahead = d.w.plan.Limits, o.Sequence, o.Sequence
	d.sayModels()
	if list := claim.Of(d.orig, d.verdict); slices.ContainsFunc(list, func(k claim.Claim) bool { return k.Want == smtlib.Unsat && !k.Proven() }) {
		if d.jury = d.w.seat(d.ctx, d.verdict, list); len(d.jury.trusted) == 0 {
			return d.jury.nobody()
		}
	}
	if !d.measure() {
		return errors.New("it did not reproduce when the reduction began")
	}
	d.judged[driver.Key(d.orig)] = true
	d.best.Bytes = len(d.orig.Text())
	d.shortenList()
	min, err := d.w.plan.Reducer.Reduce(d.ctx, d.orig, d.fails)
	another := d.best.Case == nil || min != nil && (min.LiveTrace() != nil || d.best.Case.Script != string(min.Text()))
	if err == nil && min != nil && min != d.orig && d.judged[driver.Key(min)] && another {
		d.vouched.by = d.best.Vouched
		d.accept(min, d.best.Details)
	}
	if d.ctx.Err() == nil {
		d.recheck()
	}
	d.dropRefuted()
	if err == nil && d.ctx.Err() == nil {
		d.isolate()
	}
	d.shortenMembers()
	d.shortenList()
	return err
}

// sayModels finds out whether the case shows its verdict when it is asked as it is, without the questions about models that
// the oracles of the campaign add: then it is reduced so, and what is left replays from its file. See worker.byItself.
func (d *reduction) sayModels() {
	if !d.w.models || d.verdict.Kind == oracle.KindInvalidModel {
		return
	}
	d.asks = true
	d.asks, _ = d.once(d.orig, false)
}

// query is what targets are asked about a case.
func (d *reduction) query(c *testcase.Case) *solvers.Query {
	if d.asks {
		return c.Query()
	}
	return d.w.query(c)
}

// measureRuns is how often the case is run before it is reduced.
const measureRuns = 3

// measure runs the case a few times. If its verdict does not always show, candidates are run more often, see driver.Retries.
func (d *reduction) measure() bool {
	shown := 0
	longest := time.Duration(0)
	for range measureRuns {
		begun := time.Now()
		if ok, runs := d.once(d.orig, false); ok {
			shown++
			d.best.Details = d.infos(runs)
		}
		if d.ctx.Err() != nil {
			return shown > 0
		}
		longest = max(longest, time.Since(begun))
	}
	d.lim = limitsFor(d.verdict, d.w.reduceLimits(longest))
	d.tries = driver.Retries(shown, measureRuns)
	return shown > 0
}

// needed returns the targets that the predicate runs: the fewest that can show the verdict; nil means all.
func needed(v *oracle.Verdict) []string {
	switch {
	case len(v.Targets) == 0:
		return nil
	case v.Kind == oracle.KindDisagreement:
		return []string{v.Targets[0], v.Against[0]}
	case v.Kind == oracle.KindCrash, v.Kind == oracle.KindInvalidModel, v.IsWrongAnswer():
		return v.Targets[:1]
	}
	return nil
}

// fails is the predicate: the verdict is still there, and what is known about the answer still true.
func (d *reduction) fails(c *testcase.Case) bool {
	if d.ctx.Err() != nil {
		return false
	}
	key := driver.Key(c)
	if known, ok := d.judged[key]; ok {
		return known
	}
	ok, runs := d.test(c, false)
	if d.ctx.Err() != nil {
		return false // a cancelled run says nothing
	}
	d.judged[key] = ok
	if d.trail.Asked(ok) {
		d.recheck()
	}
	if ok && len(c.Text()) < d.best.Bytes {
		d.accept(c, d.infos(runs))
		d.hurry(runs)
	}
	return ok
}

// recheck runs the best case again. Where it no longer shows the verdict it was accepted by chance, and the best one
// before it takes its place.
func (d *reduction) recheck() {
	for d.best.Case != nil {
		c, err := d.best.Case.Case(nil)
		if err != nil {
			return // what is reported is read back by others, who say so
		}
		ok, _ := d.test(c, true)
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

// stepBack takes the best case before the best one in its place; false when it is the case as it was found.
func (d *reduction) stepBack() bool {
	before, ok := d.trail.Back()
	if !ok {
		before = wire.Smallest{Case: d.orig.Wire(), Bytes: len(d.orig.Text()), Ahead: d.given}
	}
	d.best = before
	d.prime(before.Ahead)
	return ok
}

// dropRefuted takes back what somebody vouched for and a model refutes: a smaller case that is not unsat any more.
func (d *reduction) dropRefuted() {
	for d.best.Case != nil && len(d.best.Vouched) > 0 && d.ctx.Err() == nil {
		c, err := d.best.Case.Case(nil)
		if err != nil {
			return
		}
		said := d.verdict
		if d.best.Said != nil {
			said = d.best.Said
		}
		if !d.w.refutes(d.ctx, c, said) {
			return
		}
		d.refuted++
		if !d.stepBack() {
			return
		}
	}
}

// hurry lowers the limit of runs: smaller cases should not take much longer than the one they are made of.
func (d *reduction) hurry(runs []*solvers.Run) {
	if TargetsOf(d.verdict) == nil {
		return // it may be about time
	}
	longest := time.Duration(0)
	for _, r := range runs {
		longest = max(longest, r.Wall)
	}
	if limit := 3*longest + time.Second; d.lim.Wall == 0 || limit < d.lim.Wall {
		d.lim.Wall = limit
	}
}

// test runs a case until it shows the verdict. again says that it did before, and that its right answer is known.
func (d *reduction) test(c *testcase.Case, again bool) (ok bool, runs []*solvers.Run) {
	d.tests++
	d.w.ledger.Say(fmt.Sprintf("%d tests", d.tests))
	for range d.tries {
		if ok, runs = d.once(c, again); ok || d.ctx.Err() != nil {
			break
		}
	}
	return ok, runs
}

// once runs a case on all targets.
func (d *reduction) once(c *testcase.Case, again bool) (bool, []*solvers.Run) {
	runs := make([]*solvers.Run, len(d.targets))
	for i, t := range d.targets {
		run := *t.run.Run(d.ctx, d.query(c), d.lim)
		run.Target = t.orig.Name()
		runs[i] = &run
		if t.run.Mode() != solvers.Fresh {
			t.close() // no candidate may depend on the one before it
		}
	}
	verdicts, err := Judge(d.oracles, c, runs)
	if err != nil {
		return false, nil
	}
	i := slices.IndexFunc(verdicts, func(v oracle.Verdict) bool {
		return triage.Same(d.verdict, &v) && (again || d.keepsTruth(c, &v))
	})
	if i < 0 {
		return false, runs
	}
	d.said = &verdicts[i]
	return true, runs
}

// keepsTruth reports whether the right answer of a smaller case is still known for sure: by the witness, because it asserts
// no more than the original, or because somebody vouches for it.
func (d *reduction) keepsTruth(c *testcase.Case, v *oracle.Verdict) bool {
	d.vouched = vouched{}
	var list []claim.Claim // that somebody has to vouch for
	for _, k := range claim.Of(c, v) {
		switch {
		case k.Proven():
			if k.Want == smtlib.Unsat {
				d.vouched.by = []string{claim.Evaluator}
			}
		case v.IsWrongAnswer() && k.Want == smtlib.Sat && k.Witness == nil && d.truth.AssertsNoMore(k.Script, k.Check):
		case k.Want == smtlib.Sat && k.Witness != nil:
			return false // the case would come with an assignment that shows nothing
		default:
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		return true
	}
	if d.jury == nil {
		d.jury = d.w.seat(d.ctx, d.verdict, claim.Of(d.orig, d.verdict))
	}
	said, ok := d.jury.vouch(d.ctx, list)
	d.vouched.by, d.vouched.runs = append(d.vouched.by, said.by...), said.runs
	return ok
}

// infos are the runs of a case with those of who vouched for it.
func (d *reduction) infos(runs []*solvers.Run) []finding.Run {
	return finding.RunsOf(slices.Concat(runs, d.vouched.runs))
}

// maxEarlier bounds how many cases before the best one are remembered.
const maxEarlier = 32

// accept remembers the smallest case so far and tells the coordinator, of big cases a few times a second only.
func (d *reduction) accept(c *testcase.Case, runs []finding.Run) {
	if d.best.Case != nil {
		d.trail.Accept(d.best)
	}
	d.best = wire.Smallest{Case: c.Wire(), Details: runs, Said: d.said, Vouched: d.vouched.by, Bytes: len(c.Text()), Ahead: d.ahead}
	if c == d.orig && d.ahead.Len() == d.given.Len() || d.best.Bytes > 64<<10 && time.Since(d.sent) < 200*time.Millisecond {
		return
	}
	d.sent = time.Now()
	_ = d.w.out.Line(&wire.Smaller{Job: d.job, Smallest: d.smallestSoFar()}, true)
}

// smallestSoFar is what the coordinator is told of the best case. Its values, models and cores are others than those of the
// original, so what the oracle said of it comes along.
func (d *reduction) smallestSoFar() wire.Smallest {
	best := d.best
	best.Tests = d.tests
	return best
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
