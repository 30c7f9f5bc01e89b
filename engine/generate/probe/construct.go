package probe

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers/rule"
)

// maxArity is the greatest number of arguments of an uninterpreted function in a probe.
const maxArity = 4

// construction is what no single operator shows.
type construction struct {
	theory, name string
	construct    func(m constructor) (probe, bool)
}

// constructor makes probes of several operators.
type constructor struct{ *maker }

// constructions are congruence of uninterpreted functions and equalities of arrays.
func constructions(g *gen.Gen, has map[smt.Op]bool) []construction {
	var out []construction
	if g.On["UF"] {
		for arity := 1; arity <= maxArity; arity++ {
			out = append(out, construction{"UF", fmt.Sprintf("congruence of %d arguments", arity), func(m constructor) (probe, bool) { return m.congruence(arity) }})
		}
	}
	if !g.Cfg.Rules.Lacks(rule.ManyArguments.Of(smt.OpDistinct.Info().Name)) {
		out = append(out, construction{"Core", "distinct of all values", constructor.distinctOfAllValues})
	}
	if g.On["ArraysEx"] {
		out = append(out, construction{"ArraysEx", "stores in another order", constructor.storesInAnotherOrder},
			construction{"ArraysEx", "chain of equal arrays", constructor.equalArrays})
		if !has[smt.OpConstArray] {
			out = append(out, construction{"ArraysEx", "read over write", constructor.readOverWrite})
		}
	}
	return out
}

// congruence applies a function twice to arguments that have the same values and are pinned in different ways, or that differ
// in one place: whether the results are equal is the probe.
func (m constructor) congruence(arity int) (probe, bool) {
	g := m.g
	choose := &chooser{m: m.maker, nested: true}
	var params []smt.Sort
	var left, right []smt.Term
	var values [2][]value.Value
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
		one := m.boundary(s, anyClass)
		other := one
		if i == differ {
			other = m.boundary(s, anyClass)
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
	fn := model.NewFunc(params, g.RandomValue(result))
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
			literal, err := value.ToTerm(g.A, v.value)
			if !ok || err != nil || !g.Takes(literal) {
				return probe{}, false
			}
			m.pins = append(m.pins, g.A.Eq(t, literal))
		}
	}
	return p, ok
}

// readOverWrite reads an array of which nothing is known but what is written and one element. It stands for select and store where
// targets have no constant arrays, so that operands have no values to be pinned to.
func (m constructor) readOverWrite() (probe, bool) {
	a, g := m.g.A, m.g
	choose := &chooser{m: m.maker, nested: true}
	index, element := choose.scalar(), choose.scalar()
	if index == 0 || element == 0 || m.lacks(smt.OpStore) || m.lacks(smt.OpSelect) {
		return probe{}, false
	}
	sort := a.Array(index, element)
	v := g.RandomValue(sort)
	if !m.takesArray(sort) || !v.IsValue() {
		return probe{}, false
	}
	array := g.DeclareWith("a", sort, v)
	read := m.boundary(index, anyClass)
	written := array
	for range g.R.Range(1, 3) {
		i := read
		if g.R.Bool() {
			i = m.boundary(index, anyClass)
		}
		i, e := m.pin(i), m.pin(m.boundary(element, anyClass))
		if i == 0 || e == 0 {
			return probe{}, false
		}
		written = a.MustApp(smt.OpStore, written, i, e)
	}
	held, err := g.Ev.Eval(a.MustApp(smt.OpSelect, array, read))
	if err != nil || !held.IsValue() {
		return probe{}, false
	}
	literal, err := value.ToTerm(a, held)
	if err != nil || !g.Takes(literal) {
		return probe{}, false
	}
	m.pins = append(m.pins, a.Eq(a.MustApp(smt.OpSelect, array, read), literal))
	return m.known(a.MustApp(smt.OpSelect, written, m.pin(read)))
}

