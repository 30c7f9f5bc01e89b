package softfp

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Convert is to_fp from another floating-point sort.
func (f Format) Convert(m Rounding, x Float) Float {
	switch x.class {
	case nan:
		return f.NaN()
	case infinite:
		return f.Inf(x.neg)
	case zero:
		return f.Zero(x.neg)
	}
	if f == x.format {
		return x
	}
	if f.isWide() || x.big != nil {
		u := x.unpack()
		return rounder{f, m}.roundBig(u.neg, u.mant, u.lsb, false)
	}
	return rounder{f, m}.roundTo(x.neg, x.exp, x.sig, 0)
}

// FromRat is to_fp from a Real. The real 0 gives +zero; a negative real that
// rounds to zero gives -zero.
func (f Format) FromRat(m Rounding, r *big.Rat) Float {
	if r.IsInt() {
		return f.FromInt(m, r.Num())
	}
	q, lsb, sticky := quotient(new(big.Int).Abs(r.Num()), r.Denom(), f.sb)
	return rounder{f, m}.roundBig(r.Sign() < 0, q, lsb, sticky)
}

// FromInt is to_fp from a signed bit-vector and to_fp_unsigned, given the integer
// that the bit-vector stands for; also the conversion of an integer-valued Real.
func (f Format) FromInt(m Rounding, n *big.Int) Float {
	if n.IsInt64() && !f.isWide() {
		return f.FromInt64(m, n.Int64())
	}
	if n.Sign() == 0 {
		return f.Zero(false)
	}
	return rounder{f, m}.roundBig(n.Sign() < 0, new(big.Int).Abs(n), 0, false)
}

// FromInt64 is FromInt of a machine integer.
func (f Format) FromInt64(m Rounding, n int64) Float {
	if n < 0 {
		return f.fromWord(m, true, -uint64(n))
	}
	return f.fromWord(m, false, uint64(n))
}

// FromUint64 is FromInt of an unsigned machine integer.
func (f Format) FromUint64(m Rounding, n uint64) Float { return f.fromWord(m, false, n) }

func (f Format) fromWord(m Rounding, neg bool, n uint64) Float {
	if n == 0 {
		return f.Zero(false)
	}
	if f.isWide() {
		return rounder{f, m}.roundBig(neg, new(big.Int).SetUint64(n), 0, false)
	}
	shift := bits.LeadingZeros64(n)
	return rounder{f, m}.roundTo(neg, 63-int64(shift), n<<shift, 0)
}

// Rat is fp.to_real. It returns ErrUnspecified for NaN and the infinities, and
// errTooLarge if the numerator or denominator would exceed maxIntBits bits.
func (x Float) Rat() (*big.Rat, error) {
	switch x.class {
	case zero:
		return new(big.Rat), nil
	case finite:
	default:
		return nil, fmt.Errorf("fp.to_real of %v: %w", x, ErrUnspecified)
	}
	if x.exp > maxIntBits || x.exp < -maxIntBits {
		return nil, fmt.Errorf("fp.to_real of a value with exponent %d: %w: at most %d bits are computed", x.exp, errTooLarge, maxIntBits)
	}
	u := x.unpack()
	num := new(big.Int).Set(u.mant)
	lsb := u.lsb
	if tz := int64(num.TrailingZeroBits()); lsb < 0 && tz > 0 {
		tz = min(tz, -lsb)
		num.Rsh(num, uint(tz))
		lsb += tz
	}
	if x.neg {
		num.Neg(num)
	}
	if lsb >= 0 {
		return new(big.Rat).SetInt(num.Lsh(num, uint(lsb))), nil
	}
	return new(big.Rat).SetFrac(num, new(big.Int).Lsh(big.NewInt(1), uint(-lsb))), nil
}

// Int returns x rounded to an integer in mode m: ErrUnspecified for NaN and the
// infinities, errTooLarge above maxIntBits bits.
func (x Float) Int(m Rounding) (*big.Int, error) {
	switch x.class {
	case zero:
		return new(big.Int), nil
	case finite:
	default:
		return nil, fmt.Errorf("conversion of %v to an integer: %w", x, ErrUnspecified)
	}
	if x.exp > maxIntBits {
		return nil, fmt.Errorf("conversion of a value with exponent %d to an integer: %w: at most %d bits are computed", x.exp, errTooLarge, maxIntBits)
	}
	n := x.unpack().roundToInt(m)
	if x.neg {
		n.Neg(n)
	}
	return n, nil
}

// rangeError is formatted only when somebody reads it: conversions out of range
// are common in evaluation.
type rangeError struct {
	op    string
	width uint
	x     Float
}

func (e *rangeError) Error() string {
	return fmt.Sprintf("(_ %s %d) of %v, out of range: %v", e.op, e.width, e.x, ErrUnspecified)
}

func (e *rangeError) Unwrap() error { return ErrUnspecified }

// UBV is fp.to_ubv: x rounded to an integer, which must be in [0, 2^width);
// else, and for NaN and the infinities, the error is ErrUnspecified.
func (x Float) UBV(m Rounding, width uint) (*big.Int, error) {
	if x.class <= finite && x.exp <= int64(width) {
		n, err := x.Int(m)
		if err != nil {
			return nil, err
		}
		if n.Sign() >= 0 && uint(n.BitLen()) <= width {
			return n, nil
		}
	}
	return nil, &rangeError{"fp.to_ubv", width, x}
}

// SBV is fp.to_sbv: x rounded to an integer, which must be in
// [-2^(width-1), 2^(width-1)); else, and for NaN and the infinities, the error is
// ErrUnspecified. The result is the signed integer.
func (x Float) SBV(m Rounding, width uint) (*big.Int, error) {
	if x.class <= finite && x.exp <= int64(width) {
		n, err := x.Int(m)
		if err != nil {
			return nil, err
		}
		limit := n
		if n.Sign() < 0 {
			limit = new(big.Int).Not(n) // -n-1
		}
		if uint(limit.BitLen()) < width {
			return n, nil
		}
	}
	return nil, &rangeError{"fp.to_sbv", width, x}
}
