package linear

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// form is a sum of unknowns with coefficients, none of which is zero, and a constant. Unknowns are the terms that are
// not linear combinations of others.
type form struct {
	coefficients map[smt.Term]*big.Rat
	constant     *big.Rat
}

func newForm() *form { return &form{coefficients: map[smt.Term]*big.Rat{}, constant: new(big.Rat)} }

// add adds a form times a factor.
func (f *form) add(g *form, factor *big.Rat) {
	f.constant.Add(f.constant, new(big.Rat).Mul(g.constant, factor))
	for t, c := range g.coefficients {
		sum := new(big.Rat).Mul(c, factor)
		if old := f.coefficients[t]; old != nil {
			sum.Add(sum, old)
		}
		if f.coefficients[t] = sum; sum.Sign() == 0 {
			delete(f.coefficients, t)
		}
	}
}

// maxCoefficients bounds the coefficients of all forms that are remembered, and so the work for one comparison.
const maxCoefficients = 10_000

// reader reads terms of sort Int and Real as forms.
type reader struct {
	a     *smt.Arena
	forms map[smt.Term]*form
	count int // coefficients of all forms
}

// formOf returns the form of a term, which must not be changed; nil if that is too much work.
func (r *reader) formOf(t smt.Term) *form {
	if f, ok := r.forms[t]; ok {
		return f
	}
	f := r.newFormOf(t)
	if f != nil {
		if r.count += 1 + len(f.coefficients); r.count > maxCoefficients {
			f = nil
		}
	}
	r.forms[t] = f
	return f
}

func (r *reader) newFormOf(t smt.Term) *form {
	f := newForm()
	op, args := r.a.Look(t)
	switch op {
	case smt.OpIntLit:
		if number, ok := r.a.IntOf(t); ok {
			f.constant.SetInt(number)
			return f
		}
	case smt.OpRealLit:
		if number, ok := r.a.RatOf(t); ok {
			f.constant.Set(number)
			return f
		}
	case smt.OpAnnot, smt.OpToReal:
		return r.formOf(args[0])
	case smt.OpAdd, smt.OpSub:
		for i, x := range args {
			factor := one
			if op == smt.OpSub && (i > 0 || len(args) == 1) {
				factor = minusOne
			}
			g := r.formOf(x)
			if g == nil {
				return nil
			}
			f.add(g, factor)
		}
		return f
	case smt.OpMul:
		return r.productOf(t, args)
	}
	f.coefficients[t] = one
	return f
}

var one, minusOne = big.NewRat(1, 1), big.NewRat(-1, 1)

// productOf returns the form of a product with at most one factor that is not constant; any other product is an
// unknown.
func (r *reader) productOf(t smt.Term, args []smt.Term) *form {
	f := newForm()
	factor := big.NewRat(1, 1)
	var changing *form
	for _, x := range args {
		g := r.formOf(x)
		switch {
		case g == nil:
			return nil
		case len(g.coefficients) == 0:
			factor.Mul(factor, g.constant)
		case changing != nil:
			f.coefficients[t] = one
			return f
		default:
			changing = g
		}
	}
	if changing == nil {
		f.constant.Set(factor)
		return f
	}
	f.add(changing, factor)
	return f
}
