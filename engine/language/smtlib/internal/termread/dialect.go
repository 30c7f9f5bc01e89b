package termread

import (
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// This file has the readings of z3 and cvc5 beyond the standard that are not in the operator table.

// otherReading returns how solvers read an operator whose arguments do not fit: string operators applied to sequences,
// and array operators with several indices.
func (r *resolver) otherReading(op smt.Op, args []smt.Term) (smt.Term, bool) {
	if len(args) == 0 {
		return 0, false
	}
	first := r.Arena.SortKind(r.Arena.Sort(args[0]))
	if seq := sequenceOps[op]; seq != 0 && first == smt.KindSeq {
		t, err := r.Arena.AppCoerce(seq, nil, args)
		return t, err == nil
	}
	if str := stringOps[op]; str != 0 && first == smt.KindString {
		t, err := r.Arena.AppCoerce(str, nil, args)
		return t, err == nil
	}
	if first == smt.KindString && strings.HasPrefix(op.String(), "seq.") {
		if t := r.Arena.Opaque(op.String(), nil, smt.SortUnknown, args...); r.Arena.Sort(t) != smt.SortUnknown {
			return t, true
		}
	}
	if len(args) == 1 {
		if t := r.single(op, args[0]); t != 0 {
			return t, true
		}
	}
	if rounded, ok := r.rounded(op, args); ok {
		t, err := r.Arena.App(op, nil, rounded...)
		return t, err == nil
	}
	if first == smt.KindFunc && op == smt.OpSelect && len(args) > 1 && r.Arena.Op(args[0]) != smt.OpLambda { // in z3 a function is an array
		if f := r.Arena.SymbolOf(args[0]); r.Arena.Op(args[0]) == smt.OpFunction && len(r.Arena.SymbolInfo(f).Params) == len(args)-1 {
			t, err := r.Arena.ApplyCoerce(f, args[1:])
			return t, err == nil
		}
		t, err := r.applyTo(args[0], args[1:])
		return t, err == nil
	}
	if arrays, ok := r.asArrays(args); ok {
		if t, err := r.Arena.AppCoerce(op, nil, arrays); err == nil {
			return t, true
		}
		args = arrays
	}
	if r.Arena.SortKind(r.Arena.Sort(args[0])) != smt.KindArray {
		return 0, false
	}
	switch {
	case op == smt.OpSelect && len(args) > 2:
		t, err := r.applyTo(args[0], args[1:])
		return t, err == nil
	case op == smt.OpStore && len(args) > 3:
		return r.storeAt(args[0], args[1:len(args)-1], args[len(args)-1])
	}
	return 0, false
}

// single returns how z3 reads an operator with one argument where the standard requires two, or 0 for other operators.
// A comparison of one argument is true, and an associative operator returns its argument. cvc5 accepts none of these,
// but like z3 it accepts a real number under to_real.
func (r *resolver) single(op smt.Op, x smt.Term) smt.Term {
	switch op {
	case smt.OpXor, smt.OpDiv, smt.OpIntDiv, smt.OpBVAdd, smt.OpBVMul, smt.OpBVAnd, smt.OpBVOr, smt.OpBVXor, smt.OpConcat:
		if r.Arena.Fits(op, nil, x, x) != 0 {
			return x
		}
	case smt.OpDistinct, smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		if r.Arena.Fits(op, nil, x, x) != 0 {
			return r.Arena.True()
		}
	case smt.OpBVXnor: // z3 5.4.1 and 4.8.12: all ones beside it
		if t, err := r.Arena.App(smt.OpBVNot, nil, x); err == nil {
			return t
		}
	case smt.OpToReal:
		if r.Arena.Sort(x) == smt.SortReal {
			return x
		}
	}
	return 0
}

// rounded returns the operands of div, mod and rem with real operands rounded down, as z3 reads them; ok is false if no
// operand is real.
func (r *resolver) rounded(op smt.Op, args []smt.Term) (out []smt.Term, ok bool) {
	if op != smt.OpIntDiv && op != smt.OpMod && op != smt.OpRem {
		return nil, false
	}
	for i, x := range args {
		if r.Arena.Sort(x) == smt.SortReal {
			if out == nil {
				out = append(out, args...)
			}
			out[i] = r.Arena.MustApp(smt.OpToInt, x)
		}
	}
	return out, out != nil
}

// maxScale bounds the power of two that a literal is multiplied by.
const maxScale = 1 << 14

// floatOf returns how z3 reads to_fp with three arguments: a rounding mode with a real number and the power of two to
// multiply it by, in either order, or the three parts of the number. It returns 0 for anything else. If the power is
// not a literal, the term has no value.
func (r *resolver) floatOf(idx []smt.Index, args []smt.Term) smt.Term {
	if r.Arena.SortKind(r.Arena.Sort(args[0])) == smt.KindBitVec {
		t, err := r.Arena.App(smt.OpFP, nil, args...)
		if err != nil {
			return 0
		}
		if same, err := r.Arena.App(smt.OpToFP, idx, r.Arena.MustApp(smt.OpConcat, args...)); err != nil || r.Arena.Sort(same) != r.Arena.Sort(t) {
			return 0
		}
		return t
	}
	number, power := args[1], args[2]
	if r.Arena.Sort(number) == smt.SortInt {
		number, power = power, number
	}
	if r.Arena.Sort(args[0]) != smt.SortRoundingMode || r.Arena.Sort(number) != smt.SortReal || r.Arena.Sort(power) != smt.SortInt {
		return 0
	}
	plain, err := r.Arena.App(smt.OpToFP, idx, args[0], number)
	if err != nil {
		return 0
	}
	n, ok := r.integer(power)
	if !ok || n.CmpAbs(big.NewInt(maxScale)) > 0 {
		name := smt.OpToFP.String()
		r.Note(r.Pos, "unknown power of two of "+name)
		return r.Arena.Opaque(name, idx, r.Arena.Sort(plain), args...)
	}
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(new(big.Int).Abs(n).Uint64())))
	if n.Sign() < 0 {
		scale.Inv(scale)
	}
	if x, ok := r.Arena.RatOf(number); ok {
		number = r.Arena.RealVal(scale.Mul(scale, x))
	} else if n.Sign() != 0 {
		number = r.Arena.MustApp(smt.OpMul, r.Arena.RealVal(scale), number)
	}
	t, err := r.Arena.App(smt.OpToFP, idx, args[0], number)
	if err != nil {
		return 0
	}
	return t
}

