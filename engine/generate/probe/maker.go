package probe

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers/rule"
)

// ProbeConfig configures the probes and describes the abilities of the targets.
type ProbeConfig struct {
	Gen gen.Config
	// NoPush: the targets have no push and pop, so a case has one check.
	NoPush bool
	// NoAssumptions: they have no check-sat-assuming.
	NoAssumptions bool
	// Literals: assumptions are Boolean constants and their negations only.
	Literals bool
	// NoValues: they have no get-value.
	NoValues bool
	// NoNeeded: they have no get-unsat-assumptions.
	NoNeeded bool
	// NoNames: they have no :named; NoCores: no get-unsat-core; NoAssignment: no get-assignment.
	NoNames, NoCores, NoAssignment bool
	// MinimalCores: they have the option :minimal-unsat-cores.
	MinimalCores bool
	// Probes is the number of probes of a case; one about strings has a quarter of them.
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
	term    smt.Term
	value   value.Value
	literal smt.Term // that has the value; 0 where the targets have none
	printed bool     // solvers print the value as the literal
}

// maker makes one case.
type maker struct {
	boundaries
	cfg      *ProbeConfig
	table    *Table
	cell     cells.Pair // that is being made
	twice    int        // of its subject
	branches int        // of its subject
	folded   bool       // its operands are literals
	out      []smtlib.Command
	pins     []smt.Term // assertions that force the values of the constants
	expect   []smtlib.Answer
	produce  []string // options that the questions need
	once     bool     // the case has one check-sat, which asks about all probes

	// Of the probe that is being made.
	standIns      []standIn
	declared      declaredSort
	overConstants bool // arrays are stores over a constant, even where targets have constant arrays
}

// Command implements gen.Sink.
func (m *maker) Command(c smtlib.Command) { m.out = append(m.out, c) }

// Sort implements gen.Sink.
func (m *maker) Sort(smt.Sort) {}

// Term implements gen.Sink.
func (m *maker) Term(smt.Term) {}

// Make makes the case of a turn. All choices come from r. The case has the probes of as many cells as the configuration
// says; those whose value SMT-LIB leaves open are passed over, so it may have fewer, or none: then the case is nil.
func Make(a *smt.Arena, r *rng.Source, turn uint64, cfg *ProbeConfig) (*testcase.Case, error) {
	count := max(1, cfg.Probes)
	m := &maker{cfg: cfg, table: cfg.Table}
	atBoundaries := cfg.Gen
	atBoundaries.Boundaries = true
	g, err := gen.New(a, r, atBoundaries, m)
	if err != nil {
		return nil, err
	}
	m.g = g
	if m.table.Cells() == 0 {
		return nil, nil
	}
	var steps []string
	asked := &cells.Asked{Table: &m.table.Grid}
	block := m.table.block(turn, count)
	chance := oneCheck
	if len(block) > 0 && m.table.Rows[block[0].row].Theory == theoryOfStrings {
		chance = oneCheckOfStrings
	}
	m.once = cfg.NoPush || r.Chance(chance)
	for len(block) > 0 {
		n := min(m.together(), len(block))
		var probes []probe
		counted := len(asked.Cells)
		for _, c := range block[:n] {
			if p, ok := m.probeCell(c); ok {
				probes = append(probes, p)
				steps = append(steps, m.table.Rows[c.row].Name)
				asked.Cells = append(asked.Cells, cells.AskedCell{Row: c.row, Cell: c.number})
			}
		}
		if block = block[n:]; len(probes) == 0 {
			continue
		}
		asker{m}.ask(probes, len(block) == 0)
		for i := range asked.Cells[counted:] {
			asked.Cells[counted+i].Check = len(m.expect) - 1
		}
	}
	if len(m.expect) == 0 {
		return nil, nil
	}
	// Last, since only now the features that the logic must allow are known.
	head := []smtlib.Command{{Kind: smtlib.CmdSetLogic, Text: asker{m}.logic()}}
	slices.Sort(m.produce)
	for _, name := range slices.Compact(m.produce) {
		head = slices.Insert(head, 0, smtlib.Command{Kind: smtlib.CmdSetOption, Name: name, Text: "true"})
	}
	c := &testcase.Case{Script: &smtlib.Script{Name: "probe", Arena: a, Commands: append(head, m.out...)}, Expect: m.expect, Witness: g.Model, Asked: asked}
	slices.Sort(steps)
	c.Origin.Steps = slices.Compact(steps)
	return c, nil
}

