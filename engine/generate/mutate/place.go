package mutate

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Place is one occurrence of a term in the assertions of a script.
type Place struct {
	Term    smt.Term
	Command int // number of the assert command, from 0

	above []frame
}

// frame is a term above a place, and the argument that leads to it.
type frame struct {
	t   smt.Term
	arg int
}

// Places lists the occurrences of the terms that fit, at most max of them: assertions in their order, a term before the
// terms below it. The variables of binders and the contents of annotations do not count.
func Places(s *smtlib.Script, fits func(smt.Term) bool, max int) []Place {
	a := s.Arena
	within := map[smt.Term]bool{} // whether a term that fits is there or below
	var out []Place
	var above []frame
	var visit func(command int, t smt.Term)
	visit = func(command int, t smt.Term) {
		if !within[t] || len(out) >= max {
			return
		}
		if fits(t) {
			out = append(out, Place{Term: t, Command: command, above: append([]frame(nil), above...)})
		}
		for i := firstSpot(a, t); i < spotEnd(a, t); i++ {
			above = append(above, frame{t, i})
			visit(command, a.Arg(t, i))
			above = above[:len(above)-1]
		}
	}
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.Kind != smtlib.CmdAssert {
			continue
		}
		a.PostOrder(c.Terms, func(t smt.Term) {
			if _, known := within[t]; known {
				return
			}
			in := fits(t)
			for k := firstSpot(a, t); k < spotEnd(a, t) && !in; k++ {
				in = within[a.Arg(t, k)]
			}
			within[t] = in
		})
		visit(i, c.Terms[0])
	}
	return out
}

// Path returns the numbers of the arguments that lead from the assertion to the place.
func (p *Place) Path() []int {
	var path []int
	for _, f := range p.above {
		path = append(path, f.arg)
	}
	return path
}

// Binders returns the variables that are bound at the place, the innermost last.
func (p *Place) Binders(a *smt.Arena) (vars []smt.Term) {
	for _, f := range p.above {
		vars = append(vars, a.BoundVars(f.t)...)
	}
	return vars
}

// Polarity tells how the assertion depends on the formula at the place: 1 if it grows with it, -1 if it shrinks, 0 if
// neither, or if it is no formula.
func (p *Place) Polarity(a *smt.Arena) int { return polarityBelow(a, p.above, p.Term) }

// Put returns the assertions with another term at the place, and nowhere else.
func (p *Place) Put(a *smt.Arena, t smt.Term) (smt.Term, error) {
	for i := len(p.above) - 1; i >= 0; i-- {
		f := p.above[i]
		args := a.CopyArgs(f.t)
		args[f.arg] = t
		var err error
		if t, err = a.Rebuild(f.t, args); err != nil {
			return 0, err
		}
	}
	return t, nil
}

// At reports whether the place lies in the given assertion.
func (p *Place) At(assertion smt.Term) bool {
	if len(p.above) == 0 {
		return assertion == p.Term
	}
	return assertion == p.above[0].t
}

// polarityBelow returns the polarity of a term below the terms of the frames.
func polarityBelow(a *smt.Arena, above []frame, at smt.Term) int {
	p := 1
	for _, f := range above {
		switch a.Op(f.t) {
		case smt.OpAnd, smt.OpOr, smt.OpForall, smt.OpExists, smt.OpAnnot, smt.OpCase:
		case smt.OpNot:
			p = -p
		case smt.OpImplies:
			if f.arg < a.NumArgs(f.t)-1 {
				p = -p
			}
		case smt.OpIte, smt.OpMatch:
			if f.arg == 0 {
				return 0
			}
		default:
			return 0
		}
	}
	if a.Sort(at) != smt.SortBool {
		return 0
	}
	return p
}
