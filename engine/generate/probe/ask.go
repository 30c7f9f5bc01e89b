package probe

import (
	"slices"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers/rule"
)

// asker makes the assertions and the questions of probes.
type asker struct{ *maker }

// ask adds the question about some probes: the assertions that pin their constants, then either the claim that the
// probes have their values, which holds, or its denial, which does not, and a check. If a solver gets the value of any
// single probe wrong, the answer changes. Claims that hold may stay, so that later probes are checked in their
// presence; refuted ones are taken back by pop.
func (m asker) ask(probes []probe, last bool) {
	r := m.g.R
	holds := r.Bool()
	way := r.Intn(20)
	once := m.once
	assumed := !m.cfg.NoAssumptions && way < 3
	core := !assumed && !holds && !m.cfg.NoNames && !m.cfg.NoCores && way >= 16
	assignment := !assumed && holds && !m.cfg.NoNames && !m.cfg.NoAssignment && way >= 18
	claim, denial, readable := m.claims(probes, assignment)
	var assumptions []smt.Term
	switch {
	case assumed:
		claim, assumptions = m.assumptions(claim, denial, holds)
	case !core && !assignment && r.Chance(exchangedNames) && !m.g.Cfg.Rules.Lacks(rule.Feature.Of(rule.ExchangedNames)):
		claim, denial = m.exchangeNames(claim), m.exchangeNames(denial)
	}
	scoped := !once && (!holds && !assumed && !(last && r.Bool()) || r.Chance(0.75))

	push := func() { m.out = append(m.out, smtlib.Command{Kind: smtlib.CmdPush, N: 1}) }
	pop := func() { m.out = append(m.out, smtlib.Command{Kind: smtlib.CmdPop, N: 1}) }
	assert := func(t smt.Term) { m.out = append(m.out, smtlib.AssertCommand(t)) }
	check := func(answer smtlib.Answer, assumptions ...smt.Term) {
		m.out = append(m.out, smtlib.CheckCommand(assumptions))
		m.expect = append(m.expect, answer)
	}
	if scoped {
		push()
	}
	for _, pin := range m.pins {
		if assignment && r.Bool() {
			m.assertNamed(m.named(pin))
			continue
		}
		assert(pin)
	}
	m.pins = nil
	switch {
	case assumed:
		if claim != 0 {
			assert(claim)
		}
		check(answerOf(holds), assumptions...)
		if !m.cfg.NoNeeded && len(assumptions) > 1 {
			m.question(smtlib.Command{Kind: smtlib.CmdGetUnsatAssumptions}, ":produce-unsat-assumptions")
		}
	case !once && way < 5: // in the second check, after the claim has been found to hold
		assert(claim)
		check(smtlib.Sat)
		if !scoped {
			push()
		}
		assert(denial)
		check(smtlib.Unsat)
		if !scoped {
			pop()
		}
	case !once && way < 7: // after a pop that takes the denial back
		push()
		assert(denial)
		check(smtlib.Unsat)
		pop()
		assert(claim)
		check(smtlib.Sat)
		m.values(readable)
	case holds:
		if !assignment {
			assert(claim)
			check(smtlib.Sat)
		} else {
			m.assertNamed(claim)
			check(smtlib.Sat)
			m.question(smtlib.Command{Kind: smtlib.CmdGetAssignment}, ":produce-assignments")
		}
		m.values(readable)
	case core:
		m.assertCore(denial)
		check(smtlib.Unsat)
		options := []string{":produce-unsat-cores", ":minimal-unsat-cores"}
		if !m.cfg.MinimalCores || r.Bool() {
			options = options[:1]
		}
		m.question(smtlib.Command{Kind: smtlib.CmdGetUnsatCore}, options...)
	default:
		assert(denial)
		check(smtlib.Unsat)
	}
	if scoped {
		pop()
	}
}

func answerOf(holds bool) smtlib.Answer {
	if holds {
		return smtlib.Sat
	}
	return smtlib.Unsat
}

// values asks for values now and then, where the latest check finds a model: of terms whose values are known.
func (m asker) values(terms []smt.Term) {
	if len(terms) == 0 || m.cfg.NoValues || !m.g.R.Chance(0.2) {
		return
	}
	m.question(smtlib.Command{Kind: smtlib.CmdGetValue, Terms: terms}, ":produce-models")
}

// question adds a command about the latest check, and the options that it needs.
func (m asker) question(c smtlib.Command, options ...string) {
	m.produce = append(m.produce, options...)
	m.out = append(m.out, c)
}

// named gives a name to a formula; for a negation it names the operand, so that false formulas have names, too.
func (m asker) named(t smt.Term) smt.Term {
	a := m.g.A
	if a.Op(t) == smt.OpNot {
		return a.Not(m.named(a.Arg(t, 0)))
	}
	return a.Annotate(t, []smt.Attr{{Keyword: ":named", Value: m.g.Name("n")}})
}

// assertNamed asserts a formula some parts of which may have names.
func (m asker) assertNamed(t smt.Term) {
	c := smtlib.AssertCommand(t)
	c.Named = scope.NamesIn(m.g.A, t)
	m.out = append(m.out, c)
}

