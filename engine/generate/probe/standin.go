package probe

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// standIn is a constant of one probe that stands for a value without a literal: an element of a declared sort, which
// differs from the others, or an array of which only the pinned elements are known. Other arrays of its sort are stores
// over it, so that they are equal wherever nothing is written, and any two of them compare as in the witness once all
// places that the probe names are pinned.
type standIn struct {
	term  smt.Term
	value value.Value
	at    int // its declaration, among the commands
}

// declaredSort is a sort without a theory that a probe declares.
type declaredSort struct {
	sort smt.Sort
	at   int // its declaration, among the commands
}

// elements counts the values of a declared sort in the witness.
const elements = 6

// overConstants is the share of probes whose arrays are stores over a constant although targets have constant arrays.
const overConstants = 0.25

// mostWrites bounds the stores of an array over a constant.
const mostWrites = 3

// undo removes all commands and pins after the given numbers, and the constants that the commands declared.
func (m *maker) undo(commands, pins int) {
	m.out, m.pins = m.out[:commands], m.pins[:pins]
	for n := len(m.standIns); n > 0 && m.standIns[n-1].at >= commands; n-- {
		m.standIns = m.standIns[:n-1]
	}
	if m.declared.at >= commands {
		m.declared = declaredSort{}
	}
}

// boundary returns a term with a value of a boundary class of a sort, a literal where it has one. 0: the targets have
// no such term.
func (m *maker) boundary(s smt.Sort, class int) smt.Term {
	a := m.g.A
	switch {
	case a.SortKind(s) == smt.KindUser:
		if class < 0 || class >= elements {
			class = m.g.R.Intn(elements)
		}
		return m.element(value.Element(s, uint64(class)))
	case m.isOverConstant(s):
		return m.written(s, class)
	}
	return m.boundaries.boundary(s, class)
}

// literal returns a term that has a value, a literal where there is one; 0 where the targets have none.
func (m *maker) literal(v value.Value) smt.Term {
	a := m.g.A
	switch {
	case a.SortKind(v.Sort()) == smt.KindUser:
		return m.element(v)
	case m.isOverConstant(v.Sort()):
		return m.arrayOf(v)
	}
	t, err := value.ToTerm(a, v)
	if err != nil || !m.g.Takes(t) {
		return 0
	}
	return t
}

// literalOf returns a term that has the value of a term, and that value; 0 where the value is open, or the targets have
// no such term.
func (m *maker) literalOf(t smt.Term) (smt.Term, value.Value) {
	v, err := m.g.Ev.Eval(t)
	if err != nil || !v.IsValue() {
		return 0, v
	}
	return m.literal(v), v
}

// userSort returns the sort that the probe declares; 0 where the targets have none.
func (m *maker) userSort() smt.Sort {
	if m.declared.sort != 0 {
		return m.declared.sort
	}
	if !m.g.On["UF"] {
		return 0
	}
	symbol := m.g.A.DeclareSort(m.g.Name("U"), 0)
	s, err := m.g.A.SortApp(symbol)
	if err != nil || !m.g.SortOn(s) || m.g.Excludes("const", s) {
		return 0
	}
	m.declared = declaredSort{s, len(m.out)}
	m.Command(smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{symbol}})
	m.g.Model.SetUniverse(s, elements)
	return s
}

// element returns the constant that stands for an element of a declared sort.
func (m *maker) element(v value.Value) smt.Term {
	a := m.g.A
	var others []smt.Term
	for _, c := range m.standIns {
		if c.value.Sort() != v.Sort() {
			continue
		}
		if value.Equal(c.value, v) == value.True {
			return c.term
		}
		others = append(others, c.term)
	}
	at := len(m.out)
	t := m.g.DeclareWith("e", v.Sort(), v)
	m.standIns = append(m.standIns, standIn{t, v, at})
	for _, other := range others {
		m.pins = append(m.pins, a.Not(a.Eq(t, other)))
	}
	return t
}

// isOverConstant reports whether arrays of a sort are stores over a constant in this probe.
func (m *maker) isOverConstant(s smt.Sort) bool {
	a := m.g.A
	if a.SortKind(s) != smt.KindArray || m.lacks(smt.OpSelect) || m.lacks(smt.OpStore) {
		return false
	}
	isDeclared := func(part smt.Sort) bool { return a.SortKind(part) == smt.KindUser }
	return m.overConstants || m.lacks(smt.OpConstArray) || slices.ContainsFunc(a.SortArgs(s), isDeclared)
}

