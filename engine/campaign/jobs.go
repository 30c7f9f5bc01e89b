package campaign

import (
	"slices"
	"time"
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
	finding   *Finding // of recheck
	cut       bool
	short     bool // a reduction with less time than the campaign gives each
	begun     time.Time
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

// take returns at most n cases; ok is false when there are none.
func (q *jobQueue) take(n uint64) (s span, ok bool) { return q.takeUpTo(n, 0, true) }

// takeUpTo is take where new cases end before a bound (0: none), or wait as long as open is false.
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

// schedule gives work to workers that have none, the most urgent first.
func (c *coordinator) schedule() {
	if c.plan == nil {
		return
	}
	for _, w := range c.workers {
		if w.gone || w.loading || w.job != nil || w.why != "" {
			continue
		}
		if !c.give(w) {
			return
		}
	}
}

// give hands a worker its next job; false when there is none. While cases are made, a worker that confirmed or reduced
// makes some before it does so again, so that a flood of verdicts does not end the search.
func (c *coordinator) give(w *workerState) bool {
	c.jobs++
	j := &job{id: c.jobs, begun: c.now}
	o := &order{Job: j.id}
	running := c.stats.State == StateRunning
	free := !w.urgent || !running || c.queue.done() && c.queue.empty()
	w.urgent = false
	switch {
	case running && len(c.recheckQ) > 0:
		j.finding, c.recheckQ = c.recheckQ[0], c.recheckQ[1:]
		j.kind = orderRecheck
		v := j.finding.Verdict
		o.Case, o.Verdict, o.Mode, o.Times, o.Sequence, o.Known = smallest(j.finding), &v, j.finding.Mode, c.plan.Confirm, j.finding.Sequence, j.finding.Plan
	case free && len(c.confirmQ) > 0:
		j.group, c.confirmQ = c.confirmQ[0], c.confirmQ[1:]
		v := j.group.f.Verdict
		j.kind = orderConfirm
		o.Case, o.Verdict, o.Times, o.Sequence = j.group.f.Case, &v, c.plan.Confirm, c.histories.of(j.group.f)
	case free && len(c.reduceQ) > 0 && (!running || c.reducing < max(1, c.cfg.Workers/2)):
		j.group, c.reduceQ = c.reduceQ[0], c.reduceQ[1:]
		v := j.group.f.Verdict
		j.kind = orderReduce
		o.Case, o.Verdict, o.Mode, o.Budget, o.Sequence = smallest(j.group.f), &v, j.group.f.Mode, c.reduceBudget(), j.group.f.Sequence
		j.short = o.Budget < c.plan.ReduceFor
		c.reducing++
	case running:
		end, open := c.room()
		s, ok := c.queue.takeUpTo(c.jobSize(), end, open)
		if !ok {
			return false
		}
		j.kind, j.from, j.to, j.next, j.attempt = orderCases, s.from, s.to, s.from, s.attempt
		o.From, o.To, o.Detail = s.from, s.to, c.cfg.Case != nil
		c.weigh(o)
	default:
		return false
	}
	o.Type, w.urgent = j.kind, j.kind != orderCases
	w.job, w.since = j, c.now
	c.send(w, o)
	return true
}

// reduceBudget is the time for reducing one finding.
func (c *coordinator) reduceBudget() time.Duration {
	d := c.plan.ReduceFor
	if c.stats.State == StateDraining {
		d = min(d, max(time.Second, c.cutAt.Sub(c.now)-time.Second))
	}
	return d
}
