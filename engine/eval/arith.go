package eval

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/smtlark/smtlark/engine/smt"
)

// arith computes the theories Ints, Reals and Reals_Ints and what solvers add to them.
func (e *Evaluator) arith(t smt.Term, op smt.Op, args []Value) Value {
	if len(args) == 0 {
		return unknown(op.String(), "irrational")
	}
	if args[0].kind == kInt && (len(args) == 1 || len(args) == 2 && args[1].kind == kInt) {
		if v := smallInt(op, args); v.kind != kNone {
			return v
		}
	}
	if args[0].sort == smt.SortReal {
		if len(args) == 2 && args[0].kind == kReal && args[1].kind == kReal && op != smt.OpDiv {
			if v := smallInt(op, args); v.kind == kInt {
				return real64(v.signed())
			} else if v.kind == kBool {
				return v
			}
		}
		return e.reals(t, op, args)
	}
	if len(args) > 2 {
		if v := smallFold(op, args); v.kind != kNone {
			return v
		}
	}
	return e.ints(t, op, args)
}

// smallFold computes sums, products and comparisons of many small integers; the zero Value says that the general way is
// needed.
func smallFold(op smt.Op, args []Value) Value {
	for i := range args {
		if args[i].kind != kInt {
			return Value{}
		}
	}
	switch op {
	case smt.OpAdd, smt.OpSub, smt.OpMul:
		pair := [2]Value{args[0]}
		for i := range args[1:] {
			pair[1] = args[i+1]
			if pair[0] = smallInt(op, pair[:]); pair[0].kind == kNone {
				break
			}
		}
		return pair[0]
	case smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		for i := range args[1:] {
			if v := smallInt(op, args[i:i+2]); v.isFalse() {
				return v
			}
		}
		return BoolValue(true)
	}
	return Value{}
}

// smallInt computes the frequent operators on machine words; the zero Value says that the general way is needed.
func smallInt(op smt.Op, args []Value) Value {
	x := args[0].signed()
	if len(args) == 1 {
		if op == smt.OpSub && x != math.MinInt64 {
			return int64Value(-x)
		}
		return Value{}
	}
	y := args[1].signed()
	switch op {
	case smt.OpAdd:
		if s := x + y; (s > x) == (y > 0) {
			return int64Value(s)
		}
	case smt.OpSub:
		if d := x - y; (d < x) == (y > 0) {
			return int64Value(d)
		}
	case smt.OpMul:
		if p, ok := mul64(x, y); ok {
			return int64Value(p)
		}
	case smt.OpIntDiv, smt.OpMod:
		if y != 0 && !(x == math.MinInt64 && y == -1) {
			q, r := x/y, x%y
			if r < 0 {
				if y > 0 {
					q, r = q-1, r+y
				} else {
					q, r = q+1, r-y
				}
			}
			if op == smt.OpIntDiv {
				return int64Value(q)
			}
			return int64Value(r)
		}
	case smt.OpLe:
		return BoolValue(x <= y)
	case smt.OpLt:
		return BoolValue(x < y)
	case smt.OpGe:
		return BoolValue(x >= y)
	case smt.OpGt:
		return BoolValue(x > y)
	}
	return Value{}
}