// integer returns the value of an integer literal with its sign.
func (r *resolver) integer(t smt.Term) (*big.Int, bool) {
	if r.Arena.Op(t) == smt.OpSub && r.Arena.NumArgs(t) == 1 {
		n, ok := r.Arena.IntOf(r.Arena.Arg(t, 0))
		if !ok {
			return nil, false
		}
		return new(big.Int).Neg(n), true
	}
	return r.Arena.IntOf(t)
}

// asArrays returns the arguments with lambdas that are functions turned into arrays, as z3 reads them; ok is false if
// there are none.
func (r *resolver) asArrays(args []smt.Term) (out []smt.Term, ok bool) {
	for i, x := range args {
		if y := r.AsArray(x); y != x {
			if out == nil {
				out = append(out, args...)
			}
			out[i] = y
		}
	}
	return out, out != nil
}

// AsArray returns the array that a lambda or the name of a function stands for in z3, and any other term as it is.
func (r *resolver) AsArray(t smt.Term) smt.Term {
	if r.Arena.SortKind(r.Arena.Sort(t)) != smt.KindFunc {
		return t
	}
	switch r.Arena.Op(t) {
	case smt.OpFunction:
		f := r.Arena.SymbolOf(t)
		info := r.Arena.SymbolInfo(f)
		if array, err := r.Arena.Function(f, r.Arena.Array(info.Params[0], info.Result)); err == nil {
			return array
		}
		return t
	case smt.OpLambda:
	default:
		return t
	}
	if array, err := r.Arena.Lambda(r.Arena.BoundVars(t), r.Arena.Body(t), true); err == nil {
		return array
	}
	return t
}

// storeAt stores into an array of arrays.
func (r *resolver) storeAt(array smt.Term, indices []smt.Term, x smt.Term) (smt.Term, bool) {
	if len(indices) > 1 {
		inner, err := r.Arena.AppCoerce(smt.OpSelect, nil, []smt.Term{array, indices[0]})
		if err != nil {
			return 0, false
		}
		var ok bool
		if x, ok = r.storeAt(inner, indices[1:], x); !ok {
			return 0, false
		}
	}
	t, err := r.Arena.AppCoerce(smt.OpStore, nil, []smt.Term{array, indices[0], x})
	return t, err == nil
}
