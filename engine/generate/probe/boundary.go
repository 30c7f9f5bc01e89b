package probe

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// anyClass stands for any class.
const anyClass = -1

// classesOf counts the classes of the values of a kind of sorts.
func classesOf(k smt.SortKind) int { return len(classes[k.String()]) }

// boundaries makes literals at the boundaries of the domains of their sorts.
type boundaries struct {
	g    *gen.Gen
	wide bool // sorts of bit vectors are wide
}

// boundary returns the literal of a boundary class of a sort. 0: the sort has no literal that the targets take.
func (m *boundaries) boundary(s smt.Sort, class int) smt.Term {
	a, r := m.g.A, m.g.R
	kind := a.SortKind(s)
	if n := classesOf(kind); n > 0 && (class < 0 || class >= n) {
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
		sign, exponent, significand := m.float(s, class)
		return a.MustApp(smt.OpFP, sign, exponent, significand)
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
	case smt.KindRegLan:
		switch class {
		case 0:
			t = a.MustApp(smt.OpReNone)
		case 1:
			t = a.MustApp(smt.OpReAll)
		}
	default:
		t = m.collection(s, class)
	}
	// No boundary of this class, or one that the targets decline: then any literal.
	if t != 0 && m.g.Takes(t) {
		return t
	}
	return m.g.Literal(s)
}

// collection returns an array, sequence, set or bag of a class; 0 for any, and where the sort is another one.
func (m *boundaries) collection(s smt.Sort, class int) smt.Term {
	a := m.g.A
	parts := a.SortArgs(s)
	if len(parts) == 0 || class >= 3 {
		return 0
	}
	element := parts[len(parts)-1]
	e := m.boundary(element, ofVariable(a.SortKind(element), class))
	if e == 0 {
		return 0
	}
	var t smt.Term
	var err error
	switch kind := a.SortKind(s); {
	case kind == smt.KindArray:
		index := parts[0]
		// Class 2 has two elements that differ, so that it shows which of them is taken.
		if t, err = a.AppAs(smt.OpConstArray, s, nil, e); class == 2 && err == nil {
			zero, i := m.boundary(element, 0), m.boundary(index, ofVariable(a.SortKind(index), 2))
			if zero == 0 || i == 0 {
				return 0
			}
			if t, err = a.AppAs(smt.OpConstArray, s, nil, zero); err == nil {
				t, err = a.App(smt.OpStore, nil, t, i, e)
			}
		}
	case class == 0:
		t, err = a.AppAs(map[smt.SortKind]smt.Op{smt.KindSeq: smt.OpSeqEmpty, smt.KindSet: smt.OpSetEmpty, smt.KindBag: smt.OpBagEmpty}[kind], s, nil)
	case kind == smt.KindSeq:
		// Twice the same: places in a sequence differ without its elements.
		if t, err = a.App(smt.OpSeqUnit, nil, e); class == 2 && err == nil {
			t, err = a.App(smt.OpSeqConcat, nil, t, t)
		}
	case kind == smt.KindSet:
		if t, err = a.App(smt.OpSetSingleton, nil, e); class == 2 && err == nil {
			zero := m.boundary(element, 0)
			if zero == 0 {
				return 0
			}
			other, _ := a.App(smt.OpSetSingleton, nil, zero)
			t, err = a.App(smt.OpSetUnion, nil, t, other)
		}
	case kind == smt.KindBag:
		// Bags tell once from twice: the class is the count.
		t, err = a.App(smt.OpBagMake, nil, e, a.Int64(int64(class)))
	}
	if err != nil {
		return 0
	}
	return t
}

// ofVariable returns the class of a kind of sorts that a class of an operand of any sort stands for.
func ofVariable(k smt.SortKind, class int) int {
	switch class {
	case 1:
		if k == smt.KindFloat {
			return 10
		}
		return 1
	case 2:
		switch k {
		case smt.KindBool:
			return 1
		case smt.KindFloat:
			return 5
		case smt.KindInt, smt.KindReal:
			return 6
		case smt.KindString:
			return 3
		case smt.KindRoundingMode:
			return 4
		}
		return 2
	case 3:
		return anyClass
	}
	return class
}

