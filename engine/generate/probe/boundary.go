package probe

import (
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// anyClass stands for any class.
const anyClass = literal.AnyClass

// classesOf counts the classes of the values of a kind of sorts.
func classesOf(k smt.SortKind) int { return len(classes[k.String()]) }

// boundaries makes literals at the boundaries of the domains of their sorts.
type boundaries struct {
	g    *gen.Gen
	wide bool // sorts of bit vectors are wide
}

// boundary returns the literal of a boundary class of a sort. 0: the sort has no literal that the targets take.
func (m *boundaries) boundary(s smt.Sort, class int) smt.Term {
	a, r := m.g.A, m.g.R
	if t := literal.OfClass(a, r, s, class); t != 0 {
		return t
	}
	kind := a.SortKind(s)
	if n := classesOf(kind); n > 0 && (class < 0 || class >= n) {
		class = r.Intn(n)
	}
	var t smt.Term
	switch kind {
	case smt.KindRegLan:
		switch class {
		case 0:
			t = a.MustApp(smt.OpReNone)
		case 1:
			t = a.MustApp(smt.OpReAll)
		}
	default:
		t = m.collection(s, class)
	}
	// No boundary of this class, or one that the targets decline: then any literal.
	if t != 0 && m.g.Takes(t) {
		return t
	}
	return m.g.Literal(s)
}

// collection returns an array, sequence, set or bag of a class; 0 for any, and where the sort is another one.
func (m *boundaries) collection(s smt.Sort, class int) smt.Term {
	a := m.g.A
	parts := a.SortArgs(s)
	if len(parts) == 0 || class >= 3 {
		return 0
	}
	element := parts[len(parts)-1]
	e := m.boundary(element, ofVariable(a.SortKind(element), class))
	if e == 0 {
		return 0
	}
	var t smt.Term
	var err error
	switch kind := a.SortKind(s); {
	case kind == smt.KindArray:
		index := parts[0]
		// Class 2 has two elements that differ, so that it shows which of them is taken.
		if t, err = a.AppAs(smt.OpConstArray, s, nil, e); class == 2 && err == nil {
			zero, i := m.boundary(element, 0), m.boundary(index, ofVariable(a.SortKind(index), 2))
			if zero == 0 || i == 0 {
				return 0
			}
			if t, err = a.AppAs(smt.OpConstArray, s, nil, zero); err == nil {
				t, err = a.App(smt.OpStore, nil, t, i, e)
			}
		}
	case class == 0:
		t, err = a.AppAs(map[smt.SortKind]smt.Op{smt.KindSeq: smt.OpSeqEmpty, smt.KindSet: smt.OpSetEmpty, smt.KindBag: smt.OpBagEmpty}[kind], s, nil)
	case kind == smt.KindSeq:
		// Twice the same: places in a sequence differ without its elements.
		if t, err = a.App(smt.OpSeqUnit, nil, e); class == 2 && err == nil {
			t, err = a.App(smt.OpSeqConcat, nil, t, t)
		}
	case kind == smt.KindSet:
		if t, err = a.App(smt.OpSetSingleton, nil, e); class == 2 && err == nil {
			zero := m.boundary(element, 0)
			if zero == 0 {
				return 0
			}
			other, _ := a.App(smt.OpSetSingleton, nil, zero)
			t, err = a.App(smt.OpSetUnion, nil, t, other)
		}
	case kind == smt.KindBag:
		// Bags tell once from twice: the class is the count.
		t, err = a.App(smt.OpBagMake, nil, e, a.Int64(int64(class)))
	}
	if err != nil {
		return 0
	}
	return t
}

// ofVariable returns the class of a kind of sorts that a class of an operand of any sort stands for.
func ofVariable(k smt.SortKind, class int) int {
	switch class {
	case 1:
		if k == smt.KindFloat {
			return 10
		}
		return 1
	case 2:
		switch k {
		case smt.KindBool:
			return 1
		case smt.KindFloat:
			return 5
		case smt.KindInt, smt.KindReal:
			return 6
		case smt.KindString:
			return 3
		case smt.KindRoundingMode:
			return 4
		}
		return 2
	case 3:
		return anyClass
	}
	return class
}

// smallWidth is the greatest width at which operators that solvers make large circuits of are cheap.
const smallWidth = 12

// wideCostly is the chance that such an operator gets a larger width all the same.
const wideCostly = 0.06

// width draws a width: the smallest and those around machine words come often, and all up to the bound now and then.
func (m *boundaries) width(costly bool) int {
	r := m.g.R
	w := 0
	if m.wide && (!costly || r.Chance(0.3)) {
		return min([]int{31, 32, 33, 63, 64, 65, 127, 128, 129, 200}[r.Intn(10)], m.g.Cfg.MaxWidth)
	}
	if costly && !r.Chance(wideCostly) {
		return min(r.Range(1, 4+r.Intn(smallWidth-3)), m.g.Cfg.MaxWidth)
	}
	switch r.Intn(8) {
	case 0, 1, 2:
		w = r.Range(1, 4)
	case 3, 4:
		w = r.Range(63, 65)
	case 5:
		w = []int{7, 8, 9, 15, 16, 17, 31, 32, 33, 127, 128, 129}[r.Intn(12)]
	case 6:
		w = r.Range(5, 16)
	default:
		w = r.Range(1, m.g.Cfg.MaxWidth)
	}
	return min(w, m.g.Cfg.MaxWidth)
}
