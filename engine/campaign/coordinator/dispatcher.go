package coordinator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// dispatcher chooses the next job of a worker: cases, or a question about a verdict.
type dispatcher struct {
	cfg       *Config
	life      *lifecycle
	plan      *finding.Plan
	cases     *casePlan
	queue     *settleQueue
	ledger    *ledger.Ledger
	histories histories
	journal   *journal
	jobs      uint64 // given so far
	// growthFailed is called when the grown seeds could not be stored.
	growthFailed func(error)
}

// nextJob returns the next job of a worker, or nil if there is none for it. A verdict that waits for confirmation comes
// before the next cases: it is no finding until it is confirmed, and the campaign may end before that. Otherwise,
// workers that make cases do nothing else while there are cases. done is the number of cases that the given number of
// workers have done.
func (d *dispatcher) nextJob(settles bool, done uint64, workers int) *job {
	var j *job
	if d.life.isRunning() && !d.isConfirmingPaused() {
		j = d.nextConfirmation()
	}
	if j == nil && d.life.isRunning() && !settles {
		j = d.nextCases(done, workers)
	}
	if j == nil && (settles || !d.areSharesBinding() || d.cfg.Case != nil) && !d.isSettlingPaused() {
		j = d.nextSettling()
	}
	if j != nil {
		j.begun = d.life.now
	}
	return j
}

func (d *dispatcher) newID() uint64 {
	d.jobs++
	return d.jobs
}

// nextCases returns a job with the next cases, or nil if there are none.
func (d *dispatcher) nextCases(done uint64, workers int) *job {
	s, ok := d.cases.takeSpan(d.cases.jobSize(d.cfg.jobTime(), done, d.life.elapsed(), workers))
	if !ok {
		return nil
	}
	if err := d.cases.grow(s.from); err != nil {
		d.growthFailed(err)
	}
	m, fresh := d.cases.mixtureOf(s.from)
	if fresh {
		d.newWeights(s.from, m)
	}
	id := d.newID()
	return &job{id: id, order: &wire.MakeCases{Job: id, From: s.from, To: s.to, Detail: d.cfg.Case != nil, Mixture: m}, cases: &s, next: s.from}
}

// nextSettling returns a job about a verdict or a finding, or nil if there is none. Verdicts are confirmed first. After
// them, rechecks of stored findings and reductions take turns.
func (d *dispatcher) nextSettling() *job {
	if j := d.nextConfirmation(); j != nil {
		return j
	}
	about := func(f *finding.Finding) wire.Subject {
		return wire.Subject{Case: finding.Smallest(f), Verdict: f.SmallestVerdict(), Mode: f.Mode, Sequence: f.Sequence}
	}
	if d.life.isRunning() {
		if f := d.queue.nextRecheck(); f != nil {
			id, it := d.newID(), about(f)
			it.Times = d.plan.Confirm
			return &job{id: id, order: &wire.Recheck{Job: id, Subject: it, Plan: f.Plan}, finding: f}
		}
	}
	g := d.queue.nextReduce(d.maySettle)
	if g == nil {
		return nil
	}
	id, budget := d.newID(), d.life.reduceBudget(d.plan.ReduceFor)
	order := &wire.Reduce{Job: id, Subject: about(g.Finding), Budget: budget}
	if f := g.Finding; f.Sampled && g.Bucket != nil {
		order.Apart = g.Bucket.Apart(f.Operators)
	}
	return &job{id: id, order: order, group: g, short: budget < d.plan.ReduceFor}
}

// nextConfirmation returns a job that confirms the next verdict, or nil if none is waiting.
func (d *dispatcher) nextConfirmation() *job {
	g := d.queue.nextConfirm(d.maySettle)
	if g == nil {
		return nil
	}
	f, v, id := g.Finding, g.Finding.Verdict, d.newID()
	about := wire.Subject{Case: f.Case, Verdict: &v, Times: d.plan.Confirm, Sequence: d.histories.replayable(f)}
	return &job{id: id, order: &wire.Confirm{Job: id, Subject: about}, group: g}
}

// areSharesBinding reports whether confirming and reducing are limited to their shares of the time now.
func (d *dispatcher) areSharesBinding() bool {
	if !d.life.isRunning() || d.cases.allHandedOut() && d.cases.isEmpty() {
		return false
	}
	return d.life.beforeLastPart()
}

// isConfirmingPaused reports whether confirming has had its share.
func (d *dispatcher) isConfirmingPaused() bool {
	return d.areSharesBinding() && exceedsShare(d.queue.confirming, confirmShare, d.life.elapsed(), d.cfg.capacity())
}

