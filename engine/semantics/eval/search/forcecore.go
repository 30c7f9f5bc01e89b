package search

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// downCore goes through connectives, equality and ite.
func (s inversion) downCore(t smt.Term, op smt.Op, v value.Value) step {
	a := s.a
	want := func(b bool) func(int, smt.Term) bool {
		return func(_ int, x smt.Term) bool { y := s.value(x); return y.Kind() != value.KindBool || y.IsTrue() != b }
	}
	to := func(i int, ok bool, b bool) step {
		if !ok {
			return step{}
		}
		return step{t: a.Arg(t, i), v: value.Bool(b)}
	}
	switch op {
	case smt.OpNot:
		return step{t: a.Arg(t, 0), v: value.Bool(!v.IsTrue())}
	case smt.OpAnd, smt.OpOr:
		// A conjunction that must be true needs all its arguments true; a disjunction that must be false needs all of
		// them false.
		b := v.IsTrue()
		i, ok := s.pick(t, want(b))
		return to(i, ok, b)
	case smt.OpImplies:
		last := a.NumArgs(t) - 1
		// One premise that fails, or the conclusion, is enough.
		if v.IsTrue() {
			i, ok := s.pick(t, nil)
			return to(i, ok, i == last)
		}
		i, ok := s.pick(t, func(i int, x smt.Term) bool { return want(i != last)(i, x) })
		return to(i, ok, i != last)
	case smt.OpXor:
		i, ok := s.pick(t, nil)
		if !ok {
			return step{}
		}
		// The result is wrong, and flipping any one argument flips it.
		return step{t: a.Arg(t, i), v: value.Bool(!s.value(a.Arg(t, i)).IsTrue())}
	case smt.OpEq, smt.OpDistinct:
		return s.downEqual(t, v.IsTrue() == (op == smt.OpEq))
	case smt.OpIte:
		return s.downIte(t, v)
	case smt.OpIs:
		return s.downIs(t, v.IsTrue())
	}
	return step{}
}

// downEqual makes two arguments equal, or different.
func (s inversion) downEqual(t smt.Term, same bool) step {
	a := s.a
	i, ok := s.pick(t, nil)
	if !ok {
		return step{}
	}
	x := a.Arg(t, i)
	if same {
		j := s.r.Intn(a.NumArgs(t) - 1)
		if j >= i {
			j++
		}
		other := s.value(a.Arg(t, j))
		if !other.IsValue() || other.Kind() == value.KindRegex {
			return step{}
		}
		return step{t: x, v: other}
	}
	sort := a.Sort(x)
	for range 8 {
		v := s.Value(sort)
		if s.r.Bool() {
			if have := s.value(x); have.IsValue() {
				v = s.near(have)
			}
		}
		fresh := v.IsValue()
		for j, y := range a.Args(t) {
			fresh = fresh && (j == i || value.Equal(v, s.value(y)) == value.False)
		}
		if fresh {
			return step{t: x, v: v}
		}
	}
	return step{}
}

func (s inversion) downIte(t smt.Term, v value.Value) step {
	a := s.a
	c := s.value(a.Arg(t, 0))
	if c.Kind() != value.KindBool {
		return step{t: a.Arg(t, 0), v: value.Bool(s.r.Bool())}
	}
	active, other := a.Arg(t, 2-int(c.Bits())), a.Arg(t, 1+int(c.Bits()))
	flip := value.Equal(s.value(other), v) == value.True
	if s.movable[a.Arg(t, 0)] && (flip || !s.movable[active] || s.r.Intn(5) == 0) {
		return step{t: a.Arg(t, 0), v: value.Bool(c.Bits() == 0)}
	}
	return step{t: active, v: v}
}

func (s inversion) downIs(t smt.Term, yes bool) step {
	x := s.a.Arg(t, 0)
	sort := s.a.Sort(x)
	dt, _ := s.a.DatatypeOf(sort)
	if dt == nil {
		return step{}
	}
	ctor := s.a.SymbolInfo(s.a.SymbolOf(t)).Ctor
	if !yes {
		if len(dt.Constructors) == 1 {
			return step{}
		}
		ctor = (ctor + 1 + s.r.Intn(len(dt.Constructors)-1)) % len(dt.Constructors)
	}
	return step{t: x, v: s.ofConstructor(sort, ctor)}
}

// downArith goes through arithmetic by solving for one argument. Int and Real are computed alike, as rationals.
func (s inversion) downArith(t smt.Term, op smt.Op, v value.Value) step {
	a := s.a
	i, ok := s.pick(t, nil)
	if !ok {
		return step{}
	}
	x := a.Arg(t, i)
	have := func(j int) *big.Rat { return rational(s.value(a.Arg(t, j))) }
	for j := range a.NumArgs(t) {
		if j != i && have(j) == nil {
			return step{}
		}
	}
	switch op {
	case smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		return s.downCompare(t, op, v.IsTrue(), i, x, have)
	case smt.OpIsInt:
		r := new(big.Rat).SetInt(s.integer())
		if !v.IsTrue() {
			r.Add(r, big.NewRat(1, int64(2+s.r.Intn(5))))
		}
		return step{t: x, v: value.Real(r)}
	case smt.OpDivisible:
		n, _ := a.IndexNum(a.Indices(t)[0])
		r := new(big.Int).Mul(n, s.integer())
		if !v.IsTrue() {
			r.Add(r, value.BigOne)
		}
		return step{t: x, v: value.Int(r)}
	}
	want := rational(v)
	if want == nil {
		return step{}
	}
	r := s.solve(t, op, want, i, have)
	if r == nil {
		return step{}
	}
	// No integer may solve it exactly. One that is near is a better place for the next step than none.
	if a.Sort(x) == smt.SortInt {
		return step{t: x, v: value.Int(new(big.Int).Div(r.Num(), r.Denom()))}
	}
	return step{t: x, v: value.Real(r)}
}

