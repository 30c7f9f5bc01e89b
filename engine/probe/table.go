package probe

import (
	"sort"

	"github.com/smtlark/smtlark/engine/gen"
	"github.com/smtlark/smtlark/engine/smt"
)

// Table is all that can be probed: the cells of every operator in every signature that the targets take.
type Table struct {
	Subjects []Subject
	ends     []int   // number of the first cell behind each subject
	groups   [][]int // numbers of the cells, by theory
}

// Subject is what a group of cells is about.
type Subject struct {
	Name        string
	Alternative *gen.Alternative // nil: a construction of its own
	construct   func(m *maker, cell Cell) (probe, bool)
	dimensions  []int // number of classes of each factor: operands first, then indices
}

// Cell is a pair of factors of a subject with their classes. A subject with one factor has Second = -1, one with none First = -1.
type Cell struct {
	Subject                 int
	First, Second           int
	FirstClass, SecondClass int
}

// tableOf lists the cells for the operators that a generator can make.
func tableOf(g *gen.Gen) *Table {
	t := &Table{}
	for _, x := range g.Alternatives() {
		s := Subject{Name: x.Op.Info().Name, Alternative: &x}
		for _, k := range x.Kinds() {
			s.dimensions = append(s.dimensions, classes(k))
		}
		for range x.Indices() {
			s.dimensions = append(s.dimensions, gen.IndexClasses)
		}
		t.add(s)
	}
	for _, s := range constructions(g) {
		t.add(s)
	}
	byTheory := map[string]int{}
	for n := range t.Cells() {
		theory := t.theory(n)
		i, known := byTheory[theory]
		if !known {
			i = len(t.groups)
			byTheory[theory] = i
			t.groups = append(t.groups, nil)
		}
		t.groups[i] = append(t.groups[i], n)
	}
	return t
}

func (t *Table) add(s Subject) {
	t.Subjects = append(t.Subjects, s)
	t.ends = append(t.ends, t.Cells()+s.cells())
}

// theory returns the theory that a cell belongs to; extensions count as the theory that they extend.
func (t *Table) theory(n int) string {
	s := &t.Subjects[t.Cell(n).Subject]
	if s.Alternative == nil {
		return s.Name
	}
	switch theory := s.Alternative.Op.Info().Theory; theory {
	case "BitVectorExtensions":
		return "FixedSizeBitVectors"
	case "FloatingPointExtensions":
		return "FloatingPoint"
	case "StringExtensions":
		return "Strings"
	default:
		return theory
	}
}

// Cells is the number of cells.
func (t *Table) Cells() int {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// cells counts the cells of a subject: all pairs of classes of all pairs of factors.
func (s *Subject) cells() int {
	switch len(s.dimensions) {
	case 0:
		return 1
	case 1:
		return s.dimensions[0]
	}
	n := 0
	for i, a := range s.dimensions {
		for _, b := range s.dimensions[i+1:] {
			n += a * b
		}
	}
	return n
}

// Cell returns cell number n, from 0.
func (t *Table) Cell(n int) Cell {
	i := sort.SearchInts(t.ends, n+1)
	if i > 0 {
		n -= t.ends[i-1]
	}
	d := t.Subjects[i].dimensions
	switch len(d) {
	case 0:
		return Cell{Subject: i, First: -1, Second: -1}
	case 1:
		return Cell{Subject: i, First: 0, Second: -1, FirstClass: n}
	}
	for first := range d {
		for second := first + 1; second < len(d); second++ {
			if size := d[first] * d[second]; n >= size {
				n -= size
				continue
			}
			return Cell{Subject: i, First: first, Second: second, FirstClass: n / d[second], SecondClass: n % d[second]}
		}
	}
	panic("probe: a cell behind the last one")
}

// class returns the class of a factor in a cell, -1 where the cell leaves it open.
func (c *Cell) class(factor int) int {
	switch factor {
	case c.First:
		return c.FirstClass
	case c.Second:
		return c.SecondClass
	}
	return -1
}

// Blocks returns the number of blocks of so many cells: the cases that visit every cell once.
func (t *Table) Blocks(size int) int {
	n := 0
	for _, g := range t.groups {
		n += (len(g) + size - 1) / size
	}
	return n
}

// Block returns the cells of a turn, up to size of them, all of one theory: so the case has a small logic. Turns visit all
// cells, and begin again.
func (t *Table) Block(turn uint64, size int) (cells []Cell) {
	n := uint64(t.Blocks(size))
	at := int(turn % n * stride(n) % n)
	for _, g := range t.groups {
		blocks := (len(g) + size - 1) / size
		if at >= blocks {
			at -= blocks
			continue
		}
		step := stride(uint64(len(g)))
		for i := at * size; i < min(len(g), (at+1)*size); i++ {
			cells = append(cells, t.Cell(g[uint64(i)*step%uint64(len(g))]))
		}
		return cells
	}
	panic("probe: a block behind the last one")
}

// stride returns a step that visits n places in an order that spreads them: near n times the golden ratio, and without a factor
// in common with n.
func stride(n uint64) uint64 {
	step := uint64(float64(n)*0.6180339887) | 1
	for greatestCommonDivisor(step, n) != 1 {
		step += 2
	}
	return step
}

func greatestCommonDivisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// classes is the number of boundary classes of a kind of sorts.
func classes(k smt.SortKind) int {
	switch k {
	case smt.KindBool:
		return 2
	case smt.KindRoundingMode:
		return 5
	case smt.KindBitVec:
		return bitVectorClasses
	case smt.KindFloat:
		return floatClasses
	case smt.KindInt:
		return intClasses
	case smt.KindReal:
		return realClasses
	case smt.KindString:
		return stringClasses
	case smt.KindFiniteField:
		return 4
	case smt.KindRegLan:
		return 3
	}
	return 4 // of a collection or of a sort variable
}
