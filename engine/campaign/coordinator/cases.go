package coordinator

import (
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// span is a range of cases to be done.
type span struct {
	from, to uint64
	attempt  int
}

// jobQueue hands out the cases of a campaign: first the returned ones, then new ones.
type jobQueue struct {
	back   []span // sorted by from
	next   uint64
	end    uint64 // 0: no end
	closed bool   // hand out nothing more: the remaining cases are for the next run
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

// isEmpty reports whether there are no returned cases left to run.
func (q *jobQueue) isEmpty() bool { return q.closed || len(q.back) == 0 }

// allHandedOut reports whether all new cases were handed out.
func (q *jobQueue) allHandedOut() bool { return q.closed || q.end > 0 && q.next >= q.end }

// takeUpTo returns at most n cases; ok is false when there are none. New cases stop before end (0 means no bound), and
// none are handed out while open is false.
func (q *jobQueue) takeUpTo(n, end uint64, open bool) (s span, ok bool) {
	n = max(n, 1)
	if q.closed {
		return span{}, false
	}
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
	if q.allHandedOut() || !open {
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

// casePlan chooses the cases to make next: the queue of their numbers, and the weights of a mixture.
type casePlan struct {
	jobQueue
	bandit *mixture.Bandit // nil: earlier cases influence neither the weights nor the avoided shapes
	deadly []hazard.Shape  // shapes that all cases avoid from the start
	modes  *mixture.Bandit // chooses among the modes that targets take turns in; nil: no such modes
	byMode []finding.Part  // those
	growth *growth.Growth  // the cases that become seeds; nil: none do
	news   []*growth.News  // changes of growth to tell the workers
	only   *uint64         // the only case; nil: all
	given  *finding.Inputs // the user's inputs; their weights apply only to the case in only
}

// beginAt starts the plan at the case where an earlier run ended, or at the first case if earlier is nil.
func (p *casePlan) beginAt(stop finding.Stop, of *finding.Plan, earlier *finding.Progress) error {
	p.end = stop.Cases
	from, parts := uint64(0), of.Parts
	var state []byte
	if earlier != nil {
		from, state = earlier.Next, earlier.Modes
	}
	if len(of.Modes) > 0 && p.only == nil {
		var err error
		if p.modes, err = mixture.RestoreBandit(of.Modes, from, state); err != nil {
			return err
		}
		p.byMode = of.Modes
	}
	if len(parts) > 0 || of.Generates {
		p.bandit, p.deadly = mixture.NewBandit(parts, from), hazard.OfQuestions(of.Deadly)
		if err := mixture.NeedWeights(parts, p.only, p.given.Weights); err != nil {
			return err
		}
	}
	if p.only != nil {
		p.next, p.end = *p.only, *p.only+1
	}
	return nil
}

// resumeFrom continues with the cases that an earlier run left.
func (p *casePlan) resumeFrom(earlier *finding.Progress) {
	p.next = earlier.Next
	for _, s := range earlier.Open {
		p.giveBack(span{s[0], s[1], 0})
	}
	if p.end > 0 { // an earlier run may have had a later end
		for i := range p.back {
			p.back[i].to = min(p.back[i].to, p.end)
		}
		p.dropEmpty()
	}
}

// progress returns which cases are done: all that were handed out, except those that are running, those that were given
// back, and those whose verdicts the store does not hold. The next run makes the exceptions again.
func (p *casePlan) progress(running []span, unheld []uint64) finding.Progress {
	out := finding.Progress{Next: p.next}
	if p.modes != nil {
		out.Modes = p.modes.State()
	}
	open := jobQueue{}
	for _, s := range p.back {
		open.giveBack(s)
	}
	for _, s := range running {
		open.giveBack(s)
	}
	for _, n := range unheld {
		open.giveBack(span{n, n + 1, 0})
	}
	for _, s := range open.back {
		out.Open = append(out.Open, [2]uint64{s.from, s.to})
	}
	return out
}

// Jobs should take about jobTime: long enough to keep the cost of orders low, short enough not to delay confirmations.
const (
	jobTime     = time.Second
	awayJobTime = 3 * time.Second // for joined machines, whose orders and reports pass through a server
	maxJob      = 4096
)

// jobSize returns the number of cases for one worker's next job, which should take about as long as wanted. done is the
// number of cases that all workers together have finished in the elapsed time.
func (p *casePlan) jobSize(wanted time.Duration, done uint64, elapsed time.Duration, workers int) uint64 {
	n := uint64(4)
	if done > 0 && elapsed > 0 {
		perWorker := float64(done) / elapsed.Seconds() / float64(max(1, workers))
		n = uint64(perWorker * wanted.Seconds())
	}
	n = min(max(n, 1), maxJob)
	if p.end > 0 && !p.allHandedOut() { // leave something for the others
		n = min(n, max(1, (p.end-p.next)/uint64(2*max(1, workers))))
	}
	return n
}

// takeSpan returns at most n cases for one job; ok is false when there are none, or when they must wait for the
// weights.
func (p *casePlan) takeSpan(n uint64) (s span, ok bool) {
	end, open := uint64(0), true
	if (p.bandit != nil || p.modes != nil || p.growth != nil) && p.only == nil { // the cases of a job have the weights of one epoch
		var epoch int
		epoch, end = mixture.EpochOf(p.next)
		open = (p.bandit == nil || p.bandit.Ready(epoch)) && (p.modes == nil || p.modes.Ready(epoch)) && (p.growth == nil || p.growth.Ready(epoch))
	}
	return p.takeUpTo(n, end, open)
}

// grow looks up the seeds that the cases of an epoch are made from; first is a case of that epoch. Workers must be told
// of these seeds before they make the cases.
func (p *casePlan) grow(first uint64) error {
	if p.growth == nil || p.only != nil {
		return nil
	}
	epoch, _ := mixture.EpochOf(first)
	change, err := p.growth.At(epoch)
	if change == nil || err != nil {
		return err
	}
	p.news = append(p.news, change)
	if p.bandit != nil {
		p.bandit.CountEdges(p.growth.Novel())
	}
	return nil
}

// takeNews returns and clears the changes of the grown seeds that workers have to be told.
func (p *casePlan) takeNews() []*growth.News {
	news := p.news
	p.news = nil
	return news
}

// mixtureOf returns the weights for a job that starts with case first. fresh reports whether they are computed here for
// the first time.
func (p *casePlan) mixtureOf(first uint64) (m wire.Mixture, fresh bool) {
	epoch, _ := mixture.EpochOf(first)
	switch {
	case p.bandit == nil:
	case p.only != nil || p.given.Weights != nil:
		m.Weights, m.Avoid = p.given.Weights, p.given.Avoid
	default:
		fresh = p.bandit.Weights[epoch] == nil
		m.Epoch, m.Weights, m.Avoid = epoch, p.bandit.WeightsOf(epoch), p.bandit.Avoid[epoch]
	}
	if p.modes != nil {
		fresh = fresh || p.modes.Weights[epoch] == nil
		m.Epoch, m.Modes = epoch, p.modes.WeightsOf(epoch)
	}
	return m, fresh
}

// recordSettled records that case n needs no more work; r is nil if the case has no result.
func (p *casePlan) recordSettled(n uint64, technique string, r *wire.CaseResult) {
	if p.modes != nil {
		p.settleMode(n, r)
	}
	var took *growth.Report
	if r != nil {
		took = r.Took
	}
	if p.growth != nil {
		p.growth.Done(n, took)
	}
	switch {
	case p.bandit == nil:
	case r == nil:
		p.bandit.Done(n, technique, nil, nil, nil)
	default:
		p.bandit.Done(n, r.Technique, r.Verdicts, r.Features, r.Hazard)
	}
}

// settleMode does the work of recordSettled for the modes. Only verdicts count: the shape of a case says nothing about
// modes.
func (p *casePlan) settleMode(n uint64, r *wire.CaseResult) {
	epoch, _ := mixture.EpochOf(n)
	name := ""
	if mode := mixture.ModeOf(p.byMode, p.modes.Weights[epoch], p.given.Seed, n); mode >= 0 {
		name = p.byMode[mode].Name
	}
	var verdicts []finding.SignedVerdict
	if r != nil {
		verdicts = r.Verdicts
	}
	p.modes.Done(n, name, verdicts, nil, nil)
}

// mixFlags returns the flags, with a leading blank, that make a command generate case n with its original weights.
func (p *casePlan) mixFlags(n uint64) string {
	if p.bandit == nil {
		return ""
	}
	epoch, _ := mixture.EpochOf(n)
	return testcase.Origin{Weights: p.bandit.Weights[epoch], Avoid: p.bandit.Avoid[epoch]}.MixFlags()
}
