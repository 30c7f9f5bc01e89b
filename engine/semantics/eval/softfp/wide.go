package softfp

import "math/big"

// unpacked is the finite value (-1)^neg * mant * 2^lsb, mant > 0. The functions
// of this file work for every format; the exported operations use them for the
// formats that do not fit machine words. They never change mant.
type unpacked struct {
	neg  bool
	mant *big.Int
	lsb  int64
}

// unpack returns x, which must be finite and not zero.
func (x Float) unpack() unpacked {
	if x.big != nil {
		return unpacked{x.neg, x.big, x.exp - int64(x.format.sb) + 1}
	}
	return unpacked{x.neg, new(big.Int).SetUint64(x.sig), x.exp - 63}
}

// leadExponent returns the exponent of the leading bit.
func (u unpacked) leadExponent() int64 { return u.lsb + int64(u.mant.BitLen()) - 1 }

// addBig rounds the sum of two values.
func (r rounder) addBig(a, b unpacked) Float {
	if a.leadExponent() < b.leadExponent() {
		a, b = b, a
	}
	// extra makes the mantissa of a long enough for a sticky bit below it.
	extra := int64(r.sb) + 3 - int64(a.mant.BitLen())
	if extra < 0 {
		extra = 0
	}
	extra++
	if b.leadExponent() < a.lsb-extra {
		mant := new(big.Int).Lsh(a.mant, uint(extra))
		if a.neg != b.neg {
			mant.Sub(mant, big.NewInt(1))
		}
		return r.roundBig(a.neg, mant, a.lsb-extra, true)
	}
	lsb := min(a.lsb, b.lsb)
	sum := new(big.Int).Lsh(a.mant, uint(a.lsb-lsb))
	other := new(big.Int).Lsh(b.mant, uint(b.lsb-lsb))
	if a.neg == b.neg {
		return r.roundBig(a.neg, sum.Add(sum, other), lsb, false)
	}
	neg := a.neg
	switch sum.Sub(sum, other).Sign() {
	case 0:
		return r.Zero(r.mode == RTN)
	case -1:
		sum.Neg(sum)
		neg = !neg
	}
	return r.roundBig(neg, sum, lsb, false)
}

// times returns the exact product.
func (u unpacked) times(v unpacked) unpacked {
	return unpacked{u.neg != v.neg, new(big.Int).Mul(u.mant, v.mant), u.lsb + v.lsb}
}

func (r rounder) mulBig(a, b unpacked) Float {
	p := a.times(b)
	return r.roundBig(p.neg, p.mant, p.lsb, false)
}

func (r rounder) fmaBig(a, b unpacked, z Float) Float {
	p := a.times(b)
	if z.class == zero {
		return r.roundBig(p.neg, p.mant, p.lsb, false)
	}
	return r.addBig(p, z.unpack())
}

func (r rounder) divBig(a, b unpacked) Float {
	q, lsb, sticky := quotient(a.mant, b.mant, r.sb)
	return r.roundBig(a.neg != b.neg, q, a.lsb-b.lsb+lsb, sticky)
}

// quotient returns num/den as (q + s) * 2^lsb with at least two bits more in q than a significand of sb bits has.
func quotient(num, den *big.Int, sb uint32) (q *big.Int, lsb int64, sticky bool) {
	shift := int(sb) + 3 + den.BitLen() - num.BitLen()
	if shift < 0 {
		shift = 0
	}
	q, rem := new(big.Int).Lsh(num, uint(shift)), new(big.Int)
	q.QuoRem(q, den, rem)
	return q, -int64(shift), rem.Sign() != 0
}

func (r rounder) sqrtBig(a unpacked) Float {
	shift := 2*(int64(r.sb)+3) - int64(a.mant.BitLen())
	if shift < 0 {
		shift = 0
	}
	if (a.lsb-shift)&1 != 0 {
		shift++
	}
	n := new(big.Int).Lsh(a.mant, uint(shift))
	root := new(big.Int).Sqrt(n)
	sticky := new(big.Int).Mul(root, root).Cmp(n) != 0
	return r.roundBig(false, root, (a.lsb-shift)>>1, sticky)
}

// remBig returns the remainder, which is exact in every rounding mode.
func (r rounder) remBig(a, b unpacked) Float {
	if a.leadExponent() < b.leadExponent()-1 { // |a| < |b|/2
		return r.roundBig(a.neg, a.mant, a.lsb, false)
	}
	// With q = 2*den as the modulus the residue also shows the quotient's parity.
	lsb := min(a.lsb, b.lsb)
	den := b.mant
	if b.lsb > lsb {
		den = new(big.Int).Lsh(den, uint(b.lsb-lsb))
	}
	mod := new(big.Int).Lsh(den, 1)
	rest := new(big.Int).Exp(big.NewInt(2), big.NewInt(a.lsb-lsb), mod)
	rest.Mul(rest, a.mant).Mod(rest, mod)
	odd := rest.Cmp(den) >= 0
	if odd {
		rest.Sub(rest, den)
	}
	if rest.Sign() == 0 {
		return r.Zero(a.neg)
	}
	other := new(big.Int).Sub(den, rest)
	if c := other.Cmp(rest); c < 0 || c == 0 && odd {
		return r.roundBig(!a.neg, other, lsb, false)
	}
	return r.roundBig(a.neg, rest, lsb, false)
}

// roundToInt returns the magnitude of u rounded to an integer in the direction
// that mode m gives to the signed value.
func (u unpacked) roundToInt(m Rounding) *big.Int {
	if u.lsb >= 0 {
		return new(big.Int).Lsh(u.mant, uint(u.lsb))
	}
	drop := -u.lsb
	length := int64(u.mant.BitLen())
	if drop > length { // less than a half
		n := new(big.Int)
		if m.roundsUp(u.neg, false, false, true) {
			n.SetInt64(1)
		}
		return n
	}
	n := new(big.Int).Rsh(u.mant, uint(drop))
	half := u.mant.Bit(int(drop-1)) == 1
	rest := int64(u.mant.TrailingZeroBits()) < drop-1
	if m.roundsUp(u.neg, n.Bit(0) == 1, half, rest) {
		n.Add(n, big.NewInt(1))
	}
	return n
}
