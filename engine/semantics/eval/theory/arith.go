package theory

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// arithmetic computes the theories Ints, Reals and Reals_Ints and what solvers add to them.
func arithmetic(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	if len(args) == 0 {
		return value.NoValue(op.String(), "irrational")
	}
	if args[0].Kind() == value.KindInt && (len(args) == 1 || len(args) == 2 && args[1].Kind() == value.KindInt) {
		if v := smallInt(op, args); v.Kind() != value.KindNone {
			return v
		}
	}
	if args[0].Sort() == smt.SortReal {
		if len(args) == 2 && args[0].Kind() == value.KindReal && args[1].Kind() == value.KindReal && op != smt.OpDiv {
			if v := smallInt(op, args); v.Kind() == value.KindInt {
				return value.Real64(v.Small())
			} else if v.Kind() == value.KindBool {
				return v
			}
		}
		return realNumbers(c, t, op, args)
	}
	if len(args) > 2 {
		if v := smallFold(op, args); v.Kind() != value.KindNone {
			return v
		}
	}
	return integers(c, t, op, args)
}

// smallFold computes sums, products and comparisons of many small integers; the zero Value means that the general case
// is needed.
func smallFold(op smt.Op, args []value.Value) value.Value {
	for i := range args {
		if args[i].Kind() != value.KindInt {
			return value.Value{}
		}
	}
	switch op {
	case smt.OpAdd, smt.OpSub, smt.OpMul:
		pair := [2]value.Value{args[0]}
		for i := range args[1:] {
			pair[1] = args[i+1]
			if pair[0] = smallInt(op, pair[:]); pair[0].Kind() == value.KindNone {
				break
			}
		}
		return pair[0]
	case smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		for i := range args[1:] {
			if v := smallInt(op, args[i:i+2]); v.IsFalse() {
				return v
			}
		}
		return value.Bool(true)
	}
	return value.Value{}
}

