package softfp

import (
	"fmt"
	"math/big"
	"math/bits"
)

type class uint8

const (
	zero class = iota
	finite
	infinite
	nan
)

// Float is a value of a floating-point sort. Floats are immutable. Values of
// formats with at most 64 significand bits are comparable by == with the meaning
// of SMT-LIB's =; for any format use Identical.
//
// A finite value other than zero is normalised, subnormal values too: its
// magnitude is in [2^exp, 2^(exp+1)). sig holds the significand with the leading
// bit at bit 63; in wide formats big holds it as an integer of exactly sb bits.
type Float struct {
	format Format
	class  class
	neg    bool
	exp    int64
	sig    uint64
	big    *big.Int
}

// NaN returns the NaN of the format.
func (f Format) NaN() Float { return Float{format: f, class: nan} }

// Zero returns +zero, or -zero if neg.
func (f Format) Zero(neg bool) Float { return Float{format: f, class: zero, neg: neg} }

// Inf returns +oo, or -oo if neg.
func (f Format) Inf(neg bool) Float { return Float{format: f, class: infinite, neg: neg} }

// Max returns the finite value of largest magnitude with the given sign.
func (f Format) Max(neg bool) Float {
	r := Float{format: f, class: finite, neg: neg, exp: f.Emax()}
	if f.isWide() {
		r.big = allOnes(uint(f.sb))
	} else {
		r.sig = ^uint64(0) << (64 - f.sb)
	}
	return r
}

// MinSubnormal returns the value of smallest magnitude, other than zero, with the given sign.
func (f Format) MinSubnormal(neg bool) Float { return f.powerOfTwo(neg, f.equantum()) }

// MinNormal returns the normal value of smallest magnitude with the given sign.
func (f Format) MinNormal(neg bool) Float { return f.powerOfTwo(neg, f.Emin()) }

// powerOfTwo returns ±2^exp, which must be a value of the format.
func (f Format) powerOfTwo(neg bool, exp int64) Float {
	r := Float{format: f, class: finite, neg: neg, exp: exp}
	if f.isWide() {
		r.big = new(big.Int).Lsh(big.NewInt(1), uint(f.sb)-1)
	} else {
		r.sig = 1 << 63
	}
	return r
}

// makeFinite returns the finite value with the significand kept > 0 and the leading
// exponent exp; both must be representable.
func (f Format) makeFinite(neg bool, kept *big.Int, exp int64) Float {
	r := Float{format: f, class: finite, neg: neg, exp: exp}
	length := kept.BitLen()
	if length > int(f.sb) { // after a carry: the lower bits are zero
		kept = new(big.Int).Rsh(kept, uint(length)-uint(f.sb))
		length = int(f.sb)
	}
	if f.isWide() {
		r.big = new(big.Int).Lsh(kept, uint(f.sb)-uint(length))
	} else {
		r.sig = kept.Uint64() << (64 - uint(length))
	}
	return r
}

// exactValue returns (-1)^neg * sig * 2^(exp-63), sig not zero, which must be representable.
func (f Format) exactValue(neg bool, sig uint64, exp int64) Float {
	n := bits.LeadingZeros64(sig)
	return Float{format: f, class: finite, neg: neg, exp: exp - int64(n), sig: sig << n}
}

func allOnes(n uint) *big.Int {
	x := new(big.Int).Lsh(big.NewInt(1), n)
	return x.Sub(x, big.NewInt(1))
}

// Format returns the sort of x.
func (x Float) Format() Format { return x.format }

// IsNaN is fp.isNaN.
func (x Float) IsNaN() bool { return x.class == nan }

// IsInf is fp.isInfinite.
func (x Float) IsInf() bool { return x.class == infinite }

// IsZero is fp.isZero.
func (x Float) IsZero() bool { return x.class == zero }

// IsFinite reports whether x is a number: neither NaN nor an infinity.
func (x Float) IsFinite() bool { return x.class <= finite }

