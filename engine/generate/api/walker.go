package api

import (
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/rule"
)

// walker takes the transitions of the machine.
type walker struct {
	*Walk
	edges map[*State][]*edge
	open  []*edge // of choose
}

// edge is a transition that this walk may take.
type edge struct {
	t        *Transition
	next     *State  // another state, nil if it stays
	action   *Action // nil for none
	dead     bool    // it cannot be taken any more
	failures int     // in a row
}

// walk takes transitions until the end.
func (w *walker) walk() {
	m := w.Cfg.Machine
	s := m.States[0]
	limit := m.MaxCalls
	if limit == 0 {
		limit = 1000
	}
	for steps := 0; s.Name != final && len(w.calls) < limit && steps < 20*limit; steps++ {
		e := w.choose(s)
		if e == nil || w.once && w.checks > 0 {
			break
		}
		if !w.take(e) || e.next == nil {
			continue
		}
		next := e.next
		switch {
		case next.Kind == Choice:
			w.branch = map[string]smtlib.Answer{"sat": smtlib.Sat, "unsat": smtlib.Unsat, "unknown": smtlib.Unknown}[next.Name]
		case s.Kind == Choice:
			w.branch = smtlib.None
		}
		if s = next; s.Binds {
			w.Gen.CloseAll()
		}
	}
	w.branch = smtlib.None
	if w.checks == 0 {
		w.Gen.CloseAll()
		w.check(nil)
	}
}

// choose draws a transition among those that can be taken.
func (w *walker) choose(s *State) *edge {
	total := 0.0
	open := w.open[:0]
	for _, e := range w.edgesOf(s) {
		if e.dead || w.once && !inOneCheck(e.t.Action) || w.conflicts(e.t.Action) || e.t.When != nil && !e.t.When(w.Walk) ||
			e.next != nil && e.next.Pre != nil && !e.next.Pre(w.Walk) {
			continue
		}
		open = append(open, e)
		total += e.t.Weight
	}
	w.open = open
	x := w.R.Float() * total
	for _, e := range open {
		if x -= e.t.Weight; x < 0 {
			return e
		}
	}
	if len(open) > 0 {
		return open[len(open)-1]
	}
	return nil
}

// edgesOf returns the transitions of a state that this walk may take, which it looks for once.
func (w *walker) edgesOf(s *State) []*edge {
	if es, ok := w.edges[s]; ok {
		return es
	}
	all := make([]edge, 0, len(s.Out))
	es := make([]*edge, 0, len(s.Out))
	for _, t := range s.Out {
		if t.Weight <= 0 || w.Cfg.Lacks(rule.Action.Of(t.Action)) {
			continue
		}
		e := edge{t: t, action: w.Cfg.Machine.Actions[t.Action]}
		if t.Next != "" && t.Next != s.Name {
			e.next = w.Cfg.Machine.State(t.Next)
		}
		all = append(all, e)
		es = append(es, &all[len(all)-1])
	}
	w.edges[s] = es
	return es
}

// take does the action of a transition; false: it was not done.
func (w *walker) take(e *edge) bool {
	if e.t.Action == "" {
		return true
	}
	switch w.doAction(e.action) {
	case Done:
		e.failures = 0
		return true
	case Never:
		e.dead = true
	default:
		if e.failures++; e.failures >= 8 {
			e.dead = true
		}
	}
	return false
}
