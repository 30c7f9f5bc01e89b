package softfp

import (
	"math/big"
	"math/bits"
)

// rounder holds the format of results and the mode in which they are rounded to it.
type rounder struct {
	Format
	mode Rounding
}

// roundTo returns (-1)^neg * (hi:lo)/2^127 * 2^exp rounded to the format, which
// must not be wide. The top bit of hi must be set; bit 0 of lo may stand for any
// lost lower bits (a sticky bit).
func (r rounder) roundTo(neg bool, exp int64, hi, lo uint64) Float {
	prec := int64(r.sb)
	if emin := r.Emin(); exp < emin {
		prec -= emin - exp
		if prec <= 0 {
			half := prec == 0
			rest := !half || hi<<1 != 0 || lo != 0
			if r.mode.roundsUp(neg, false, half, rest) {
				return r.MinSubnormal(neg)
			}
			return r.Zero(neg)
		}
	}
	sig, carry := roundWord(r.mode, neg, prec, hi, lo)
	if carry {
		exp++
	}
	if exp > r.Emax() {
		return r.overflow(neg)
	}
	return Float{format: r.Format, class: finite, neg: neg, exp: exp, sig: sig}
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
func (r rounder) overflow(neg bool) Float {
	if r.mode == RTZ || r.mode == RTP && neg || r.mode == RTN && !neg {
		return r.Max(neg)
	}
	return r.Inf(neg)
}

// roundBig returns (-1)^neg * (mant + s) * 2^lsb rounded to the format, where
// mant > 0 and s is 0, or some unknown fraction in (0, 1) if sticky. If sticky,
// mant must have at least sb+2 bits. It keeps no reference to mant.
func (r rounder) roundBig(neg bool, mant *big.Int, lsb int64, sticky bool) Float {
	length := int64(mant.BitLen())
	exp := lsb + length - 1
	prec := int64(r.sb)
	if emin := r.Emin(); exp < emin {
		prec -= emin - exp
	}
	if exp > r.Emax() {
		return r.overflow(neg)
	}
	kept := mant
	if drop := length - prec; drop > 0 {
		half := prec >= 0 && mant.Bit(int(drop-1)) == 1
		rest := sticky || prec < 0 || int64(mant.TrailingZeroBits()) < drop-1
		kept = new(big.Int)
		if prec > 0 {
			kept.Rsh(mant, uint(drop))
		}
		if r.mode.roundsUp(neg, kept.Bit(0) == 1, half, rest) {
			kept.Add(kept, big.NewInt(1))
		}
		if kept.Sign() == 0 {
			return r.Zero(neg)
		}
		lsb += drop
		if prec <= 0 { // kept is one quantum
			lsb = r.equantum()
		}
		exp = lsb + int64(kept.BitLen()) - 1
		if exp > r.Emax() {
			return r.overflow(neg)
		}
	}
	return r.makeFinite(neg, kept, exp)
}