// assertCore asserts several formulas with names that are all needed to refute the denial of probes: all but one hold
// in the witness.
func (m asker) assertCore(denial smt.Term) {
	a, r := m.g.A, m.g.R
	parts := []smt.Term{denial}
	n := r.Range(2, mostNeeded)
	wrong := n - 1 // solvers that lose one most often lose the last
	if r.Bool() {
		wrong = r.Intn(n + 1) // n: the first assertion
	}
	for i := range n {
		q := m.g.DeclareWith("q", smt.SortBool, value.Bool(i != wrong))
		parts = append(parts, a.Not(q))
	}
	m.assertNamed(m.named(a.Or(parts...)))
	for _, part := range parts[1:] {
		m.assertNamed(m.named(a.Arg(part, 0)))
	}
}

// exchangedNames is the share of scripts with an assertion below a let that gives constants the names of other
// constants. Solvers that bind the names one after the other, or make names visible where they are not, read a
// different formula.
const exchangedNames = 0.06

// exchangeNames returns a formula in which two or three constants have exchanged their names, of one sort where there
// are such.
func (m asker) exchangeNames(t smt.Term) smt.Term {
	a, r := m.g.A, m.g.R
	var constants []smt.Term
	a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if f := a.SymbolOf(x); f != 0 && a.NumArgs(x) == 0 && a.Op(x) == smt.OpApply && a.SymbolInfo(f).Kind == smt.SymDeclared {
			constants = append(constants, x)
		}
	})
	if len(constants) < 2 {
		return t
	}
	r.Shuffle(len(constants), func(i, k int) { constants[i], constants[k] = constants[k], constants[i] })
	same := func(x smt.Term) int {
		if a.Sort(x) == a.Sort(constants[0]) {
			return 0
		}
		return 1
	}
	rest := slices.Clone(constants[1:])
	slices.SortStableFunc(rest, func(x, y smt.Term) int { return same(x) - same(y) })
	return a.ExchangeNames(t, append(constants[:1:1], rest[:min(len(rest), r.Range(1, 2))]...))
}

// claims returns a formula that holds for all probes, a formula that denies it, and the terms whose values can be asked
// for. If named is set, the claim about each probe has a name.
func (m asker) claims(probes []probe, named bool) (claim, denial smt.Term, readable []smt.Term) {
	a := m.g.A
	var claims, denials []smt.Term
	for _, p := range probes {
		if m.g.R.Chance(0.1) {
			p = m.defined(p)
		}
		claim, known := m.claim(p)
		denial := a.Not(claim)
		if a.Op(claim) == smt.OpEq && m.g.R.Bool() {
			denial = a.MustApp(smt.OpDistinct, a.CopyArgs(claim)...)
		}
		if named {
			claim = m.named(claim)
		}
		claims, denials = append(claims, claim), append(denials, denial)
		if known && m.g.HasValue(p.term) {
			readable = append(readable, p.term)
		}
	}
	if len(claims) == 1 {
		return claims[0], denials[0], readable
	}
	claim = a.And(claims...)
	if m.g.R.Bool() {
		return claim, a.Not(claim), readable
	}
	return claim, a.Or(denials...), readable
}

// mostNeeded is the greatest number of assumptions that are all needed.
const mostNeeded = 4

// assumptions returns a formula to assert, 0 for none, and the assumptions that bring the claim, or its denial, into
// effect: the formula itself, a constant that implies it, or several constants that together imply the denial. In the
// last case all of them are needed, and all but one hold in the case's witness.
func (m asker) assumptions(claim, denial smt.Term, holds bool) (asserted smt.Term, assumed []smt.Term) {
	a, r := m.g.A, m.g.R
	formula := claim
	if !holds {
		formula = denial
		if r.Bool() {
			several, open := make([]smt.Term, r.Range(2, mostNeeded)), []smt.Term{denial}
			wrong := r.Intn(len(several))
			for i := range several {
				several[i] = m.g.DeclareWith("q", smt.SortBool, value.Bool(i != wrong))
				open = append(open, a.Not(several[i]))
			}
			return a.Or(open...), several
		}
	}
	if !m.cfg.Literals && r.Bool() {
		return 0, []smt.Term{formula}
	}
	q := m.g.DeclareWith("q", smt.SortBool, value.Bool(holds))
	if r.Bool() {
		return a.Eq(q, formula), []smt.Term{q}
	}
	return a.MustApp(smt.OpImplies, q, formula), []smt.Term{q}
}

