package rewrite

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Alternatives finds the terms that laws make of single terms of one arena. It serves a search with its own measure: a
// reduction, which weighs terms differently from a Simplifier and asks about each alternative.
type Alternatives struct {
	near    *Simplifier // for terms near a root; deeper terms stay unchanged
	takeAny func() bool
}

// NewAlternatives returns an Alternatives for the terms of an arena.
func NewAlternatives(a *smt.Arena, r *Rules) *Alternatives {
	x := &Alternatives{near: New(a, r)}
	x.near.brief = true
	x.takeAny = x.putAny
	return x
}

// Of returns the terms that laws make of a term. Each matching law that states an equality is applied at the term, from
// either side unless that leaves something open, and its result is made lighter; finally the arguments and the term
// itself are made lighter. Terms further below stay unchanged. A law with a condition is applied only if the condition
// simplifies to true. So each alternative has the value of the term under every interpretation.
func (x *Alternatives) Of(t smt.Term) []smt.Term {
	s := x.near
	op, args := s.a.Look(t)
	if len(args) == 0 || op == smt.OpAnnot || op.IsBinder() || op == smt.OpMatch {
		return nil
	}
	var out []smt.Term
	add := func(to smt.Term) {
		if to != 0 && to != t && !slices.ContainsFunc(out, func(y smt.Term) bool { return y == to || swapped(s.a, y, to) }) {
			out = append(out, to)
		}
	}
	have := s.features(args)
	for _, list := range [][]entry{s.entries(op, toLighter), s.entries(op, toEqual)} {
		for i := range list {
			e := &list[i]
			if !e.suits(&have) || len(e.law.fresh)+len(e.law.open) > 0 || e.law.narrows {
				continue
			}
			if to := x.use(e, t); to != 0 {
				add(x.lightened(t, to))
				add(to)
			}
		}
	}
	x.begin()
	for _, y := range s.a.Args(t) {
		for _, z := range s.a.Args(y) {
			x.keep(z)
		}
	}
	add(s.Term(t))
	return out
}

// swapped reports whether two terms differ in the order of two arguments alone, which does not matter.
func swapped(a *smt.Arena, x, y smt.Term) bool {
	op := a.Op(x)
	if op != a.Op(y) || op.Structural() || !op.Info().Commutative || a.NumArgs(x) != 2 || a.NumArgs(y) != 2 {
		return false
	}
	return a.Arg(x, 0) == a.Arg(y, 1) && a.Arg(x, 1) == a.Arg(y, 0) && slices.Equal(a.Indices(x), a.Indices(y))
}

// use rewrites a term by a law, whether the result is lighter or not; 0 if the law does not apply.
func (x *Alternatives) use(e *entry, t smt.Term) smt.Term {
	s := x.near
	if e.pair {
		return s.apply(e, t)
	}
	s.entry, s.term, s.result = e, t, 0
	s.match.Match(e.shape, t, len(e.law.Parameters), x.takeAny)
	return s.result
}

// putAny notes the other side of a law, whether it is lighter or not.
func (x *Alternatives) putAny() bool {
	s := x.near
	l, b := s.entry.law, &s.bindings
	if !s.bind(l, s.term) {
		return false
	}
	r, err := s.rules.instance(l, b)
	s.noteError(err)
	if r == nil {
		return false
	}
	s.result = s.other(l, r, s.term)
	return s.result != 0
}

// lightened returns the result of a law for a term, made lighter; the parts that the law took over from the term stay
// unchanged.
func (x *Alternatives) lightened(from, to smt.Term) smt.Term {
	s := x.near
	x.begin()
	for _, y := range s.a.Args(from) {
		x.keep(y)
	}
	for i, y := range s.match.Args {
		if y != 0 {
			x.keep(y)
		}
		for _, z := range s.match.Lists[i] {
			x.keep(z)
		}
	}
	return s.Term(to)
}

// begin clears the cached results.
func (x *Alternatives) begin() {
	x.near.follow()
	x.near.Forget()
}

// keep makes a term stay unchanged until everything is forgotten.
func (x *Alternatives) keep(t smt.Term) {
	s := x.near
	s.grow()
	s.remember(t, t)
	if s.a.IsLiteral(t) {
		s.state[t] = isGround | isFinal
	}
}
