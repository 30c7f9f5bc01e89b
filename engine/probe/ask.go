package probe

import (
	"slices"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/gen"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// ask adds the question about a probe: the pins of its constants, a claim that holds or one that is refuted, and a check.
// Claims that hold may stay, so that later probes are checked in their presence; refuted ones are taken back by pop.
func (m *maker) ask(p probe, last bool) {
	a, r := m.g.A, m.g.R
	claim := m.claim(p)
	holds := r.Bool()
	if !holds {
		claim = a.Not(claim)
		if a.Op(a.Arg(claim, 0)) == smt.OpEq && r.Bool() {
			claim = a.MustApp(smt.OpDistinct, a.CopyArgs(a.Arg(claim, 0))...)
		}
	}
	answer := smtlib.Sat
	if !holds {
		answer = smtlib.Unsat
	}
	assumed := !m.cfg.NoAssumptions && r.Chance(0.15)
	var assumption smt.Term
	if assumed { // the claim counts under an assumption only
		assumption = m.g.DeclareWith("q", smt.SortBool, eval.BoolValue(holds))
		claim = a.MustApp(smt.OpImplies, assumption, claim)
	}
	scoped := !m.cfg.NoPush && (!holds && !assumed && !(last && r.Bool()) || r.Chance(0.3))
	declarations := m.out
	m.out = nil
	if scoped {
		m.out = append(m.out, smtlib.Command{Kind: smtlib.CmdPush, N: 1})
	}
	for _, pin := range m.pins {
		m.out = append(m.out, smtlib.AssertCommand(pin))
	}
	m.pins = nil
	m.out = append(m.out, smtlib.AssertCommand(claim))
	if assumed {
		m.out = append(m.out, smtlib.CheckCommand([]smt.Term{assumption}))
	} else {
		m.out = append(m.out, smtlib.CheckCommand(nil))
	}
	if holds && r.Chance(0.15) && !m.g.Excludes("get-value", a.Sort(p.term)) && a.Sort(p.term) != smt.SortRegLan {
		m.out = append(m.out, smtlib.Command{Kind: smtlib.CmdGetValue, Terms: []smt.Term{p.term}})
	}
	if scoped {
		m.out = append(m.out, smtlib.Command{Kind: smtlib.CmdPop, N: 1})
	}
	m.expect = append(m.expect, answer)
	m.out = slices.Concat(declarations, m.out)
}

// claim returns a formula that holds and says what the value of a probe is: that it equals it, or lies between it and itself.
func (m *maker) claim(p probe) smt.Term {
	a, r := m.g.A, m.g.R
	s := a.Sort(p.term)
	if s == smt.SortBool {
		if v, _ := p.value.Bool(); !v {
			return a.Not(p.term)
		}
		return p.term
	}
	value, err := eval.ToTerm(a, p.value)
	if err != nil {
		return a.Eq(p.term, p.term)
	}
	if op := lessOrEqual(a.SortKind(s)); op != 0 && !m.lacks(op) && r.Chance(0.3) {
		return a.And(a.MustApp(op, p.term, value), a.MustApp(op, value, p.term))
	}
	if r.Bool() {
		return a.Eq(value, p.term)
	}
	return a.Eq(p.term, value)
}

// logic returns the name of the logic of what the case has.
func (m *maker) logic() string {
	on := map[string]bool{"Core": true}
	var bySort func(s smt.Sort)
	bySort = func(s smt.Sort) {
		if t := gen.TheoryOfKind(m.g.A.SortKind(s)); t != "" {
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
			if len(info.Params) > 0 && info.Body == 0 {
				on["UF"] = true
			}
		}
	}
	m.g.A.PostOrder(roots, func(t smt.Term) {
		bySort(m.g.A.Sort(t))
		if op := m.g.A.Op(t); !op.Structural() {
			on[op.Info().Theory] = true
		}
	})
	on["Reals_Ints"] = on["Reals"] && on["Ints"]
	return m.g.Cfg.Rules.LogicName(on, m.g.Cfg.Linear)
}
