package coordinator

import (
	"fmt"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// While cases are made, verdicts are confirmed, and findings reduced and looked at again, by workers of their own, so that no
// reduction holds up the search. They are started when there is something to do for the first time. What they may spend is a
// share of the time that all workers together have; of that, one cause has a share. When the campaign ends they have all the
// time that it leaves, and the others help.
const (
	settleShare = 0.25
	causeShare  = 0.1
	settleStart = 20 * time.Second // that they may spend at once, so that the first findings need not wait
	settleLast  = 5                // the last fifth of a campaign with a time limit has no such bounds
)

// share bounds what something may spend of the time of a campaign.
type share struct{ spent time.Duration }

// rests reports whether more was spent than a part of the time that workers have had together.
func (s share) rests(part float64, elapsed time.Duration, workers int) bool {
	return s.spent >= settleStart+time.Duration(part*float64(elapsed)*float64(workers))
}

// settlers is how many workers confirm and reduce while others make cases.
func (c *coordinator) settlers() int { return max(1, int(settleShare*float64(c.cfg.Workers))) }

// bounded reports whether the shares hold now.
func (c *coordinator) bounded() bool {
	if c.stats.State != metrics.StateRunning || c.queue.done() && c.queue.empty() {
		return false
	}
	after := c.stop.After
	return after == 0 || c.now.Sub(c.begun) < after-after/settleLast
}

// rests reports whether confirming and reducing has had its share.
func (c *coordinator) rests() bool {
	return c.bounded() && c.settling.rests(settleShare, c.now.Sub(c.begun), c.cfg.Workers)
}

// may reports whether it is time to confirm or to reduce what a group has: candidates of one bucket mostly have one cause.
func (c *coordinator) may(g *group) bool {
	b := c.buckets[g.f.Signature.BucketKey()]
	return g.bucket == nil || b == nil || !c.bounded() || !b.settling.rests(causeShare, c.now.Sub(c.begun), c.cfg.Workers)
}

// spend counts the time of a job that confirmed, reduced or looked at something again.
func (c *coordinator) spend(j *job) {
	if j.kind == wire.OrderCases || c.stats.State != metrics.StateRunning {
		return
	}
	took := c.now.Sub(j.begun)
	c.settling.spent += took
	if j.group != nil {
		if b := c.buckets[j.group.f.Signature.BucketKey()]; b != nil {
			b.settling.spent += took
		}
	}
}

// worth says how much a finding matters to those who develop solvers, 0 the most: wrong unsat, other wrong answers and
// models, crashes, the rest.
func worth(f *finding.Finding) int {
	switch v := &f.Verdict; v.Kind {
	case oracle.KindKnownAnswer, oracle.KindAssumedAnswer:
		if v.Got == smtlib.Unsat {
			return 0
		}
		return 1
	case oracle.KindInvalidModel, oracle.KindDisagreement:
		return 1
	case oracle.KindCrash:
		return 2
	}
	return 3
}

// before reports whether a group is settled before another one: by what they are worth; of equals, what may be a cause of its
// own before candidates of causes that are known, and this run's before those of earlier ones.
func (g *group) before(o *group) bool {
	late := func(g *group) int {
		n := 0
		if g.bucket != nil {
			n += 2
		}
		if g.old {
			n++
		}
		return n
	}
	if a, b := worth(g.f), worth(o.f); a != b {
		return a < b
	}
	return late(g) < late(o)
}

// next takes the first group out of a queue that may be settled now; nil when there is none.
func (c *coordinator) next(queue *[]*group) *group {
	best := -1
	for i, g := range *queue {
		if c.may(g) && (best < 0 || g.before((*queue)[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	g := (*queue)[best]
	*queue = slices.Delete(*queue, best, best+1)
	return g
}

// nextRecheck takes the stored finding that is worth the most.
func (c *coordinator) nextRecheck() *finding.Finding {
	best := 0
	for i, f := range c.recheckQ {
		if worth(f) < worth(c.recheckQ[best]) {
			best = i
		}
	}
	f := c.recheckQ[best]
	c.recheckQ = slices.Delete(c.recheckQ, best, best+1)
	return f
}

// toSettle counts what waits to be confirmed, reduced or looked at again.
func (c *coordinator) toSettle() int { return len(c.recheckQ) + len(c.confirmQ) + len(c.reduceQ) }

// needSettler reports whether one more worker is to be started that confirms and reduces.
func (c *coordinator) needSettler() bool {
	if !c.bounded() || c.cfg.Case != nil || c.rests() || c.toSettle() == 0 {
		return false
	}
	n := 0
	for _, w := range c.workers {
		switch {
		case w.gone || !w.settles:
		case w.loading || w.job == nil && w.why == "": // it takes what there is
			return false
		default:
			n++
		}
	}
	return n < c.settlers()
}

// resting says in words that the share is used up; "" while it is not.
func (c *coordinator) resting() string {
	if n := c.toSettle(); n > 0 && c.rests() {
		return fmt.Sprintf("confirming and reducing rests, having had a quarter of the time: %d wait", n)
	}
	return ""
}
