package probe

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Table is all that can be probed: the cells of every operator in every signature that the targets take.
type Table struct {
	cells.Grid
	subjects []subject // by row
	groups   []group
	has      map[smt.Op]bool
}

// group is a theory with the numbers of its cells.
type group struct {
	theory string
	cells  []int
}

// fewerStrings is the factor by which a case about strings has fewer probes. A probe that a solver does not decide
// hides all probes of the same question, and the effort for a check about strings grows faster than the number of its
// strings.
const fewerStrings = 4

// blockSize returns the number of probes in a case about the theory, if other cases have size probes.
func (g *group) blockSize(size int) int {
	if g.theory == theoryOfStrings {
		return max(1, size/fewerStrings)
	}
	return size
}

// blocks is the number of blocks into which the cells are divided.
func (g *group) blocks(size int) int {
	size = g.blockSize(size)
	return (len(g.cells) + size - 1) / size
}

// subject is the subject of the cells of a row: an operator, an operator applied to a term and itself, one of whose
// operands is an ite, or a construction of its own.
type subject struct {
	alternative *gen.Alternative
	twice       int // the operand that is the same term as the one before it; 0 for none
	branches    int // 1 + the operand that is an ite; 0 for none
	construct   func(m constructor) (probe, bool)
}

// cell is one that is being made.
type cell struct {
	row, number int
	cells.Pair
}

// tableOf lists the cells for the operators that a generator can make.
func tableOf(g *gen.Gen) *Table {
	t := &Table{Grid: cells.Grid{Classes: classes}, has: map[smt.Op]bool{}}
	theories := map[string]int{}
	add := func(r cells.Row, s subject) {
		from := t.Cells()
		t.Add(r)
		t.subjects = append(t.subjects, s)
		at, known := theories[r.Theory]
		if !known {
			at = len(t.groups)
			theories[r.Theory] = at
			t.groups = append(t.groups, group{theory: r.Theory})
		}
		for n := from; n < t.Cells(); n++ {
			t.groups[at].cells = append(t.groups[at].cells, n)
		}
	}
	all := g.Alternatives()
	for _, x := range all {
		t.has[x.Op] = true
	}
	for _, x := range all {
		readable := t.has[smt.OpConstArray] || t.has[smt.OpSelect] && t.has[smt.OpStore]
		if !readable && slices.Contains(x.Kinds(), smt.KindArray) {
			continue // no array has a known value
		}
		r := cells.Row{Theory: theoryOf(x.Op), Name: x.Op.Info().Name}
		for i, k := range x.Kinds() {
			r.Factors = append(r.Factors, factorOf(&x, i, k))
		}
		for range x.Indices() {
			r.Factors = append(r.Factors, indexFactor)
		}
		add(r, subject{alternative: &x})
		if i := takesTwice(g, &x); i > 0 {
			add(cells.Row{Theory: r.Theory, Name: r.Name + " of a term and itself", Factors: []string{factorOf(&x, i, x.Kinds()[i])}}, subject{alternative: &x, twice: i})
		}
		for i, k := range x.Kinds() {
			if t.takesBranches(g, &x, i) {
				name := r.Name + " of an ite"
				if len(x.Kinds()) > 1 {
					name += fmt.Sprintf(" as operand %d", i+1)
				}
				add(cells.Row{Theory: r.Theory, Name: name, Factors: []string{factorOf(&x, i, k)}}, subject{alternative: &x, branches: i + 1})
			}
		}
	}
	for _, c := range constructions(g, t.has) {
		add(cells.Row{Theory: c.theory, Name: c.name, Factors: []string{constructionFactor}}, subject{construct: c.construct})
	}
	return t
}

// takesTwice returns the second one of two operands of an operator that may be one term; 0 for none. Solvers have
// rewrite rules for (f x x), which go wrong for some x.
func takesTwice(g *gen.Gen, x *gen.Alternative) int {
	kinds := x.Kinds()
	if x.Indices() > 0 || x.Op == smt.OpConcat || x.Op == smt.OpFP { // whose operands seldom have one sort
		return 0
	}
	for i := 1; i < len(kinds); i++ {
		if literal, _ := g.LiteralOnly(x.Op, i); kinds[i] == kinds[i-1] && !literal {
			return i
		}
	}
	return 0
}

// takesBranches reports whether an operand of an operator may be an ite. Solvers
// rewrite f(ite(c, a, b)) to ite(c, f(a), f(b)) and back, and get this wrong for operands of some sorts.
func (t *Table) takesBranches(g *gen.Gen, x *gen.Alternative, operand int) bool {
	if literal, _ := g.LiteralOnly(x.Op, operand); literal || !t.has[smt.OpIte] || x.Op == smt.OpIte {
		return false
	}
	switch x.Op { // whose operands are literals
	case smt.OpConstArray, smt.OpStrToRe, smt.OpReRange, smt.OpFP:
		return false
	}
	return x.Kinds()[operand] != smt.KindRegLan // languages are no values
}

const theoryOfStrings = "Strings"

// theoryOf returns the theory of an operator; extensions count as the theory that they extend.
func theoryOf(op smt.Op) string {
	switch theory := op.Info().Theory; theory {
	case "BitVectorExtensions":
		return "FixedSizeBitVectors"
	case "FloatingPointExtensions":
		return "FloatingPoint"
	case "StringExtensions":
		return theoryOfStrings
	case "Arith", "Reals_Ints":
		return "Ints"
	default:
		return theory
	}
}

// at returns a cell by its number in the table.
func (t *Table) at(n int) cell {
	row, number := t.Find(n)
	return cell{row, number, t.Classes.Pair(&t.Rows[row], number)}
}

// Blocks returns the number of cases that visit every cell once, if each case has size probes; cases about strings have
// fewer.
func (t *Table) Blocks(size int) int {
	n := 0
	for i := range t.groups {
		n += t.groups[i].blocks(size)
	}
	return n
}

// block returns the cells of a turn, up to size of them and fewer of strings, all of one theory: so the case has a
// small logic. Turns visit all cells, and begin again.
func (t *Table) block(turn uint64, size int) (out []cell) {
	n := uint64(t.Blocks(size))
	at := int(turn % n * stride(n) % n)
	for i := range t.groups {
		g := &t.groups[i]
		blocks := g.blocks(size)
		if at >= blocks {
			at -= blocks
			continue
		}
		size, step := g.blockSize(size), stride(uint64(len(g.cells)))
		// Each pass shifts the borders between blocks: so the neighbours of a cell that makes a target die get their
		// turn, too.
		shift := turn / n * uint64(size/2+1)
		for i := at * size; i < min(len(g.cells), (at+1)*size); i++ {
			out = append(out, t.at(g.cells[(uint64(i)+shift)*step%uint64(len(g.cells))]))
		}
		return out
	}
	panic("probe: a block behind the last one")
}

// stride returns a step that visits n places in an order that spreads them: near n times the golden ratio, and without
// a factor in common with n.
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
