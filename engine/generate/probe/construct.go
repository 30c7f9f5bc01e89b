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

// construction makes a probe that needs several operators.
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
		if has[smt.OpLe] && has[smt.OpAdd] {
			out = append(out, construction{"UF", "congruence by arithmetic", constructor.congruenceByArithmetic})
		}
	}
	if !g.Cfg.Rules.Lacks(rule.ManyArguments.Of(smt.OpDistinct.Info().Name)) {
		out = append(out, construction{"Core", "distinct of all values", constructor.distinctOfAllValues},
			construction{"Core", "distinct of four and more", constructor.distinctOfSeveral})
	}
	if has[smt.OpLe] && has[smt.OpLt] && has[smt.OpMul] && has[smt.OpAdd] {
		out = append(out, construction{"Ints", "bounds with a common factor", constructor.boundsWithFactor})
	}
	if g.On["ArraysEx"] {
		out = append(out, construction{"ArraysEx", "stores in another order", constructor.storesInAnotherOrder},
			construction{"ArraysEx", "chain of equal arrays", constructor.equalArrays})
		if !has[smt.OpConstArray] {
			out = append(out, construction{"ArraysEx", "read over write", constructor.readOverWrite})
		}
		if has[smt.OpIte] {
			out = append(out, construction{"ArraysEx", "branches that share an array", constructor.arrayBranches})
		}
	}
	return out
}

// congruence applies a function twice to arguments that have the same values and are pinned in different ways, or that
// differ in one place: whether the results are equal is the probe.
func (m constructor) congruence(arity int) (probe, bool) {
	g := m.g
	choose := &chooser{m: m.maker, nested: true}
	var params []smt.Sort
	var left, right []smt.Term
	var values [2][]value.Value
	differ := -1
	if g.R.Chance(0.7) {
		differ = g.R.Intn(arity)
	}
	twoSorts := g.R.Chance(0.7) // all arguments but the first have one
	for i := range arity {
		s := choose.Sort(smt.KindInvalid)
		if twoSorts && i > 1 {
			s = params[1]
		}
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
			literal, _ := m.literalOf(t)
			if literal == 0 {
				return probe{}, false
			}
			m.pins = append(m.pins, g.A.Eq(t, literal))
		}
	}
	return p, ok
}

// readOverWrite reads an array of which only the writes and one element are known. It stands for select and store where
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
	literal, _ := m.literalOf(a.MustApp(smt.OpSelect, array, read))
	if literal == 0 {
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
	return m.distinctOf(all)
}