// beneath returns the constant that the arrays of a sort are stores over.
func (m *maker) beneath(s smt.Sort) (standIn, bool) {
	for _, c := range m.standIns {
		if c.value.Sort() == s {
			return c, true
		}
	}
	v := m.g.RandomValue(s)
	if !v.IsValue() || !m.takesArray(s) {
		return standIn{}, false
	}
	at := len(m.out)
	c := standIn{m.g.DeclareWith("a", s, v), v, at}
	m.standIns = append(m.standIns, c)
	return c, true
}

// written returns an array of a class over a constant: the constant itself, with one or the greatest element written
// once, or with any elements, one of which may be its own index.
func (m *maker) written(s smt.Sort, class int) smt.Term {
	a, r := m.g.A, m.g.R
	c, ok := m.beneath(s)
	if !ok {
		return 0
	}
	parts := [2]smt.Sort(a.SortArgs(s))
	n := 1
	switch class {
	case 0:
		n = 0
	case 1, 2:
		class = ofVariable(a.SortKind(parts[1]), class)
	default:
		n, class = r.Intn(mostWrites+1), anyClass
	}
	t := c.term
	for range n {
		index, element := m.boundary(parts[0], anyClass), m.boundary(parts[1], class)
		if index == 0 || element == 0 {
			return 0
		}
		if r.Bool() {
			index = m.pin(index)
		}
		if parts[0] == parts[1] && r.Chance(0.3) {
			element = index
		}
		if index == 0 {
			return 0
		}
		t = a.MustApp(smt.OpStore, t, index, element)
	}
	return t
}

// arrayOf returns stores over a constant that have the value of an array; 0 where that would take many of them, or
// infinitely many.
func (m *maker) arrayOf(v value.Value) smt.Term {
	a := m.g.A
	c, ok := m.beneath(v.Sort())
	if !ok {
		return 0
	}
	have, places, ok1 := c.value.Table()
	want, more, ok2 := v.Table()
	if !ok1 || !ok2 || value.Equal(have, want) != value.True {
		return 0
	}
	t, writes := c.term, 0
	done := map[smt.Term]bool{}
	for _, entry := range append(places, more...) {
		index := m.literal(entry.Key)
		x := v.AsTable().Get(entry.Key)
		if index == 0 || done[index] || value.Equal(x, c.value.AsTable().Get(entry.Key)) == value.True {
			continue
		}
		done[index] = true
		element := m.literal(x)
		if writes++; element == 0 || writes > 2*mostWrites {
			return 0
		}
		t = a.MustApp(smt.OpStore, t, index, element)
	}
	return t
}

// pinReads pins the constants beneath arrays at all places where some terms, and the pins behind the first ones, read
// or write. It returns false if the pins do not determine the value of an array.
func (m *maker) pinReads(pins int, roots ...smt.Term) bool {
	if len(m.standIns) == 0 {
		return true
	}
	a := m.g.A
	type place struct{ array, index smt.Term }
	done := map[place]bool{}
	for todo := append(roots, m.pins[pins:]...); len(todo) > 0; {
		known := len(m.pins)
		reads, ok := m.reads(todo)
		if !ok {
			return false
		}
		for _, t := range reads {
			c, found := m.beneath(a.Sort(a.Arg(t, 0)))
			index, v := m.literalOf(a.Arg(t, 1))
			if !found || index == 0 {
				return false
			}
			if done[place{c.term, index}] {
				continue
			}
			done[place{c.term, index}] = true
			element := m.literal(c.value.AsTable().Get(v))
			if element == 0 {
				return false
			}
			m.pins = append(m.pins, a.Eq(a.MustApp(smt.OpSelect, c.term, index), element))
		}
		todo = m.pins[known:]
	}
	return true
}

// reads returns the terms below others, and in what defined constants stand for, that read or write an array over a
// constant; false where an operator that does something else has such an array.
func (m *maker) reads(roots []smt.Term) (reads []smt.Term, ok bool) {
	a := m.g.A
	ok = true
	var bodies []smt.Term
	a.PostOrder(roots, func(t smt.Term) {
		op := a.Op(t)
		if f := a.SymbolOf(t); op == smt.OpApply && a.NumArgs(t) == 0 && a.SymbolInfo(f).Body != 0 {
			bodies = append(bodies, a.SymbolInfo(f).Body)
		}
		arrays := m.isOverConstant(a.Sort(t))
		for _, x := range a.Args(t) {
			arrays = arrays || m.isOverConstant(a.Sort(x))
		}
		if !arrays {
			return
		}
		switch op {
		case smt.OpSelect, smt.OpStore:
			reads = append(reads, t)
		case smt.OpApply, smt.OpIte, smt.OpEq, smt.OpDistinct:
		default:
			ok = false
		}
	})
	if len(bodies) > 0 && ok { // definitions stand in the order in which they are made, so this ends
		more, fine := m.reads(bodies)
		return append(reads, more...), fine
	}
	return reads, ok
}
