package mutate

import (
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
)

// implication says that an application of one operator implies that of another one to the same arguments.
type implication struct {
	strong, weak smt.Op
	arity        int      // 0: any
	sort         smt.Sort // of the arguments; 0: any that both take
	swap         bool     // the arguments are swapped
}

// implications hold for every value of the arguments: chains are transitive, a strict order excludes equality, and fp.eq
// excludes NaN. They were checked by the evaluator and by solvers, see TestImplications.
var implications = []implication{
	{strong: smt.OpAnd, weak: smt.OpOr}, {strong: smt.OpAnd, weak: smt.OpEq}, {strong: smt.OpAnd, weak: smt.OpImplies},
	{strong: smt.OpXor, weak: smt.OpOr}, {strong: smt.OpEq, weak: smt.OpImplies, arity: 2, sort: smt.SortBool},
	{strong: smt.OpXor, weak: smt.OpDistinct, arity: 2}, {strong: smt.OpDistinct, weak: smt.OpOr, arity: 2, sort: smt.SortBool},
	{strong: smt.OpLt, weak: smt.OpLe}, {strong: smt.OpLt, weak: smt.OpDistinct}, {strong: smt.OpGt, weak: smt.OpGe}, {strong: smt.OpGt, weak: smt.OpDistinct},
	{strong: smt.OpEq, weak: smt.OpLe}, {strong: smt.OpEq, weak: smt.OpGe},
	{strong: smt.OpBVUlt, weak: smt.OpBVUle}, {strong: smt.OpBVUgt, weak: smt.OpBVUge}, {strong: smt.OpBVSlt, weak: smt.OpBVSle}, {strong: smt.OpBVSgt, weak: smt.OpBVSge},
	{strong: smt.OpBVUlt, weak: smt.OpDistinct}, {strong: smt.OpBVUgt, weak: smt.OpDistinct}, {strong: smt.OpBVSlt, weak: smt.OpDistinct}, {strong: smt.OpBVSgt, weak: smt.OpDistinct},
	{strong: smt.OpEq, weak: smt.OpBVUle, arity: 2}, {strong: smt.OpEq, weak: smt.OpBVUge, arity: 2}, {strong: smt.OpEq, weak: smt.OpBVSle, arity: 2}, {strong: smt.OpEq, weak: smt.OpBVSge, arity: 2},
	{strong: smt.OpFPLt, weak: smt.OpFPLeq}, {strong: smt.OpFPGt, weak: smt.OpFPGeq}, {strong: smt.OpFPEq, weak: smt.OpFPLeq}, {strong: smt.OpFPEq, weak: smt.OpFPGeq},
	{strong: smt.OpFPLt, weak: smt.OpDistinct}, {strong: smt.OpFPGt, weak: smt.OpDistinct},
	{strong: smt.OpStrLt, weak: smt.OpStrLe}, {strong: smt.OpStrLt, weak: smt.OpDistinct}, {strong: smt.OpEq, weak: smt.OpStrLe},
	{strong: smt.OpEq, weak: smt.OpStrPrefixOf, arity: 2}, {strong: smt.OpEq, weak: smt.OpStrSuffixOf, arity: 2}, {strong: smt.OpEq, weak: smt.OpStrContains, arity: 2},
	{strong: smt.OpStrPrefixOf, weak: smt.OpStrContains, swap: true}, {strong: smt.OpStrSuffixOf, weak: smt.OpStrContains, swap: true},
	{strong: smt.OpStrPrefixOf, weak: smt.OpStrLe},
	{strong: smt.OpForall, weak: smt.OpExists},
}

// Shift changes up to times formulas, each at one occurrence, into ones that they imply or that imply them, so that every
// assertion becomes weaker (or, with weaken false, stronger): what satisfied the script still does, and what was
// unsatisfiable still is (Bringolf, Winterer and Su, "Finding and Understanding Incompleteness Bugs in SMT Solvers", ASE
// 2022, call such a formula a relaxed one). It returns nil where nothing can change.
func (x *Subject) Shift(r *rng.Source, weaken bool, times int, stay bool) (*Mutant, error) {
	sites := x.formulaNodes()
	if len(sites) == 0 {
		return nil, nil
	}
	e := x.beginEdit(stay)
	g := &generator{e: e, r: r, s: x.supplyFor(copies)}
	for range times {
		for range maxTries {
			e.goTo(r, sites[r.Intn(len(sites))])
			p := e.polarity()
			if p == 0 {
				continue
			}
			done, err := e.tryEdit(func() (bool, error) { return e.shiftFormula(g, weaken == (p > 0)) })
			if err != nil {
				return nil, err
			}
			if done {
				break
			}
		}
	}
	return e.toMutant()
}

