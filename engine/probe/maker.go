package probe

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/gen"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
)

// Config says what to probe, and what the targets can do.
type Config struct {
	Gen gen.Config
	// NoPush: the targets have no push and pop, so a case has one check.
	NoPush bool
	// NoAssumptions: they have no check-sat-assuming.
	NoAssumptions bool
	// Probes is the number of probes of a case.
	Probes int
	// Table is that of Gen, see NewTable.
	Table *Table
}

// NewTable lists the cells of a configuration.
func NewTable(cfg *gen.Config) (*Table, error) {
	g, err := gen.New(smt.NewArena(), rng.New(0), *cfg, &maker{})
	if err != nil {
		return nil, err
	}
	return tableOf(g), nil
}

// probe is a term whose value is known.
type probe struct {
	term  smt.Term
	value eval.Value
	steps string // what it is, for the origin of the case
}

// maker makes one case.
type maker struct {
	g      *gen.Gen
	cfg    *Config
	table  *Table
	class  func(factor int) int // of the cell that is being made
	out    []smtlib.Command
	pins   []smt.Term // what has to be asserted for the constants to have their values
	expect []smtlib.Answer
}

// Command implements gen.Sink.
func (m *maker) Command(c smtlib.Command) { m.out = append(m.out, c) }

// Sort implements gen.Sink.
func (m *maker) Sort(smt.Sort) {}

// Term implements gen.Sink.
func (m *maker) Term(smt.Term) {}

// Make makes the case of a turn. All choices come from r. The case has the probes of as many cells as the configuration
// says; those whose value SMT-LIB leaves open are passed over, so it may have fewer, or none: then the case is nil.
func Make(a *smt.Arena, r *rng.Source, turn uint64, cfg *Config) (*testcase.Case, error) {
	count := max(1, cfg.Probes)
	m := &maker{cfg: cfg, table: cfg.Table}
	g, err := gen.New(a, r, cfg.Gen, m)
	if err != nil {
		return nil, err
	}
	m.g = g
	if m.table.Cells() == 0 {
		return nil, nil
	}
	var steps []string
	cells := m.table.Block(turn, count)
	for i, cell := range cells {
		p, ok := m.probeCell(cell)
		if !ok {
			continue
		}
		steps = append(steps, p.steps)
		m.ask(p, i == len(cells)-1)
		if cfg.NoPush && len(m.expect) > 0 {
			break
		}
	}
	if len(m.expect) == 0 {
		return nil, nil
	}
	script := &smtlib.Script{Name: "probe", Arena: a, Commands: m.out}
	head := []smtlib.Command{{Kind: smtlib.CmdSetLogic, Text: m.logic()}}
	if slices.ContainsFunc(m.out, func(c smtlib.Command) bool { return c.Kind == smtlib.CmdGetValue }) {
		head = append([]smtlib.Command{{Kind: smtlib.CmdSetOption, Name: ":produce-models", Text: "true"}}, head...)
	}
	script.Commands = slices.Concat(head, m.out)
	c := &testcase.Case{Script: script, Expect: m.expect, Witness: g.Model}
	c.Origin.Steps = steps
	return c, nil
}

// attempts bounds how often a cell is tried with other values of what it leaves open, where SMT-LIB does not say what its value is.
const attempts = 4

func (m *maker) probeCell(cell Cell) (probe, bool) {
	s := &m.table.Subjects[cell.Subject]
	m.class = cell.class
	for range attempts {
		commands, pins := len(m.out), len(m.pins)
		var p probe
		ok := false
		if s.construct != nil {
			p, ok = s.construct(m, cell)
		} else {
			p, ok = m.apply(s.Alternative, 0, 0)
		}
		if ok {
			p.steps = s.Name
			return p, true
		}
		m.out, m.pins = m.out[:commands], m.pins[:pins]
	}
	return probe{}, false
}

// nesting is how deep operands are applications themselves.
const nesting = 2

