package probe

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/smt"
)

// Numbers of boundary classes. The last class of each is any value.
const (
	bitVectorClasses = 12
	floatClasses     = 14
	intClasses       = 10
	realClasses      = 9
	stringClasses    = 10
)

// boundary returns the literal of a boundary class of a sort; class -1 means any class. 0: the sort has no literal that the
// targets take.
func (m *maker) boundary(s smt.Sort, class int) smt.Term {
	a, r := m.g.A, m.g.R
	kind := a.SortKind(s)
	if n := classes(kind); class < 0 || class >= n {
		class = r.Intn(n)
	}
	var t smt.Term
	switch kind {
	case smt.KindBool:
		return a.BoolVal(class == 1)
	case smt.KindRoundingMode:
		t, _ = a.App(smt.OpRNE+smt.Op(class), nil)
		return t
	case smt.KindBitVec:
		return a.BV(a.Width(s), m.bitVector(a.Width(s), class))
	case smt.KindFloat:
		if t = m.float(s, class); t != 0 {
			return t
		}
	case smt.KindInt:
		return a.IntVal(m.integer(class))
	case smt.KindReal:
		return a.RealVal(m.real(class))
	case smt.KindString:
		return a.Str(m.text(class))
	case smt.KindFiniteField:
		n := big.NewInt(int64(class))
		if class == 2 {
			n.Sub(a.Modulus(s), big.NewInt(1))
		} else if class == 3 {
			n.SetUint64(r.Uint64())
		}
		return a.FFVal(s, n.Mod(n, a.Modulus(s)))
	}
	return m.g.Literal(s)
}

// bitVector returns 0, 1, -1, the least and the greatest signed number, the width and its neighbours (which shifts and
// rotations compare with), a power of two and its neighbours, or any number.
func (m *maker) bitVector(w, class int) *big.Int {
	r := m.g.R
	one := big.NewInt(1)
	power := func() *big.Int { return new(big.Int).Lsh(one, uint(r.Intn(w))) }
	n := new(big.Int)
	switch class {
	case 0:
	case 1:
		n.Set(one)
	case 2:
		n.Sub(n.Lsh(one, uint(w)), one)
	case 3:
		n.Lsh(one, uint(w-1))
	case 4:
		n.Sub(n.Lsh(one, uint(w-1)), one)
	case 5:
		n.SetInt64(int64(w))
	case 6:
		n.SetInt64(int64(w - 1))
	case 7:
		n.SetInt64(int64(w + 1))
	case 8:
		n = power()
	case 9:
		n.Sub(power(), one)
	case 10:
		n.Add(power(), one)
	default:
		for range (w + 63) / 64 {
			n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(r.Uint64()))
		}
	}
	return n.And(n, new(big.Int).Sub(new(big.Int).Lsh(one, uint(w)), one))
}

// float returns a floating-point literal by its bits: zeros, infinities, NaNs with and without payload, the least and the greatest
// subnormal and normal numbers, one, its neighbour, or any number.
func (m *maker) float(s smt.Sort, class int) smt.Term {
	a, r := m.g.A, m.g.R
	e, bits := a.FloatFormat(s)
	one := big.NewInt(1)
	all := func(w int) *big.Int { return new(big.Int).Sub(new(big.Int).Lsh(one, uint(w)), one) }
	var exponent, significand *big.Int = new(big.Int), new(big.Int)
	sign := uint64(r.Intn(2))
	switch class {
	case 0, 1: // zeros
		sign = uint64(class)
	case 2: // least subnormal
		significand = one
	case 3: // greatest subnormal
		significand = all(bits - 1)
	case 4: // least normal
		exponent = one
	case 5: // greatest normal
		exponent, significand = new(big.Int).Sub(all(e), one), all(bits-1)
	case 6, 7: // infinities
		sign, exponent = uint64(class-6), all(e)
	case 8, 9: // NaN: all bits, one bit
		exponent = all(e)
		if significand = all(bits - 1); class == 9 {
			significand = new(big.Int).Lsh(one, uint(r.Intn(bits-1)))
		}
	case 10: // one
		exponent = all(e - 1)
	case 11: // the number after one
		exponent, significand = all(e-1), one
	case 12: // 1.5 times a small power of two
		exponent, significand = new(big.Int).Add(all(e-1), big.NewInt(int64(r.Range(0, 1)))), new(big.Int).Lsh(one, uint(bits-2))
	default:
		exponent, significand = m.bitVector(e, bitVectorClasses-1), m.bitVector(bits-1, bitVectorClasses-1)
	}
	return a.MustApp(smt.OpFP, a.BVUint(1, sign), a.BV(e, exponent), a.BV(bits-1, significand))
}

