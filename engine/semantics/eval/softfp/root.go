package softfp

import (
	"math"
	"math/bits"
)

// Sqrt is fp.sqrt: NaN of negative arguments except -zero, whose root is -zero.
func Sqrt(m Rounding, x Float) Float {
	f := x.format
	switch {
	case x.class == nan || x.class == zero:
		return x
	case x.neg:
		return f.NaN()
	case x.class == infinite:
		return x
	}
	if f.isWide() {
		return rounder{f, m}.sqrtBig(x.unpack())
	}
	// The radicand hi:lo is x scaled by an even power of two to [2^126, 2^128),
	// so that its root has 64 bits.
	hi, lo := x.sig, uint64(0)
	if x.exp&1 == 0 {
		hi, lo = hi>>1, hi<<63
	}
	r, remHi, remLo := sqrt128(hi, lo)
	// The next bit of the root is set iff radicand >= (r + 1/2)^2, that is iff
	// the remainder is greater than r; equality of the two sides is impossible.
	var next uint64
	if remHi != 0 || remLo > r {
		next = 1 << 63
	}
	if remHi|remLo != 0 {
		next |= 1
	}
	return rounder{f, m}.roundTo(false, x.exp>>1, r, next)
}

// sqrt128 returns the integer square root of hi:lo >= 2^126 and the remainder.
func sqrt128(hi, lo uint64) (r, remHi, remLo uint64) {
	// A floating-point estimate, good to some 2^12, and one Newton step on the
	// exact remainder, which leaves an error of at most one or two.
	r = math.MaxUint64
	if s := math.Sqrt(float64(hi)) * (1 << 32); s < 1<<64 {
		r = uint64(s)
	}
	sqHi, sqLo := bits.Mul64(r, r)
	remLo, borrow := bits.Sub64(lo, sqLo, 0)
	remHi, _ = bits.Sub64(hi, sqHi, borrow)
	delta := (float64(int64(remHi))*(1<<64) + float64(remLo)) / (2 * float64(r))
	if step := int64(delta); step >= 0 {
		sum, carry := bits.Add64(r, uint64(step), 0)
		if carry != 0 {
			sum = math.MaxUint64
		}
		r = sum
	} else {
		r -= uint64(-step)
	}
	for {
		sqHi, sqLo = bits.Mul64(r, r)
		remLo, borrow = bits.Sub64(lo, sqLo, 0)
		remHi, borrow = bits.Sub64(hi, sqHi, borrow)
		switch {
		case borrow != 0:
			r--
		case remHi > r>>63 || remHi == r>>63 && remLo > r<<1:
			r++
		default:
			return r, remHi, remLo
		}
	}
}

// RoundToIntegral is fp.roundToIntegral. A zero result has the sign of x.
//
// In formats whose largest values are not integers (sb-1 > emax, for example
// (_ FloatingPoint 3 5)) the rounded integer can exceed the largest finite value;
// it is then rounded to the format in the same mode, as any other result.
func RoundToIntegral(m Rounding, x Float) Float {
	f := x.format
	if x.class != finite || x.exp >= int64(f.sb)-1 {
		return x
	}
	if f.isWide() {
		u := x.unpack()
		n := u.roundToInt(m)
		if n.Sign() == 0 {
			return f.Zero(x.neg)
		}
		return rounder{f, m}.roundBig(x.neg, n, 0, false)
	}
	if x.exp < 0 {
		half := x.exp == -1
		if !m.roundsUp(x.neg, false, half, !half || x.sig<<1 != 0) {
			return f.Zero(x.neg)
		}
		return f.powerOfTwo(x.neg, 0)
	}
	sig, carry := roundWord(m, x.neg, x.exp+1, x.sig, 0)
	if carry {
		x.exp++
		if x.exp > f.Emax() {
			return rounder{f, m}.overflow(x.neg)
		}
	}
	x.sig = sig
	return x
}

// Rem is fp.rem, the IEEE 754 remainder: x - y*n where n is the integer nearest
// to x/y, the even one of two. A zero result has the sign of x. The result is
// always exact, so there is no rounding mode.
func Rem(x, y Float) Float {
	mustMatch(x, y, "fp.rem")
	f := x.format
	switch {
	case x.class == nan || y.class == nan || x.class == infinite || y.class == zero:
		return f.NaN()
	case x.class == zero || y.class == infinite:
		return x
	}
	if f.isWide() {
		return rounder{f, RTZ}.remBig(x.unpack(), y.unpack())
	}
	d := x.exp - y.exp
	if d < -1 { // |x| < |y|/2
		return x
	}
	// Units: 2^(exp-63) of the lower exponent. For d = -1, |x| < |y| and the
	// integer quotient is 0; else |x| = sig * 2^d.
	if d == -1 {
		exp := x.exp
		// |x| <= |y|/2 iff sig(x) <= sig(y) in units of x, where |y| = 2*sig(y).
		if x.sig <= y.sig {
			return x
		}
		// |r| = |y| - |x| in units of x; it fits, as |r| < |y|/2 = sig(y).
		return f.exactValue(!x.neg, y.sig-(x.sig-y.sig), exp)
	}
	exp := y.exp
	r, odd := shiftMod(x.sig, uint64(d), y.sig)
	if r == 0 {
		return f.Zero(x.neg)
	}
	neg := x.neg
	if other := y.sig - r; other < r || other == r && odd {
		r, neg = other, !neg
	}
	return f.exactValue(neg, r, exp)
}

// shiftMod returns a * 2^d mod m and whether the quotient is odd; the top bits of
// a and m are set. It takes O(log d) steps.
func shiftMod(a, d, m uint64) (r uint64, odd bool) {
	if a >= m { // a < 2m as both top bits are set
		a, odd = a-m, true
	}
	if d == 0 {
		return a, odd
	}
	// The quotient's parity is that of the quotient of the last step alone, as
	// what went before is multiplied by a power of two.
	last := d & 63
	if last == 0 {
		last = 64
	}
	if steps := (d - last) / 64; steps > 24 {
		hi, lo := bits.Mul64(a, powerMod(d-last, m))
		a = bits.Rem64(hi, lo, m)
	} else {
		for ; steps > 0; steps-- {
			a = bits.Rem64(a, 0, m)
		}
	}
	q, r := bits.Div64(a>>(64-last), a<<last, m)
	return r, q&1 == 1
}

// powerMod returns 2^d mod m by square and multiply, from the top bit of d.
func powerMod(d, m uint64) uint64 {
	r := uint64(1)
	for i := bits.Len64(d) - 1; i >= 0; i-- {
		hi, lo := bits.Mul64(r, r)
		if hi >= m {
			hi %= m
		}
		_, r = bits.Div64(hi, lo, m)
		if d>>uint(i)&1 == 1 {
			if r >= m-r {
				r -= m - r
			} else {
				r <<= 1
			}
		}
	}
	return r
}
