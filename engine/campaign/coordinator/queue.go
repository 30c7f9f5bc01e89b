package coordinator

import (
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// While cases are made, separate workers reduce findings and look at them again, so that no reduction holds up the
// search. They are started when there is work for them for the first time. They may spend a share of the time that all
// workers together have; one cause has a share of that time. Whichever worker is free first confirms a verdict, which
// may be one that would otherwise make the next cases, so confirming has a share of its own. When the campaign ends,
// all of them have the time that it leaves.
const (
	settleShare  = 0.25
	confirmShare = 0.4
	causeShare   = 0.1
	settleStart  = 20 * time.Second // that they may spend at once, so that the first findings need not wait
	settleLast   = 5                // the last fifth of a campaign with a time limit has no such bounds
)

// exceedsShare reports whether spent exceeds the fraction part of the time that all workers together have had.
func exceedsShare(spent time.Duration, part float64, elapsed time.Duration, workers int) bool {
	return spent >= settleStart+time.Duration(part*float64(elapsed)*float64(workers))
}

// settleQueue has the verdicts that wait to be confirmed, reduced or looked at again, and those being so.
type settleQueue struct {
	spent      time.Duration // on all of it
	confirming time.Duration // on confirmations
	paid       [2]jobCost    // of confirmations and reductions, those at the end of a campaign included
	ended      int           // jobs
	confirms   []*ledger.Group
	reduces    []*ledger.Group
	rechecks   []*finding.Finding
	lookedAt   bool // the latest of a finding of the store and a reduction was the former
	reducing   int
	confirmed  int // groups being confirmed or waiting for it
}

// jobCost sums up the time of jobs of a kind.
type jobCost struct {
	n    int
	took time.Duration
}

// mean returns the mean time of a job; guess if there was none.
func (c jobCost) mean(guess time.Duration) time.Duration {
	if c.n == 0 {
		return guess
	}
	return c.took / time.Duration(c.n)
}

// queueConfirmation adds a group whose verdict is to be confirmed.
func (q *settleQueue) queueConfirmation(g *ledger.Group) {
	g.State = ledger.Confirming
	g.Tries++
	q.confirmed++
	q.confirms = append(q.confirms, g)
}

// countWaiting counts what nobody works at yet.
func (q *settleQueue) countWaiting() int { return len(q.rechecks) + len(q.confirms) + len(q.reduces) }

// countUnsettled counts verdicts to be confirmed and findings to be reduced that nobody works at yet.
func (q *settleQueue) countUnsettled() int { return len(q.confirms) + len(q.reduces) }

// nextConfirm removes and returns the next group to confirm, among those for which may holds; nil if there is none.
func (q *settleQueue) nextConfirm(may func(*ledger.Group) bool) *ledger.Group {
	return takeBest(&q.confirms, may)
}

// nextReduce takes out the group to be reduced next, of those that may be now; nil when there is none.
func (q *settleQueue) nextReduce(may func(*ledger.Group) bool) *ledger.Group {
	q.lookedAt = false
	g := takeBest(&q.reduces, may)
	if g != nil {
		q.reducing++
	}
	return g
}

// nextRecheck takes out the stored finding that is worth the most; nil when there is none, or when it is the turn of a
// reduction.
func (q *settleQueue) nextRecheck() *finding.Finding {
	if len(q.rechecks) == 0 || q.lookedAt && len(q.reduces) > 0 {
		return nil
	}
	q.lookedAt = true
	best := 0
	for i, f := range q.rechecks {
		if ledger.Worth(f) < ledger.Worth(q.rechecks[best]) {
			best = i
		}
	}
	f := q.rechecks[best]
	q.rechecks = slices.Delete(q.rechecks, best, best+1)
	return f
}

// takeBest removes and returns the group in a list that is to be settled first, among those for which may holds.
func takeBest(list *[]*ledger.Group, may func(*ledger.Group) bool) *ledger.Group {
	best := -1
	for i, g := range *list {
		if may(g) && (best < 0 || g.Before((*list)[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	g := (*list)[best]
	*list = slices.Delete(*list, best, best+1)
	return g
}