// isSettlingPaused reports whether confirming and reducing has had its share.
func (d *dispatcher) isSettlingPaused() bool {
	return d.areSharesBinding() && exceedsShare(d.queue.spent, settleShare, d.life.elapsed(), d.cfg.capacity())
}

// maySettle reports whether a group may be confirmed or reduced now. The candidates of one bucket, which mostly have
// one cause, share one bound.
func (d *dispatcher) maySettle(g *ledger.Group) bool {
	b := d.ledger.BucketOf(g)
	return g.Bucket == nil || b == nil || !d.areSharesBinding() || !exceedsShare(b.Spent, causeShare, d.life.elapsed(), d.cfg.capacity())
}

// bookTime counts the time of a confirmation, reduction or recheck.
func (d *dispatcher) bookTime(j *job) {
	if j.cases != nil {
		return
	}
	took := d.life.now.Sub(j.begun)
	d.queue.ended++
	switch j.order.(type) {
	case *wire.Confirm:
		d.queue.paid[0].n, d.queue.paid[0].took = d.queue.paid[0].n+1, d.queue.paid[0].took+took
	case *wire.Reduce:
		d.queue.paid[1].n, d.queue.paid[1].took = d.queue.paid[1].n+1, d.queue.paid[1].took+took
	}
	if !d.life.isRunning() {
		return
	}
	d.queue.spent += took
	if _, ok := j.order.(*wire.Confirm); ok {
		d.queue.confirming += took
	}
	if j.group != nil {
		if b := d.ledger.BucketOf(j.group); b != nil {
			b.Spent += took
		}
	}
}

// newWeights logs the weights of a new epoch.
func (d *dispatcher) newWeights(first uint64, m wire.Mixture) {
	if d.cases.bandit != nil {
		d.journal.stats.Avoided = slices.Concat(d.cases.deadly, d.cases.bandit.Shapes)
	}
	if len(m.Weights) == 0 && len(m.Avoid) == 0 && len(m.Modes) == 0 {
		return
	}
	event := map[string]any{"epoch": m.Epoch, "first_case": first, "cases": mixture.EpochSize(m.Epoch), "weights": m.Weights, "avoid": m.Avoid}
	if len(m.Modes) > 0 {
		event["modes"] = m.Modes
	}
	d.journal.logEvent("weights", event)
}

// endJob removes the job of a worker and counts the time spent on it.
func (d *dispatcher) endJob(w *workerState) {
	d.bookTime(w.job)
	w.job = nil
}

// wantsSettler reports whether there is work for a worker that only confirms and reduces.
func (d *dispatcher) wantsSettler() bool {
	return d.areSharesBinding() && d.cfg.Case == nil && !d.isSettlingPaused() && d.queue.countWaiting() > 0
}

// describePause says in words which share of the time is used up; "" if none is, or if no work is waiting for it.
func (d *dispatcher) describePause() string {
	n, what := d.queue.countWaiting(), "confirming and reducing rest"
	if !d.isConfirmingPaused() {
		n, what = n-len(d.queue.confirms), "reducing rests"
	}
	if n > 0 && d.isSettlingPaused() {
		return fmt.Sprintf("%s, having had a share of the time: %s", what, waits(n))
	}
	return ""
}

func waits(n int) string {
	if n == 1 {
		return "one waits"
	}
	return fmt.Sprintf("%d wait", n)
}

// toSettle estimates the time for confirming and reducing everything that is waiting, including the verdicts and the
// unreduced findings that are left to another run.
func (d *dispatcher) toSettle(left, unreduced int) time.Duration {
	if d.plan == nil {
		return 0
	}
	confirms := d.queue.confirmed + d.ledger.CandidatesLeft() + left
	reduces := len(d.queue.reduces) + d.queue.reducing + unreduced
	if d.plan.Reduces {
		reduces += confirms // each may be a finding
	}
	took := time.Duration(confirms)*d.queue.paid[0].mean(time.Second) + time.Duration(reduces)*d.queue.paid[1].mean(d.plan.ReduceFor/4)
	return took / time.Duration(max(1, d.cfg.capacity()))
}

// progressBar shows the share of settling jobs that are done. rechecking says that a stored finding is being rechecked
// now.
func (d *dispatcher) progressBar(rechecking bool) string {
	const width = 24
	left := len(d.queue.rechecks) + d.queue.confirmed + len(d.queue.reduces) + d.queue.reducing
	if rechecking {
		left++
	}
	all := d.queue.ended + left
	full := width
	if all > 0 {
		full = width * d.queue.ended / all
	}
	return fmt.Sprintf("settling [%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", width-full), d.queue.ended, all)
}
