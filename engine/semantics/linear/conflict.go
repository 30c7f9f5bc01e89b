package linear

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
)

const (
	// maxCells bounds the size of a linear program: unknowns times inequalities.
	maxCells = 4096
	// maxProducts bounds the work for it.
	maxProducts = 40_000
)

// atMost says that a sum of unknowns with coefficients is at most a bound, or less than it.
type atMost struct {
	sum    map[smt.Term]*big.Rat
	bound  *big.Rat
	strict bool
	source smt.Term
}

// isNever reports whether nothing satisfies the inequality.
func (x *atMost) isNever() bool {
	return len(x.sum) == 0 && (x.bound.Sign() < 0 || x.strict && x.bound.Sign() == 0)
}

// Refuter looks for linear comparisons that contradict each other. It caches terms that it has read, so it is valid for
// one state of an arena: after a Release, a new one is needed. It is not safe for concurrent use.
type Refuter struct {
	reader
	read map[smt.Term][]atMost // of comparisons; empty: there is nothing linear
}

// NewRefuter makes a refuter for the terms of an arena.
func NewRefuter(a *smt.Arena) *Refuter {
	r := &Refuter{reader: reader{a: a}}
	r.forget()
	return r
}

func (r *Refuter) forget() {
	r.forms, r.count, r.read = map[smt.Term]*form{}, 0, map[smt.Term][]atMost{}
}

// Conflict returns some of the formulas that cannot be true together whatever the values of the unknowns in them, nil
// where it finds none. It reads the comparisons of sort Int and Real among them, in which terms that are not linear are
// unknowns. Integers are taken for rationals, but for what rounding a bound, and the greatest common divisor of the
// coefficients of an equation, tell about one comparison alone.
//
// The algorithm is the first phase of the simplex method; the formulas are those that have a multiplier in the proof
// (Farkas' lemma).
func (r *Refuter) Conflict(formulas []smt.Term) []smt.Term {
	if r.count > maxCoefficients/2 {
		r.forget()
	}
	var system []atMost
	for _, t := range formulas {
		for _, x := range r.inequalitiesOf(t) {
			if x.isNever() {
				return []smt.Term{x.source}
			}
			if len(x.sum) > 0 {
				system = append(system, x)
			}
		}
	}
	column := map[smt.Term]int{}
	for i := range system {
		for t := range system[i].sum {
			column[t] = 0
		}
	}
	if len(column)*len(system) > maxCells {
		return nil
	}
	// In the order of the terms, so that the conflict is always the same.
	unknowns := make([]smt.Term, 0, len(column))
	for t := range column {
		unknowns = append(unknowns, t)
	}
	slices.Sort(unknowns)
	for j, t := range unknowns {
		column[t] = j
	}
	return solveFirstPhase(system, column)
}