// oneCheck is the chance that all probes of a case are asked about in one check-sat without push. Solvers then run all
// of their preprocessing, as they do for most users; with a stack of assertions they skip or undo it. They also need
// only a third of the time per probe. The other cases cover behaviour that depends on the stack. A probe that a solver
// does not decide hides all probes of the same question, and many probes about strings are undecided.
const (
	oneCheck          = 0.85
	oneCheckOfStrings = 0.5
)

// together draws how many probes are asked about at once: a check costs solvers more than most probes do.
func (m *maker) together() int {
	switch {
	case m.once:
		return m.cfg.Probes
	case m.g.R.Chance(0.2):
		return 1
	}
	return m.g.R.Range(2, 10)
}

// attempts limits how often a cell is tried again with other choices if the targets do not accept a sort or a term.
const attempts = 8

func (m *maker) probeCell(c cell) (probe, bool) {
	s := &m.table.subjects[c.row]
	m.cell, m.twice, m.branches, m.folded = c.Pair, s.twice, s.branches, s.branches == 0 && m.g.R.Chance(literalOperands)
	m.wide = s.twice > 0 && m.g.R.Bool()
	defer func() { m.folded, m.wide = false, false }()
	for range attempts {
		commands, pins := len(m.out), len(m.pins)
		m.standIns, m.declared, m.overConstants = m.standIns[:0], declaredSort{}, m.g.R.Chance(overConstants)
		var p probe
		ok := false
		if s.construct != nil {
			p, ok = s.construct(constructor{m})
		} else {
			p, ok = m.apply(s.alternative, 0, 0)
		}
		if ok && m.complete(&p, pins) {
			return p, true
		}
		m.undo(commands, pins)
	}
	return probe{}, false
}

// complete gives a probe its literal, and pins the constants beneath arrays at the places that the probe reads; pins is
// the number of earlier pins. It returns false if the pins do not determine the value.
func (m *maker) complete(p *probe, pins int) bool {
	p.literal = m.literal(p.value)
	s := p.value.Sort()
	p.printed = p.literal != 0 && m.g.A.SortKind(s) != smt.KindUser && !m.isOverConstant(s)
	roots := []smt.Term{p.term}
	if p.literal != 0 {
		roots = append(roots, p.literal)
	}
	return m.pinReads(pins, roots...)
}

// literalOperands is the chance that all operands of a probe are literals: solvers evaluate literals with other code
// than terms that turn out to be constant.
const literalOperands = 0.08

// nesting is the depth to which operands are applications themselves.
const nesting = 2

// How often operands of one class are the same term, and how often an operand is the inverse of another: solvers have
// most of their rewrite rules for such terms.
const (
	sameOperand     = 0.15
	inverseOperands = 0.08
)

