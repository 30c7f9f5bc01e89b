package softfp

import (
	"math/big"
	"math/bits"
)

// roundTo returns (-1)^neg * (hi:lo)/2^127 * 2^exp rounded to the format, which
// must not be wide. The top bit of hi must be set; bit 0 of lo may stand for any
// lost lower bits (a sticky bit).
func (f Format) roundTo(m Rounding, neg bool, exp int64, hi, lo uint64) Float {
	prec := int64(f.sb)
	if emin := f.Emin(); exp < emin {
		prec -= emin - exp
		if prec <= 0 {
			half := prec == 0
			rest := !half || hi<<1 != 0 || lo != 0
			if m.roundsUp(neg, false, half, rest) {
				return f.MinSubnormal(neg)
			}
			return f.Zero(neg)
		}
	}
	sig, carry := roundWord(m, neg, prec, hi, lo)
	if carry {
		exp++
	}
	if exp > f.Emax() {
		return f.overflow(m, neg)
	}
	return Float{format: f, class: finite, neg: neg, exp: exp, sig: sig}
}

// roundWord rounds hi:lo to its top prec bits, 1 <= prec <= 64. On a carry out
// of the top bit the result is 1<<63 and stands for twice that.
func roundWord(m Rounding, neg bool, prec int64, hi, lo uint64) (sig uint64, carry bool) {
	drop := uint(64 - prec)
	guard, rest := hi<<uint(prec), lo // the dropped bits, left aligned
	if drop == 0 {
		guard, rest = lo, 0
	}
	sig = hi >> drop << drop
	if guard|rest == 0 || !m.roundsUp(neg, sig>>drop&1 == 1, guard>>63 == 1, guard<<1|rest != 0) {
		return sig, false
	}
	sig, c := bits.Add64(sig, 1<<drop, 0)
	if c != 0 {
		return 1 << 63, true
	}
	return sig, false
}

// overflow is the result of rounding a magnitude beyond the largest finite value
// (IEEE 754-2019, section 7.4).
func (f Format) overflow(m Rounding, neg bool) Float {
	if m == RTZ || m == RTP && neg || m == RTN && !neg {
		return f.Max(neg)
	}
	return f.Inf(neg)
}

// roundBig returns (-1)^neg * (mant + s) * 2^lsb rounded to the format, where
// mant > 0 and s is 0, or some unknown fraction in (0, 1) if sticky. If sticky,
// mant must have at least sb+2 bits. It keeps no reference to mant.
func (f Format) roundBig(m Rounding, neg bool, mant *big.Int, lsb int64, sticky bool) Float {
	length := int64(mant.BitLen())
	exp := lsb + length - 1
	prec := int64(f.sb)
	if emin := f.Emin(); exp < emin {
		prec -= emin - exp
	}
	if exp > f.Emax() {
		return f.overflow(m, neg)
	}
	kept := mant
	if drop := length - prec; drop > 0 {
		half := prec >= 0 && mant.Bit(int(drop-1)) == 1
		rest := sticky || prec < 0 || int64(mant.TrailingZeroBits()) < drop-1
		kept = new(big.Int)
		if prec > 0 {
			kept.Rsh(mant, uint(drop))
		}
		if m.roundsUp(neg, kept.Bit(0) == 1, half, rest) {
			kept.Add(kept, big.NewInt(1))
		}
		if kept.Sign() == 0 {
			return f.Zero(neg)
		}
		lsb += drop
		if prec <= 0 { // kept is one quantum
			lsb = f.equantum()
		}
		exp = lsb + int64(kept.BitLen()) - 1
		if exp > f.Emax() {
			return f.overflow(m, neg)
		}
	}
	return f.makeFinite(neg, kept, exp)
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
