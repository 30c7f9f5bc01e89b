package claim

import (
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend/optimise"
)

// farBound stands for infinity: an objective without a bound has a value beyond it. The number has no meaning but to be
// larger than the constants of most cases.
var farBound = big.NewRat(1000003, 1)

// readObjectives reads the reply to z3's get-objectives after a sat. No model has a better value of the first
// objective; with its value fixed, no model has a better value of the second one, and so on; where :opt.priority is
// box, each objective is alone. The values are reached together (box: each alone). The values of pareto are not judged.
func readObjectives(q *question) *Statement {
	if q.answer != smtlib.Sat {
		return nil
	}
	objectives, priority, ok := q.objectives()
	read, err := smtlib.ParseSExprs(q.reply)
	if !ok || err != nil || len(read) != 1 || read[0].Head() != "objectives" || priority == "pareto" {
		return nil
	}
	told := read[0].List[1:]
	if len(told) != len(objectives) {
		return nil
	}
	s := &Statement{}
	fixed := q.Asserted
	for i := range objectives {
		pair := told[i].List
		if len(pair) == 0 {
			return nil
		}
		bound, ok := optimise.ParseBound(&pair[len(pair)-1]) // the label of a soft objective without a name is empty
		if !ok {
			return s
		}
		x, ok := measureOf(q.script.Arena, &objectives[i])
		if !ok {
			return s
		}
		s.Conditions = append(s.Conditions, q.optimal(x, bound, fixed)...)
		if priority == "box" {
			continue
		}
		if bound.Number == nil || bound.Epsilon != 0 {
			break // what z3 does with the objectives behind one that has no optimum is not documented
		}
		equal, ok := x.compare(smt.OpEq, bound.Number)
		if !ok {
			return s
		}
		fixed = append(fixed[:len(fixed):len(fixed)], equal)
	}
	return s
}

// objectives returns the objectives that are in force at the question, and how they are combined.
func (q *question) objectives() (list []optimise.Objective, priority string, ok bool) {
	var stack smt.Stack[*smtlib.Command]
	priority = "lex"
	for i := range q.script.Commands {
		c := &q.script.Commands[i]
		switch {
		case optimise.IsCommand(c):
			if len(c.Terms) == 0 {
				return nil, "", false
			}
			stack.Add(c)
		case c.Kind == smtlib.CmdSetOption && strings.TrimPrefix(c.Name, ":opt.") == "priority":
			priority = c.Text
		default:
			smtlib.FollowLevels(&stack, c)
		}
	}
	var commands []smtlib.Command
	for _, c := range stack.Items() {
		commands = append(commands, *c)
	}
	list, err := optimise.Gather(q.script.Arena, commands)
	return list, priority, err == nil && len(list) > 0
}

// measure is a term whose value is optimised.
type measure struct {
	a        *smt.Arena
	term     smt.Term
	maximise bool
}

// measureOf returns the term of an objective: for soft formulas, the sum of the weights of those that do not hold.
func measureOf(a *smt.Arena, o *optimise.Objective) (x measure, ok bool) {
	x = measure{a, o.Term, o.Maximize}
	if len(o.Soft) == 0 {
		return x, true
	}
	terms := []smt.Term{a.RealVal(new(big.Rat)), a.RealVal(new(big.Rat))}
	for _, f := range o.Soft {
		if f.Weight.Sign() < 0 {
			return x, false // how the offset of a negated formula is told is not documented
		}
		cost, err := a.App(smt.OpIte, nil, f.Formula, a.RealVal(new(big.Rat)), a.RealVal(f.Weight))
		if err != nil {
			return x, false
		}
		terms = append(terms, cost)
	}
	sum, err := a.App(smt.OpAdd, nil, terms...)
	x.term = sum
	return x, err == nil
}

// compare returns the comparison of the term with a number; false if the sort has no such number.
func (x *measure) compare(op smt.Op, n *big.Rat) (smt.Term, bool) {
	a, sort := x.a, x.a.Sort(x.term)
	var bound smt.Term
	switch a.SortKind(sort) {
	case smt.KindInt:
		if !n.IsInt() {
			return 0, false
		}
		bound = a.IntVal(n.Num())
	case smt.KindReal:
		bound = a.RealVal(n)
	case smt.KindBitVec:
		if !n.IsInt() || n.Sign() < 0 || n.Num().BitLen() > a.Width(sort) {
			return 0, false
		}
		bound = a.BV(a.Width(sort), n.Num())
		op = map[smt.Op]smt.Op{smt.OpLt: smt.OpBVUlt, smt.OpGt: smt.OpBVUgt, smt.OpLe: smt.OpBVUle, smt.OpGe: smt.OpBVUge, smt.OpEq: smt.OpEq}[op]
	default:
		return 0, false
	}
	t, err := a.App(op, nil, x.term, bound)
	return t, err == nil
}

// optimal returns the conditions under which a bound is the optimum among the models of some formulas.
func (q *question) optimal(x measure, b optimise.Bound, among []smt.Term) (out []Condition) {
	better, atLeast := smt.OpLt, smt.OpLe
	if x.maximise {
		better, atLeast = smt.OpGt, smt.OpGe
	}
	with := func(op smt.Op, n *big.Rat) ([]smt.Term, bool) {
		t, ok := x.compare(op, n)
		return append(among[:len(among):len(among)], t), ok
	}
	switch {
	case b.Infinite != 0:
		far := new(big.Rat).Set(farBound)
		if b.Infinite < 0 {
			far.Neg(far)
		}
		if beyond, ok := with(better, far); ok && (b.Infinite > 0) == x.maximise {
			out = append(out, q.condition("an objective that is called unbounded has a bound", smtlib.Sat, beyond))
		}
	case b.Epsilon != 0:
		if reached, ok := with(atLeast, b.Number); ok && (b.Epsilon < 0) == x.maximise {
			out = append(out, q.unsatisfiable("an objective reaches a value that is called its unreached bound", reached...))
		}
	default:
		if beyond, ok := with(better, b.Number); ok {
			out = append(out, q.unsatisfiable("an objective has a better value than the optimum that is told", beyond...))
		}
		if there, ok := with(smt.OpEq, b.Number); ok {
			out = append(out, q.condition("an objective does not reach the optimum that is told", smtlib.Sat, there))
		}
	}
	return out
}