// defined returns the probe of an application of a defined function whose body is the operator, or the whole term.
func (m asker) defined(p probe) probe {
	a, g := m.g.A, m.g
	op, args := a.Op(p.term), a.CopyArgs(p.term)
	if g.R.Bool() || op.Structural() || op == smt.OpConstArray || len(args) == 0 || op.Info().Qualified {
		if t, ok := g.DefineAs("d", p.term); ok && a.Sort(p.term) != smt.SortRegLan {
			p.term = t
		}
		return p
	}
	vars, given := []smt.Term{}, []smt.Term{}
	inner := slices.Clone(args)
	for i, t := range args {
		s := a.Sort(t)
		if literal, _ := g.LiteralOnly(op, i); literal || s == smt.SortRegLan || op == smt.OpStrToRe || op == smt.OpReRange || g.Excludes("fun-domain", s) {
			continue
		}
		inner[i] = a.Var(g.Name("v"), s)
		vars, given = append(vars, inner[i]), append(given, t)
	}
	if len(vars) == 0 || g.Excludes("fun-codomain", a.Sort(p.term)) {
		return p
	}
	body, err := a.App(op, slices.Clone(a.Indices(p.term)), inner...)
	if err != nil {
		return p
	}
	if f, ok := g.DefineFunction("g", vars, body); ok {
		if t, err := a.Apply(f, given...); err == nil {
			p.term = t
		}
	}
	return p
}

// claim returns a true formula about the value of a probe: an equality with the value, or a predicate that the two
// satisfy. known reports whether solvers print the value.
func (m asker) claim(p probe) (claim smt.Term, known bool) {
	a, r := m.g.A, m.g.R
	s := a.Sort(p.term)
	value := p.literal
	if value == 0 {
		return a.Eq(p.term, p.term), false
	}
	if s == smt.SortBool {
		switch v, _ := p.value.Bool(); {
		case r.Chance(0.2):
			return a.Eq(p.term, value), p.printed
		case !v:
			return a.Not(p.term), p.printed
		}
		return p.term, p.printed
	}
	if r.Chance(0.25) {
		if t := m.predicate(p, value); t != 0 {
			return t, p.printed
		}
	}
	if r.Bool() {
		return a.Eq(value, p.term), p.printed
	}
	return a.Eq(p.term, value), p.printed
}

// predicates compare values of a kind of sorts. If one holds in both directions, the values are equal, or the standard
// treats them as equal.
var predicates = map[smt.SortKind][]smt.Op{
	smt.KindInt: {smt.OpLe, smt.OpGe}, smt.KindReal: {smt.OpLe, smt.OpGe}, smt.KindBitVec: {smt.OpBVUle, smt.OpBVUge, smt.OpBVSle, smt.OpBVSge},
	smt.KindString: {smt.OpStrPrefixOf, smt.OpStrSuffixOf, smt.OpStrContains}, // the order costs z3 tenths of a second
	smt.KindFloat:  {smt.OpFPLeq, smt.OpFPGeq, smt.OpFPEq},
}

// predicate returns a formula that relates a probe to its value by a predicate; 0 if there is none.
func (m asker) predicate(p probe, value smt.Term) smt.Term {
	a, r := m.g.A, m.g.R
	var fit []smt.Op
	for _, op := range predicates[a.SortKind(a.Sort(p.term))] {
		if !m.lacks(op) {
			fit = append(fit, op)
		}
	}
	if len(fit) == 0 {
		return 0
	}
	op := fit[r.Intn(len(fit))]
	t := a.And(a.MustApp(op, p.term, value), a.MustApp(op, value, p.term))
	if a.SortKind(a.Sort(p.term)) == smt.KindFloat { // NaN is not
		nan, err := eval.New(a, nil).Eval(a.MustApp(op, value, value))
		if b, ok := nan.Bool(); err != nil || !ok || !b {
			if m.lacks(smt.OpFPIsNaN) {
				return 0
			}
			return a.MustApp(smt.OpFPIsNaN, p.term)
		}
	}
	return t
}

// logic returns the name of a logic that allows the case.
func (m asker) logic() string {
	on := map[string]bool{"Core": true}
	otherArrays := false
	var bySort func(s smt.Sort)
	bySort = func(s smt.Sort) {
		otherArrays = otherArrays || gen.IsOtherArray(m.g.A, s)
		if t := logic.TheoryOf[m.g.A.SortKind(s)]; t != "" {
			on[t] = true
		}
		for _, part := range m.g.A.SortArgs(s) {
			bySort(part)
		}
	}
	var roots []smt.Term
	for i := range m.out {
		roots = append(roots, m.out[i].Terms...)
		for _, f := range m.out[i].Symbols {
			info := m.g.A.SymbolInfo(f)
			bySort(info.Result)
			if info.Body != 0 {
				roots = append(roots, info.Body)
			} else if len(info.Params) > 0 {
				on["UF"] = true
			}
		}
	}
	m.g.A.PostOrder(roots, func(t smt.Term) {
		bySort(m.g.A.Sort(t))
		if op := m.g.A.Op(t); !op.Structural() {
			on[op.Info().Theory] = true
			on[gen.ConstantArrays] = on[gen.ConstantArrays] || op == smt.OpConstArray
		}
	})
	on["Reals_Ints"] = on["Reals"] && on["Ints"]
	name := m.g.Cfg.Rules.LogicName(on, m.g.Cfg.Linear)
	if otherArrays && m.g.Cfg.Rules.Lacks(rule.BitVectorArrays.Of(name)) {
		return "ALL"
	}
	return name
}