// bitVector returns 0, 1, -1, the least and the greatest signed number, the width and its neighbours (which shifts and
// rotations compare with), a power of two and its neighbours, or any number.
func (m *boundaries) bitVector(w, class int) *big.Int {
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

// float returns the three parts of the bits of a floating-point number: zeros, infinities, NaNs with and without
// payload, the least and the greatest subnormal and normal numbers, one, its neighbour, numbers halfway between
// integers above an even and above an odd one, powers of two, or any number.
func (m *boundaries) float(s smt.Sort, class int) (sign, exponent, significand smt.Term) {
	a, r := m.g.A, m.g.R
	e, bits := a.FloatFormat(s)
	one := big.NewInt(1)
	all := func(w int) *big.Int { return new(big.Int).Sub(new(big.Int).Lsh(one, uint(w)), one) }
	expo, signi := new(big.Int), new(big.Int)
	negative := uint64(r.Intn(2))
	switch class {
	case 0, 1: // zeros
		negative = uint64(class)
	case 2: // least subnormal
		signi = one
	case 3: // greatest subnormal
		signi = all(bits - 1)
	case 4: // least normal
		expo = one
	case 5: // greatest normal
		expo, signi = new(big.Int).Sub(all(e), one), all(bits-1)
	case 6, 7: // infinities
		negative, expo = uint64(class-6), all(e)
	case 8, 9: // NaN: all bits, one bit
		expo = all(e)
		if signi = all(bits - 1); class == 9 {
			signi = new(big.Int).Lsh(one, uint(r.Intn(bits-1)))
		}
	case 10: // one
		expo = all(e - 1)
	case 11: // the number after one
		expo, signi = all(e-1), one
	case 12, 13: // a half more than an even integer, and than an odd one: roundings to an integer part here, and ties to even from ties away only above even ones
		expo, signi = floatParts(e, bits, 4*int64(r.Intn(2))+2*int64(class-12)+1, -1)
	case 14: // a power of two: limits of conversions among them
		bias := 1<<(e-1) - 1
		expo, signi = floatParts(e, bits, 1, min(bias, max(2-bias-bits, []int{r.Range(-4, 4), r.Range(7, 8), r.Range(15, 16), r.Range(31, 32), r.Range(63, 64), bits - 1, -bias, r.Range(-bias, bias)}[r.Intn(8)])))
	default:
		expo, signi = m.bitVector(e, anyClass), m.bitVector(bits-1, anyClass)
	}
	return a.BVUint(1, negative), a.BV(e, expo), a.BV(bits-1, signi)
}

// floatParts returns the exponent and the significand, as the bits have them, of the number odd * 2^power of a format;
// those of the nearest greatest number or of zero where the format does not have it.
func floatParts(exponentBits, bits int, odd int64, power int) (exponent, significand *big.Int) {
	digits := bits - 1
	n := big.NewInt(odd)
	length := n.BitLen() - 1
	bias := 1<<(exponentBits-1) - 1
	biased := power + length + bias
	switch {
	case biased > 2*bias: // greatest normal number
		one := big.NewInt(1)
		return big.NewInt(int64(2 * bias)), n.Sub(n.Lsh(one, uint(digits)), one)
	case biased >= 1 && length <= digits:
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(length)))
		return big.NewInt(int64(biased)), n.Lsh(n, uint(digits-length))
	case biased >= 1: // more digits than there are
		return big.NewInt(int64(biased)), new(big.Int)
	}
	// subnormal: the last digit is worth 2^(1 - bias - digits)
	if shift := power - (1 - bias - digits); shift >= 0 {
		return new(big.Int), n.Lsh(n, uint(shift))
	}
	return new(big.Int), new(big.Int)
}

// borders are around the ends of the code points that there are, of the surrogates, and of what Unicode has beyond
// SMT-LIB.
var borders = []int64{-1, 127, 255, 256, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xffff, 0x10000, 0x2ffff, 0x30000, 0x10ffff, 0x110000}

func (m *boundaries) integer(class int) *big.Int {
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
		n.SetInt64(borders[r.Intn(len(borders))])
	case 9:
		n.SetInt64(int64(r.Range(-20, 20)))
	default:
		n.SetInt64(int64(r.Range(-100000, 100000)))
	}
	return n
}

func (m *boundaries) real(class int) *big.Rat {
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
func (m *boundaries) text(class int) []rune {
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

// smallWidth is the greatest width at which operators that solvers make large circuits of are cheap.
const smallWidth = 12

// wideCostly is the chance that such an operator gets a larger width all the same.
const wideCostly = 0.06

// width draws a width: the smallest and those around machine words come often, and all up to the bound now and then.
func (m *boundaries) width(costly bool) int {
	r := m.g.R
	w := 0
	if m.wide && (!costly || r.Chance(0.3)) {
		return min([]int{31, 32, 33, 63, 64, 65, 127, 128, 129, 200}[r.Intn(10)], m.g.Cfg.MaxWidth)
	}
	if costly && !r.Chance(wideCostly) {
		return min(r.Range(1, 4+r.Intn(smallWidth-3)), m.g.Cfg.MaxWidth)
	}
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
