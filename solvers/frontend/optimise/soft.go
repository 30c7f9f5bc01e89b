package optimise

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// softSearch looks for the least cost of soft formulas by cores. If a set of formulas cannot hold together, the cost
// grows by the least weight among them, and the formulas are replaced by others that say how many more of them are
// violated (PMRES of Narodytska and Bacchus, "Maximum satisfiability using core-guided MaxSAT resolution", AAAI 2014),
// heavy ones first. It adds only Boolean structure, so any solver can be used.
type softSearch struct {
	*search
	objective *Objective
	best      *candidate
	cost      *big.Rat // of the best candidate
	floor     *big.Rat // no model costs less
	wanted    []wanted
}

// wanted is a formula with its least cost if it does not hold. choice is a constant that implies it: an assumption.
type wanted struct {
	formula, choice smt.Term
	weight          *big.Rat
}

// newSoftSearch begins with a candidate.
func newSoftSearch(x *search, c *candidate, o *Objective) (*softSearch, error) {
	y := &softSearch{search: x, objective: o, floor: new(big.Rat)}
	for _, soft := range o.Soft {
		f, w := soft.Formula, soft.Weight
		if w.Sign() < 0 { // cost w if violated equals a fixed cost w plus -w if it holds
			y.floor.Add(y.floor, w)
			f, w = x.a.Not(f), new(big.Rat).Neg(w)
		}
		if err := y.want(f, w); err != nil {
			return nil, err
		}
	}
	return y, y.take(c)
}

// want adds a formula, or adds weight to it if it is already wanted.
func (y *softSearch) want(f smt.Term, weight *big.Rat) error {
	if weight.Sign() == 0 || y.a.Op(f) == smt.OpTrue {
		return nil
	}
	at := slices.IndexFunc(y.wanted, func(w wanted) bool { return w.formula == f })
	if at >= 0 {
		y.wanted[at].weight = new(big.Rat).Add(y.wanted[at].weight, weight)
		return nil
	}
	y.soft++
	symbol := y.a.Declare(y.s.Stack().FreshName(fmt.Sprintf("soft!%d", y.soft)), nil, smt.SortBool)
	choice := y.a.Const(symbol)
	y.wanted = append(y.wanted, wanted{f, choice, new(big.Rat).Set(weight)})
	return y.tell(smtlib.DeclareCommand(y.a, symbol), smtlib.AssertCommand(y.a.Or(y.a.Not(choice), f)))
}

// costOf returns the cost of the soft formulas in a candidate.
func (o *Objective) costOf(a *smt.Arena, c *candidate) (*big.Rat, error) {
	cost := new(big.Rat)
	for _, soft := range o.Soft {
		holds, ok := c.ev.Value(soft.Formula).Bool()
		if !ok {
			return nil, &undecided{"a model does not tell whether this soft formula holds: " + a.Brief(soft.Formula)}
		}
		if !holds {
			cost.Add(cost, soft.Weight)
		}
	}
	return cost, nil
}

// take makes a candidate the best one if it costs less than the present one.
func (y *softSearch) take(c *candidate) error {
	cost, err := y.objective.costOf(y.a, c)
	if err == nil && (y.best == nil || cost.Cmp(y.cost) < 0) {
		y.best, y.cost = c, cost
	}
	return err
}

// run finds the least cost. Afterwards, the remaining wanted formulas are satisfied by exactly the models with that
// cost.
func (y *softSearch) run() error {
	least := y.heaviest(nil) // formulas of less weight are not yet assumed
	for y.cost.Cmp(y.floor) > 0 {
		var asked []smt.Term
		for _, w := range y.wanted {
			if w.weight.Cmp(least) >= 0 {
				asked = append(asked, w.choice)
			}
		}
		r, err := y.check(asked)
		if err != nil {
			return err
		}
		if r.Answer == smtlib.Unsat {
			if err := y.relax(asked); err != nil {
				return err
			}
			continue
		}
		c, err := y.takeAnswer(r)
		if err == nil {
			err = y.take(c)
		}
		if err != nil {
			return err
		}
		next := y.heaviest(least)
		if next == nil && y.cost.Cmp(y.floor) > 0 {
			return &undecided{"the solvers contradict themselves: a model costs more than what they say has to give way"}
		}
		least = next
	}
	return nil
}

// heaviest returns the greatest weight below another one; nil if there is none.
func (y *softSearch) heaviest(below *big.Rat) (out *big.Rat) {
	for _, w := range y.wanted {
		if (below == nil || w.weight.Cmp(below) < 0) && (out == nil || w.weight.Cmp(out) > 0) {
			out = w.weight
		}
	}
	return out
}

// relax accounts for a set of assumptions of the latest question that cannot all hold.
func (y *softSearch) relax(asked []smt.Term) error {
	core, err := y.smallCore(asked)
	if err != nil {
		return err
	}
	if len(core) == 0 {
		return &undecided{"the solvers contradict themselves: they say unsat of what has a model"}
	}
	var members []int
	var weight *big.Rat
	for i, w := range y.wanted {
		if slices.Contains(core, w.choice) {
			members = append(members, i)
			if weight == nil || w.weight.Cmp(weight) < 0 {
				weight = w.weight
			}
		}
	}
	weight = new(big.Rat).Set(weight)
	y.floor.Add(y.floor, weight)
	formulas := make([]smt.Term, len(members))
	for i, at := range members {
		w := &y.wanted[at]
		formulas[i], w.weight = w.formula, new(big.Rat).Sub(w.weight, weight)
	}
	y.wanted = slices.DeleteFunc(y.wanted, func(w wanted) bool { return w.weight.Sign() == 0 })
	// At least one formula must be violated. Each of the new formulas holds unless a formula and a later one are both
	// violated.
	behind := formulas[len(formulas)-1]
	for i := len(formulas) - 2; i >= 0; i-- {
		if err := y.want(y.a.Or(formulas[i], behind), weight); err != nil {
			return err
		}
		behind = y.a.And(formulas[i], behind)
	}
	return nil
}

// smallCore returns unsatisfiable assumptions: those that the solver reports as needed. It asks about them alone again
// as long as they become fewer, because the core that a solver reports is not always one.
func (y *softSearch) smallCore(asked []smt.Term) ([]smt.Term, error) {
	core := asked
	for len(core) > 1 {
		told, err := y.s.UnsatAssumptions(y.ctx)
		if err != nil {
			return core, y.ctx.Err() // the solver reports no core, so all assumptions are the core
		}
		less := slices.DeleteFunc(slices.Clone(core), func(t smt.Term) bool { return !slices.Contains(told, t) })
		if len(less) == len(core) {
			break
		}
		r, err := y.check(less)
		if err != nil {
			return nil, err
		}
		if r.Answer != smtlib.Unsat {
			break
		}
		core = less
	}
	return core, nil
}