// IsNormal is fp.isNormal.
func (x Float) IsNormal() bool { return x.class == finite && x.exp >= x.format.Emin() }

// IsSubnormal is fp.isSubnormal.
func (x Float) IsSubnormal() bool { return x.class == finite && x.exp < x.format.Emin() }

// IsNegative is fp.isNegative: false of NaN, true of -zero.
func (x Float) IsNegative() bool { return x.neg }

// IsPositive is fp.isPositive: false of NaN, true of +zero.
func (x Float) IsPositive() bool { return !x.neg && x.class != nan }

// Abs is fp.abs.
func (x Float) Abs() Float {
	x.neg = false
	return x
}

// Neg is fp.neg. The NaN has no sign.
func (x Float) Neg() Float {
	x.neg = !x.neg && x.class != nan
	return x
}

// Identical is SMT-LIB's =: NaN equals NaN, and +zero differs from -zero.
func Identical(x, y Float) bool {
	if x.big == nil || y.big == nil {
		return x == y
	}
	return x.format == y.format && x.neg == y.neg && x.exp == y.exp && x.big.Cmp(y.big) == 0
}

// Eq is fp.eq: IEEE equality, false if an argument is NaN; zeros are equal.
func Eq(x, y Float) bool {
	c, ordered := compare(x, y)
	return ordered && c == 0
}

// Lt is fp.lt.
func Lt(x, y Float) bool {
	c, ordered := compare(x, y)
	return ordered && c < 0
}

// Leq is fp.leq.
func Leq(x, y Float) bool {
	c, ordered := compare(x, y)
	return ordered && c <= 0
}

// compare orders two values; ordered is false if one is NaN.
func compare(x, y Float) (c int, ordered bool) {
	mustMatch(x, y, "comparison")
	if x.class == nan || y.class == nan {
		return 0, false
	}
	if x.class == zero && y.class == zero {
		return 0, true
	}
	if x.class == zero {
		return -sign(y), true
	}
	if y.class == zero || x.neg != y.neg {
		return sign(x), true
	}
	return sign(x) * compareMagnitude(x, y), true
}

// sign returns -1 or 1.
func sign(x Float) int {
	if x.neg {
		return -1
	}
	return 1
}

// compareMagnitude orders the magnitudes of two values that are neither zero nor NaN.
func compareMagnitude(x, y Float) int {
	switch {
	case x.class != y.class: // one is an infinity
		return int(x.class) - int(y.class)
	case x.class == infinite:
		return 0
	case x.exp != y.exp:
		if x.exp < y.exp {
			return -1
		}
		return 1
	case x.big != nil:
		return x.big.Cmp(y.big)
	case x.sig < y.sig:
		return -1
	case x.sig > y.sig:
		return 1
	}
	return 0
}

// Min is fp.min. For two zeros of opposite sign it returns ErrUnspecified.
func Min(x, y Float) (Float, error) { return minMax(x, y, -1, "fp.min") }

// Max is fp.max. For two zeros of opposite sign it returns ErrUnspecified.
func Max(x, y Float) (Float, error) { return minMax(x, y, 1, "fp.max") }

func minMax(x, y Float, want int, op string) (Float, error) {
	mustMatch(x, y, op)
	switch {
	case x.class == nan:
		return y, nil
	case y.class == nan:
		return x, nil
	case x.class == zero && y.class == zero && x.neg != y.neg:
		return Float{}, fmt.Errorf("%s of two zeros of opposite sign: %w", op, ErrUnspecified)
	}
	if c, _ := compare(x, y); c*want >= 0 {
		return x, nil
	}
	return y, nil
}

// mustMatch panics unless the operands are of one format: sorts are checked when a
// term is built, so a difference here is a programming error.
func mustMatch(x, y Float, op string) {
	if x.format != y.format {
		panic(fmt.Sprintf("softfp: %s: operands of sorts %v and %v", op, x.format, y.format))
	}
}
