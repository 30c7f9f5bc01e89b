package rewrite

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/law"
)

// maxDerived bounds the choices of the numbers and lists of a law that Derive looks at.
const maxDerived = 24

// Derive tries to show that a law follows from the others: without the law, its two sides simplify to the same term,
// or, for an implication, the implication simplifies to true. This must hold for all choices of its numbers and lists
// that Derive looks at and that say something. It returns the laws that were used, and nil if the law does not follow
// in this way.
func (r *Rules) Derive(l *law.Law) ([]string, error) {
	instances, err := l.Instances(r.env)
	if err != nil {
		return nil, err
	}
	used := map[string]int{}
	for i := range min(len(instances), maxDerived) {
		script := instances[i*len(instances)/min(len(instances), maxDerived)].Claims[0].Script
		if script == nil {
			return nil, nil
		}
		a := script.Arena
		left, right := sidesOf(a, l.Kind, script.Asserts())
		if left == right {
			continue // lists that are empty, or expressions that are the same
		}
		s := New(a, r)
		if n, ok := r.byName[l.Name]; ok {
			s.off[n] = true
		}
		if x := s.Term(left); x != s.Term(right) {
			return nil, s.Err()
		}
		for name, n := range s.Stats().Applied {
			used[name] += n
		}
	}
	stats := Counters{Applied: used}
	return stats.Names(), nil
}

// sidesOf returns the two terms whose equality follows if the assertions are unsatisfiable together. The last assertion
// is the negation of an equality, or of the conclusion that the one before it implies.
func sidesOf(a *smt.Arena, kind law.Kind, asserts []smt.Term) (left, right smt.Term) {
	last := a.Arg(asserts[len(asserts)-1], 0)
	if kind == law.Implies {
		return a.MustApp(smt.OpImplies, asserts[len(asserts)-2], last), a.True()
	}
	return a.Arg(last, 0), a.Arg(last, 1)
}
