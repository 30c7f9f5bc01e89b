package coordinator

import (
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// While cases are made, separate workers reduce findings and look at them again, so that no reduction holds up the
// search. They are started when there is work for them for the first time. They may spend a fixed share of the total
// worker time, and each single cause a smaller share. Any free worker confirms verdicts, also one that would otherwise
// make cases, so confirming has its own share. When the campaign ends, all of them may use the remaining time.
const (
	settleShare  = 0.25
	confirmShare = 0.4
	causeShare   = 0.1
	settleStart  = 20 * time.Second // time that they may spend at once, so that the first findings need not wait
	settleLast   = 5                // the last fifth of a campaign with a time limit has no such bounds
)

// exceedsShare reports whether spent exceeds the fraction part of the time that all workers together have had.
func exceedsShare(spent time.Duration, part float64, elapsed time.Duration, workers int) bool {
	return spent >= settleStart+time.Duration(part*float64(elapsed)*float64(workers))
}

// settleQueue has the verdicts and findings that wait for confirmation, reduction or a recheck, and counts those in
// progress.
type settleQueue struct {
	spent      time.Duration // time for all settling
	confirming time.Duration // on confirmations
	paid       [2]jobCost    // of confirmations and reductions, those at the end of a campaign included
	ended      int           // jobs
	confirms   []*ledger.Group
	reduces    []*ledger.Group
	rechecks   []*finding.Finding
	lookedAt   bool // the latest job was a recheck of a stored finding, not a reduction
	reducing   int
	confirmed  int // groups being confirmed or waiting for it
}

// jobCost sums up the time of jobs of a kind.
type jobCost struct {
	n    int
	took time.Duration
}

// mean returns the mean time of a job, or guess if no job has ended yet.
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

// countWaiting counts the confirmations, reductions and rechecks that no worker has begun.
func (q *settleQueue) countWaiting() int { return len(q.rechecks) + len(q.confirms) + len(q.reduces) }

// countUnsettled counts the confirmations and reductions that no worker has begun.
func (q *settleQueue) countUnsettled() int { return len(q.confirms) + len(q.reduces) }

// nextConfirm removes and returns the next group to confirm, among those for which may holds; nil if there is none.
func (q *settleQueue) nextConfirm(may func(*ledger.Group) bool) *ledger.Group {
	return takeBest(&q.confirms, may)
}

// nextReduce removes and returns the next group to reduce, among those for which may holds; nil if there is none.
func (q *settleQueue) nextReduce(may func(*ledger.Group) bool) *ledger.Group {
	q.lookedAt = false
	g := takeBest(&q.reduces, may)
	if g != nil {
		q.reducing++
	}
	return g
}

// nextRecheck removes and returns the stored finding that is worth the most. It returns nil if there is none, or if a
// reduction is due first.
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
