package literal

import (
	"maps"
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// AnyClass asks for a literal of any class.
const AnyClass = -1

var classesOfFloats = []string{"+0", "-0", "least subnormal", "greatest subnormal", "least normal", "greatest normal", "+oo", "-oo",
	"NaN", "NaN with a payload", "1", "next after 1", "halfway above an even integer", "halfway above an odd integer", "power of two", "any"}

var classes = map[smt.SortKind][]string{
	smt.KindBool:         {"false", "true"},
	smt.KindRoundingMode: {"RNE", "RNA", "RTP", "RTN", "RTZ"},
	smt.KindBitVec: {"0", "1", "-1", "least signed", "greatest signed", "width", "width - 1", "width + 1", "power of two",
		"power of two - 1", "power of two + 1", "any"},
	smt.KindFloat:       classesOfFloats,
	smt.KindInt:         {"0", "1", "-1", "2", "-2", "3", "around a power of two", "around minus a power of two", "around a border of code points", "-20 to 20", "any"},
	smt.KindReal:        {"0", "1", "-1", "1/2", "-1/2", "-1/3", "around a power of two", "over a power of two", "any"},
	smt.KindString:      {"empty", "a", "code point 0", "greatest code point", "surrogate", "digits", "no numeral", "repetition", "odd characters", "any"},
	smt.KindFiniteField: {"0", "1", "-1", "any"},
}

// Classes returns the names of the boundary classes of a sort kind, for OfClass. If the kind has literals outside the
// named classes, the last class stands for any literal. Classes returns nil if the kind has no classes.
func Classes(k smt.SortKind) []string { return classes[k] }

// Kinds returns the kinds of sorts that have classes, sorted.
func Kinds() []smt.SortKind { return slices.Sorted(maps.Keys(classes)) }

// OfClass draws a literal of a boundary class of a sort. The class is a number below len(Classes); any other number
// draws the class at random, too. OfClass returns 0 if the sort has no classes.
func OfClass(a *smt.Arena, r *rng.Source, s smt.Sort, class int) smt.Term {
	if n := len(classes[a.SortKind(s)]); n > 0 && (class < 0 || class >= n) {
		class = r.Intn(n)
	}
	switch a.SortKind(s) {
	case smt.KindBool:
		return a.BoolVal(class == 1)
	case smt.KindRoundingMode:
		return a.MustApp(smt.OpRNE + smt.Op(class))
	case smt.KindBitVec:
		return a.BV(a.Width(s), bitVectorOf(r, a.Width(s), class))
	case smt.KindFloat:
		sign, exponent, significand := floatOf(a, r, s, class)
		return a.MustApp(smt.OpFP, sign, exponent, significand)
	case smt.KindInt:
		return a.IntVal(integerOf(r, class))
	case smt.KindReal:
		return a.RealVal(realOf(r, class))
	case smt.KindString:
		return a.Str(textOf(r, class))
	case smt.KindFiniteField:
		n := big.NewInt(int64(class))
		if class == 2 {
			n.Sub(a.Modulus(s), big.NewInt(1))
		} else if class == 3 {
			n.SetUint64(r.Uint64())
		}
		return a.FFVal(s, n.Mod(n, a.Modulus(s)))
	}
	return 0
}

// bitVectorOf returns 0, 1, -1, the least and the greatest signed number, the width and its neighbours (which shifts
// and rotations compare with), a power of two and its neighbours, or any number.
func bitVectorOf(r *rng.Source, w, class int) *big.Int {
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

// floatOf returns the three parts of the bits of a floating-point number: zeros, infinities, NaNs with and without
// payload, the least and the greatest subnormal and normal numbers, one, its neighbour, numbers halfway between
// integers above an even and above an odd one, powers of two, or any number.
func floatOf(a *smt.Arena, r *rng.Source, s smt.Sort, class int) (sign, exponent, significand smt.Term) {
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
		expo, signi = bitVectorOf(r, e, AnyClass), bitVectorOf(r, bits-1, AnyClass)
	}
	return a.BVUint(1, negative), a.BV(e, expo), a.BV(bits-1, signi)
}

// floatParts returns the exponent and significand bits of the number odd * 2^power in a format. If the format cannot
// represent the number, it returns those of the greatest number or of zero, whichever is nearer.
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

// borders lists code points at the ends of the valid range, of the surrogates, and of the part of Unicode that SMT-LIB
// lacks.
var borders = []int64{-1, 127, 255, 256, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xffff, 0x10000, 0x2ffff, 0x30000, 0x10ffff, 0x110000}

// integerOf returns a small number, one around a power of two or around a border of code points, or any number.
func integerOf(r *rng.Source, class int) *big.Int {
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

// realOf returns a small number or fraction, a number near a power of two, a fraction with such a denominator, or any
// number.
func realOf(r *rng.Source, class int) *big.Rat {
	fixed := [][2]int64{{0, 1}, {1, 1}, {-1, 1}, {1, 2}, {-1, 2}, {-1, 3}}
	if class < len(fixed) {
		return big.NewRat(fixed[class][0], fixed[class][1])
	}
	switch class {
	case 6:
		return new(big.Rat).SetInt(integerOf(r, 6))
	case 7:
		return new(big.Rat).SetFrac(big.NewInt(int64(r.Range(-9, 9))), integerOf(r, 6))
	}
	return big.NewRat(int64(r.Range(-1000, 1000)), int64(r.Range(1, 1000)))
}

// textOf returns the empty string, single characters at the borders of SMT-LIB's range, digits with and without leading
// zeros, repetitions, or any short text.
func textOf(r *rng.Source, class int) []rune {
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