// apply applies an operator to pinned operands, so that the result is of a sort; 0 means any. Where SMT-LIB leaves its
// value open, the probe is that the operator is a function: applied to other terms of the same values it has the same
// value.
func (m *maker) apply(x *gen.Alternative, result smt.Sort, depth int) (p probe, ok bool) {
	chooser := &chooser{m: m, factor: len(x.Kinds()), nested: depth > 0, costly: costly(x.Op)}
	in, ok := m.g.Bind(x, result, chooser)
	if !ok {
		return p, false
	}
	sorts := in.Args
	if x.Repeats() && m.g.R.Chance(0.3) && !m.g.Cfg.Rules.Lacks(rule.ManyArguments.Of(x.Op.Info().Name)) {
		for range m.more(x.Op, sorts[1]) {
			sorts = append(sorts, sorts[1])
		}
	}
	args := make([]smt.Term, len(sorts))
	twice, branches := 0, 0
	if depth == 0 {
		twice, branches = m.twice, m.branches
	}
	if depth == 0 && twice == 0 && branches == 0 && !m.folded {
		m.withSharedPart(x, sorts, args)
	}
	for i, s := range sorts {
		if args[i] != 0 {
			continue
		}
		class := anyClass
		switch {
		case twice > 0 && i == twice:
			if s != sorts[i-1] {
				return p, false
			}
			args[i] = args[i-1]
			continue
		case twice > 0 && i == twice-1:
			class = m.cell.Class(0)
		case branches == i+1:
			if args[i] = m.argument(x, i, s, m.cell.Class(0), in.Result, depth); args[i] != 0 {
				args[i] = m.branch(args[i])
			}
			if args[i] == 0 {
				return p, false
			}
			continue
		case branches > 0:
		case twice == 0 && depth == 0 && i < len(in.Args):
			class = m.cell.Class(i)
		}
		if j := slices.Index(sorts[:i], s); j >= 0 && (class == anyClass || class == m.cell.Class(j)) && m.g.R.Chance(sameOperand) {
			args[i] = args[j]
			continue
		}
		if args[i] = m.argument(x, i, s, class, in.Result, depth); args[i] == 0 {
			return p, false
		}
	}
	t, ok := m.g.Make(x, &in, args)
	if !ok {
		return p, false
	}
	if in := smt.OpStrInRe; depth == 0 && m.g.A.Sort(t) == smt.SortRegLan && !m.lacks(in) { // languages have no values to compare
		text := m.operand(smt.SortString, anyClass, depth)
		return m.known(m.g.A.MustApp(in, text, t))
	}
	if p, ok = m.known(t); ok || depth > 0 {
		return p, ok
	}
	m.folded = false // the same literals would make the same term
	for i, arg := range args {
		if literal, _ := m.g.LiteralOnly(x.Op, i); literal || m.g.A.Sort(arg) == smt.SortRegLan {
			continue
		}
		literal, _ := m.literalOf(arg)
		if literal == 0 {
			return p, false
		}
		if args[i] = m.pin(literal); args[i] == 0 {
			return p, false
		}
	}
	if other, ok := m.g.Make(x, &in, args); ok && other != t {
		return probe{term: m.g.A.Eq(t, other), value: value.Bool(true)}, true
	}
	return p, false
}

// argument returns an operand of a class.
func (m *maker) argument(x *gen.Alternative, i int, s smt.Sort, class int, result smt.Sort, depth int) smt.Term {
	kinds := x.Kinds()
	factor := factorOf(x, min(i, len(kinds)-1), kinds[min(i, len(kinds)-1)])
	switch {
	case class < 0:
	case factor == floatBitsFactor && m.g.A.SortKind(result) == smt.KindFloat:
		float := literal.OfClass(m.g.A, m.g.R, result, class)
		bits, err := m.g.Ev.Eval(m.g.A.MustApp(smt.OpConcat, m.g.A.Args(float)...))
		operand, err2 := value.ToTerm(m.g.A, bits)
		if err != nil || err2 != nil {
			return 0
		}
		return m.pin(operand)
	case factor == anySort:
		class = ofVariable(m.g.A.SortKind(s), class)
	}
	if only, nonzero := m.g.LiteralOnly(x.Op, i); only {
		if nonzero && class == 0 {
			class = 1
		}
		return m.boundary(s, class)
	}
	switch x.Op { // arguments that solvers require to be values
	case smt.OpConstArray, smt.OpStrToRe, smt.OpReRange:
		return m.boundary(s, class)
	}
	if costly(x.Op) && m.large(s) && (i > 0 || m.g.R.Bool()) { // solvers that see its value make no circuit of it
		literal := m.boundary(s, class)
		if d, ok := m.g.DefineAs("d", literal); ok && m.g.R.Chance(0.3) {
			return d
		}
		return literal
	}
	return m.operand(s, class, depth)
}

// known returns the probe of a term whose value the standard determines.
func (m *maker) known(t smt.Term) (probe, bool) {
	v, err := m.g.Ev.Eval(t)
	return probe{term: t, value: v}, err == nil && v.IsValue()
}

// costly reports whether the circuits that solvers make for an operator grow faster than the width.
func costly(op smt.Op) bool {
	switch op {
	case smt.OpBVMul, smt.OpBVUdiv, smt.OpBVUrem, smt.OpBVSdiv, smt.OpBVSrem, smt.OpBVSmod, smt.OpBVUmulo, smt.OpBVSmulo,
		smt.OpFPAdd, smt.OpFPSub, smt.OpFPMul, smt.OpFPDiv, smt.OpFPFma, smt.OpFPSqrt, smt.OpFPRem, smt.OpFPRoundToIntegral,
		smt.OpToFP, smt.OpToFPUnsigned, smt.OpFPToReal, smt.OpFPToUbv, smt.OpFPToSbv, smt.OpUbvToInt, smt.OpSbvToInt, smt.OpIntToBV:
		return true
	}
	return false
}

