package probe

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/gen"
	"github.com/smtlark/smtlark/engine/smt"
)

// maxArity is the greatest number of arguments of an uninterpreted function in a probe.
const maxArity = 4

// variants is the number of classes of a construction: what it is made of is drawn anew for each.
const variants = 12

// constructions are what no single operator shows: congruence of uninterpreted functions and equalities of arrays.
func constructions(g *gen.Gen) []Subject {
	var out []Subject
	if g.On["UF"] {
		for arity := 1; arity <= maxArity; arity++ {
			out = append(out, Subject{Name: fmt.Sprintf("congruence of %d arguments", arity), dimensions: []int{variants},
				construct: func(m *maker, _ Cell) (probe, bool) { return m.congruence(arity) }})
		}
	}
	if g.On["ArraysEx"] {
		out = append(out, Subject{Name: "stores in another order", dimensions: []int{variants},
			construct: func(m *maker, _ Cell) (probe, bool) { return m.storesInAnotherOrder() }})
	}
	return out
}

// congruence applies a function twice to arguments that have the same values and are pinned in different ways, or that differ
// in one place: whether the results are equal is the probe.
func (m *maker) congruence(arity int) (probe, bool) {
	g := m.g
	choose := &chooser{m: m, nested: true}
	var params []smt.Sort
	var left, right []smt.Term
	var values [2][]eval.Value
	differ := -1
	if g.R.Bool() {
		differ = g.R.Intn(arity)
	}
	for i := range arity {
		s := choose.Sort(smt.KindInvalid)
		if g.Excludes("fun-domain", s) {
			s = smt.SortBool
		}
		params = append(params, s)
		one := m.boundary(s, -1)
		other := one
		if i == differ {
			other = m.boundary(s, -1)
		}
		if one == 0 || other == 0 {
			return probe{}, false
		}
		for k, t := range []smt.Term{one, other} {
			v, err := g.Ev.Eval(t)
			if err != nil || !v.IsValue() {
				return probe{}, false
			}
			values[k] = append(values[k], v)
		}
		left, right = append(left, m.pin(one)), append(right, m.pin(other))
	}
	result := choose.Sort(smt.KindInvalid)
	if g.Excludes("fun-codomain", result) {
		result = smt.SortBool
	}
	fn := eval.NewFunc(params, g.RandomValue(result))
	for _, tuple := range values {
		v := g.RandomValue(result)
		if !v.IsValue() {
			return probe{}, false
		}
		fn.Set(tuple, v)
	}
	f := g.DeclareFunctionWith("f", params, result, fn)
	x, err1 := g.A.Apply(f, left...)
	y, err2 := g.A.Apply(f, right...)
	if err1 != nil || err2 != nil {
		return probe{}, false
	}
	// Arguments of other values leave the results open: they are pinned, too.
	p, ok := m.known(g.A.Eq(x, y))
	if ok && differ >= 0 {
		for _, t := range []smt.Term{x, y} {
			v, ok := m.known(t)
			literal, err := eval.ToTerm(g.A, v.value)
			if !ok || err != nil || !g.Takes(literal) {
				return probe{}, false
			}
			m.pins = append(m.pins, g.A.Eq(t, literal))
		}
	}
	return p, ok
}

// storesInAnotherOrder compares arrays that are made of one by the same stores in two orders, with a chain of equalities between
// them.
func (m *maker) storesInAnotherOrder() (probe, bool) {
	g, a := m.g, m.g.A
	choose := &chooser{m: m, nested: true}
	index, element := choose.scalar(), choose.scalar()
	if index == 0 || element == 0 || m.lacks(smt.OpStore) {
		return probe{}, false
	}
	s := a.Array(index, element)
	if !g.SortOn(s) || g.Excludes("const", s) {
		return probe{}, false
	}
	base := g.RandomValue(s)
	if !base.IsValue() {
		return probe{}, false
	}
	array := g.DeclareWith("a", s, base)
	type write struct{ at, value smt.Term }
	var writes []write
	for range g.R.Range(2, 3) {
		w := write{m.boundary(index, -1), m.boundary(element, -1)}
		if w.at == 0 || w.value == 0 {
			return probe{}, false
		}
		writes = append(writes, write{m.pin(w.at), m.pin(w.value)})
	}
	forward, backward := array, array
	for i := range writes {
		forward = a.MustApp(smt.OpStore, forward, writes[i].at, writes[i].value)
		last := writes[len(writes)-1-i]
		backward = a.MustApp(smt.OpStore, backward, last.at, last.value)
	}
	if g.R.Bool() { // named by constants that equal them
		for _, t := range []*smt.Term{&forward, &backward} {
			v, err := g.Ev.Eval(*t)
			if err != nil || !v.IsValue() {
				return probe{}, false
			}
			x := g.DeclareWith("b", s, v)
			m.pins = append(m.pins, a.Eq(x, *t))
			*t = x
		}
	}
	// Whatever the array beneath has: each index that was written twice tells which write came last.
	return m.known(a.Eq(forward, backward))
}