// apply applies an operator to pinned operands, so that the result is of a sort; 0 means any. Its value must be known.
func (m *maker) apply(x *gen.Alternative, result smt.Sort, depth int) (p probe, ok bool) {
	chooser := &chooser{m: m, factor: len(x.Kinds()), nested: depth > 0}
	in, ok := m.g.Bind(x, result, chooser)
	if !ok {
		return p, false
	}
	sorts := in.Args
	if x.Repeats() && m.g.R.Chance(0.3) && !slices.Contains(m.g.Cfg.Rules.Exclude, "nary "+x.Op.Info().Name) {
		for range m.more(x.Op, sorts[1]) {
			sorts = append(sorts, sorts[1])
		}
	}
	args := make([]smt.Term, len(sorts))
	for i, s := range sorts {
		class := -1
		if depth == 0 && i < len(in.Args) {
			class = m.class(i)
		}
		if literal, _ := m.g.LiteralOnly(x.Op, i); literal {
			args[i] = m.boundary(s, class)
		} else {
			args[i] = m.operand(s, class, depth)
		}
		if args[i] == 0 {
			return p, false
		}
	}
	t, ok := m.g.Make(x, &in, args)
	if !ok {
		return p, false
	}
	return m.known(t)
}

// known returns the probe of a term whose value the standard determines.
func (m *maker) known(t smt.Term) (probe, bool) {
	v, err := m.g.Ev.Eval(t)
	return probe{term: t, value: v}, err == nil && v.IsValue()
}

// more draws how many arguments an operator gets beyond two.
func (m *maker) more(op smt.Op, s smt.Sort) int {
	if n := m.g.MoreThanValues(op, s); n > 2 {
		return n - 2
	}
	return m.g.R.Range(1, 8)
}

// operand returns a term of a sort that has the value of a boundary class: a literal, a constant that is pinned to it in one of
// several ways, or a nested application of whatever value.
func (m *maker) operand(s smt.Sort, class, depth int) smt.Term {
	if class < 0 && depth < nesting && m.g.R.Chance(0.15) {
		if t := m.nested(s, depth); t != 0 {
			return t
		}
	}
	literal := m.boundary(s, class)
	if literal == 0 || s == smt.SortRegLan {
		return literal
	}
	return m.pin(literal)
}

// nested applies some operator whose result is of the sort; 0: none was found.
func (m *maker) nested(s smt.Sort, depth int) smt.Term {
	for range 6 {
		x := m.table.Subjects[m.g.R.Intn(len(m.table.Subjects))].Alternative
		if x == nil {
			continue
		}
		commands, pins := len(m.out), len(m.pins)
		if p, ok := m.apply(x, s, depth+1); ok && m.g.A.Sort(p.term) == s {
			return p.term
		}
		m.out, m.pins = m.out[:commands], m.pins[:pins]
	}
	return 0
}

// pin returns a term that has the value of a literal, and sees to it that the term must have it.
func (m *maker) pin(literal smt.Term) smt.Term {
	a, r := m.g.A, m.g.R
	s := a.Sort(literal)
	v, err := m.g.Ev.Eval(literal)
	if err != nil || !v.IsValue() {
		return 0
	}
	if m.g.Excludes("const", s) {
		return literal
	}
	constant := func() smt.Term { return m.g.DeclareWith("x", s, v) }
	equal := func() smt.Term {
		x := constant()
		m.pins = append(m.pins, a.Eq(x, literal))
		return x
	}
	switch r.Intn(10) {
	case 0, 1:
		return literal
	case 2:
		if x, ok := m.g.DefineAs("d", literal); ok {
			return x
		}
	case 3: // between two bounds that are the same
		if below := lessOrEqual(a.SortKind(s)); below != 0 && !m.lacks(below) {
			x := constant()
			m.pins = append(m.pins, a.MustApp(below, x, literal), a.MustApp(below, literal, x))
			return x
		}
	case 4: // what was stored is read
		if t := m.stored(literal); t != 0 {
			return t
		}
	case 5: // a branch that must be taken
		b := m.g.DeclareWith("p", smt.SortBool, eval.BoolValue(true))
		if other := m.boundary(s, -1); other != 0 {
			m.pins = append(m.pins, b)
			return a.MustApp(smt.OpIte, b, equal(), other)
		}
	}
	return equal()
}

// lacks reports whether a target does not have an operator.
func (m *maker) lacks(op smt.Op) bool {
	return !slices.ContainsFunc(m.table.Subjects, func(s Subject) bool { return s.Alternative != nil && s.Alternative.Op == op })
}

