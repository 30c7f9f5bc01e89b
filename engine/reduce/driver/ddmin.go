package driver

// cut is one removal that delta debugging tries: elements from at to end of those kept, in a round of that chunk size.
type cut struct{ size, at, end int }

// minimizer is the complement half of delta debugging (Zeller and Hildebrandt, "Simplifying and isolating
// failure-inducing input", TSE 2002): all elements, chunks of half of them, of half that size, down to single ones,
// until no single element can go. Its next cuts are known for the case that all those before them fail, so that they
// can be tried ahead of time.
type minimizer struct {
	kept    []int
	size    int
	at      int
	removed bool // in the round of single elements
	started bool
}

func newMinimizer(n int) *minimizer {
	m := &minimizer{kept: make([]int, n), size: n}
	for i := range m.kept {
		m.kept[i] = i
	}
	return m
}

// next returns the cut to try if all cuts before it fail.
func (m *minimizer) next() (cut, bool) {
	for len(m.kept) > 0 && m.size > 0 {
		if m.at >= len(m.kept) {
			switch {
			case m.size > 1:
				m.size = min((m.size+1)/2, max(1, (len(m.kept)+1)/2))
			case !m.removed:
				return cut{}, false
			}
			m.at, m.removed = 0, false
			continue
		}
		c := cut{m.size, m.at, min(m.at+m.size, len(m.kept))}
		m.at = c.end
		if c.at == 0 && c.end == len(m.kept) && m.started { // nothing left of it was tried before
			continue
		}
		m.started = true
		return c, true
	}
	return cut{}, false
}

// without returns the elements kept but for a cut, in order.
func (m *minimizer) without(c cut) []int {
	return append(append(make([]int, 0, len(m.kept)), m.kept[:c.at]...), m.kept[c.end:]...)
}

// accept removes a cut and goes on behind it.
func (m *minimizer) accept(c cut) {
	m.kept = m.without(c)
	m.size, m.at, m.removed = c.size, c.at, true
}

// minimize removes elements from 0..n-1 and returns those that have to stay. first is given the ways to go on, each the
// elements that are kept, and returns the number of the first one that is accepted, -1 if there is none or it is time
// to stop.
func minimize(n int, first func(next func() (keep func() []int, ok bool)) int) []int {
	m := newMinimizer(n)
	for {
		var tried []cut
		k := first(func() (func() []int, bool) {
			c, ok := m.next()
			if !ok {
				return nil, false
			}
			tried = append(tried, c)
			return func() []int { return m.without(c) }, true
		})
		if k < 0 {
			return m.kept
		}
		m.accept(tried[k])
	}
}

// Span is a range of edits.
type Span struct{ From, To int }

// sweep applies edits 0..n-1 in chunks, from all of them down to one at a time. Edits of a chunk that was kept are not
// tried again. Where localized failures are common this needs a number of tests in the order of the logarithm of n.
// first is as for minimize; accepted, if not nil, is told about each chunk that was kept.
func sweep(n int, first func(next func() (Span, bool)) int, accepted func(Span)) {
	if n == 0 {
		return
	}
	queue := []Span{{0, n}}
	for head := 0; ; {
		type place struct{ head, end int }
		var tried []place
		k := first(func() (Span, bool) {
			if head == len(queue) {
				return Span{}, false
			}
			s := queue[head]
			head++
			tried = append(tried, place{head, len(queue)})
			if s.To-s.From > 1 {
				mid := (s.From + s.To) / 2
				queue = append(queue, Span{s.From, mid}, Span{mid, s.To})
			}
			return s, true
		})
		if k < 0 {
			return
		}
		head, queue = tried[k].head, queue[:tried[k].end]
		if accepted != nil {
			accepted(queue[head-1])
		}
	}
}
