package typed

import (
	"context"
	"fmt"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// BitVec is a bit vector. The names of operators that depend on the sign say signed or unsigned.
type BitVec struct{ node }

// checkWidth describes the error in a width.
func checkWidth(width int) error {
	if width < 1 || width > smt.MaxWidth {
		return fmt.Errorf("a bit vector has 1 to %d bits, not %d", smt.MaxWidth, width)
	}
	return nil
}

// Width returns the number of bits; 0 where there is no term.
func (x BitVec) Width() int {
	if x.err != nil || x.in == nil {
		return 0
	}
	return x.in.arena.Width(x.in.arena.Sort(x.term))
}

// Add returns x + y modulo 2^width.
func (x BitVec) Add(y BitVec) BitVec { return BitVec{apply(smt.OpBVAdd, nil, x, y)} }

// Sub returns x - y modulo 2^width.
func (x BitVec) Sub(y BitVec) BitVec { return BitVec{apply(smt.OpBVSub, nil, x, y)} }

// Mul returns x * y modulo 2^width.
func (x BitVec) Mul(y BitVec) BitVec { return BitVec{apply(smt.OpBVMul, nil, x, y)} }

// Neg returns -x modulo 2^width.
func (x BitVec) Neg() BitVec { return BitVec{apply(smt.OpBVNeg, nil, x)} }

// DivUnsigned returns the quotient, all ones for y = 0.
func (x BitVec) DivUnsigned(y BitVec) BitVec { return BitVec{apply(smt.OpBVUdiv, nil, x, y)} }

// RemUnsigned returns the remainder, x for y = 0.
func (x BitVec) RemUnsigned(y BitVec) BitVec { return BitVec{apply(smt.OpBVUrem, nil, x, y)} }

// DivSigned returns the quotient, rounded towards 0.
func (x BitVec) DivSigned(y BitVec) BitVec { return BitVec{apply(smt.OpBVSdiv, nil, x, y)} }

// RemSigned returns the remainder of DivSigned, which has the sign of x.
func (x BitVec) RemSigned(y BitVec) BitVec { return BitVec{apply(smt.OpBVSrem, nil, x, y)} }

// And returns the bits that both have.
func (x BitVec) And(y BitVec) BitVec { return BitVec{apply(smt.OpBVAnd, nil, x, y)} }

// Or returns the bits that are set in at least one of them.
func (x BitVec) Or(y BitVec) BitVec { return BitVec{apply(smt.OpBVOr, nil, x, y)} }

// Xor returns the bits that are set in exactly one of them.
func (x BitVec) Xor(y BitVec) BitVec { return BitVec{apply(smt.OpBVXor, nil, x, y)} }

// Not returns the bits that x has not.
func (x BitVec) Not() BitVec { return BitVec{apply(smt.OpBVNot, nil, x)} }

// ShiftLeft shifts in zeros; a shift by the width or more returns 0.
func (x BitVec) ShiftLeft(y BitVec) BitVec { return BitVec{apply(smt.OpBVShl, nil, x, y)} }

// ShiftRight shifts in zeros.
func (x BitVec) ShiftRight(y BitVec) BitVec { return BitVec{apply(smt.OpBVLshr, nil, x, y)} }

// ShiftRightSigned shifts in the sign.
func (x BitVec) ShiftRightSigned(y BitVec) BitVec { return BitVec{apply(smt.OpBVAshr, nil, x, y)} }

// LessUnsigned says that x < y.
func (x BitVec) LessUnsigned(y BitVec) Bool { return Bool{apply(smt.OpBVUlt, nil, x, y)} }

// LessEqualUnsigned says that x <= y.
func (x BitVec) LessEqualUnsigned(y BitVec) Bool { return Bool{apply(smt.OpBVUle, nil, x, y)} }

// LessSigned says that x < y.
func (x BitVec) LessSigned(y BitVec) Bool { return Bool{apply(smt.OpBVSlt, nil, x, y)} }

// LessEqualSigned says that x <= y.
func (x BitVec) LessEqualSigned(y BitVec) Bool { return Bool{apply(smt.OpBVSle, nil, x, y)} }

// Concat returns the bits of x followed by those of y, which are the lower bits.
func (x BitVec) Concat(y BitVec) BitVec { return BitVec{apply(smt.OpConcat, nil, x, y)} }

// Extract returns the bits from high down to low, which count from 0 at the lowest.
func (x BitVec) Extract(high, low int) BitVec {
	return BitVec{apply(smt.OpExtract, []int{high, low}, x)}
}

// ExtendZero returns the vector with a number of zeros added above it.
func (x BitVec) ExtendZero(bits int) BitVec { return BitVec{apply(smt.OpZeroExtend, []int{bits}, x)} }

// ExtendSign returns the vector with a number of copies of its sign bit added above it.
func (x BitVec) ExtendSign(bits int) BitVec { return BitVec{apply(smt.OpSignExtend, []int{bits}, x)} }

// Value returns the value in the model behind the latest answer, without a sign.
func (x BitVec) Value(ctx context.Context) (*big.Int, error) {
	v, err := x.valueOf(ctx)
	if err != nil {
		return nil, err
	}
	n, ok := v.BV()
	return n, x.known(ok)
}
