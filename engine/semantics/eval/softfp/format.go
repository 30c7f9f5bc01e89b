// Package softfp computes with floating-point numbers of any IEEE 754 binary
// format exactly as the SMT-LIB theory FloatingPoint defines them.
//
// A format (eb, sb) has eb exponent bits and sb significand bits, the hidden bit included, as in the sort (_
// FloatingPoint eb sb). There is one NaN. Results are correctly rounded in all five rounding modes. Results that the
// theory leaves open (the sign of fp.min of two zeros of opposite sign, conversions of a NaN, an infinity or a value
// out of range) are reported as ErrUnspecified, never chosen here.
//
// Formats with sb <= 64 are computed on machine words (math/bits), wider ones
// on math/big.
package softfp

import (
	"errors"
	"fmt"
)

// Size limits. Above them operations report errTooLarge.
const (
	// maxEB is the largest number of exponent bits: exponents, their sums and
	// their differences then fit an int64.
	maxEB = 60
	// maxSB is the largest number of significand bits.
	maxSB = 1 << 16
	// maxIntBits bounds the size, in bits, of an integer or of a numerator or
	// denominator that a conversion to Int or Real produces.
	maxIntBits = 1 << 20
)

var (
	// ErrUnspecified says that SMT-LIB gives no value to this application: any
	// value of the result sort is allowed.
	ErrUnspecified = errors.New("unspecified by the theory FloatingPoint")
	// errTooLarge says that the value exists but is beyond the limits of this package.
	errTooLarge = errors.New("too large")
)

// Format is a floating-point sort. The zero Format is not a valid one; make
// formats by NewFormat. Formats are comparable by ==.
type Format struct {
	sb uint32
	eb uint8
}

// The formats that IEEE 754 and SMT-LIB name.
var (
	float16  = Format{eb: 5, sb: 11}
	Float32  = Format{eb: 8, sb: 24}
	Float64  = Format{eb: 11, sb: 53}
	float128 = Format{eb: 15, sb: 113}
)

// NewFormat returns the format with eb exponent bits and sb significand bits
// (the hidden bit included). Both must be greater than 1.
func NewFormat(eb, sb uint) (Format, error) {
	if eb < 2 || sb < 2 {
		return Format{}, fmt.Errorf("softfp: (_ FloatingPoint %d %d) is no sort: both indices must be greater than 1", eb, sb)
	}
	if eb > maxEB || sb > maxSB {
		return Format{}, fmt.Errorf("softfp: (_ FloatingPoint %d %d): %w: at most %d exponent and %d significand bits are computed",
			eb, sb, errTooLarge, maxEB, maxSB)
	}
	return Format{eb: uint8(eb), sb: uint32(sb)}, nil
}

// EB returns the number of exponent bits.
func (f Format) EB() uint { return uint(f.eb) }

// SB returns the number of significand bits, the hidden bit included.
func (f Format) SB() uint { return uint(f.sb) }

// Width returns the number of bits of the interchange encoding, eb + sb.
func (f Format) Width() uint { return uint(f.eb) + uint(f.sb) }

// Emax returns the exponent of the largest finite values, which is also the bias.
func (f Format) Emax() int64 { return 1<<(f.eb-1) - 1 }

// Emin returns the exponent of the smallest normal value.
func (f Format) Emin() int64 { return 2 - 1<<(f.eb-1) }

// equantum returns the exponent of the smallest subnormal value.
func (f Format) equantum() int64 { return f.Emin() - int64(f.sb) + 1 }

// isWide reports whether significands do not fit a machine word.
func (f Format) isWide() bool { return f.sb > 64 }

// String returns the format as an SMT-LIB sort.
func (f Format) String() string { return fmt.Sprintf("(_ FloatingPoint %d %d)", f.eb, f.sb) }

// Rounding is a value of the sort RoundingMode.
type Rounding uint8

// The rounding modes of SMT-LIB (IEEE 754-2019, section 4.3).
const (
	RNE Rounding = iota // to nearest, ties to even
	RNA                 // to nearest, ties away from zero
	RTP                 // toward positive
	RTN                 // toward negative
	RTZ                 // toward zero
)

var roundingNames = [...]string{"RNE", "RNA", "RTP", "RTN", "RTZ"}

// String returns the short SMT-LIB name, for example RNE.
func (m Rounding) String() string {
	if int(m) < len(roundingNames) {
		return roundingNames[m]
	}
	return fmt.Sprintf("Rounding(%d)", uint8(m))
}

// roundsUp reports whether the magnitude is rounded up, given the sign, whether the kept significand is odd, the first
// dropped bit and whether any later dropped bit is set.
func (m Rounding) roundsUp(neg, odd, half, rest bool) bool {
	switch m {
	case RNE:
		return half && (rest || odd)
	case RNA:
		return half
	case RTP:
		return !neg && (half || rest)
	case RTN:
		return neg && (half || rest)
	default:
		return false
	}
}