func mul64(x, y int64) (int64, bool) {
	if int64(int32(x)) == x && int64(int32(y)) == y {
		return x * y, true
	}
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	if hi != 0 || lo > 1<<63-1 {
		return 0, false
	}
	if (x < 0) != (y < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func (e *Evaluator) newInt(op smt.Op, n *big.Int) Value {
	if n.BitLen() > e.Limits.Bits {
		return tooLarge(op.String(), "an integer of more bits than the limit")
	}
	return intValue(n)
}

func (e *Evaluator) newReal(op smt.Op, r *big.Rat) Value {
	if r.Num().BitLen() > e.Limits.Bits || r.Denom().BitLen() > e.Limits.Bits {
		return tooLarge(op.String(), "a rational of more bits than the limit")
	}
	return realValue(r)
}

func (e *Evaluator) ints(t smt.Term, op smt.Op, args []Value) Value {
	x := args[0].big()
	switch op {
	case smt.OpAdd, smt.OpSub, smt.OpMul:
		return e.foldInt(op, x, args[1:])
	case smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		return chain(args, func(v, w Value) bool { return ordered(op, v.big().Cmp(w.big())) })
	case smt.OpAbs:
		return intValue(new(big.Int).Abs(x))
	case smt.OpToReal:
		if args[0].kind == kInt {
			return real64(args[0].signed())
		}
		return e.newReal(op, new(big.Rat).SetInt(x))
	case smt.OpDivisible:
		n, _ := e.a.IndexNum(e.a.Indices(t)[0])
		return BoolValue(new(big.Int).Mod(x, n).Sign() == 0)
	case smt.OpIntPow2:
		return e.pow2(op, args[0])
	case smt.OpIntLog2:
		if x.Sign() <= 0 {
			return int64Value(0)
		}
		return int64Value(int64(x.BitLen() - 1))
	case smt.OpDiv0, smt.OpMod0, smt.OpRem0:
		return e.partial(t, zeroOps[op], append(args[:1:1], int64Value(0)), "division by zero")
	case smt.OpIntDiv:
		return e.divChain(t, args)
	}
	y := args[1].big()
	switch op {
	case smt.OpMod, smt.OpModTotal, smt.OpRem, smt.OpDivTotal:
		if y.Sign() == 0 {
			switch op {
			case smt.OpModTotal:
				return args[0]
			case smt.OpDivTotal:
				return int64Value(0)
			}
			return e.partial(t, op, args, "division by zero")
		}
		if op == smt.OpDivTotal {
			q, _ := new(big.Int).DivMod(x, y, new(big.Int))
			return intValue(q)
		}
		m := new(big.Int).Mod(x, y)
		if op == smt.OpRem && y.Sign() < 0 { // z3: the sign of rem is the divisor's
			m.Neg(m)
		}
		return intValue(m)
	case smt.OpIand:
		k, _ := e.a.IndexUint(e.a.Indices(t)[0])
		if k > uint64(e.Limits.Bits) {
			return tooLarge(op.String(), "the width")
		}
		m := ones(int(k))
		return intValue(m.And(m, x).And(m, y))
	case smt.OpPow:
		return e.powInt(t, x, y, args)
	}
	return unknown(op.String(), "not defined on Int")
}

var zeroOps = map[smt.Op]smt.Op{smt.OpDiv0: smt.OpIntDiv, smt.OpMod0: smt.OpMod, smt.OpRem0: smt.OpRem, smt.OpRealDiv0: smt.OpDiv}

func (e *Evaluator) foldInt(op smt.Op, first *big.Int, rest []Value) Value {
	if len(rest) == 0 {
		return intValue(new(big.Int).Neg(first))
	}
	acc := new(big.Int).Set(first)
	for i := range rest {
		y := rest[i].big()
		switch op {
		case smt.OpAdd:
			acc.Add(acc, y)
		case smt.OpSub:
			acc.Sub(acc, y)
		default:
			if acc.BitLen()+y.BitLen() > e.Limits.Bits+1 {
				return tooLarge(op.String(), "an integer of more bits than the limit")
			}
			acc.Mul(acc, y)
		}
	}
	return e.newInt(op, acc)
}

// divChain computes (div x y z ...) from the left; the quotient is Euclidean (theory Ints).
func (e *Evaluator) divChain(t smt.Term, args []Value) Value {
	acc := args[0]
	for i := range args[1:] {
		y := args[i+1].big()
		if y.Sign() == 0 {
			acc = e.partial(t, smt.OpIntDiv, []Value{acc, args[i+1]}, "division by zero")
			if acc.unknown() {
				return acc
			}
			continue
		}
		q, _ := new(big.Int).DivMod(acc.big(), y, new(big.Int))
		acc = intValue(q)
	}
	return acc
}

func (e *Evaluator) pow2(op smt.Op, v Value) Value {
	switch {
	case v.big().Sign() < 0:
		return int64Value(0)
	case v.kind != kInt || v.signed() >= int64(e.Limits.Bits):
		return tooLarge(op.String(), "an integer of more bits than the limit")
	}
	return intValue(new(big.Int).Lsh(bigOne, uint(v.signed())))
}

// powInt computes x^y on integers. Solvers leave 0^0 and negative exponents open.
func (e *Evaluator) powInt(t smt.Term, x, y *big.Int, args []Value) Value {
	switch {
	case y.Sign() < 0 || y.Sign() == 0 && x.Sign() == 0:
		return e.partial(t, smt.OpPow, args, "a power with a negative exponent, or zero to the zero,")
	case x.Sign() == 0 || x.Cmp(bigOne) == 0:
		return args[0]
	case !y.IsUint64() || y.Uint64() > uint64(e.Limits.Bits) || uint64(x.BitLen()-1)*y.Uint64() > uint64(e.Limits.Bits):
		if x.CmpAbs(bigOne) == 0 { // -1
			return int64Value(1 - 2*int64(y.Bit(0)))
		}
		return tooLarge("^", "an integer of more bits than the limit")
	}
	return e.newInt(smt.OpPow, new(big.Int).Exp(x, y, nil))
}

func ordered(op smt.Op, c int) bool {
	switch op {
	case smt.OpLe:
		return c <= 0
	case smt.OpLt:
		return c < 0
	case smt.OpGe:
		return c >= 0
	}
	return c > 0
}

// chain is a chainable predicate: it holds between neighbours.
func chain(args []Value, holds func(v, w Value) bool) Value {
	for i := range args[1:] {
		if !holds(args[i], args[i+1]) {
			return BoolValue(false)
		}
	}
	return BoolValue(true)
}

func (e *Evaluator) reals(t smt.Term, op smt.Op, args []Value) Value {
	x := args[0].rat()
	switch op {
	case smt.OpAdd, smt.OpSub, smt.OpMul:
		return e.foldReal(op, x, args[1:])
	case smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		return chain(args, func(v, w Value) bool { return ordered(op, v.rat().Cmp(w.rat())) })
	case smt.OpDiv:
		return e.quotient(t, args)
	case smt.OpAbs:
		return realValue(new(big.Rat).Abs(x))
	case smt.OpToInt:
		return intValue(new(big.Int).Div(x.Num(), x.Denom()))
	case smt.OpIsInt:
		return BoolValue(x.IsInt())
	case smt.OpRealDivTotal:
		if args[1].rat().Sign() == 0 {
			return real64(0)
		}
		return e.newReal(op, new(big.Rat).Quo(x, args[1].rat()))
	case smt.OpRealDiv0:
		return e.partial(t, smt.OpDiv, append(args[:1:1], real64(0)), "division by zero")
	case smt.OpPow:
		return e.powReal(t, x, args[1].rat(), args)
	case smt.OpSqrt:
		return e.sqrt(t, x, args)
	}
	return transcendental(op, x)
}

func (e *Evaluator) foldReal(op smt.Op, first *big.Rat, rest []Value) Value {
	if len(rest) == 0 {
		return realValue(new(big.Rat).Neg(first))
	}
	acc := new(big.Rat).Set(first)
	for i := range rest {
		y := rest[i].rat()
		if acc.Num().BitLen()+acc.Denom().BitLen()+y.Num().BitLen()+y.Denom().BitLen() > 4*e.Limits.Bits {
			return tooLarge(op.String(), "a rational of more bits than the limit")
		}
		switch op {
		case smt.OpAdd:
			acc.Add(acc, y)
		case smt.OpSub:
			acc.Sub(acc, y)
		default:
			acc.Mul(acc, y)
		}
	}
	return e.newReal(op, acc)
}

func (e *Evaluator) quotient(t smt.Term, args []Value) Value {
	acc := args[0]
	for i := range args[1:] {
		y := args[i+1].rat()
		if y.Sign() == 0 {
			acc = e.partial(t, smt.OpDiv, []Value{acc, args[i+1]}, "division by zero")
		} else {
			acc = e.newReal(smt.OpDiv, new(big.Rat).Quo(acc.rat(), y))
		}
		if acc.unknown() {
			return acc
		}
	}
	return acc
}

// powReal computes x^y where y is an integer; any other power may be irrational.
func (e *Evaluator) powReal(t smt.Term, x, y *big.Rat, args []Value) Value {
	if !y.IsInt() {
		return unknown("^", "exponent that is no integer")
	}
	if x.Sign() == 0 && y.Sign() <= 0 {
		return e.partial(t, smt.OpPow, args, "zero to a power that is not positive")
	}
	k := y.Num()
	size := uint64(max(x.Num().BitLen(), x.Denom().BitLen()))
	if !k.IsInt64() || size > 1 && magnitude(k.Int64()) > uint64(e.Limits.Bits)/size {
		return tooLarge("^", "a rational of more bits than the limit")
	}
	n := new(big.Int).Abs(k)
	num, den := new(big.Int), new(big.Int)
	if size <= 1 { // 0, 1 or -1
		n.And(n, bigOne).Add(n, big.NewInt(2))
	}
	num.Exp(x.Num(), n, nil)
	den.Exp(x.Denom(), n, nil)
	if k.Sign() < 0 {
		num, den = den, num
	}
	return realValue(new(big.Rat).SetFrac(num, den))
}

// sqrt is the root that is not negative where it is rational.
func (e *Evaluator) sqrt(t smt.Term, x *big.Rat, args []Value) Value {
	if x.Sign() < 0 {
		return e.partial(t, smt.OpSqrt, args, "the square root of a negative number")
	}
	num, den := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
	r := new(big.Rat).SetFrac(num, den)
	if new(big.Rat).Mul(r, r).Cmp(x) != 0 {
		return unknown("sqrt", "irrational")
	}
	return realValue(r)
}

// transcendental knows the few places where these functions are rational and exact.
func transcendental(op smt.Op, x *big.Rat) Value {
	if x.Sign() == 0 {
		switch op {
		case smt.OpSin, smt.OpTan, smt.OpArcsin, smt.OpArctan, smt.OpAsin, smt.OpAtan, smt.OpSinh, smt.OpTanh, smt.OpAsinh, smt.OpAtanh:
			return real64(0)
		case smt.OpExp, smt.OpCos, smt.OpSec, smt.OpCosh:
			return real64(1)
		}
	}
	return unknown(op.String(), "irrational or not defined")
}