// formulaNodes lists the nodes that are formulas, computed once.
func (x *Subject) formulaNodes() []int32 {
	if x.shifts != nil {
		return x.shifts
	}
	x.shifts = []int32{}
	for i, t := range x.nodes {
		if x.a.Sort(t) == smt.SortBool && x.a.Op(t) != smt.OpCase && x.a.Op(t) != smt.OpAnnot {
			x.shifts = append(x.shifts, int32(i))
		}
	}
	return x.shifts
}

// copies are signatures that generate nothing.
var copies = &Signatures{copy: true}

// polarity tells how the assertion depends on the formula at the spot: 1 if it grows with it, -1 if it shrinks, 0 if
// neither.
func (e *edit) polarity() int {
	if e.x.roots[e.root].sym != 0 { // it depends on how the function is used
		return 0
	}
	return polarityBelow(e.x.a, e.frames, e.at)
}

// shiftFormula replaces the formula at the spot by a weaker or a stronger one.
func (e *edit) shiftFormula(g *generator, weaken bool) (bool, error) {
	a := e.x.a
	op, n := a.Op(e.at), a.NumArgs(e.at)
	var made []smt.Term
	for _, im := range implications {
		if t, err := e.applyImplication(im, weaken); err != nil {
			return false, err
		} else if t != 0 {
			made = append(made, t)
		}
	}
	args := a.CopyArgs(e.at)
	switch {
	case n > 1 && (op == smt.OpAnd && weaken || op == smt.OpOr && !weaken):
		made = append(made, joinFormulas(a, op, withoutIndex(args, g.r.Intn(n))))
	case n == 2 && op == smt.OpImplies && !weaken:
		made = append(made, args[1], a.Not(args[0]))
	case op == smt.OpIte && weaken:
		// One of the branches is the ite: it implies their disjunction, and follows from their conjunction.
		made = append(made, a.Or(args[1:]...))
	case op == smt.OpIte:
		made = append(made, a.And(args[1:]...))
	case n > 2 && weaken && impliesFewerArguments(op):
		t, err := a.App(op, nil, withoutIndex(args, g.r.Intn(n))...)
		if err != nil {
			return false, err
		}
		made = append(made, t)
	}
	// At this place the variables of the binders above can be used.
	g.scope = e.boundVariables()
	if more := g.copyOf(smt.SortBool); more != 0 && more != e.at {
		if weaken {
			made = append(made, a.Or(e.at, more), a.MustApp(smt.OpImplies, more, e.at))
		} else {
			made = append(made, a.And(e.at, more))
		}
	}
	if len(made) == 0 {
		return false, nil
	}
	t := made[g.r.Intn(len(made))]
	if t == e.at {
		return false, nil
	}
	word := "strengthen: "
	if weaken {
		word = "weaken: "
	}
	e.did = append(e.did, word+headOf(a, e.at)+" -> "+headOf(a, t))
	return true, e.replaceTerm(t)
}

// applyImplication applies one implication to the formula at the spot; 0 if it has nothing to say about it.
func (e *edit) applyImplication(im implication, weaken bool) (smt.Term, error) {
	a := e.x.a
	from, to := im.strong, im.weak
	if !weaken {
		from, to = to, from
	}
	if a.Op(e.at) != from {
		return 0, nil
	}
	args := a.CopyArgs(e.at)
	if from == smt.OpForall || from == smt.OpExists {
		return a.Quant(to, args[:len(args)-1], args[len(args)-1])
	}
	if im.arity != 0 && len(args) != im.arity || im.sort != 0 && a.Sort(args[0]) != im.sort {
		return 0, nil
	}
	if im.swap {
		args[0], args[1] = args[1], args[0]
	}
	if a.Fits(to, nil, args...) != smt.SortBool {
		return 0, nil
	}
	return a.App(to, nil, args...)
}

// impliesFewerArguments reports whether an application of the operator implies that to fewer of its arguments.
func impliesFewerArguments(op smt.Op) bool {
	if as := op.Info().Assoc; as != smt.AssocChain && as != smt.AssocPairwise {
		return false
	}
	return !op.Structural()
}

func withoutIndex(ts []smt.Term, i int) []smt.Term {
	return append(append([]smt.Term(nil), ts[:i]...), ts[i+1:]...)
}

// joinFormulas applies and or or to any number of terms.
func joinFormulas(a *smt.Arena, op smt.Op, ts []smt.Term) smt.Term {
	if op == smt.OpAnd {
		return a.And(ts...)
	}
	return a.Or(ts...)
}