// large reports whether circuits over values of a sort are large.
func (m *maker) large(s smt.Sort) bool {
	switch m.g.A.SortKind(s) {
	case smt.KindBitVec:
		return m.g.A.Width(s) > smallWidth
	case smt.KindFloat:
		e, bits := m.g.A.FloatFormat(s)
		return e+bits > smallFormat
	}
	return false
}

// manyWide bounds the arguments beyond two of an operator if each argument is expensive for solvers: in large circuits,
// and in the order of strings, which takes z3 tenths of a second.
const manyWide = 2

// more draws how many arguments an operator gets beyond two.
func (m *maker) more(op smt.Op, s smt.Sort) int {
	if n := m.g.MoreThanValues(op, s); n > 2 {
		return n - 2
	}
	if costly(op) && m.large(s) || op == smt.OpStrLt || op == smt.OpStrLe {
		return m.g.R.Range(1, manyWide)
	}
	if m.g.R.Chance(0.2) {
		return m.g.R.Range(6, 30)
	}
	return m.g.R.Range(1, 6)
}

// operand returns a term of a sort that has the value of a boundary class: a literal, a constant that is pinned to it
// in one of several ways, or an application that has this value.
func (m *maker) operand(s smt.Sort, class, depth int) smt.Term {
	if m.folded {
		return m.boundary(s, class)
	}
	if class < 0 && depth < nesting && m.g.R.Chance(0.25) {
		if t := m.nested(s, depth); t != 0 {
			return t
		}
	}
	literal := m.boundary(s, class)
	if literal == 0 || s == smt.SortRegLan {
		return literal
	}
	if m.g.R.Chance(inverseOperands) {
		if t := m.inverse(literal); t != 0 {
			return t
		}
	}
	if class >= 0 && depth < nesting && m.g.R.Chance(0.12) {
		if t := m.corrected(literal, depth); t != 0 {
			return t
		}
	}
	return m.pin(literal)
}

// nested applies some operator whose result is of the sort; 0: none was found.
func (m *maker) nested(s smt.Sort, depth int) smt.Term {
	for range 6 {
		x := m.table.subjects[m.g.R.Intn(len(m.table.subjects))].alternative
		if x == nil || costly(x.Op) && m.large(s) && !m.g.R.Chance(wideCostly) || s == smt.SortRegLan && theoryOf(x.Op) != "Strings" {
			continue
		}
		commands, pins := len(m.out), len(m.pins)
		if p, ok := m.apply(x, s, depth+1); ok && m.g.A.Sort(p.term) == s {
			return p.term
		}
		m.undo(commands, pins)
	}
	return 0
}

// inverse returns the application of an operator that is its own inverse to a pinned operand, so that it has the value
// of a literal; 0 where the sort has none.
func (m *maker) inverse(literal smt.Term) smt.Term {
	a, g := m.g.A, m.g
	var ops []smt.Op
	switch a.SortKind(a.Sort(literal)) {
	case smt.KindBool:
		ops = []smt.Op{smt.OpNot}
	case smt.KindBitVec:
		ops = []smt.Op{smt.OpBVNot, smt.OpBVNeg}
	case smt.KindFloat:
		ops = []smt.Op{smt.OpFPNeg}
	case smt.KindInt, smt.KindReal:
		ops = []smt.Op{smt.OpSub}
	default:
		return 0
	}
	op := ops[g.R.Intn(len(ops))]
	if m.lacks(op) {
		return 0
	}
	operand, _ := m.literalOf(a.MustApp(op, literal))
	if operand == 0 {
		return 0
	}
	if operand = m.pin(operand); operand == 0 {
		return 0
	}
	return a.MustApp(op, operand)
}

