package optimise

import (
	"context"
	"errors"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// Front is the search for the Pareto front: the models in which no objective can be better without another one being
// worse.
type Front struct {
	objectives []Objective
	found      [][]*big.Rat // scores of the terms of yardsticks
}

// NewFront begins a front.
func NewFront(objectives []Objective) *Front { return &Front{objectives: objectives} }

// Next finds another point of the front, and its model becomes that of the front end. The result is unsat once there
// are no more points; the next call then begins anew. It is unknown if points get better without end.
//
// Next starts from a model that no known point dominates. Lexicographic optimisation among the models that are at least
// as good in every objective then leads to a new point of the front.
func (f *Front) Next(ctx context.Context, s *frontend.FrontEnd, assumptions ...smt.Term) (*SearchResult, error) {
	if len(f.objectives) == 0 {
		return nil, errors.New("a front needs an objective")
	}
	var point []*big.Rat
	over := false
	out, err := begin(ctx, s, f.objectives, assumptions, func(x *search, c *candidate) (values []Value, best *candidate,
		err error) {
		marks := x.yardsticks(f.objectives)
		if c, err = x.beyond(c, marks, f.found); err != nil || c == nil {
			over = err == nil
			return nil, nil, err
		}
		if err := x.noWorse(c, marks); err != nil {
			return nil, c, err
		}
		terms := make([]Objective, len(marks))
		for i := range marks {
			terms[i] = marks[i].term
		}
		values, best, err = x.lexicographic(c, terms)
		for i := range values {
			v := &values[i]
			if err == nil && !(v.Exact() && v.High.Number != nil && v.High.Epsilon == 0) {
				err = &undecided{"the front has no point here: an objective has no bound, or one that is not reached"}
			}
			if err == nil {
				point = append(point, marks[i].term.score(v.High.Number))
			}
			v.Objective, v.Low, v.High = f.objectives[i], marks[i].bound(v.Low), marks[i].bound(v.High)
		}
		return values, best, err
	})
	switch {
	case err != nil:
		return out, err
	case over:
		f.found = nil
		out.Result = frontend.Result{Answer: smtlib.Unsat, By: out.Result.By}
		s.Conclude(out.Result, assumptions, nil)
	case out.Result.Answer == smtlib.Sat:
		f.found = append(f.found, point)
	}
	return out, nil
}

// beyond returns a model that is better than each known point in some objective, starting from a model of the problem;
// nil if there is none.
func (x *search) beyond(c *candidate, marks []yardstick, points [][]*big.Rat) (*candidate, error) {
	if len(points) == 0 {
		return c, nil
	}
	for _, point := range points {
		var better []smt.Term
		for i, m := range marks {
			better = append(better, x.compared(m.term.Term, m.term.sign(), point[i], true))
		}
		if err := x.tell(smtlib.AssertCommand(x.a.Or(better...))); err != nil {
			return nil, err
		}
	}
	return x.ask()
}

// noWorse asserts that no objective is worse than in a model.
func (x *search) noWorse(c *candidate, marks []yardstick) error {
	for _, m := range marks {
		r, err := x.number(c, m.term.Term)
		if err == nil {
			err = x.tell(smtlib.AssertCommand(x.compared(m.term.Term, m.term.sign(), m.term.score(r), false)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sign returns 1 for an objective to maximise, else -1.
func (o *Objective) sign() int {
	if o.Maximize {
		return 1
	}
	return -1
}

// score returns the score to maximise for a value of the objective: the value or its negation. It also converts a score
// to the value.
func (o *Objective) score(r *big.Rat) *big.Rat {
	return new(big.Rat).Mul(r, big.NewRat(int64(o.sign()), 1))
}

// yardstick is an objective as a term. Values of the objective are those of the term divided by scale, plus offset.
type yardstick struct {
	term          Objective
	scale, offset *big.Rat
}

// bound returns the bound of the objective for one of the term.
func (y *yardstick) bound(b Bound) Bound {
	if b.Number != nil {
		b.Number = new(big.Rat).Quo(b.Number, y.scale)
		b.Number.Add(b.Number, y.offset)
	}
	return b
}

// yardsticks returns the objectives as terms; soft formulas become the term of their cost.
func (x *search) yardsticks(objectives []Objective) []yardstick {
	out := make([]yardstick, len(objectives))
	for i, o := range objectives {
		out[i] = yardstick{o, big.NewRat(1, 1), new(big.Rat)}
		if len(o.Soft) > 0 {
			out[i] = x.costYardstick(&o)
		}
	}
	return out
}

// costYardstick returns the sum of the weights of formulas that do not hold as a term, scaled to whole numbers that
// are not negative.
func (x *search) costYardstick(o *Objective) yardstick {
	y := yardstick{scale: big.NewRat(1, 1), offset: new(big.Rat)}
	common := big.NewInt(1)
	for _, s := range o.Soft {
		common = leastMultiple(common, s.Weight.Denom())
	}
	y.scale.SetInt(common)
	total := new(big.Int)
	type price struct {
		formula smt.Term
		weight  *big.Int
	}
	var prices []price
	for _, s := range o.Soft {
		p := price{s.Formula, new(big.Rat).Mul(s.Weight, y.scale).Num()}
		if p.weight.Sign() < 0 { // it costs that, and as much more if the formula holds
			y.offset.Add(y.offset, s.Weight)
			p = price{x.a.Not(s.Formula), new(big.Int).Neg(p.weight)}
		}
		total.Add(total, p.weight)
		prices = append(prices, p)
	}
	number, plus := x.costSort(total)
	sum := number(new(big.Int))
	for _, p := range prices {
		sum = x.a.MustApp(plus, sum, x.a.MustApp(smt.OpIte, p.formula, number(new(big.Int)), number(p.weight)))
	}
	y.term = Objective{Term: sum}
	return y
}

// costSort returns how numbers up to a total are written and added: as numbers if the logic (or the problem, if no
// logic is set) has them, else as bit vectors.
func (x *search) costSort(total *big.Int) (number func(*big.Int) smt.Term, plus smt.Op) {
	has, ok := logic.Parse(x.s.Stack().Logic())
	if !ok {
		has = 0
		x.a.PostOrder(x.s.Stack().Assertions(), func(t smt.Term) { has |= logic.OfNode(x.a, t) })
	}
	switch {
	case has&logic.Ints != 0:
		return x.a.IntVal, smt.OpAdd
	case has&logic.Reals != 0:
		return func(n *big.Int) smt.Term { return x.a.RealVal(new(big.Rat).SetInt(n)) }, smt.OpAdd
	}
	width := max(total.BitLen(), 1)
	return func(n *big.Int) smt.Term { return x.a.BV(width, n) }, smt.OpBVAdd
}
