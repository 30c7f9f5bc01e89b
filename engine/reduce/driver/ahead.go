package driver

import "context"

// pending is a proposal whose reply is not yet known.
type pending[T any] struct {
	p     Proposal[T]
	x     examined
	reply chan Observation // nil if it need not be asked about
	stop  context.CancelFunc
}

func (s *Search[T]) firstAhead(next func() (Proposal[T], bool)) int {
	var queue []*pending[T]
	asked, all := 0, false
	defer func() {
		for _, e := range queue {
			if e.x.noted {
				// Candidates asked about ahead of an accepted one count as never asked about: their number depends on
				// the number of jobs, and the result must not.
				delete(s.known, e.x.name)
			}
			if e.reply != nil {
				e.stop()
				s.stats.Ahead++
				s.unused[e.x.name] = e.reply
			}
		}
	}()
	for k := 0; !s.patience.over(); k++ {
		for !all && asked < max(1, s.opt.Jobs) && !s.Stopped() {
			p, ok := next()
			if !ok {
				all = true
				break
			}
			e := s.askAhead(p)
			queue = append(queue, e)
			if e.reply != nil {
				asked++
			}
		}
		if len(queue) == 0 || s.Stopped() {
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
			s.patience.wasted++
			continue
		}
		// Made anew: the terms of candidates that are asked about ahead are released at once.
		c := e.p.Make()
		s.space.Finish(c)
		s.accept(c)
		s.opt.Asker.Accepted(r)
		return k
	}
	return -1
}

// askAhead builds a candidate and has it asked about; its terms are gone when askAhead returns.
func (s *Search[T]) askAhead(p Proposal[T]) *pending[T] {
	e := &pending[T]{p: p}
	m := s.space.Mark()
	defer s.space.Release(m)
	c := p.Make()
	if c == nil {
		return e
	}
	if e.x = s.examine(c, p.Is); !e.x.ask {
		return e
	}
	detached := Detach(s.space.Case(c))
	ctx, stop := context.WithCancel(s.ctx)
	e.reply, e.stop = make(chan Observation, 1), stop
	earlier := s.unused[e.x.name]
	delete(s.unused, e.x.name)
	s.asking.Go(func() {
		if earlier != nil { // it ends soon: it was told to, if it has not already
			if r := <-earlier; !r.Cut {
				e.reply <- r
				return
			}
		}
		e.reply <- s.opt.Asker.Ask(ctx, detached)
	})
	return e
}

// await waits for a reply and counts it; not ok says that the search is over.
func (s *Search[T]) await(e *pending[T]) (Observation, bool) {
	defer e.stop()
	if s.spent() {
		return Observation{}, false
	}
	r := <-e.reply
	if s.Stopped() {
		return r, false
	}
	s.stats.Tests++
	s.stats.Runs += max(1, r.Runs)
	s.passStats().Tests++
	if r.TimedOut {
		s.stats.TimedOut++
	}
	if s.trail.Asked(r.Holds) {
		return r, s.recheck()
	}
	return r, true
}

// recheck asks about the current candidate again. If it no longer shows the property, it was accepted by chance, and
// the search goes back to the last earlier candidate that does. It returns false if the search is over.
func (s *Search[T]) recheck() bool {
	for {
		r := s.opt.Asker.Ask(s.ctx, Detach(s.space.Case(s.current)))
		if s.Stopped() {
			return false
		}
		s.stats.Rechecks++
		s.stats.Runs += max(1, r.Runs)
		if r.Holds || s.trail.AtStart() {
			return true
		}
		s.stats.Flaky++
		s.stats.Kept--
		s.current, _ = s.trail.Back()
		s.space.Enter(s.current)
	}
}

// Confirm checks the result of a search again if replies may depend on chance.
func (s *Search[T]) Confirm() {
	if s.opt.Asker != nil && s.stats.Kept > 0 && !s.Stopped() {
		s.recheck()
	}
}

// Close waits for all running requests: requests made ahead of time that are not needed have been cancelled. Whoever
// makes a search defers Close, since the resources of the Asker may be closed afterwards, however the search ends.
func (s *Search[T]) Close() { s.asking.Wait() }