// lessOrEqual returns the order of a kind of sorts in which equal values alone lie below each other; 0: it has none.
func lessOrEqual(k smt.SortKind) smt.Op {
	switch k {
	case smt.KindInt, smt.KindReal:
		return smt.OpLe
	case smt.KindBitVec:
		return smt.OpBVUle
	case smt.KindString:
		return smt.OpStrLe
	}
	return 0
}

// stored returns a select of a store of a literal; 0 where there are no such arrays.
func (m *maker) stored(literal smt.Term) smt.Term {
	a := m.g.A
	index := (&chooser{m: m, nested: true}).scalar()
	if index == 0 || m.lacks(smt.OpStore) || m.lacks(smt.OpSelect) {
		return 0
	}
	sort := a.Array(index, a.Sort(literal))
	if !m.g.SortOn(sort) || m.g.Excludes("const", sort) {
		return 0
	}
	i := m.boundary(index, -1)
	v := m.g.RandomValue(sort)
	if i == 0 || !v.IsValue() {
		return 0
	}
	array := m.g.DeclareWith("a", sort, v)
	return a.MustApp(smt.OpSelect, a.MustApp(smt.OpStore, array, i, literal), i)
}

// chooser binds what a signature leaves open.
type chooser struct {
	m      *maker
	factor int // number of the first factor that is an index
	nested bool
}

// Width implements gen.Chooser.
func (c *chooser) Width() int { return c.m.width() }

// formats are small formats, those of IEEE 754, and odd ones.
var formats = [][2]int{{2, 3}, {2, 4}, {3, 3}, {3, 4}, {3, 5}, {4, 3}, {4, 4}, {4, 6}, {5, 3}, {2, 8}, {6, 10}, {8, 8}, {5, 11}, {8, 24}, {11, 53}}

// Format implements gen.Chooser.
func (c *chooser) Format() (exponent, bits int) {
	r := c.m.g.R
	f := formats[r.Intn(len(formats))]
	if slices.Contains(c.m.g.Cfg.Rules.Exclude, "fp-format other") {
		f = [][2]int{{5, 11}, {8, 24}, {11, 53}}[r.Intn(3)]
	} else if r.Chance(0.01) { // the widest format costs solvers seconds
		f = [2]int{15, 113}
	}
	return f[0], f[1]
}

// Sort implements gen.Chooser.
func (c *chooser) Sort(kind smt.SortKind) smt.Sort {
	a, r := c.m.g.A, c.m.g.R
	var s smt.Sort
	switch kind {
	case smt.KindFiniteField:
		s = c.field()
	case smt.KindInvalid:
		if s = c.scalar(); !c.nested && r.Chance(0.3) {
			if part := c.scalar(); part != 0 && s != 0 {
				s = []smt.Sort{a.Array(s, part), a.Seq(s), a.Set(s), a.Bag(s)}[r.Intn(4)]
			}
		}
	}
	if s == 0 || !c.m.g.SortOn(s) {
		return smt.SortBool
	}
	return s
}

// scalar draws a sort that is made of no others and that the targets take; 0 where there is none but Bool.
func (c *chooser) scalar() smt.Sort {
	a, r := c.m.g.A, c.m.g.R
	for range 8 {
		var s smt.Sort
		switch r.Intn(9) {
		case 0, 1, 2:
			s = a.BitVec(c.m.width())
		case 3:
			s = smt.SortInt
		case 4:
			s = smt.SortReal
		case 5:
			s = smt.SortString
		case 6:
			e, bits := c.Format()
			s = a.Float(e, bits)
		case 7:
			s = c.field()
		default:
			s = smt.SortRoundingMode
		}
		if c.m.g.SortOn(s) {
			return s
		}
	}
	return 0
}

// Index implements gen.Chooser.
func (c *chooser) Index(n, limit, width int) int {
	class := -1
	if !c.nested {
		class = c.m.class(c.factor + n)
	}
	if class < 0 {
		class = c.m.g.R.Intn(gen.IndexClasses)
	}
	return gen.BoundaryIndex(c.m.g.R, class, limit, width)
}

// field draws a finite field; 0 where the targets have none.
func (c *chooser) field() smt.Sort {
	a := c.m.g.A
	s := a.FiniteField(big.NewInt([]int64{2, 3, 5, 7, 11, 97, 257, 65537}[c.m.g.R.Intn(8)]))
	if !c.m.g.SortOn(s) {
		return 0
	}
	return s
}
