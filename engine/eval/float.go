package eval

import (
	"errors"
	"math/big"

	"github.com/smtlark/smtlark/engine/eval/softfp"
	"github.com/smtlark/smtlark/engine/smt"
)

// float computes the theory FloatingPoint. What it leaves open follows the model.
func (e *Evaluator) float(t smt.Term, op smt.Op, args []Value) Value {
	if op >= smt.OpRNE && op <= smt.OpRTZ {
		return roundingValue(roundings[op-smt.OpRNE])
	}
	switch {
	case op <= smt.OpFPNaN, op == smt.OpToFP, op == smt.OpToFPUnsigned, op >= smt.OpToFPFromBV && op <= smt.OpToFPFromSbv:
		return e.toFloat(t, op, args)
	case op >= smt.OpFPToUbv:
		return e.fromFloat(t, op, args)
	case op >= smt.OpFPLeq && op <= smt.OpFPIsPositive:
		return e.floatPredicate(op, args)
	}
	m := softfp.RNE
	if args[0].kind == kRM {
		m, args = softfp.Rounding(args[0].bits), args[1:]
	}
	f, err := format(e.a, args[0].sort)
	if err != nil {
		return floatError(op, err)
	}
	var x [3]softfp.Float
	for i := range args {
		x[i] = loadFloat(f, args[i])
	}
	r, err := floatOp(op, m, x)
	if errors.Is(err, softfp.ErrUnspecified) {
		return e.partial(t, op, args, "the sign of a zero")
	}
	return FPValue(args[0].sort, r)
}

var roundings = [...]softfp.Rounding{softfp.RNE, softfp.RNA, softfp.RTP, softfp.RTN, softfp.RTZ}

func loadFloat(f softfp.Format, v Value) softfp.Float {
	if v.kind == kFP {
		return f.FromBits64(v.bits)
	}
	return *v.ref.(*softfp.Float)
}

func floatError(op smt.Op, err error) Value { return tooLarge(op.String(), err.Error()) }

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

func (e *Evaluator) floatPredicate(op smt.Op, args []Value) Value {
	f, err := format(e.a, args[0].sort)
	if err != nil {
		return floatError(op, err)
	}
	if op <= smt.OpFPEq {
		return chain(args, func(v, w Value) bool {
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
		return BoolValue(x.IsNormal())
	case smt.OpFPIsSubnormal:
		return BoolValue(x.IsSubnormal())
	case smt.OpFPIsZero:
		return BoolValue(x.IsZero())
	case smt.OpFPIsInfinite:
		return BoolValue(x.IsInf())
	case smt.OpFPIsNaN:
		return BoolValue(x.IsNaN())
	case smt.OpFPIsNegative:
		return BoolValue(x.IsNegative())
	}
	return BoolValue(x.IsPositive())
}

// toFloat makes a floating-point number of literals and of numbers of other sorts.
func (e *Evaluator) toFloat(t smt.Term, op smt.Op, args []Value) Value {
	sort := e.a.Sort(t)
	f, err := format(e.a, sort)
	if err != nil {
		return floatError(op, err)
	}
	switch op {
	case smt.OpFP:
		if f.Width() <= 64 {
			return FPValue(sort, f.FromParts64(args[0].bits == 1, args[1].bits, args[2].bits))
		}
		return FPValue(sort, f.FromParts(args[0].bits == 1, args[1].bv().Uint64(), args[2].bv()))
	case smt.OpFPPlusInf, smt.OpFPMinusInf:
		return FPValue(sort, f.Inf(op == smt.OpFPMinusInf))
	case smt.OpFPPlusZero, smt.OpFPMinusZero:
		return FPValue(sort, f.Zero(op == smt.OpFPMinusZero))
	case smt.OpFPNaN:
		return FPValue(sort, f.NaN())
	}
	if len(args) == 1 {
		if args[0].kind == kBV {
			return FPValue(sort, f.FromBits64(args[0].bits))
		}
		return FPValue(sort, f.FromBits(args[0].bv()))
	}
	m := softfp.Rounding(args[0].bits)
	switch v := args[1]; v.kind {
	case kFP, kBigFP:
		g, err := format(e.a, v.sort)
		if err != nil {
			return floatError(op, err)
		}
		return FPValue(sort, f.Convert(m, loadFloat(g, v)))
	case kReal, kRat:
		return FPValue(sort, f.FromRat(m, v.rat()))
	case kInt, kBigInt:
		return FPValue(sort, f.FromInt(m, v.big()))
	default:
		n := v.bv()
		if op != smt.OpToFPUnsigned {
			n = signedBig(n, e.a.Width(v.sort))
		}
		return FPValue(sort, f.FromInt(m, n))
	}
}

// fromFloat makes a number of another sort of a floating-point number.
func (e *Evaluator) fromFloat(t smt.Term, op smt.Op, args []Value) Value {
	last := args[len(args)-1]
	f, err := format(e.a, last.sort)
	if err != nil {
		return floatError(op, err)
	}
	x := loadFloat(f, last)
	sort := e.a.Sort(t)
	switch op {
	case smt.OpFPToReal:
		r, err := x.Rat()
		if err != nil {
			return e.unspecified(t, op, args, err)
		}
		return e.newReal(op, r)
	case smt.OpFPToIeeeBV:
		if x.IsNaN() {
			return e.partial(t, op, args, "the bits of NaN")
		}
		return bvValue(sort, int(f.Width()), x.Bits())
	}
	w := e.a.Width(sort)
	m := softfp.Rounding(args[0].bits)
	var n *big.Int
	if op == smt.OpFPToUbv || op == smt.OpFPToUbvTotal {
		op = smt.OpFPToUbv
		n, err = x.UBV(m, uint(w))
	} else {
		op = smt.OpFPToSbv
		n, err = x.SBV(m, uint(w))
	}
	if err != nil {
		return e.unspecified(t, op, args, err)
	}
	return bvValue(sort, w, n)
}

func (e *Evaluator) unspecified(t smt.Term, op smt.Op, args []Value, err error) Value {
	if errors.Is(err, softfp.ErrUnspecified) {
		return e.partial(t, op, args, err.Error())
	}
	return floatError(op, err)
}
