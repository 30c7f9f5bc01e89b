package driver

import "slices"

// Pass is one way to make a candidate smaller.
type Pass struct {
	Name string
	// First passes stay ahead of the others, which are ordered by their yield, and they may waste as many candidates as
	// they like.
	First bool
	// Last passes run once, when no other one changes anything.
	Last bool
	// Run proposes candidates to the search.
	Run func()
}

// firstPatience is how many candidates in a row a pass may waste while others still make the case much smaller. Where
// much of a case has to stay, that leaves fewer terms to try in vain. The last rounds know no such bound.
const firstPatience = 48

// patience says when a pass has wasted enough.
type patience struct {
	most    int  // how many candidates end a pass; 0: no bound
	bounded bool // the pass at work is such a pass
	wasted  int  // candidates in a row that did not hold, of the pass at work
	gaveUp  bool // a pass of this round ended early
}

// over reports that the pass at work has wasted enough.
func (p *patience) over() bool {
	if !p.bounded || p.wasted < p.most {
		return false
	}
	p.gaveUp = true
	return true
}

// Rounds runs the passes in turn until none of them changes anything, the most profitable first from the second round
// on; then the last ones. It reports whether that is done.
func (s *Search[T]) Rounds(passes []*Pass) (done bool) {
	var work, last []*Pass
	for _, p := range passes {
		if p.Last {
			last = append(last, p)
		} else {
			work = append(work, p)
		}
	}
	for s.patience.most = firstPatience; ; {
		before, weight := s.current, s.space.Weight(s.current)
		s.patience.gaveUp = false
		for _, p := range work {
			s.Use(p)
			if s.Stopped() {
				return false
			}
		}
		if s.current == before && !s.patience.gaveUp {
			break
		}
		if s.space.Weight(s.current) > weight-weight/8 {
			s.patience.most = 0
		}
		s.byYield(work)
	}
	s.patience.most = 0
	for _, p := range last {
		s.Use(p)
	}
	s.stats.Done = !s.Stopped()
	return s.stats.Done
}

// Use runs one pass.
func (s *Search[T]) Use(p *Pass) {
	s.begin(p.Name)
	s.patience.bounded = s.patience.most > 0 && !p.First
	s.patience.wasted = 0
	p.Run()
}

// byYield orders passes by the weight they took away for each test so far, behind those that stay ahead.
func (s *Search[T]) byYield(work []*Pass) {
	yield := func(p *Pass) float64 {
		for _, x := range s.stats.Passes {
			if x.Name == p.Name {
				return float64(x.Gain) / float64(x.Tests+1)
			}
		}
		return 0
	}
	slices.SortStableFunc(work, func(p, q *Pass) int {
		if p.First != q.First {
			if p.First {
				return -1
			}
			return 1
		}
		switch a, b := yield(p), yield(q); {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
}
