package frontend

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Core returns a minimal unsatisfiable subset of the formulas; nil if they are satisfiable together. The session has
// their declarations. It may have other assertions, which are no part of the core, and it keeps the assertions made
// here until it is closed. Formulas are left out one by one (deletion, as in Marques-Silva, "Minimal unsatisfiability:
// models, algorithms and applications", ISMVL 2010). After each answer, it also leaves out the formulas that the solver
// did not need, if the solver says which. minimal is false if the solver could not decide whether some formulas can be
// left out.
func Core(ctx context.Context, s solvers.Caller, formulas []smt.Term) (core []smt.Term, minimal bool, err error) {
	a := s.Arena()
	x := coreSearch{ctx: ctx, session: s, formulaOf: map[smt.Term]smt.Term{}}
	var left []smt.Term
	for i, t := range formulas {
		f := a.Declare(fmt.Sprintf("in_core!%d", i), nil, smt.SortBool)
		chosen := a.Const(f)
		err := solvers.Tell(ctx, s, smtlib.DeclareCommand(a, f), smtlib.AssertCommand(a.Or(a.Not(chosen), t)))
		if err != nil {
			return nil, false, err
		}
		x.formulaOf[chosen] = t
		left = append(left, chosen)
	}
	answer, left, err := x.without(left, 0)
	switch {
	case err != nil || answer == smtlib.Sat:
		return nil, true, err
	case answer != smtlib.Unsat:
		return nil, false, fmt.Errorf("the solver does not decide whether the formulas have a model")
	}
	minimal = true
	needed := map[smt.Term]bool{}
	for {
		i := slices.IndexFunc(left, func(t smt.Term) bool { return !needed[t] })
		if i < 0 {
			break
		}
		candidate := left[i]
		answer, less, err := x.without(left, candidate)
		if err != nil {
			return nil, false, err
		}
		if answer == smtlib.Unsat {
			left = less
			continue
		}
		needed[candidate], minimal = true, minimal && answer == smtlib.Sat
	}
	// The formulas that the solver reported as needed must be unsatisfiable by themselves.
	if answer, err := solvers.Check(ctx, s, left...); err != nil || answer != smtlib.Unsat {
		return nil, false, errors.Join(err, fmt.Errorf("the solver answers %v where it answered unsat with fewer formulas or the same", answer))
	}
	for _, t := range left {
		core = append(core, x.formulaOf[t])
	}
	return core, minimal, nil
}

type coreSearch struct {
	ctx       context.Context
	session   solvers.Caller
	formulaOf map[smt.Term]smt.Term // by the assumption that chooses it
}

// without asks with all assumptions but one. If the answer is unsat, it returns the assumptions that were needed, as
// far as the solver reports them.
func (x *coreSearch) without(left []smt.Term, candidate smt.Term) (smtlib.Answer, []smt.Term, error) {
	var asked []smt.Term
	for _, t := range left {
		if t != candidate {
			asked = append(asked, t)
		}
	}
	answer, err := solvers.Check(x.ctx, x.session, asked...)
	if err != nil || answer != smtlib.Unsat || len(asked) == 0 {
		return answer, asked, err
	}
	told, err := solvers.Say(x.ctx, x.session, smtlib.Command{Kind: smtlib.CmdGetUnsatAssumptions})
	if err != nil { // the solver may not report any, and the search works without them
		if solvers.DeadAfter(err) {
			return answer, nil, err
		}
		return answer, asked, nil
	}
	var kept []smt.Term
	for _, t := range asked {
		if slices.Contains(told.Terms, t) {
			kept = append(kept, t)
		}
	}
	return answer, kept, nil
}
