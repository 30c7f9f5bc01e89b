package optimise

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// SearchResult is the result of a search.
type SearchResult struct {
	// Result is sat if the optima are known, or known not to exist; unknown, with the reason, if they are not known;
	// unsat if the problem is unsatisfiable. With sat, and with unknown if there is a model, the model of the front end
	// is the best one found. If each objective is optimised by itself, it is the best one for the first objective.
	Result frontend.Result
	// Values has the known bounds of each objective, if the problem is satisfiable.
	Values []Value
}

// Lexicographic finds the optimum of the first objective, then that of the second one among the models that have it,
// and so on. If an objective has no optimum, because it is unbounded or its bound is not reached, the later objectives
// have none either: only their value in a model is known.
func Lexicographic(ctx context.Context, s *frontend.FrontEnd, objectives []Objective,
	assumptions ...smt.Term) (*SearchResult, error) {
	return begin(ctx, s, objectives, assumptions, func(x *search, c *candidate) ([]Value, *candidate, error) {
		return x.lexicographic(c, objectives)
	})
}

// Box finds the optimum of each objective by itself.
func Box(ctx context.Context, s *frontend.FrontEnd, objectives []Objective, assumptions ...smt.Term) (*SearchResult, error) {
	return begin(ctx, s, objectives, assumptions, func(x *search, c *candidate) (values []Value, best *candidate,
		err error) {
		var reasons error
		for i := range objectives {
			err := x.level(func() error {
				v, b, err := x.optimum(c, &objectives[i])
				values = append(values, v)
				if i == 0 {
					best = b
				}
				return err
			})
			var u *undecided
			if err != nil && !errors.As(err, &u) {
				return nil, nil, err
			}
			if reasons == nil {
				reasons = err
			}
		}
		return values, best, reasons
	})
}

// begin asks whether there is a model at all, starts a search from it, and makes the result the latest answer of the
// front end.
func begin(ctx context.Context, s *frontend.FrontEnd, objectives []Objective, assumptions []smt.Term,
	run func(x *search, c *candidate) ([]Value, *candidate, error)) (*SearchResult, error) {
	x := newSearch(ctx, s, assumptions)
	for _, o := range objectives {
		if len(o.Soft) > 0 {
			x.askForCores()
			break
		}
	}
	r, err := x.check(assumptions)
	if err != nil || r.Answer != smtlib.Sat {
		return &SearchResult{Result: r}, err
	}
	c, err := x.takeAnswer(r)
	var values []Value
	if err == nil {
		r.ConfirmedBy = "the model, by evaluation"
		err = x.level(func() error {
			for _, t := range assumptions {
				if err := x.tell(smtlib.AssertCommand(t)); err != nil {
					return err
				}
			}
			var err error
			values, c, err = run(x, c)
			return err
		})
	}
	var u *undecided
	if errors.As(err, &u) {
		r.Answer, r.Reason, r.ConfirmedBy, err = smtlib.Unknown, u.reason, "", nil
	}
	if err != nil {
		return &SearchResult{Result: frontend.Result{Answer: smtlib.Unknown, Reason: err.Error()}}, err
	}
	if c == nil {
		s.Conclude(r, assumptions, nil)
	} else {
		s.Conclude(r, assumptions, c.model)
	}
	return &SearchResult{Result: r, Values: values}, nil
}

// askForCores makes the solvers produce unsat assumptions.
func (x *search) askForCores() {
	for _, c := range x.s.Stack().Settings() {
		if c.Name == ":produce-unsat-assumptions" && c.Text == "true" {
			return
		}
	}
	// The error can be ignored: only commands about levels fail, not settings.
	_ = x.tell(smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":produce-unsat-assumptions", Text: "true"})
}

// lexicographic optimises one objective after the other, and asserts each optimum for the later ones.
func (x *search) lexicographic(c *candidate, objectives []Objective) (values []Value, best *candidate, err error) {
	best = c
	open := false // an earlier objective has no optimum
	for i := range objectives {
		o := &objectives[i]
		if open {
			v, err := x.presentValue(best, o)
			if err != nil {
				return values, best, err
			}
			values = append(values, v)
			continue
		}
		v, b, err := x.optimum(best, o)
		values = append(values, v)
		if b != nil {
			best = b
		}
		if err != nil {
			return x.withRest(values, best, objectives), best, err
		}
		if open = v.High.Infinite != 0 || v.High.Epsilon != 0; !open && len(o.Soft) == 0 {
			same := x.a.Eq(o.Term, x.constant(v.High.Number, o.Term))
			if err := x.tell(smtlib.AssertCommand(same)); err != nil {
				return values, best, err
			}
		}
	}
	return values, best, nil
}

// withRest adds the values of the objectives that were not reached, in the best candidate.
func (x *search) withRest(values []Value, best *candidate, objectives []Objective) []Value {
	for i := len(values); i < len(objectives); i++ {
		v, err := x.presentValue(best, &objectives[i])
		if err != nil {
			v = NothingKnown(objectives[i : i+1])[0]
		}
		values = append(values, v)
	}
	return values
}

// presentValue returns the bound of a candidate on an objective: its optimum is not worse.
func (x *search) presentValue(c *candidate, o *Objective) (Value, error) {
	v := NothingKnown([]Objective{*o})[0]
	var r *big.Rat
	var err error
	if len(o.Soft) > 0 {
		r, err = o.costOf(x.a, c)
	} else {
		r, err = x.number(c, o.Term)
	}
	if err != nil {
		return v, err
	}
	if o.Maximize {
		v.Low = numberBound(r)
	} else {
		v.High = numberBound(r)
	}
	return v, nil
}

// optimum finds the optimum of an objective, from a candidate on. In the present level, it asserts for soft formulas
// only what their least cost requires. It returns an undecided error if the bounds of the value differ.
func (x *search) optimum(c *candidate, o *Objective) (Value, *candidate, error) {
	v := NothingKnown([]Objective{*o})[0]
	if len(o.Soft) > 0 {
		y, err := newSoftSearch(x, c, o)
		if err == nil {
			err = y.run()
		}
		if y == nil || y.best == nil {
			return v, c, err
		}
		v.Low, v.High = numberBound(y.floor), numberBound(y.cost)
		for i := 0; err == nil && i < len(y.wanted); i++ {
			err = x.tell(smtlib.AssertCommand(y.wanted[i].formula))
		}
		return v, y.best, err
	}
	n, e, err := newClimb(x, c, o.Term, o.Maximize)
	if err != nil {
		return v, c, err
	}
	if v.Low, v.High = e.low, e.high; !o.Maximize {
		v.Low, v.High = e.high.negated(), e.low.negated()
	}
	if e.reason != "" {
		err = &undecided{fmt.Sprintf("the optimum of %s is not known: %s", x.a.Brief(o.Term), e.reason)}
	}
	return v, n.best, err
}