// corrected returns an application of some operator that has been brought to the value of a literal: by a difference,
// where the sort has one, else by a branch that is taken since the application has the value it has. 0: none was found.
func (m *maker) corrected(literal smt.Term, depth int) smt.Term {
	a, g := m.g.A, m.g
	s := a.Sort(literal)
	commands, pins := len(m.out), len(m.pins)
	t := m.nested(s, depth)
	if t == 0 {
		return 0
	}
	undo := func() smt.Term {
		m.undo(commands, pins)
		return 0
	}
	haveTerm, have := m.literalOf(t)
	want, err := g.Ev.Eval(literal)
	if haveTerm == 0 || err != nil || !want.IsValue() {
		return undo()
	}
	op, difference := smt.OpInvalid, smt.Term(0)
	switch a.SortKind(s) {
	case smt.KindBool:
		op, difference = smt.OpXor, a.BoolVal(value.Equal(have, want) != value.True)
	case smt.KindBitVec:
		x, _ := have.BV()
		y, _ := want.BV()
		if op = smt.OpBVXor; g.R.Bool() {
			op, difference = smt.OpBVAdd, a.BV(a.Width(s), new(big.Int).Sub(y, x))
		} else {
			difference = a.BV(a.Width(s), new(big.Int).Xor(x, y))
		}
	case smt.KindInt:
		x, _ := have.Int()
		y, _ := want.Int()
		op, difference = smt.OpAdd, a.IntVal(new(big.Int).Sub(y, x))
	}
	if op != smt.OpInvalid && !m.lacks(op) {
		if difference = m.pin(difference); difference != 0 {
			return a.MustApp(op, t, difference)
		}
		return undo()
	}
	// No operator that the targets have makes up the difference: an equation that is known to hold picks the literal.
	other := m.boundary(s, anyClass)
	if other == 0 || m.lacks(smt.OpIte) {
		return undo()
	}
	return a.MustApp(smt.OpIte, a.Eq(t, haveTerm), m.pin(literal), other)
}

// branch returns an ite that has the value of a term: a solver learns only from the assertions which branch is taken.
// It returns 0 if none was found.
func (m *maker) branch(t smt.Term) smt.Term {
	a, r := m.g.A, m.g.R
	taken := r.Bool()
	other := m.operand(a.Sort(t), anyClass, nesting)
	if other == 0 || m.g.Excludes("const", smt.SortBool) {
		return 0
	}
	condition := m.g.DeclareWith("p", smt.SortBool, value.Bool(taken))
	m.pins = append(m.pins, a.Eq(condition, a.BoolVal(taken)))
	if taken {
		return a.MustApp(smt.OpIte, condition, t, other)
	}
	return a.MustApp(smt.OpIte, condition, other, t)
}

// pin returns a term that has the value of a literal, and sees to it that the term must have it.
func (m *maker) pin(literal smt.Term) smt.Term {
	a, r := m.g.A, m.g.R
	s := a.Sort(literal)
	v, err := m.g.Ev.Eval(literal)
	if err != nil || !v.IsValue() {
		return 0
	}
	if m.folded || m.g.Excludes("const", s) {
		return literal
	}
	constant := func() smt.Term { return m.g.DeclareWith("x", s, v) }
	equal := func() smt.Term {
		x := constant()
		m.pins = append(m.pins, a.Eq(x, literal))
		return x
	}
	switch r.Intn(20) {
	case 0, 1, 2, 3:
		return literal
	case 4, 5:
		if x, ok := m.g.DefineAs("d", literal); ok {
			return x
		}
	case 6, 7: // between two bounds that are the same
		if below := lessOrEqual(a.SortKind(s)); below != 0 && !m.lacks(below) {
			x := constant()
			m.pins = append(m.pins, a.MustApp(below, x, literal), a.MustApp(below, literal, x))
			return x
		}
	case 8: // a read of the stored value
		if t := m.stored(literal); t != 0 {
			return t
		}
	case 9: // a branch that must be taken
		b := m.g.DeclareWith("p", smt.SortBool, value.Bool(true))
		if other := m.boundary(s, anyClass); other != 0 {
			m.pins = append(m.pins, b)
			return a.MustApp(smt.OpIte, b, equal(), other)
		}
	case 10: // a field of a datatype
		if t := m.field(literal); t != 0 {
			return t
		}
	}
	return equal()
}

// field returns a selector of a value of a datatype that is made with a literal; 0 where there are no datatypes.
func (m *maker) field(literal smt.Term) smt.Term {
	a, g := m.g.A, m.g
	constructor, selectors, ok := g.DeclareRecord(a.Sort(literal), smt.SortBool)
	if !ok {
		return 0
	}
	record, err := a.Apply(constructor, literal, a.BoolVal(g.R.Bool()))
	if err != nil {
		return 0
	}
	if v, err := g.Ev.Eval(record); err == nil && v.IsValue() && !g.Excludes("const", a.Sort(record)) && g.R.Bool() {
		x := g.DeclareWith("r", a.Sort(record), v)
		m.pins = append(m.pins, a.Eq(x, record))
		record = x
	}
	t, err := a.Apply(selectors[0], record)
	if err != nil {
		return 0
	}
	return t
}

