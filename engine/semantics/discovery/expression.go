package discovery

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// expression is a term over the parameters of a space, for all numbers.
type expression struct {
	op        smt.Op
	args      []*expression
	parameter int      // its number; -1 of others
	literal   *literal // nil of others
	of        int      // the parameter that a literal is made for; -1 for none
	size      int
}

// build returns the term in an arena where parameters stand for terms.
func (x *expression) build(a *smt.Arena, params []smt.Term) (smt.Term, error) {
	switch {
	case x.parameter >= 0:
		return params[x.parameter], nil
	case x.literal != nil:
		s := smt.Sort(0)
		if x.of >= 0 {
			s = a.Sort(params[x.of])
		}
		return x.literal.make(a, s)
	}
	args := make([]smt.Term, len(x.args))
	for i, y := range x.args {
		var err error
		if args[i], err = y.build(a, params); err != nil {
			return 0, err
		}
	}
	return a.App(x.op, nil, args...)
}

// parameters calls visit with the numbers of those that occur: as terms, or as the parameter for which a literal is
// made.
func (x *expression) parameters(visit func(n int, asTerm bool)) {
	if x.parameter >= 0 {
		visit(x.parameter, true)
	}
	if x.literal != nil && x.of >= 0 {
		visit(x.of, false)
	}
	for _, y := range x.args {
		y.parameters(visit)
	}
}

// over returns the expression with literals that are made for parameters of the same sort that are there.
func (x *expression) over(s *space, used []bool) *expression {
	if x.literal != nil && x.of >= 0 {
		for i, p := range s.parameters {
			if used[i] && p.sort == x.literal.sort {
				y := *x
				y.of = i
				return &y
			}
		}
		return x
	}
	if len(x.args) == 0 {
		return x
	}
	y := *x
	y.args = slices.Clone(x.args)
	for i := range y.args {
		y.args[i] = y.args[i].over(s, used)
	}
	return &y
}

// write appends the expression in Starlark.
func (x *expression) write(b *strings.Builder, s *space, name func(smt.Op) string) {
	switch {
	case x.parameter >= 0:
		b.WriteString(s.parameters[x.parameter].name)
	case x.literal != nil:
		text := x.literal.text
		if x.of >= 0 {
			text = strings.ReplaceAll(text, "x.sort", s.parameters[x.of].name+".sort")
		}
		b.WriteString(text)
	case x.op == smt.OpTrue:
		b.WriteString("True")
	case x.op == smt.OpFalse:
		b.WriteString("False")
	case len(x.args) == 0:
		b.WriteString("smt." + name(x.op))
	default:
		b.WriteString("smt." + name(x.op) + "(")
		for i, y := range x.args {
			if i > 0 {
				b.WriteString(", ")
			}
			y.write(b, s, name)
		}
		b.WriteString(")")
	}
}