func (m *maker) integer(class int) *big.Int {
	r := m.g.R
	small := []int64{0, 1, -1, 2, -2, 3}
	if class < len(small) {
		return big.NewInt(small[class])
	}
	n := new(big.Int)
	switch class {
	case 6, 7: // around a power of two, of either sign
		n.Lsh(big.NewInt(1), uint([]int{7, 8, 15, 16, 31, 32, 63, 64}[r.Intn(8)]))
		n.Add(n, big.NewInt(int64(r.Range(-1, 1))))
		if class == 7 {
			n.Neg(n)
		}
	case 8:
		n.SetInt64(int64(r.Range(-20, 20)))
	default:
		n.SetInt64(int64(r.Range(-100000, 100000)))
	}
	return n
}

func (m *maker) real(class int) *big.Rat {
	r := m.g.R
	fixed := [][2]int64{{0, 1}, {1, 1}, {-1, 1}, {1, 2}, {-1, 2}, {-1, 3}}
	if class < len(fixed) {
		return big.NewRat(fixed[class][0], fixed[class][1])
	}
	switch class {
	case 6:
		return new(big.Rat).SetInt(m.integer(6))
	case 7:
		return new(big.Rat).SetFrac(big.NewInt(int64(r.Range(-9, 9))), m.integer(6))
	}
	return big.NewRat(int64(r.Range(-1000, 1000)), int64(r.Range(1, 1000)))
}

// text returns the empty string, single characters at the borders of what SMT-LIB has, digits with and without leading
// zeros, repetitions, or any short text.
func (m *maker) text(class int) []rune {
	r := m.g.R
	switch class {
	case 0:
		return nil
	case 1:
		return []rune("a")
	case 2:
		return []rune{0}
	case 3:
		return []rune{0x2ffff}
	case 4:
		return []rune{rune(0xd800 + r.Intn(0x800))} // a surrogate, which encodings leave out
	case 5:
		return []rune([]string{"0", "9", "10", "42"}[r.Intn(4)])
	case 6:
		return []rune([]string{"00", "007", "-1", "+1", " 1"}[r.Intn(5)])
	case 7:
		return []rune([]string{"aa", "aaa", "abab", "aaaaaa"}[r.Intn(4)])
	case 8:
		return []rune([]string{"\\u{61}", "\"", "\\", "\\x41", "|"}[r.Intn(5)])
	}
	out := make([]rune, r.Intn(6))
	for i := range out {
		out[i] = rune('a' + r.Intn(3))
	}
	return out
}

// width draws a width: the smallest and those around machine words come often, and all up to the bound now and then.
func (m *maker) width() int {
	r := m.g.R
	w := 0
	switch r.Intn(8) {
	case 0, 1, 2:
		w = r.Range(1, 4)
	case 3, 4:
		w = r.Range(63, 65)
	case 5:
		w = []int{7, 8, 9, 15, 16, 17, 31, 32, 33, 127, 128, 129}[r.Intn(12)]
	case 6:
		w = r.Range(5, 16)
	default:
		w = r.Range(1, m.g.Cfg.MaxWidth)
	}
	return min(w, m.g.Cfg.MaxWidth)
}