// lacks reports whether a target does not have an operator.
func (m *maker) lacks(op smt.Op) bool {
	return !m.table.has[op]
}

// lessOrEqual returns an order for a kind of sorts in which two values lie below each other only if they are equal; 0
// if there is none.
func lessOrEqual(k smt.SortKind) smt.Op {
	switch k {
	case smt.KindInt, smt.KindReal:
		return smt.OpLe
	case smt.KindBitVec:
		return smt.OpBVUle
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
	if !m.takesArray(sort) {
		return 0
	}
	i := m.boundary(index, anyClass)
	v := m.g.RandomValue(sort)
	if i == 0 || !v.IsValue() {
		return 0
	}
	array := m.g.DeclareWith("a", sort, v)
	return a.MustApp(smt.OpSelect, a.MustApp(smt.OpStore, array, i, literal), i)
}

// takesArray reports whether the targets have constants of a sort of arrays.
func (m *maker) takesArray(s smt.Sort) bool { return m.g.SortOn(s) && !m.g.Excludes("const", s) }

// chooser makes the choices that a signature leaves open.
type chooser struct {
	m      *maker
	factor int // number of the first factor that is an index
	nested bool
	costly bool     // of the operator
	last   smt.Sort // that was drawn for a sort variable
}

// Width implements gen.Chooser.
func (c *chooser) Width() int { return c.m.width(c.costly) }

// formats are small formats, those of IEEE 754, and odd ones.
var formats = [][2]int{{2, 3}, {2, 4}, {3, 3}, {3, 4}, {3, 5}, {4, 3}, {4, 4}, {4, 6}, {5, 3}, {2, 8}, {6, 10}, {8, 8}, {5, 11}, {8, 24}, {11, 53}}

// smallFormats are those at the front of formats: of at most smallFormat bits.
const (
	smallFormats = 10
	smallFormat  = 10
)

// Format implements gen.Chooser.
func (c *chooser) Format() (exponent, bits int) {
	r := c.m.g.R
	f := formats[r.Intn(len(formats))]
	if c.costly && !r.Chance(wideCostly) {
		f = formats[r.Intn(smallFormats)]
	}
	if c.m.g.Cfg.Rules.Lacks(rule.FpFormat.Of(rule.RareFormats)) {
		f = [][2]int{{8, 24}, {11, 53}}[r.Intn(2)]
	} else if c.m.g.Cfg.Rules.Lacks(rule.FpFormat.Of(rule.OtherFormats)) {
		f = [][2]int{{5, 11}, {8, 24}, {11, 53}}[r.Intn(3)]
	} else if !c.costly && r.Chance(0.01) { // the widest format costs solvers seconds
		f = [2]int{15, 113}
	}
	return f[0], f[1]
}

// Sort implements gen.Chooser.
func (c *chooser) Sort(kind smt.SortKind) (s smt.Sort) {
	a, r := c.m.g.A, c.m.g.R
	switch kind {
	case smt.KindFiniteField:
		s = c.field()
	case smt.KindInvalid:
		if c.last != 0 && c.m.twice > 0 && r.Bool() { // two operands of two sort variables can be one term only then
			return c.last
		}
		defer func() { c.last = s }()
		if s = c.scalar(); !c.nested && r.Chance(0.3) {
			if part := c.scalar(); part != 0 && s != 0 {
				collections := []smt.Sort{a.Array(s, part), a.Seq(s), a.Set(s), a.Bag(s)}
				if a.SortKind(s) == smt.KindUser {
					collections = collections[:1] // the others want a literal
				}
				s = collections[r.Intn(len(collections))]
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
		switch r.Intn(10) {
		case 0, 1, 2:
			s = a.BitVec(c.m.width(c.costly))
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
		case 8:
			s = c.m.userSort()
		default:
			s = smt.SortRoundingMode
		}
		if s != 0 && c.m.g.SortOn(s) {
			return s
		}
	}
	return 0
}

// Index implements gen.Chooser.
func (c *chooser) Index(n, limit, width int) int {
	class := anyClass
	if !c.nested {
		class = c.m.cell.Class(c.factor + n)
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
