package softfp

import "math/bits"

// Add is fp.add.
func Add(m Rounding, x, y Float) Float {
	mustMatch(x, y, "fp.add")
	f := x.format
	if x.class != finite || y.class != finite {
		return addSpecial(m, x, y)
	}
	if f.isWide() {
		return rounder{f, m}.addBig(x.unpack(), y.unpack())
	}
	if x.exp < y.exp || x.exp == y.exp && x.sig < y.sig {
		x, y = y, x
	}
	hi, lo := shiftRightJam(y.sig, 0, x.exp-y.exp)
	exp := x.exp
	if x.neg == y.neg {
		sum, carry := bits.Add64(x.sig, hi, 0)
		if carry != 0 {
			lo = lo>>1 | lo&1 | sum<<63
			sum = sum>>1 | 1<<63
			exp++
		}
		return rounder{f, m}.roundTo(x.neg, exp, sum, lo)
	}
	lo, borrow := bits.Sub64(0, lo, 0)
	hi, _ = bits.Sub64(x.sig, hi, borrow)
	if hi|lo == 0 {
		return f.Zero(m == RTN)
	}
	hi, lo, exp = normalise(hi, lo, exp)
	return rounder{f, m}.roundTo(x.neg, exp, hi, lo)
}

// Sub is fp.sub.
func Sub(m Rounding, x, y Float) Float { return Add(m, x, y.Neg()) }

// addSpecial adds if an operand is zero, infinite or NaN.
func addSpecial(m Rounding, x, y Float) Float {
	switch {
	case x.class == nan || y.class == nan:
		return x.format.NaN()
	case x.class == infinite:
		if y.class == infinite && x.neg != y.neg {
			return x.format.NaN()
		}
		return x
	case y.class == infinite:
		return y
	case x.class == zero && y.class == zero:
		if x.neg == y.neg {
			return x
		}
		return x.format.Zero(m == RTN)
	case x.class == zero:
		return y
	}
	return x
}

// Mul is fp.mul.
func Mul(m Rounding, x, y Float) Float {
	mustMatch(x, y, "fp.mul")
	f, neg := x.format, x.neg != y.neg
	if x.class != finite || y.class != finite {
		return mulSpecial(x, y)
	}
	if f.isWide() {
		return rounder{f, m}.mulBig(x.unpack(), y.unpack())
	}
	hi, lo, exp := product(x, y)
	return rounder{f, m}.roundTo(neg, exp, hi, lo)
}

// mulSpecial multiplies if an operand is zero, infinite or NaN.
func mulSpecial(x, y Float) Float {
	neg := x.neg != y.neg
	switch {
	case x.class == nan || y.class == nan,
		x.class == infinite && y.class == zero,
		x.class == zero && y.class == infinite:
		return x.format.NaN()
	case x.class == infinite || y.class == infinite:
		return x.format.Inf(neg)
	}
	return x.format.Zero(neg)
}

// product returns the exact product of two finite magnitudes, normalised.
func product(x, y Float) (hi, lo uint64, exp int64) {
	hi, lo = bits.Mul64(x.sig, y.sig)
	if hi>>63 == 0 {
		return hi<<1 | lo>>63, lo << 1, x.exp + y.exp
	}
	return hi, lo, x.exp + y.exp + 1
}

// Div is fp.div.
func Div(m Rounding, x, y Float) Float {
	mustMatch(x, y, "fp.div")
	f, neg := x.format, x.neg != y.neg
	switch {
	case x.class == nan || y.class == nan,
		x.class == infinite && y.class == infinite,
		x.class == zero && y.class == zero:
		return f.NaN()
	case x.class == infinite || y.class == zero:
		return f.Inf(neg)
	case x.class == zero || y.class == infinite:
		return f.Zero(neg)
	}
	if f.isWide() {
		return rounder{f, m}.divBig(x.unpack(), y.unpack())
	}
	exp := x.exp - y.exp
	var q, rem, lo uint64
	if x.sig < y.sig {
		q, rem = bits.Div64(x.sig, 0, y.sig)
		exp--
	} else {
		q, rem = bits.Div64(x.sig>>1, x.sig<<63, y.sig)
	}
	if rem != 0 {
		if f.sb == 64 { // the rounding bit is not in q yet
			lo, rem = bits.Div64(rem, 0, y.sig)
		}
		if rem != 0 {
			lo |= 1
		}
	}
	return rounder{f, m}.roundTo(neg, exp, q, lo)
}

