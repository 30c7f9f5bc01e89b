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
// box, each objective is alone. The values are reached together (box: each alone). Where it is pareto, no model has a
// better value of one objective and none that is worse.
func readObjectives(q *question) *Statement {
	if q.answer != smtlib.Sat {
		return nil
	}
	objectives, priority, ok := q.objectives()
	read, err := smtlib.ParseSExprs(q.reply)
	if !ok || err != nil || len(read) != 1 || read[0].Head() != "objectives" {
		return nil
	}
	told := read[0].List[1:]
	if len(told) != len(objectives) {
		return nil
	}
	var measures []measure
	var bounds []optimise.Bound
	for i := range objectives {
		pair := told[i].List
		if len(pair) == 0 {
			return nil
		}
		bound, readable := optimise.ParseBound(&pair[len(pair)-1]) // a soft objective without a name has an empty label
		x, ok := measureOf(q.script.Arena, &objectives[i])
		if !readable || !ok {
			break
		}
		measures, bounds = append(measures, x), append(bounds, bound)
	}
	if priority == "pareto" {
		if len(measures) < len(objectives) {
			return nil
		}
		return q.undominated(measures, bounds)
	}
	s := &Statement{}
	fixed := q.Asserted
	for i, bound := range bounds {
		x := measures[i]
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

// undominated returns the statement that objectives have some values together, and that no model has a better value of
// one of them and none that is worse: a point of the Pareto front. It is nil if a value is infinite or not reached.
func (q *question) undominated(measures []measure, bounds []optimise.Bound) *Statement {
	there, notWorse := q.Asserted[:len(q.Asserted):len(q.Asserted)], q.Asserted[:len(q.Asserted):len(q.Asserted)]
	var someBetter []smt.Term
	for i := range measures {
		x, n := &measures[i], bounds[i].Number
		better, atLeast := x.directions()
		if n == nil || bounds[i].Epsilon != 0 {
			return nil
		}
		equal, ok1 := x.compare(smt.OpEq, n)
		atLeastAsGood, ok2 := x.compare(atLeast, n)
		strictlyBetter, ok3 := x.compare(better, n)
		if !ok1 || !ok2 || !ok3 {
			return nil
		}
		there, notWorse = append(there, equal), append(notWorse, atLeastAsGood)
		someBetter = append(someBetter, strictlyBetter)
	}
	notWorse = append(notWorse, q.script.Arena.Or(someBetter...))
	return &Statement{Conditions: []Condition{
		q.unsatisfiable("a model has a better value of one objective than a point of the Pareto front, and none that is worse", notWorse...),
		q.condition("the objectives do not have the values of the point together", smtlib.Sat, there),
	}}
}

// directions returns the comparisons for better values, and for values that are at least as good.
func (x *measure) directions() (better, atLeast smt.Op) {
	if x.maximise {
		return smt.OpGt, smt.OpGe
	}
	return smt.OpLt, smt.OpLe
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
	better, atLeast := x.directions()
	with := func(op smt.Op, n *big.Rat) ([]smt.Term, bool) {
		t, ok := x.compare(op, n)
		return append(among[:len(among):len(among)], t), ok
	}
	switch {
	case b.Infinite != 0 && (b.Infinite > 0) != x.maximise: // worse than every value
		out = append(out, q.unsatisfiable("an objective has a better value than the infinity that is told", among...))
	case b.Infinite != 0:
		far := new(big.Rat).Set(farBound)
		if b.Infinite < 0 {
			far.Neg(far)
		}
		if beyond, ok := with(better, far); ok {
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
