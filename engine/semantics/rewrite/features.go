package rewrite

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
)

// features are the quickly visible properties of the arguments of a term: a shape that needs one that is missing does
// not match.
type features uint64

const (
	equalPair  features = 1 << iota // two arguments are the same
	complement                      // one is another one with an operator before it
	zero                            // a literal that is 0, or empty
	one                             // a literal that is 1
	heads      = iota
)

// headFeature is that an argument has an operator; several may share one.
func headFeature(op smt.Op) features { return 1 << (heads + uint(op)%(64-heads)) }

// featuresOf returns the features that a term must have to match the shape.
func featuresOf(s *template.Shape) (need features) {
	children := s.Children()
	has := func(parameter int) (n int) {
		for _, c := range children {
			if c.Parameter == parameter {
				n++
			}
		}
		return n
	}
	for _, c := range children {
		if c.Op != 0 {
			need |= headFeature(c.Op)
		}
		switch {
		case c.Value == 0:
			need |= zero
		case c.Value == 1:
			need |= one
		}
		if c.Parameter >= 0 && has(c.Parameter) > 1 {
			need |= equalPair
		}
		for _, p := range c.Below {
			if has(p) > 0 {
				need |= complement
			}
		}
	}
	return need
}

// glance has the properties of the arguments of a term that show without a look at the terms below them.
type glance struct {
	have  features
	args  int
	heads [2]smt.Op // of the first arguments
}

// features returns those of a term.
func (s *application) features(args []smt.Term) glance {
	a := s.a
	g := glance{args: len(args)}
	var have features
	for i, x := range args {
		op, below := a.Look(x)
		have |= headFeature(op)
		if i < len(g.heads) {
			g.heads[i] = op
		}
		switch op {
		case smt.OpIntLit, smt.OpBVLit, smt.OpRealLit, smt.OpFFLit:
			switch a.Indices(x)[0] {
			case 0:
				have |= zero
			case 1:
				have |= one
			}
		}
		if len(below) == 1 && len(args) == 2 && (below[0] == args[0] || below[0] == args[1]) {
			have |= complement
		}
	}
	switch {
	case len(args) == 2:
		if args[0] == args[1] {
			have |= equalPair
		}
	case len(args) > 2:
		have |= s.pairs(args)
	}
	g.have = have
	return g
}

// pairs looks for two arguments that are the same, or of which one is a unary operator applied to the other.
func (s *application) pairs(args []smt.Term) (have features) {
	seen := s.a.Stamps()
	defer seen.Free()
	for _, x := range args {
		if !seen.Add(x) {
			have |= equalPair
		}
	}
	for _, x := range args {
		if s.a.NumArgs(x) == 1 && seen.Has(s.a.Arg(x, 0)) {
			return have | complement
		}
	}
	return have
}