// FMA is fp.fma: x*y + z with one rounding.
func FMA(m Rounding, x, y, z Float) Float {
	mustMatch(x, y, "fp.fma")
	mustMatch(x, z, "fp.fma")
	f, neg := x.format, x.neg != y.neg
	if x.class != finite || y.class != finite {
		return addSpecial(m, mulSpecial(x, y), z)
	}
	if z.class == nan || z.class == infinite {
		return z
	}
	if f.isWide() {
		return rounder{f, m}.fmaBig(x.unpack(), y.unpack(), z)
	}
	hi, lo, exp := product(x, y)
	if z.class == zero {
		return rounder{f, m}.roundTo(neg, exp, hi, lo)
	}
	return rounder{f, m}.addProduct(neg, exp, hi, lo, z)
}

// addProduct adds the finite z to the normalised product hi:lo. Both are held in
// three words; of the operand shifted right only bits that cannot reach the
// rounding position are lost, and they leave a sticky bit.
func (r rounder) addProduct(neg bool, exp int64, hi, lo uint64, z Float) Float {
	a := [3]uint64{hi, lo, 0}
	b := [3]uint64{z.sig, 0, 0}
	d, negB := exp-z.exp, z.neg
	if d < 0 || d == 0 && less3(&a, &b) {
		a, b = b, a
		neg, negB = negB, neg
		exp, d = z.exp, -d
	}
	shiftRightJam3(&b, d)
	if neg == negB {
		var c uint64
		a[2], c = bits.Add64(a[2], b[2], 0)
		a[1], c = bits.Add64(a[1], b[1], c)
		a[0], c = bits.Add64(a[0], b[0], c)
		if c != 0 {
			shiftRightJam3(&a, 1)
			a[0] |= 1 << 63
			exp++
		}
	} else {
		var c uint64
		a[2], c = bits.Sub64(a[2], b[2], 0)
		a[1], c = bits.Sub64(a[1], b[1], c)
		a[0], _ = bits.Sub64(a[0], b[0], c)
		if a == [3]uint64{} {
			// An exact zero of operands with different signs is negative only when rounding down (IEEE 754, 6.3).
			return r.Zero(r.mode == RTN)
		}
		for a[0] == 0 {
			a[0], a[1], a[2] = a[1], a[2], 0
			exp -= 64
		}
		n := uint(bits.LeadingZeros64(a[0]))
		a[0] = a[0]<<n | a[1]>>(64-n)
		a[1] = a[1]<<n | a[2]>>(64-n)
		a[2] <<= n
		exp -= int64(n)
	}
	if a[2] != 0 {
		a[1] |= 1
	}
	return r.roundTo(neg, exp, a[0], a[1])
}

func less3(a, b *[3]uint64) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// shiftRightJam3 shifts a right by d >= 0 bits; bits shifted out set the lowest bit.
func shiftRightJam3(a *[3]uint64, d int64) {
	if d >= 192 {
		sticky := a[0] | a[1] | a[2]
		*a = [3]uint64{}
		if sticky != 0 {
			a[2] = 1
		}
		return
	}
	var sticky uint64
	for ; d >= 64; d -= 64 {
		sticky |= a[2]
		a[0], a[1], a[2] = 0, a[0], a[1]
	}
	n := uint(d)
	if n != 0 {
		sticky |= a[2] << (64 - n)
		a[2] = a[2]>>n | a[1]<<(64-n)
		a[1] = a[1]>>n | a[0]<<(64-n)
		a[0] >>= n
	}
	if sticky != 0 {
		a[2] |= 1
	}
}

// shiftRightJam shifts hi:lo right by d >= 0 bits; bits shifted out set the lowest bit.
func shiftRightJam(hi, lo uint64, d int64) (uint64, uint64) {
	switch {
	case d == 0:
		return hi, lo
	case d < 64:
		n := uint(d)
		out := lo << (64 - n)
		lo = lo>>n | hi<<(64-n)
		if out != 0 {
			lo |= 1
		}
		return hi >> n, lo
	case d < 128:
		n := uint(d - 64)
		out := hi<<(64-n) | lo
		if n == 0 {
			out = lo
		}
		lo = hi >> n
		if out != 0 {
			lo |= 1
		}
		return 0, lo
	}
	if hi|lo != 0 {
		return 0, 1
	}
	return 0, 0
}

// normalise shifts hi:lo, which is not zero, left until the top bit is set.
func normalise(hi, lo uint64, exp int64) (uint64, uint64, int64) {
	if hi == 0 {
		hi, lo, exp = lo, 0, exp-64
	}
	n := uint(bits.LeadingZeros64(hi))
	return hi<<n | lo>>(64-n), lo << n, exp - int64(n)
}
