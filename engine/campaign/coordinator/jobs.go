package coordinator

import (
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
)

// job is what one worker is doing.
type job struct {
	id        uint64
	kind      string // order type
	from, to  uint64
	next      uint64 // the first case without a result
	announced bool   // next has begun
	attempt   int
	group     *group
	finding   *finding.Finding // of recheck
	cut       bool
	short     bool // a reduction with less time than the campaign gives each
	begun     time.Time
	now       string // what its worker said last that it does
	stage     string // what a confirmation or a reduction has come to
}

// span is a range of cases to be done.
type span struct {
	from, to uint64
	attempt  int
}

// jobQueue hands out the cases of a campaign: those that came back first, then new ones.
type jobQueue struct {
	back []span // sorted by from
	next uint64
	end  uint64 // 0: no end
}

// giveBack returns cases that were handed out and not run.
func (q *jobQueue) giveBack(s span) {
	if s.from >= s.to {
		return
	}
	i, _ := slices.BinarySearchFunc(q.back, s, func(a, b span) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	q.back = slices.Insert(q.back, i, s)
}

// dropEmpty forgets ranges without cases.
func (q *jobQueue) dropEmpty() {
	q.back = slices.DeleteFunc(q.back, func(s span) bool { return s.from >= s.to })
}

// empty reports whether no cases came back.
func (q *jobQueue) empty() bool { return len(q.back) == 0 }

// done reports whether all new cases were handed out.
func (q *jobQueue) done() bool { return q.end > 0 && q.next >= q.end }

// takeUpTo returns at most n cases; ok is false when there are none. New cases end before a bound (0: none), or wait as long as
// open is false.
func (q *jobQueue) takeUpTo(n, end uint64, open bool) (s span, ok bool) {
	n = max(n, 1)
	if len(q.back) > 0 {
		s = q.back[0]
		if s.to-s.from > n {
			q.back[0].from += n
			s.to = s.from + n
		} else {
			q.back = q.back[1:]
		}
		return s, true
	}
	if q.done() || !open {
		return span{}, false
	}
	s = span{from: q.next, to: q.next + n}
	if end > 0 {
		s.to = min(s.to, end)
	}
	if q.end > 0 {
		s.to = min(s.to, q.end)
	}
	q.next = s.to
	return s, true
}

// Jobs should take about jobTime: long enough to make orders cheap, short enough that confirmations do not wait.
const (
	jobTime = time.Second
	maxJob  = 4096
)

// jobSize returns the number of cases for the next job.
func (c *coordinator) jobSize() uint64 {
	done := c.stats.Cases + c.stats.Skipped
	busy := c.stats.Workers.Alive
	n := uint64(4)
	if elapsed := c.now.Sub(c.begun); done > 0 && elapsed > 0 {
		perWorker := float64(done) / elapsed.Seconds() / float64(max(1, busy))
		n = uint64(perWorker * jobTime.Seconds())
	}
	n = min(max(n, 1), maxJob)
	if c.queue.end > 0 && !c.queue.done() { // leave something for the others
		n = min(n, max(1, (c.queue.end-c.queue.next)/uint64(2*max(1, busy))))
	}
	return n
}

// schedule gives work to workers that have none.
func (c *coordinator) schedule() {
	if c.plan == nil {
		return
	}
	for _, w := range c.workers {
		if w.gone || w.loading || w.job != nil || w.why != "" {
			continue
		}
		c.give(w)
	}
	if c.needSettler() {
		if err := c.spawn(true); err != nil {
			c.fail(&campaign.LoadError{Fault: campaign.FaultInternal, Err: err})
		}
	}
}

// give hands a worker its next job, if there is one. Those that make cases do nothing else while there are cases.
func (c *coordinator) give(w *workerState) {
	o := &wire.Order{}
	var j *job
	if c.stats.State == metrics.StateRunning && !w.settles {
		j = c.casesFor(o)
	}
	if j == nil && (w.settles || !c.bounded() || c.cfg.Case != nil) && !c.rests() {
		j = c.settlingFor(o)
	}
	if j == nil {
		return
	}
	c.jobs++
	j.id, j.begun = c.jobs, c.now
	o.Job, o.Type = j.id, j.kind
	w.job, w.since = j, c.now
	c.send(w, o)
}

// casesFor makes a job of the next cases; nil when there are none.
func (c *coordinator) casesFor(o *wire.Order) *job {
	end, open := c.room()
	s, ok := c.queue.takeUpTo(c.jobSize(), end, open)
	if !ok {
		return nil
	}
	o.From, o.To, o.Detail = s.from, s.to, c.cfg.Case != nil
	c.weigh(o)
	return &job{kind: wire.OrderCases, from: s.from, to: s.to, next: s.from, attempt: s.attempt}
}

// settlingFor makes a job of what is to be found out about a verdict or a finding: verdicts are confirmed first; then come, by
// turns, findings of the store and reductions. nil when there is nothing.
func (c *coordinator) settlingFor(o *wire.Order) *job {
	if g := c.next(&c.confirmQ); g != nil {
		v := g.f.Verdict
		o.Case, o.Verdict, o.Times, o.Sequence = g.f.Case, &v, c.plan.Confirm, c.histories.of(g.f)
		return &job{kind: wire.OrderConfirm, group: g}
	}
	if c.stats.State == metrics.StateRunning && len(c.recheckQ) > 0 && (!c.looked || len(c.reduceQ) == 0) {
		c.looked = true
		f := c.nextRecheck()
		o.Case, o.Verdict, o.Mode, o.Times, o.Sequence, o.Known = finding.Smallest(f), f.SmallestVerdict(), f.Mode, c.plan.Confirm, f.Sequence, f.Plan
		return &job{kind: wire.OrderRecheck, finding: f}
	}
	c.looked = false
	g := c.next(&c.reduceQ)
	if g == nil {
		return nil
	}
	o.Case, o.Verdict, o.Mode, o.Budget, o.Sequence = finding.Smallest(g.f), g.f.SmallestVerdict(), g.f.Mode, c.reduceBudget(), g.f.Sequence
	c.reducing++
	return &job{kind: wire.OrderReduce, group: g, short: o.Budget < c.plan.ReduceFor}
}

// reduceBudget is the time for reducing one finding.
func (c *coordinator) reduceBudget() time.Duration {
	d, end := c.plan.ReduceFor, c.endsAt()
	if c.stats.State == metrics.StateDraining {
		end = c.cutAt
	}
	if !end.IsZero() {
		d = min(d, max(time.Second, end.Sub(c.now)-time.Second))
	}
	return d
}
