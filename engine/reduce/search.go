package reduce

import (
	"context"
	"time"

	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// proposal is one way to go on from the current case. make builds the candidate; nil says that there is none. It may be
// called a second time, with the arena as it was, and then builds the same.
type proposal struct {
	make func() *state
	is   kind
}

// Candidate is a case to be asked about, detached from the arena that it was made in, so that several can be asked about
// at once.
type Candidate struct {
	Query  *solvers.Query // nil for a trace: Case has it
	Text   []byte
	Trace  []byte // of a case that has a trace
	Expect []smtlib.Answer
}

// Case reads the candidate back into an arena of its own. It has no witness.
func (c *Candidate) Case() (*testcase.Case, error) {
	tc, err := (&testcase.Wire{Script: string(c.Text), Trace: string(c.Trace)}).Case(nil)
	if err != nil {
		return nil, err
	}
	tc.Expect = c.Expect
	return tc, nil
}

// Reply is what is known about a candidate after it was asked about.
type Reply struct {
	Holds    bool
	TimedOut bool          // a run ended at its limit
	Took     time.Duration // the longest run
	CPU      time.Duration // the most CPU time of a run
	Runs     int           // more than one where the property does not show in every run
	Cut      bool          // it was no longer wanted before it was known: the reply says nothing
}

// Asker asks about candidates. Ask is called by several goroutines at once; Accepted is told the reply of each candidate
// that became the current case, in order. A reply that is not Cut is kept: the same text is not asked about again.
type Asker interface {
	Ask(ctx context.Context, c *Candidate) Reply
	Accepted(Reply)
}

// first goes through the proposals until one is accepted, and makes it the current case. It returns its number, counted
// from 0, or -1 if there was none or the search is over. With several jobs the next ones are asked about before the
// replies about earlier ones are known. That changes neither which one is accepted nor any number but Stats.Ahead:
// replies count in the order of the proposals, and those behind the one that is accepted are dropped.
func (s *session) first(next func() (proposal, bool)) int {
	if s.opt.Asker != nil {
		return s.firstAhead(next)
	}
	for k := 0; !s.stopped() && !s.tired(); k++ {
		p, ok := next()
		if !ok {
			return -1
		}
		m := s.a.Mark()
		if st := p.make(); st != nil {
			x := s.examine(st, p.is)
			s.count(x)
			if x.ask && s.ask(st, x) {
				return k
			}
		}
		s.release(m)
	}
	return -1
}

// ask asks the predicate and keeps the candidate if it holds.
func (s *session) ask(st *state, x examined) bool {
	if s.opt.Tests > 0 && s.stats.Tests >= s.opt.Tests {
		s.exhausted = true
		return false
	}
	s.stats.Tests++
	s.stats.Passes[s.pass].Tests++
	ok := s.fails(s.toCase(st))
	if s.stopped() || !ok { // after a stop the reply may be about the interruption
		s.wasted++
		return false
	}
	s.accept(st)
	return true
}

// pending is a proposal whose reply is not yet known.
type pending struct {
	p     proposal
	x     examined
	reply chan Reply // nil if it need not be asked about
	stop  context.CancelFunc
}

func (s *session) firstAhead(next func() (proposal, bool)) int {
	var queue []*pending
	asked, all := 0, false
	defer func() {
		for _, e := range queue {
			if e.x.noted {
				delete(s.known, e.x.hash)
			}
			if e.reply != nil {
				e.stop()
				s.stats.Ahead++
				s.unused[e.x.hash] = e.reply
			}
		}
	}()
	for k := 0; !s.tired(); k++ {
		for !all && asked < max(1, s.opt.Jobs) && !s.stopped() {
			p, ok := next()
			if !ok {
				all = true
				break
			}
			e := s.begin(p)
			queue = append(queue, e)
			if e.reply != nil {
				asked++
			}
		}
		if len(queue) == 0 || s.stopped() {
			return -1
		}
		e := queue[0]
		queue = queue[1:]
		s.count(e.x)
		if e.reply == nil {
			continue
		}
		r, ok := s.await(e)
		if !ok {
			return -1
		}
		asked--
		if !r.Holds {
			s.wasted++
			continue
		}
		st := e.p.make()
		s.finish(st)
		s.accept(st)
		s.opt.Asker.Accepted(r)
		return k
	}
	return -1
}

// begin builds a candidate and has it asked about; its terms are gone when begin returns.
func (s *session) begin(p proposal) *pending {
	e := &pending{p: p}
	m := s.a.Mark()
	defer s.a.Release(m)
	st := p.make()
	if st == nil {
		return e
	}
	if e.x = s.examine(st, p.is); !e.x.ask {
		return e
	}
	c := s.toCase(st)
	cand := Detach(c)
	ctx, stop := context.WithCancel(s.ctx)
	e.reply, e.stop = make(chan Reply, 1), stop
	earlier := s.unused[e.x.hash]
	delete(s.unused, e.x.hash)
	go func() {
		if earlier != nil { // it ends soon: it was told to, if it has not already
			if r := <-earlier; !r.Cut {
				e.reply <- r
				return
			}
		}
		e.reply <- s.opt.Asker.Ask(ctx, cand)
	}()
	return e
}

// await waits for a reply and counts it; not ok says that the search is over.
func (s *session) await(e *pending) (Reply, bool) {
	defer e.stop()
	if s.opt.Tests > 0 && s.stats.Tests >= s.opt.Tests {
		s.exhausted = true
		return Reply{}, false
	}
	r := <-e.reply
	if s.stopped() {
		return r, false
	}
	s.stats.Tests++
	s.stats.Runs += max(1, r.Runs)
	s.stats.Passes[s.pass].Tests++
	if r.TimedOut {
		s.stats.TimedOut++
	}
	if s.trail.Asked(r.Holds) {
		return r, s.recheck()
	}
	return r, true
}

// recheck asks about the current case again. Where it does not show the property any more, it was accepted by chance:
// the search goes back to the last case before it that does.
func (s *session) recheck() bool {
	for {
		c := s.toCase(s.cur)
		r := s.opt.Asker.Ask(s.ctx, Detach(c))
		if s.stopped() {
			return false
		}
		s.stats.Rechecks++
		s.stats.Runs += max(1, r.Runs)
		if r.Holds || s.trail.AtStart() {
			return true
		}
		s.stats.Flaky++
		s.stats.Kept--
		s.cur, _ = s.trail.Back()
		s.truth.Pin(s.cur.witness)
	}
}