// solveFirstPhase looks for values of the unknowns. It starts with all of them 0 and each bound raised by the same
// allowance, and minimises the allowance. If that stays positive, there are no such values.
func solveFirstPhase(system []atMost, column map[smt.Term]int) []smt.Term {
	allowance := new(big.Rat)
	for i := range system {
		if missing := new(big.Rat).Neg(system[i].bound); missing.Cmp(allowance) > 0 {
			allowance = missing
		}
	}
	allowance.Add(allowance, one) // so that bounds of strict inequalities are above 0 at the beginning
	saved := len(column)          // the variable that says how much of the allowance is not needed
	inequalities := make([]Inequality, 0, len(system)+1)
	for i := range system {
		x := Inequality{Coefficients: make([]*big.Rat, saved+1), Slack: new(big.Rat).Add(system[i].bound, allowance), Strict: system[i].strict}
		for t, c := range system[i].sum {
			x.Coefficients[column[t]] = c
		}
		x.Coefficients[saved] = one
		inequalities = append(inequalities, x)
	}
	enough := Inequality{Coefficients: make([]*big.Rat, saved+1), Slack: allowance}
	enough.Coefficients[saved] = one
	inequalities = append(inequalities, enough)
	goal := make([]*big.Rat, saved+1)
	for j := range goal {
		goal[j] = new(big.Rat)
	}
	goal[saved] = one
	d := Program(goal, inequalities, maxProducts)
	if ray, ok := d.Solve(); !ok || ray != nil || d.Reached().cmp(Nearly{allowance, new(big.Rat)}) >= 0 {
		return nil
	}
	var out []smt.Term
	for _, i := range d.Binding() {
		if i < len(system) {
			out = append(out, system[i].source)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// inequalitiesOf returns the linear inequalities that a formula states.
func (r *Refuter) inequalitiesOf(t smt.Term) []atMost {
	if x, ok := r.read[t]; ok {
		return x
	}
	if len(r.read) >= maxCoefficients {
		clear(r.read)
	}
	x := r.newInequalities(t, t, true)
	r.read[t] = x
	return x
}

// newInequalities reads a formula, or its negation, that a conjunct of the problem consists of.
func (r *Refuter) newInequalities(source, t smt.Term, holds bool) (out []atMost) {
	op, args := r.a.Look(t)
	switch op {
	case smt.OpAnnot:
		return r.newInequalities(source, args[0], holds)
	case smt.OpNot:
		return r.newInequalities(source, args[0], !holds)
	}
	if negation[op] == 0 { // no comparison
		return nil
	}
	if s := r.a.Sort(args[0]); s != smt.SortInt && s != smt.SortReal || !holds && len(args) != 2 {
		return nil // the negation of a chain is a disjunction
	}
	if !holds {
		op = negation[op]
	}
	for i := range len(args) - 1 {
		x, y := r.formOf(args[i]), r.formOf(args[i+1])
		if x == nil || y == nil {
			return nil
		}
		difference := newForm() // x - y
		difference.add(x, one)
		difference.add(y, minusOne)
		if op == smt.OpDistinct && len(difference.coefficients) == 0 && difference.constant.Sign() == 0 { // both are the same number
			return []atMost{{source: source, bound: minusOne}}
		}
		for _, side := range sides[op] {
			out = append(out, inequality(source, difference, side, r.a.Sort(args[i]) == smt.SortInt))
		}
	}
	return out
}

// side is a bound by a comparison on the difference of its arguments: times sign, it is at most 0, or less.
type side struct {
	sign    int64
	strict  bool
	isEqual bool // the other side says the same about the other sign
}

// negation is the comparison of two numbers that holds where another one does not.
var negation = map[smt.Op]smt.Op{
	smt.OpEq: smt.OpDistinct, smt.OpDistinct: smt.OpEq, smt.OpLe: smt.OpGt, smt.OpGt: smt.OpLe, smt.OpLt: smt.OpGe, smt.OpGe: smt.OpLt,
}

// sides has the bounds by comparisons; distinct is a disjunction.
var sides = map[smt.Op][]side{
	smt.OpEq: {{sign: 1, isEqual: true}, {sign: -1, isEqual: true}},
	smt.OpLe: {{sign: 1}}, smt.OpLt: {{sign: 1, strict: true}}, smt.OpGe: {{sign: -1}}, smt.OpGt: {{sign: -1, strict: true}},
}

// inequality makes the inequality of a side. For integers, the bound is rounded down to a value that the coefficients
// can reach; an equation whose two bounds come apart in this way contradicts itself.
func inequality(source smt.Term, difference *form, s side, isInt bool) atMost {
	f := newForm()
	f.add(difference, big.NewRat(s.sign, 1))
	x := atMost{sum: f.coefficients, bound: new(big.Rat).Neg(f.constant), strict: s.strict, source: source}
	if !isInt || len(x.sum) == 0 {
		return x
	}
	// Coefficients are whole: sums of sort Int come from literals by addition, subtraction and multiplication.
	divisor := new(big.Int)
	for _, c := range x.sum {
		divisor.GCD(nil, nil, divisor, new(big.Int).Abs(c.Num()))
	}
	if s.isEqual && new(big.Int).Mod(x.bound.Num(), divisor).Sign() != 0 {
		return atMost{source: source, bound: minusOne}
	}
	bound := new(big.Int).Set(x.bound.Num())
	if x.strict {
		bound.Sub(bound, big.NewInt(1))
		x.strict = false
	}
	bound.Div(bound, divisor) // Euclidean: rounded down, since the divisor is positive
	x.bound.SetInt(bound.Mul(bound, divisor))
	return x
}