// rational returns an Int or a Real as a rational, nil for anything else.
func rational(v value.Value) *big.Rat {
	if n, ok := v.Int(); ok {
		return new(big.Rat).SetInt(n)
	}
	r, _ := v.Rat()
	return r
}

// downCompare puts an argument on the right side of its neighbour: at the bound, near it or far away.
func (s inversion) downCompare(t smt.Term, op smt.Op, holds bool, i int, x smt.Term, have func(int) *big.Rat) step {
	j := i + 1
	if j == s.a.NumArgs(t) || i > 0 && s.r.Bool() {
		j = i - 1
	}
	less, strict := op == smt.OpLe || op == smt.OpLt, op == smt.OpLt || op == smt.OpGt
	if j < i {
		less = !less
	}
	if !holds {
		less, strict = !less, !strict
	}
	slack := new(big.Rat)
	switch s.r.Intn(4) {
	case 0:
		slack.SetInt(new(big.Int).Abs(s.integer()))
	case 1:
		slack.SetInt64(int64(s.r.Intn(4)))
	}
	if strict && slack.Sign() == 0 {
		slack.SetInt64(1)
		if s.a.Sort(x) == smt.SortReal && s.r.Bool() {
			slack.SetFrac64(1, int64(1+s.r.Intn(1000)))
		}
	}
	if less {
		slack.Neg(slack)
	}
	bound := have(j)
	if s.a.Sort(x) == smt.SortInt {
		return step{t: x, v: value.Int(new(big.Int).Add(bound.Num(), slack.Num()))}
	}
	return step{t: x, v: value.Real(slack.Add(slack, bound))}
}

// solve returns the value of argument i for which the term equals want, or comes near it if there is no such value.
func (s inversion) solve(t smt.Term, op smt.Op, want *big.Rat, i int, have func(int) *big.Rat) *big.Rat {
	n := s.a.NumArgs(t)
	r := new(big.Rat).Set(want)
	switch op {
	case smt.OpAdd:
		k := int64(1) // how often the argument occurs
		for j := range n {
			if j == i {
				continue
			}
			if s.a.Arg(t, j) == s.a.Arg(t, i) {
				k++
			} else {
				r.Sub(r, have(j))
			}
		}
		return r.Quo(r, new(big.Rat).SetInt64(k))
	case smt.OpSub:
		switch {
		case n == 1:
			return r.Neg(r)
		case i == 0:
			for j := 1; j < n; j++ {
				r.Add(r, have(j))
			}
			return r
		}
		r.Sub(have(0), r)
		for j := 1; j < n; j++ {
			if j != i {
				r.Sub(r, have(j))
			}
		}
		return r
	case smt.OpMul, smt.OpDiv:
		return s.solveProduct(op, r, i, n, have)
	case smt.OpIntDiv, smt.OpMod:
		return s.solveDivision(op, r, i, n, have)
	case smt.OpAbs:
		if s.r.Bool() {
			r.Neg(r)
		}
		return r
	case smt.OpToReal:
		return r
	case smt.OpToInt:
		// All of [r, r+1) is rounded down to r, so not always its lower end.
		return r.Add(r, big.NewRat(int64(s.r.Intn(3)), 3))
	}
	return nil
}

func (s inversion) solveProduct(op smt.Op, want *big.Rat, i, n int, have func(int) *big.Rat) *big.Rat {
	rest := big.NewRat(1, 1)
	for j := range n {
		if j != i {
			x := have(j)
			if op == smt.OpDiv && j > 0 && x.Sign() == 0 {
				return nil
			}
			if op == smt.OpDiv && (i == 0 || j > 0) { // the divisors
				x = new(big.Rat).Inv(x)
			}
			rest.Mul(rest, x)
		}
	}
	if op == smt.OpDiv && i > 0 { // want = rest / x
		if want.Sign() == 0 {
			return nil
		}
		return rest.Quo(rest, want)
	}
	if rest.Sign() == 0 {
		if want.Sign() == 0 {
			return new(big.Rat).SetInt(s.integer())
		}
		return nil
	}
	return want.Quo(want, rest)
}

// solveDivision inverts div and mod of two arguments.
func (s inversion) solveDivision(op smt.Op, want *big.Rat, i, n int, have func(int) *big.Rat) *big.Rat {
	if n != 2 {
		return nil
	}
	if i == 1 { // the divisor: try one that comes near
		x := have(0)
		if op == smt.OpMod || want.Sign() == 0 {
			return new(big.Rat).SetInt(new(big.Int).Add(s.integer(), value.BigOne))
		}
		return x.Quo(x, want)
	}
	k := have(1)
	if k.Sign() == 0 {
		return nil
	}
	m := new(big.Rat).Abs(k)
	if op == smt.OpIntDiv {
		rest := new(big.Rat).SetInt64(int64(s.r.Intn(int(min(1000, value.ClampInt(value.Int(m.Num())))))))
		return want.Add(want.Mul(want, k), rest)
	}
	if want.Sign() < 0 || want.Cmp(m) >= 0 {
		return nil
	}
	q := new(big.Rat).SetInt(s.integer())
	return want.Add(want, q.Mul(q, k))
}