// distinctOfAllValues compares terms that have each value of a sort with few of them once, or one of them twice.
func (m constructor) distinctOfAllValues() (probe, bool) {
	a, r := m.g.A, m.g.R
	var all []smt.Term
	switch field := (&chooser{m: m.maker, nested: true}).field(); r.Intn(6) {
	case 0:
		for op := smt.OpRNE; op <= smt.OpRTZ; op++ {
			all = append(all, a.MustApp(op))
		}
	case 1:
		if field != 0 && a.Modulus(field).Cmp(big.NewInt(11)) <= 0 {
			for n := range a.Modulus(field).Int64() {
				all = append(all, a.FFVal(field, big.NewInt(n)))
			}
		}
	case 2:
		all = []smt.Term{a.BoolVal(false), a.BoolVal(true)}
	default:
		w := r.Range(1, 4)
		for n := range 1 << w {
			all = append(all, a.BVUint(w, uint64(n)))
		}
	}
	if len(all) == 0 || !m.g.SortOn(a.Sort(all[0])) || m.lacks(smt.OpDistinct) {
		return probe{}, false
	}
	r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	if r.Chance(0.3) {
		all[0] = all[len(all)-1]
	}
	for i, literal := range all {
		if all[i] = m.pin(literal); all[i] == 0 {
			return probe{}, false
		}
	}
	t, err := a.App(smt.OpDistinct, nil, all...)
	if err != nil {
		return probe{}, false
	}
	return m.known(t)
}

// array declares an array of some sort with a value; 0 where there is none.
func (m constructor) array() smt.Term {
	g := m.g
	choose := &chooser{m: m.maker, nested: true}
	index, element := choose.scalar(), choose.scalar()
	if index == 0 || element == 0 || m.lacks(smt.OpStore) {
		return 0
	}
	s := g.A.Array(index, element)
	if !m.takesArray(s) {
		return 0
	}
	v := g.RandomValue(s)
	if !v.IsValue() {
		return 0
	}
	return g.DeclareWith("a", s, v)
}

// writes draws pinned places and values of an array.
func (m constructor) writes(array smt.Term, n int) (at, values []smt.Term, ok bool) {
	parts := slices.Clone(m.g.A.SortArgs(m.g.A.Sort(array)))
	for range n {
		i, v := m.boundary(parts[0], anyClass), m.boundary(parts[1], anyClass)
		if i == 0 || v == 0 {
			return nil, nil, false
		}
		at, values = append(at, m.pin(i)), append(values, m.pin(v))
	}
	return at, values, !slices.Contains(at, 0) && !slices.Contains(values, 0)
}

// storesInAnotherOrder compares arrays that are made of one by the same stores in two orders: each place that is written twice
// tells which write came last, whatever the array beneath has.
func (m constructor) storesInAnotherOrder() (probe, bool) {
	a := m.g.A
	array := m.array()
	if array == 0 {
		return probe{}, false
	}
	at, values, ok := m.writes(array, m.g.R.Range(2, 3))
	if !ok {
		return probe{}, false
	}
	forward, backward := array, array
	for i := range at {
		forward = a.MustApp(smt.OpStore, forward, at[i], values[i])
		backward = a.MustApp(smt.OpStore, backward, at[len(at)-1-i], values[len(at)-1-i])
	}
	if m.g.R.Bool() { // named by constants that equal them
		if forward, backward = m.named(forward), m.named(backward); forward == 0 || backward == 0 {
			return probe{}, false
		}
	}
	return m.known(a.Eq(forward, backward))
}

// named returns a constant that an assertion makes equal to a term.
func (m constructor) named(t smt.Term) smt.Term {
	v, err := m.g.Ev.Eval(t)
	if err != nil || !v.IsValue() {
		return 0
	}
	x := m.g.DeclareWith("b", m.g.A.Sort(t), v)
	if m.g.R.Bool() {
		m.pins = append(m.pins, m.g.A.Eq(x, t))
	} else {
		m.pins = append(m.pins, m.g.A.Eq(t, x))
	}
	return x
}

// equalArrays makes several arrays equal by a chain of assertions, each with a store over the one before it, and reads the last
// one where one of them was written: what is read is the write that came last at that place.
func (m constructor) equalArrays() (probe, bool) {
	a := m.g.A
	array := m.array()
	if array == 0 || m.lacks(smt.OpSelect) {
		return probe{}, false
	}
	at, values, ok := m.writes(array, m.g.R.Range(2, 5))
	if !ok {
		return probe{}, false
	}
	for i := range at {
		if array = m.named(a.MustApp(smt.OpStore, array, at[i], values[i])); array == 0 {
			return probe{}, false
		}
		if other := m.named(array); m.g.R.Bool() && other != 0 {
			array = other
		}
	}
	return m.known(a.MustApp(smt.OpSelect, array, at[m.g.R.Intn(len(at))]))
}
