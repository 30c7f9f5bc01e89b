package theory

import (
	"errors"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/softfp"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// floatingPoint computes the theory FloatingPoint. Results that the theory leaves open come from the model.
func floatingPoint(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	switch {
	case op <= smt.OpFPNaN, op == smt.OpToFP, op == smt.OpToFPUnsigned, op >= smt.OpToFPFromBV && op <= smt.OpToFPFromSbv:
		return toFloat(c, t, op, args)
	case op >= smt.OpFPToUbv:
		return fromFloat(c, t, op, args)
	case op >= smt.OpFPLeq && op <= smt.OpFPIsPositive:
		return floatPredicate(c, op, args)
	}
	m := softfp.RNE
	if args[0].Kind() == value.KindRounding {
		m, args = softfp.Rounding(args[0].Bits()), args[1:]
	}
	f, err := value.FloatFormat(c.Arena, args[0].Sort())
	if err != nil {
		return value.TooLarge(op.String(), err.Error())
	}
	var x [3]softfp.Float
	for i := range args {
		x[i] = loadFloat(f, args[i])
	}
	r, err := floatOp(op, m, x)
	if errors.Is(err, softfp.ErrUnspecified) {
		return c.Partial(t, op, args, "the sign of a zero")
	}
	return value.Float(args[0].Sort(), r)
}

// roundingMode computes the constants of the sort RoundingMode.
func roundingMode(_ *Context, _ smt.Term, op smt.Op, _ []value.Value) value.Value {
	return value.Rounding(roundings[op-smt.OpRNE])
}

var roundings = [...]softfp.Rounding{softfp.RNE, softfp.RNA, softfp.RTP, softfp.RTN, softfp.RTZ}

func loadFloat(f softfp.Format, v value.Value) softfp.Float {
	if v.Kind() == value.KindFloat {
		return f.FromBits64(v.Bits())
	}
	return v.BigFloat()
}

func floatOp(op smt.Op, m softfp.Rounding, x [3]softfp.Float) (softfp.Float, error) {
	switch op {
	case smt.OpFPAbs:
		return x[0].Abs(), nil
	case smt.OpFPNeg:
		return x[0].Neg(), nil
	case smt.OpFPAdd:
		return softfp.Add(m, x[0], x[1]), nil
	case smt.OpFPSub:
		return softfp.Sub(m, x[0], x[1]), nil
	case smt.OpFPMul:
		return softfp.Mul(m, x[0], x[1]), nil
	case smt.OpFPDiv:
		return softfp.Div(m, x[0], x[1]), nil
	case smt.OpFPFma:
		return softfp.FMA(m, x[0], x[1], x[2]), nil
	case smt.OpFPSqrt:
		return softfp.Sqrt(m, x[0]), nil
	case smt.OpFPRem:
		return softfp.Rem(x[0], x[1]), nil
	case smt.OpFPRoundToIntegral:
		return softfp.RoundToIntegral(m, x[0]), nil
	case smt.OpFPMin:
		return softfp.Min(x[0], x[1])
	}
	return softfp.Max(x[0], x[1])
}

func floatPredicate(c *Context, op smt.Op, args []value.Value) value.Value {
	f, err := value.FloatFormat(c.Arena, args[0].Sort())
	if err != nil {
		return value.TooLarge(op.String(), err.Error())
	}
	if op <= smt.OpFPEq {
		return chain(args, func(v, w value.Value) bool {
			x, y := loadFloat(f, v), loadFloat(f, w)
			switch op {
			case smt.OpFPLeq:
				return softfp.Leq(x, y)
			case smt.OpFPLt:
				return softfp.Lt(x, y)
			case smt.OpFPGeq:
				return softfp.Leq(y, x)
			case smt.OpFPGt:
				return softfp.Lt(y, x)
			}
			return softfp.Eq(x, y)
		})
	}
	x := loadFloat(f, args[0])
	switch op {
	case smt.OpFPIsNormal:
		return value.Bool(x.IsNormal())
	case smt.OpFPIsSubnormal:
		return value.Bool(x.IsSubnormal())
	case smt.OpFPIsZero:
		return value.Bool(x.IsZero())
	case smt.OpFPIsInfinite:
		return value.Bool(x.IsInf())
	case smt.OpFPIsNaN:
		return value.Bool(x.IsNaN())
	case smt.OpFPIsNegative:
		return value.Bool(x.IsNegative())
	}
	return value.Bool(x.IsPositive())
}

// toFloat makes a floating-point number from literals and from numbers of other sorts.
func toFloat(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	sort := c.Arena.Sort(t)
	f, err := value.FloatFormat(c.Arena, sort)
	if err != nil {
		return value.TooLarge(op.String(), err.Error())
	}
	switch op {
	case smt.OpFP:
		if f.Width() <= 64 {
			return value.Float(sort, f.FromParts64(args[0].Bits() == 1, args[1].Bits(), args[2].Bits()))
		}
		return value.Float(sort, f.FromParts(args[0].Bits() == 1, args[1].BigBitVec().Uint64(), args[2].BigBitVec()))
	case smt.OpFPPlusInf, smt.OpFPMinusInf:
		return value.Float(sort, f.Inf(op == smt.OpFPMinusInf))
	case smt.OpFPPlusZero, smt.OpFPMinusZero:
		return value.Float(sort, f.Zero(op == smt.OpFPMinusZero))
	case smt.OpFPNaN:
		return value.Float(sort, f.NaN())
	}
	// Without a rounding mode to_fp reads the bits as an IEEE number.
	if len(args) == 1 {
		if args[0].Kind() == value.KindBitVec {
			return value.Float(sort, f.FromBits64(args[0].Bits()))
		}
		return value.Float(sort, f.FromBits(args[0].BigBitVec()))
	}
	m := softfp.Rounding(args[0].Bits())
	switch v := args[1]; v.Kind() {
	case value.KindFloat, value.KindBigFloat:
		g, err := value.FloatFormat(c.Arena, v.Sort())
		if err != nil {
			return value.TooLarge(op.String(), err.Error())
		}
		return value.Float(sort, f.Convert(m, loadFloat(g, v)))
	case value.KindReal, value.KindRat:
		return value.Float(sort, f.FromRat(m, v.BigRat()))
	case value.KindInt, value.KindBigInt:
		return value.Float(sort, f.FromInt(m, v.BigInt()))
	default:
		n := v.BigBitVec()
		// With a rounding mode to_fp takes a bit vector as signed.
		if op != smt.OpToFPUnsigned {
			n = value.Signed(n, c.Arena.Width(v.Sort()))
		}
		return value.Float(sort, f.FromInt(m, n))
	}
}

// fromFloat converts a floating-point number to a number of another sort.
func fromFloat(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	last := args[len(args)-1]
	f, err := value.FloatFormat(c.Arena, last.Sort())
	if err != nil {
		return value.TooLarge(op.String(), err.Error())
	}
	x := loadFloat(f, last)
	sort := c.Arena.Sort(t)
	switch op {
	case smt.OpFPToReal:
		r, err := x.Rat()
		if err != nil {
			return unspecified(c, t, op, args, err)
		}
		return newReal(c, op, r)
	case smt.OpFPToIeeeBV:
		if x.IsNaN() {
			return c.Partial(t, op, args, "the bits of NaN")
		}
		return value.BitVecOf(sort, int(f.Width()), x.Bits())
	}
	w := c.Arena.Width(sort)
	m := softfp.Rounding(args[0].Bits())
	var n *big.Int
	if op == smt.OpFPToUbv || op == smt.OpFPToUbvTotal {
		op = smt.OpFPToUbv
		n, err = x.UBV(m, uint(w))
	} else {
		op = smt.OpFPToSbv
		n, err = x.SBV(m, uint(w))
	}
	if err != nil {
		return unspecified(c, t, op, args, err)
	}
	return value.BitVecOf(sort, w, n)
}

func unspecified(c *Context, t smt.Term, op smt.Op, args []value.Value, err error) value.Value {
	if errors.Is(err, softfp.ErrUnspecified) {
		return c.Partial(t, op, args, err.Error())
	}
	return value.TooLarge(op.String(), err.Error())
}