// smallInt computes the frequent operators on machine words; the zero Value says that the general way is needed.
func smallInt(op smt.Op, args []value.Value) value.Value {
	x := args[0].Small()
	if len(args) == 1 {
		if op == smt.OpSub && x != math.MinInt64 {
			return value.Int64(-x)
		}
		return value.Value{}
	}
	y := args[1].Small()
	switch op {
	case smt.OpAdd:
		// After an overflow the sum is on the wrong side of x, and the general case is exact.
		if s := x + y; (s > x) == (y > 0) {
			return value.Int64(s)
		}
	case smt.OpSub:
		if d := x - y; (d < x) == (y > 0) {
			return value.Int64(d)
		}
	case smt.OpMul:
		if p, ok := mul64(x, y); ok {
			return value.Int64(p)
		}
	case smt.OpIntDiv, smt.OpMod:
		// The standard leaves division by zero open, and the quotient of the other pair overflows: both are left to the
		// general case.
		if y != 0 && !(x == math.MinInt64 && y == -1) {
			q, r := x/y, x%y
			// Go truncates towards zero; in SMT-LIB the remainder is never negative (Boute's Euclidean division).
			if r < 0 {
				if y > 0 {
					q, r = q-1, r+y
				} else {
					q, r = q+1, r-y
				}
			}
			if op == smt.OpIntDiv {
				return value.Int64(q)
			}
			return value.Int64(r)
		}
	case smt.OpLe:
		return value.Bool(x <= y)
	case smt.OpLt:
		return value.Bool(x < y)
	case smt.OpGe:
		return value.Bool(x >= y)
	case smt.OpGt:
		return value.Bool(x > y)
	}
	return value.Value{}
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

func newInt(c *Context, op smt.Op, n *big.Int) value.Value {
	if n.BitLen() > c.Bits {
		return value.TooLarge(op.String(), "an integer of more bits than the limit")
	}
	return value.Int(n)
}

func newReal(c *Context, op smt.Op, r *big.Rat) value.Value {
	if r.Num().BitLen() > c.Bits || r.Denom().BitLen() > c.Bits {
		return value.TooLarge(op.String(), "a rational of more bits than the limit")
	}
	return value.Real(r)
}

func integers(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	x := args[0].BigInt()
	switch op {
	case smt.OpAdd, smt.OpSub, smt.OpMul:
		return foldInt(c, op, x, args[1:])
	case smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		return chain(args, func(v, w value.Value) bool { return ordered(op, v.BigInt().Cmp(w.BigInt())) })
	case smt.OpAbs:
		return value.Int(new(big.Int).Abs(x))
	case smt.OpToReal:
		if args[0].Kind() == value.KindInt {
			return value.Real64(args[0].Small())
		}
		return newReal(c, op, new(big.Rat).SetInt(x))
	case smt.OpDivisible:
		n, _ := c.Arena.IndexNum(c.Arena.Indices(t)[0])
		return value.Bool(new(big.Int).Mod(x, n).Sign() == 0)
	case smt.OpIntPow2:
		return pow2(c, op, args[0])
	case smt.OpIntLog2:
		if x.Sign() <= 0 {
			return value.Int64(0)
		}
		return value.Int64(int64(x.BitLen() - 1))
	case smt.OpDiv0, smt.OpMod0, smt.OpRem0:
		// These are z3's names for the ordinary operators with a zero divisor, so the model has one answer for both.
		return c.Partial(t, zeroOps[op], append(args[:1:1], value.Int64(0)), "division by zero")
	case smt.OpIntDiv:
		return divChain(c, t, args)
	}
	y := args[1].BigInt()
	switch op {
	case smt.OpMod, smt.OpModTotal, smt.OpRem, smt.OpDivTotal:
		if y.Sign() == 0 {
			switch op {
			case smt.OpModTotal:
				return args[0]
			case smt.OpDivTotal:
				return value.Int64(0)
			}
			return c.Partial(t, op, args, "division by zero")
		}
		if op == smt.OpDivTotal {
			q, _ := new(big.Int).DivMod(x, y, new(big.Int))
			return value.Int(q)
		}
		m := new(big.Int).Mod(x, y)
		if op == smt.OpRem && y.Sign() < 0 { // z3: the sign of rem is the divisor's
			m.Neg(m)
		}
		return value.Int(m)
	case smt.OpIand:
		k, _ := c.Arena.IndexUint(c.Arena.Indices(t)[0])
		if k > uint64(c.Bits) {
			return value.TooLarge(op.String(), "the width")
		}
		// And treats negative numbers as two's complement, like iand.
		m := value.Ones(int(k))
		return value.Int(m.And(m, x).And(m, y))
	case smt.OpPow:
		return powInt(c, t, x, y, args)
	}
	return value.NoValue(op.String(), "not defined on Int")
}

var zeroOps = map[smt.Op]smt.Op{smt.OpDiv0: smt.OpIntDiv, smt.OpMod0: smt.OpMod, smt.OpRem0: smt.OpRem, smt.OpRealDiv0: smt.OpDiv}

func foldInt(c *Context, op smt.Op, first *big.Int, rest []value.Value) value.Value {
	if len(rest) == 0 {
		return value.Int(new(big.Int).Neg(first))
	}
	acc := new(big.Int).Set(first)
	for i := range rest {
		y := rest[i].BigInt()
		switch op {
		case smt.OpAdd:
			acc.Add(acc, y)
		case smt.OpSub:
			acc.Sub(acc, y)
		default:
			if acc.BitLen()+y.BitLen() > c.Bits+1 {
				return value.TooLarge(op.String(), "an integer of more bits than the limit")
			}
			acc.Mul(acc, y)
		}
	}
	return newInt(c, op, acc)
}

// divChain computes (div x y z ...) from the left; the quotient is Euclidean (theory Ints).
func divChain(c *Context, t smt.Term, args []value.Value) value.Value {
	acc := args[0]
	for i := range args[1:] {
		y := args[i+1].BigInt()
		if y.Sign() == 0 {
			acc = c.Partial(t, smt.OpIntDiv, []value.Value{acc, args[i+1]}, "division by zero")
			if !acc.IsValue() {
				return acc
			}
			continue
		}
		q, _ := new(big.Int).DivMod(acc.BigInt(), y, new(big.Int))
		acc = value.Int(q)
	}
	return acc
}

func pow2(c *Context, op smt.Op, v value.Value) value.Value {
	switch {
	case v.BigInt().Sign() < 0:
		return value.Int64(0)
	case v.Kind() != value.KindInt || v.Small() >= int64(c.Bits):
		return value.TooLarge(op.String(), "an integer of more bits than the limit")
	}
	return value.Int(new(big.Int).Lsh(value.BigOne, uint(v.Small())))
}

// powInt computes x^y on integers. Solvers leave 0^0 and negative exponents open.
func powInt(c *Context, t smt.Term, x, y *big.Int, args []value.Value) value.Value {
	switch {
	case y.Sign() < 0 || y.Sign() == 0 && x.Sign() == 0:
		return c.Partial(t, smt.OpPow, args, "a power with a negative exponent, or zero to the zero,")
	case x.Sign() == 0 || x.Cmp(value.BigOne) == 0:
		return args[0]
	case !y.IsUint64() || y.Uint64() > uint64(c.Bits) || uint64(x.BitLen()-1)*y.Uint64() > uint64(c.Bits):
		if x.CmpAbs(value.BigOne) == 0 { // -1
			return value.Int64(1 - 2*int64(y.Bit(0)))
		}
		return value.TooLarge("^", "an integer of more bits than the limit")
	}
	return newInt(c, smt.OpPow, new(big.Int).Exp(x, y, nil))
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
func chain(args []value.Value, holds func(v, w value.Value) bool) value.Value {
	for i := range args[1:] {
		if !holds(args[i], args[i+1]) {
			return value.Bool(false)
		}
	}
	return value.Bool(true)
}

func realNumbers(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	x := args[0].BigRat()
	switch op {
	case smt.OpAdd, smt.OpSub, smt.OpMul:
		return foldReal(c, op, x, args[1:])
	case smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		return chain(args, func(v, w value.Value) bool { return ordered(op, v.BigRat().Cmp(w.BigRat())) })
	case smt.OpDiv:
		return quotient(c, t, args)
	case smt.OpAbs:
		return value.Real(new(big.Rat).Abs(x))
	case smt.OpToInt:
		return value.Int(new(big.Int).Div(x.Num(), x.Denom()))
	case smt.OpIsInt:
		return value.Bool(x.IsInt())
	case smt.OpRealDivTotal:
		if args[1].BigRat().Sign() == 0 {
			return value.Real64(0)
		}
		return newReal(c, op, new(big.Rat).Quo(x, args[1].BigRat()))
	case smt.OpRealDiv0:
		return c.Partial(t, smt.OpDiv, append(args[:1:1], value.Real64(0)), "division by zero")
	case smt.OpPow:
		return powReal(c, t, x, args[1].BigRat(), args)
	case smt.OpSqrt:
		return sqrt(c, t, x, args)
	}
	return transcendental(op, x)
}

func foldReal(c *Context, op smt.Op, first *big.Rat, rest []value.Value) value.Value {
	if len(rest) == 0 {
		return value.Real(new(big.Rat).Neg(first))
	}
	acc := new(big.Rat).Set(first)
	for i := range rest {
		y := rest[i].BigRat()
		if acc.Num().BitLen()+acc.Denom().BitLen()+y.Num().BitLen()+y.Denom().BitLen() > 4*c.Bits {
			return value.TooLarge(op.String(), "a rational of more bits than the limit")
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
	return newReal(c, op, acc)
}

func quotient(c *Context, t smt.Term, args []value.Value) value.Value {
	acc := args[0]
	for i := range args[1:] {
		y := args[i+1].BigRat()
		if y.Sign() == 0 {
			acc = c.Partial(t, smt.OpDiv, []value.Value{acc, args[i+1]}, "division by zero")
		} else {
			acc = newReal(c, smt.OpDiv, new(big.Rat).Quo(acc.BigRat(), y))
		}
		if !acc.IsValue() {
			return acc
		}
	}
	return acc
}

// powReal computes x^y where y is an integer; any other power may be irrational.
func powReal(c *Context, t smt.Term, x, y *big.Rat, args []value.Value) value.Value {
	if !y.IsInt() {
		return value.NoValue("^", "exponent that is no integer")
	}
	if x.Sign() == 0 && y.Sign() <= 0 {
		return c.Partial(t, smt.OpPow, args, "zero to a power that is not positive")
	}
	k := y.Num()
	size := uint64(max(x.Num().BitLen(), x.Denom().BitLen()))
	if !k.IsInt64() || size > 1 && magnitude(k.Int64()) > uint64(c.Bits)/size {
		return value.TooLarge("^", "a rational of more bits than the limit")
	}
	n := new(big.Int).Abs(k)
	num, den := new(big.Int), new(big.Int)
	if size <= 1 { // 0, 1 or -1
		n.And(n, value.BigOne).Add(n, big.NewInt(2))
	}
	num.Exp(x.Num(), n, nil)
	den.Exp(x.Denom(), n, nil)
	if k.Sign() < 0 {
		num, den = den, num
	}
	return value.Real(new(big.Rat).SetFrac(num, den))
}

// sqrt computes the nonnegative root if it is rational.
func sqrt(c *Context, t smt.Term, x *big.Rat, args []value.Value) value.Value {
	if x.Sign() < 0 {
		return c.Partial(t, smt.OpSqrt, args, "the square root of a negative number")
	}
	num, den := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
	r := new(big.Rat).SetFrac(num, den)
	if new(big.Rat).Mul(r, r).Cmp(x) != 0 {
		return value.NoValue("sqrt", "irrational")
	}
	return value.Real(r)
}

// transcendental computes these functions at the few points where they are rational.
func transcendental(op smt.Op, x *big.Rat) value.Value {
	if x.Sign() == 0 {
		switch op {
		case smt.OpSin, smt.OpTan, smt.OpArcsin, smt.OpArctan, smt.OpAsin, smt.OpAtan, smt.OpSinh, smt.OpTanh, smt.OpAsinh, smt.OpAtanh:
			return value.Real64(0)
		case smt.OpExp, smt.OpCos, smt.OpSec, smt.OpCosh:
			return value.Real64(1)
		}
	}
	return value.NoValue(op.String(), "irrational or not defined")
}