// distinctOfSeveral compares four and more terms of one sort, of which none or two have the same value: often the last
// and another one.
func (m constructor) distinctOfSeveral() (probe, bool) {
	r := m.g.R
	s := (&chooser{m: m.maker, nested: true}).scalar()
	if s == 0 || m.lacks(smt.OpDistinct) {
		return probe{}, false
	}
	var all []smt.Term
	for n, tries := r.Range(4, elements), 0; len(all) < n; tries++ {
		t := m.boundary(s, anyClass)
		if t == 0 || tries > 10*n {
			return probe{}, false
		}
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	if r.Bool() {
		first, second := r.Intn(len(all)-1), len(all)-1
		if r.Bool() {
			second = r.Range(first+1, second)
		}
		all[first] = all[second]
	}
	return m.distinctOf(all)
}

// distinctOf asks whether literals, which are pinned, differ from each other.
func (m constructor) distinctOf(literals []smt.Term) (probe, bool) {
	for i, literal := range literals {
		if literals[i] = m.pin(literal); literals[i] == 0 {
			return probe{}, false
		}
	}
	t, err := m.g.A.App(smt.OpDistinct, nil, literals...)
	if err != nil {
		return probe{}, false
	}
	return m.known(t)
}

// number returns the numeral of a sort of numbers.
func (m constructor) number(s smt.Sort, n int64) smt.Term {
	if s == smt.SortInt {
		return m.g.A.Int64(n)
	}
	return m.g.A.RealInt(n)
}

// arithmetic draws a sort of numbers that the targets have; 0 where they have none.
func (m constructor) arithmetic() smt.Sort {
	sorts := []smt.Sort{smt.SortInt, smt.SortReal}
	m.g.R.Shuffle(2, func(i, k int) { sorts[i], sorts[k] = sorts[k], sorts[i] })
	for _, s := range sorts {
		if m.g.SortOn(s) && !m.g.Excludes("const", s) {
			return s
		}
	}
	return 0
}

// congruenceByArithmetic applies a function of up to three arguments to terms that are equal since each is at most the
// other, which says nothing of their values.
func (m constructor) congruenceByArithmetic() (probe, bool) {
	a, g := m.g.A, m.g
	s := m.arithmetic()
	if s == 0 || g.Excludes("fun-domain", s) {
		return probe{}, false
	}
	arity, result := g.R.Range(1, 3), smt.SortBool
	if !g.Excludes("fun-codomain", s) {
		result = s
	}
	var left, right []smt.Term
	params := slices.Repeat([]smt.Sort{s}, arity)
	for range arity {
		v := g.RandomValue(s)
		if !v.IsValue() {
			return probe{}, false
		}
		x := g.DeclareWith("x", s, v)
		shift := m.number(s, int64(g.R.Range(-3, 3)))
		sum := a.MustApp(smt.OpAdd, x, shift)
		shifted, err := g.Ev.Eval(sum)
		if err != nil || !shifted.IsValue() {
			return probe{}, false
		}
		y := g.DeclareWith("x", s, shifted)
		m.pins = append(m.pins, a.MustApp(smt.OpLe, sum, y), a.MustApp(smt.OpLe, y, sum))
		if g.R.Bool() {
			left, right = append(left, sum), append(right, y)
		} else {
			minus, err := a.App(smt.OpSub, nil, y, shift)
			if err != nil {
				return probe{}, false
			}
			left, right = append(left, x), append(right, minus)
		}
	}
	fn := model.NewFunc(params, g.RandomValue(result))
	f := g.DeclareFunctionWith("f", params, result, fn)
	one, err1 := a.Apply(f, left...)
	other, err2 := a.Apply(f, right...)
	if err1 != nil || err2 != nil {
		return probe{}, false
	}
	return m.known(a.Eq(one, other))
}

// boundsWithFactor compares two strict bounds of a sum with a common factor, which may be negative, with the
// corresponding bounds of the sum without the factor, over integers or reals. Both are equivalent for all values.
func (m constructor) boundsWithFactor() (probe, bool) {
	a, r := m.g.A, m.g.R
	s := m.arithmetic()
	if s == 0 {
		return probe{}, false
	}
	factor := int64(r.Range(2, 9))
	low := int64(r.Range(-6, 6))
	high := low + int64(r.Range(0, 3))
	times := func(n int64, x smt.Term) smt.Term { return a.MustApp(smt.OpMul, m.number(s, n), x) }
	var plain, scaled []smt.Term
	sign := int64(1)
	if r.Bool() {
		sign = -1
	}
	for range r.Range(2, 3) {
		v := m.g.RandomValue(s)
		if !v.IsValue() {
			return probe{}, false
		}
		x := m.g.DeclareWith("x", s, v)
		n := int64(r.Range(1, 5))
		if r.Bool() {
			n = -n
		}
		plain = append(plain, times(n, x))
		scaled = append(scaled, times(sign*factor*n, x))
	}
	sum, product := a.MustApp(smt.OpAdd, plain...), a.MustApp(smt.OpAdd, scaled...)
	if s == smt.SortReal { // low < sum < high + 1 as it is
		below, above := sign*factor*low, sign*factor*(high+1)
		if sign < 0 {
			below, above = above, below
		}
		with := a.And(a.MustApp(smt.OpLt, m.number(s, below), product), a.MustApp(smt.OpLt, product, m.number(s, above)))
		without := a.And(a.MustApp(smt.OpLt, m.number(s, low), sum), a.MustApp(smt.OpLt, sum, m.number(s, high+1)))
		return probe{term: a.Eq(with, without), value: value.Bool(true)}, true
	}
	// low <= sum <= high, with bounds that the factor lets move by less than itself.
	below, above := factor*low, factor*high
	if sign < 0 {
		below, above = -above, -below
	}
	below -= int64(r.Range(1, int(factor)))
	above += int64(r.Range(1, int(factor)))
	with := a.And(a.MustApp(smt.OpLt, m.number(s, below), product), a.MustApp(smt.OpLt, product, m.number(s, above)))
	without := a.And(a.MustApp(smt.OpLe, m.number(s, low), sum), a.MustApp(smt.OpLe, sum, m.number(s, high)))
	return probe{term: a.Eq(with, without), value: value.Bool(true)}, true
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

// arrayBranches reads an ite of which one branch is a store into the other, or into an array beneath it.
func (m constructor) arrayBranches() (probe, bool) {
	a, r := m.g.A, m.g.R
	choose := &chooser{m: m.maker, nested: true}
	index, element := choose.scalar(), choose.scalar()
	if index == 0 || element == 0 || m.lacks(smt.OpSelect) || m.lacks(smt.OpStore) {
		return probe{}, false
	}
	s := a.Array(index, element)
	m.overConstants = true
	below := m.boundary(s, r.Intn(2))
	if below == 0 || !m.takesArray(s) {
		return probe{}, false
	}
	at, values, ok := m.writes(below, 1)
	if !ok {
		return probe{}, false
	}
	t := a.MustApp(smt.OpStore, below, at[0], values[0])
	for range r.Range(1, 2) {
		condition := m.pin(a.BoolVal(r.Bool()))
		if condition == 0 {
			return probe{}, false
		}
		if r.Bool() {
			t = a.MustApp(smt.OpIte, condition, below, t)
		} else {
			t = a.MustApp(smt.OpIte, condition, t, below)
		}
	}
	if r.Chance(0.3) {
		return m.known(a.Eq(t, below))
	}
	return m.known(a.MustApp(smt.OpSelect, t, at[0]))
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

// storesInAnotherOrder compares two arrays that apply the same stores to one array in different orders: a place that is
// written twice shows which write came last, whatever the base array is.
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

// equalArrays makes several arrays equal by a chain of assertions, each with a store over the one before it, and reads
// the last array at a written place. The value read is that of the last write to this place.
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
