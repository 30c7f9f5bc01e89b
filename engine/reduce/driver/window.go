package driver

// window is the proposals that come next: helpers are given those that have not had their turn.
type window[T any] struct {
	search *Search[T]
	next   func() (Proposal[T], bool)
	queue  []Proposal[T]
	given  bool // helpers have some of them
}

// maxWindow bounds how many proposals are looked at ahead of their turn.
const maxWindow = 256

// take takes the first proposal out.
func (w *window[T]) take() (p Proposal[T], ok bool) {
	if len(w.queue) == 0 {
		return w.next()
	}
	p, w.queue = w.queue[0], w.queue[1:]
	return p, true
}

// give gives helpers as many candidates as they take. It is called before the next candidate is built, since passes
// keep a note of the one they built last.
func (w *window[T]) give() {
	helpers := w.search.opt.Helpers
	if helpers == nil {
		return
	}
	for free := helpers.Free(); free > 0 && len(w.queue) < maxWindow; {
		p, ok := w.next()
		if !ok {
			return
		}
		w.queue = append(w.queue, p)
		if w.giveOne(helpers, p) {
			free--
		}
	}
}

// end says that no proposal has its turn any more.
func (w *window[T]) end() {
	if w.given {
		w.search.opt.Helpers.Drop()
	}
}

// giveOne gives helpers one candidate, unless it would not be asked about.
func (w *window[T]) giveOne(helpers Helpers, p Proposal[T]) bool {
	s := w.search
	m := s.space.Mark()
	defer s.space.Release(m)
	c := p.Make()
	if c == nil {
		return false
	}
	s.space.Finish(c)
	if !s.space.Admits(c, s.current, p.Is) || s.known[s.space.Name(c)] || !s.space.Keeps(c, p.Is) {
		return false
	}
	w.given = true
	helpers.Give(s.space.Case(c))
	return true
}
