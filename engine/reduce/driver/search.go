package driver

import (
	"context"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Name tells candidates apart: those of one name are asked about once.
type Name [16]byte

// Change is how a candidate differs from the current one.
type Change uint8

// The kinds of candidates.
const (
	Ordinary  Change = iota // lighter
	Cosmetic                // may be as heavy as the current one when its text is plainer
	Renamed                 // cosmetic, and the same up to names, so that sat stays sat
	Reprinted               // the same in other words
)

// Space is the space of a search: candidates of type T.
type Space[T any] interface {
	// Finish completes a candidate that was just made.
	Finish(*T)
	// Admits reports whether a finished candidate may be tried in the place of the current one: it is well-formed, and
	// lighter or of a kind that need not be.
	Admits(candidate, current *T, is Change) bool
	// Name names a finished candidate.
	Name(*T) Name
	// Keeps reports whether the known facts about the current candidate also hold for this one.
	Keeps(*T, Change) bool
	// Holds asks whether a candidate has the property; Case returns the case that it asks about.
	Holds(*T) bool
	Case(*T) *testcase.Case
	// Weight returns the number that the search lowers.
	Weight(*T) int
	// Enter is called with each new current candidate.
	Enter(*T)
	// Mark and Release bracket the making of a candidate that was not kept.
	Mark() smt.Mark
	Release(smt.Mark)
}

// SearchOptions say how to search. The zero value asks about one candidate at a time, without bounds.
type SearchOptions[T any] struct {
	// Tests bounds how often a candidate is asked about; 0 means no bound.
	Tests int
	// Keep disables the release of rejected candidates, since the Asker or the space may hold on to them.
	Keep bool
	// Asker, if set, is asked in place of the space, about Jobs candidates at a time. What comes out does not depend on
	// Jobs as long as its replies do not.
	Asker Asker
	Jobs  int
	// Helpers, if set, are given candidates ahead of their turn, where no Asker is.
	Helpers Helpers
	// Done, if set, ends the search as soon as it reports true.
	Done func() bool
	// Progress, if set, is called after every candidate that was kept.
	Progress func(pass string, current *T)
}

// Proposal is one way to go on from the current one. Make builds the candidate; nil says that there is none. It may be
// called a second time, with the arena as it was, and then builds the same.
type Proposal[T any] struct {
	Make func() *T
	Is   Change
}

// Search is one search.
type Search[T any] struct {
	ctx     context.Context
	space   Space[T]
	opt     SearchOptions[T]
	current *T
	stats   Stats
	pass    int // index into stats.Passes
	known   map[Name]bool
	// unused are the replies to candidates that were asked about ahead of time, and were not needed then.
	unused    map[Name]chan Observation
	asking    sync.WaitGroup
	trail     Trail[*T]
	patience  patience
	exhausted bool // the bound on tests was reached
}

// New begins a search at a candidate that is finished and holds.
func New[T any](ctx context.Context, space Space[T], start *T, opt SearchOptions[T]) *Search[T] {
	s := &Search[T]{ctx: ctx, space: space, opt: opt, current: start, known: map[Name]bool{}, unused: map[Name]chan Observation{}}
	s.stats.Before = space.Weight(start)
	s.known[space.Name(start)] = true
	space.Enter(start)
	return s
}

// Current is the smallest candidate so far.
func (s *Search[T]) Current() *T { return s.current }

// Stats returns the statistics so far.
func (s *Search[T]) Stats() Stats {
	out := s.stats
	out.After = s.space.Weight(s.current)
	return out
}

// Stopped reports that nothing more should be tried.
func (s *Search[T]) Stopped() bool {
	return s.exhausted || s.ctx.Err() != nil || s.opt.Done != nil && s.opt.Done()
}

// Offer tries one candidate.
func (s *Search[T]) Offer(make func() *T) bool {
	return s.FirstOf([]Proposal[T]{{Make: make}}) == 0
}

// FirstOf is First for a list.
func (s *Search[T]) FirstOf(list []Proposal[T]) int {
	i := -1
	return s.First(func() (Proposal[T], bool) {
		if i++; i >= len(list) {
			return Proposal[T]{}, false
		}
		return list[i], true
	})
}

// First goes through the proposals until one is accepted, and makes it the current one. It returns its number, counted
// from 0, or -1 if there was none or the search is over. With several jobs the next ones are asked about before the
// replies about earlier ones are known. That changes neither which one is accepted nor any number but Stats.Ahead:
// replies count in the order of the proposals, and those behind the one that is accepted are dropped.
func (s *Search[T]) First(next func() (Proposal[T], bool)) int {
	if s.opt.Asker != nil {
		return s.firstAhead(next)
	}
	ahead := window[T]{search: s, next: next}
	defer ahead.end()
	for k := 0; !s.Stopped() && !s.patience.over(); k++ {
		p, ok := ahead.take()
		if !ok {
			return -1
		}
		ahead.give()
		m := s.space.Mark()
		if c := p.Make(); c != nil {
			x := s.examine(c, p.Is)
			s.count(x)
			if x.ask && s.ask(c) {
				return k
			}
		}
		if !s.opt.Keep {
			s.space.Release(m)
		}
	}
	return -1
}

// ask asks about a candidate and keeps it if it holds.
func (s *Search[T]) ask(c *T) bool {
	if s.spent() {
		return false
	}
	s.stats.Tests++
	s.passStats().Tests++
	holds := s.space.Holds(c)
	if s.Stopped() || !holds { // after a stop the reply may be about the interruption
		s.patience.wasted++
		return false
	}
	s.accept(c)
	return true
}

// spent reports that the bound on tests is reached.
func (s *Search[T]) spent() bool {
	s.exhausted = s.exhausted || s.opt.Tests > 0 && s.stats.Tests >= s.opt.Tests
	return s.exhausted
}

// examined is the result of looking at a candidate without asking.
type examined struct {
	ask              bool
	noted            bool // its name was not known before
	repeated, untrue bool
	name             Name
}

// examine finishes a candidate. It refuses one that may not replace the current one, that was asked about before, or
// whose answers are no longer known to be right.
func (s *Search[T]) examine(c *T, is Change) (x examined) {
	s.space.Finish(c)
	if !s.space.Admits(c, s.current, is) {
		return x
	}
	x.name = s.space.Name(c)
	if s.known[x.name] {
		x.repeated = true
		return x
	}
	s.known[x.name] = true
	x.noted = true
	x.untrue = !s.space.Keeps(c, is)
	x.ask = !x.untrue
	return x
}

func (s *Search[T]) count(x examined) {
	if x.repeated {
		s.stats.Repeated++
	}
	if x.untrue {
		s.stats.Untrue++
	}
}

// accept makes a candidate the current one.
func (s *Search[T]) accept(c *T) {
	p := s.passStats()
	s.patience.wasted = 0
	s.stats.Kept++
	p.Kept++
	p.Gain += s.space.Weight(s.current) - s.space.Weight(c)
	s.enter(c)
	if s.opt.Progress != nil {
		s.opt.Progress(p.Name, c)
	}
}

// enter goes on from a candidate.
func (s *Search[T]) enter(c *T) {
	if s.opt.Asker != nil {
		s.trail.Accept(s.current)
	}
	s.current = c
	s.space.Enter(c)
}

// Adopt continues from the result of another search that was part of this one, and adds that search's counts.
func (s *Search[T]) Adopt(c *T, did *Stats) {
	s.stats.Add(did)
	if did.Kept > 0 {
		s.known[s.space.Name(c)] = true
		s.enter(c)
	}
	s.spent()
}

// passStats are those of the pass at work.
func (s *Search[T]) passStats() *PassStats {
	if len(s.stats.Passes) == 0 {
		s.begin("")
	}
	return &s.stats.Passes[s.pass]
}

// begin makes a pass the current one.
func (s *Search[T]) begin(name string) {
	s.pass = slices.IndexFunc(s.stats.Passes, func(x PassStats) bool { return x.Name == name })
	if s.pass < 0 {
		s.pass = len(s.stats.Passes)
		s.stats.Passes = append(s.stats.Passes, PassStats{Name: name})
	}
}

// Minimize is delta debugging over n parts; build makes the candidate that has only the parts given, nil if there is
// none. It returns the parts that stay. accepted, if not nil, is called after each candidate that was kept.
func (s *Search[T]) Minimize(n int, build func(keep []int) *T, accepted func()) []int {
	return minimize(n, func(next func() (func() []int, bool)) int {
		k := s.First(func() (Proposal[T], bool) {
			keep, ok := next()
			if !ok {
				return Proposal[T]{}, false
			}
			return Proposal[T]{Make: func() *T { return build(keep()) }}, true
		})
		if k >= 0 && accepted != nil {
			accepted()
		}
		return k
	})
}

// Sweep tries ranges of n edits, from all of them down to one at a time; accepted, if not nil, is told about each that
// was kept.
func (s *Search[T]) Sweep(n int, propose func(Span) Proposal[T], accepted func(Span)) {
	sweep(n, func(next func() (Span, bool)) int {
		return s.First(func() (Proposal[T], bool) {
			at, ok := next()
			if !ok {
				return Proposal[T]{}, false
			}
			return propose(at), true
		})
	}, accepted)
}
