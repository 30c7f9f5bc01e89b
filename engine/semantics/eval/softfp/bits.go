package softfp

import (
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// FromBits decodes the IEEE 754 interchange encoding: sign, exponent, fraction.
// Bits of b above the format's width are ignored. Every NaN encoding gives the NaN.
func (f Format) FromBits(b *big.Int) Float {
	if f.Width() <= 64 && b.IsUint64() {
		return f.FromBits64(b.Uint64())
	}
	frac := new(big.Int).And(b, allOnes(uint(f.sb)-1))
	top := new(big.Int).Rsh(b, uint(f.sb)-1)
	exp := new(big.Int).And(top, allOnes(uint(f.eb))).Uint64()
	return f.FromParts(top.Bit(int(f.eb)) == 1, exp, frac)
}

// FromBits64 is FromBits for formats of at most 64 bits.
func (f Format) FromBits64(b uint64) Float {
	if f.Width() > 64 {
		panic(fmt.Sprintf("softfp: FromBits64 of %v: wider than 64 bits", f))
	}
	frac := b & (1<<(f.sb-1) - 1)
	exp := b >> (f.sb - 1) & (1<<f.eb - 1)
	return f.FromParts64(b>>(f.Width()-1)&1 == 1, exp, frac)
}

// FromParts is the SMT-LIB operator fp: sign bit, biased exponent (eb bits) and
// fraction (sb-1 bits). Higher bits of exp and frac must be zero.
func (f Format) FromParts(neg bool, exp uint64, frac *big.Int) Float {
	if !f.isWide() {
		return f.FromParts64(neg, exp, frac.Uint64())
	}
	if exp == 1<<f.eb-1 {
		if frac.Sign() != 0 {
			return f.NaN()
		}
		return f.Inf(neg)
	}
	r := Float{format: f, class: finite, neg: neg}
	if exp != 0 {
		r.exp = int64(exp) - f.Emax()
		r.big = new(big.Int).SetBit(frac, int(f.sb)-1, 1)
		return r
	}
	if frac.Sign() == 0 {
		return f.Zero(neg)
	}
	shift := uint(f.sb) - uint(frac.BitLen())
	r.exp = f.Emin() - int64(shift)
	r.big = new(big.Int).Lsh(frac, shift)
	return r
}

// FromParts64 is FromParts for formats of at most 64 significand bits.
func (f Format) FromParts64(neg bool, exp, frac uint64) Float {
	if f.isWide() {
		return f.FromParts(neg, exp, new(big.Int).SetUint64(frac))
	}
	switch {
	case exp == 1<<f.eb-1 && frac != 0:
		return f.NaN()
	case exp == 1<<f.eb-1:
		return f.Inf(neg)
	case exp != 0:
		sig := frac<<(64-f.sb) | 1<<63
		return Float{format: f, class: finite, neg: neg, exp: int64(exp) - f.Emax(), sig: sig}
	case frac == 0:
		return f.Zero(neg)
	}
	shift := bits.LeadingZeros64(frac)
	// The fraction's bit sb-1 has the weight of emin.
	return Float{format: f, class: finite, neg: neg, exp: f.Emin() - int64(shift) + 64 - int64(f.sb), sig: frac << shift}
}

// Parts returns the arguments of the operator fp that denote x. The NaN has
// sign 0 and the fraction 10...0.
func (x Float) Parts() (neg bool, exp uint64, frac *big.Int) {
	f := x.format
	frac = new(big.Int)
	switch x.class {
	case zero:
		return x.neg, 0, frac
	case infinite:
		return x.neg, 1<<f.eb - 1, frac
	case nan:
		return false, 1<<f.eb - 1, frac.SetBit(frac, int(f.sb)-2, 1)
	}
	if x.big != nil {
		frac.Set(x.big)
	} else {
		frac.SetUint64(x.sig >> (64 - f.sb))
	}
	if emin := f.Emin(); x.exp < emin {
		return x.neg, 0, frac.Rsh(frac, uint(emin-x.exp))
	}
	return x.neg, uint64(x.exp + f.Emax()), frac.SetBit(frac, int(f.sb)-1, 0)
}

// Bits returns the interchange encoding of x.
func (x Float) Bits() *big.Int {
	if x.format.Width() <= 64 {
		return new(big.Int).SetUint64(x.Bits64())
	}
	neg, exp, frac := x.Parts()
	top := new(big.Int).SetUint64(exp)
	if neg {
		top.SetBit(top, int(x.format.eb), 1)
	}
	top.Lsh(top, uint(x.format.sb)-1)
	return top.Or(top, frac)
}

// Bits64 is Bits for formats of at most 64 bits.
func (x Float) Bits64() uint64 {
	f := x.format
	if f.Width() > 64 {
		panic(fmt.Sprintf("softfp: Bits64 of %v: wider than 64 bits", f))
	}
	var b uint64
	switch x.class {
	case infinite:
		b = (1<<f.eb - 1) << (f.sb - 1)
	case nan:
		b = (1<<(f.eb+1) - 1) << (f.sb - 2)
	case finite:
		sig := x.sig >> (64 - f.sb)
		if emin := f.Emin(); x.exp < emin {
			b = sig >> uint(emin-x.exp)
		} else {
			b = sig&(1<<(f.sb-1)-1) | uint64(x.exp+f.Emax())<<(f.sb-1)
		}
	}
	if x.neg {
		b |= 1 << (f.Width() - 1)
	}
	return b
}

// String returns x as an SMT-LIB term: (fp #b0 #b... #b...) for numbers,
// (_ +oo eb sb) and the like for the others.
func (x Float) String() string {
	f := x.format
	name := ""
	switch {
	case x.class == nan:
		name = "NaN"
	case x.class == infinite:
		name = "oo"
	case x.class == zero:
		name = "zero"
	}
	if name != "" {
		if x.class != nan {
			name = map[bool]string{false: "+", true: "-"}[x.neg] + name
		}
		return fmt.Sprintf("(_ %s %d %d)", name, f.eb, f.sb)
	}
	neg, exp, frac := x.Parts()
	sign := "0"
	if neg {
		sign = "1"
	}
	digits := frac.Text(2)
	pad := strings.Repeat("0", int(f.sb)-1-len(digits))
	return fmt.Sprintf("(fp #b%s #b%0*b #b%s%s)", sign, int(f.eb), exp, pad, digits)
}
