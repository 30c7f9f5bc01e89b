package softfp

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// The oracle below is written from the definitions over rationals alone and
// shares no code with the package but the decoding of bits (checked against it
// in TestDecode).

func pow2(e int64) *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e >= 0 {
		return new(big.Rat).SetInt(n)
	}
	return new(big.Rat).SetFrac(big.NewInt(1), n)
}

func floorRat(r *big.Rat) *big.Int {
	q := new(big.Int)
	m := new(big.Int)
	return first(q.DivMod(r.Num(), r.Denom(), m))
}

func first[A, B any](a A, _ B) A { return a }

// roundInteger rounds a signed rational to an integer.
func roundInteger(m Rounding, r *big.Rat) *big.Int {
	lo := floorRat(r)
	hi := new(big.Int).Add(lo, big.NewInt(1))
	frac := new(big.Rat).Sub(r, new(big.Rat).SetInt(lo))
	if frac.Sign() == 0 {
		return lo
	}
	c := frac.Cmp(big.NewRat(1, 2))
	switch m {
	case RTP:
		return hi
	case RTN:
		return lo
	case RTZ:
		if r.Sign() < 0 {
			return hi
		}
		return lo
	}
	switch {
	case c < 0:
		return lo
	case c > 0:
		return hi
	case m == RNA:
		if r.Sign() < 0 {
			return lo
		}
		return hi
	case lo.Bit(0) == 0:
		return lo
	}
	return hi
}

// oracleRound rounds r to f; zeroNeg is the sign of the result if r is 0.
func oracleRound(f Format, m Rounding, r *big.Rat, zeroNeg bool) Float {
	if r.Sign() == 0 {
		return f.Zero(zeroNeg)
	}
	neg := r.Sign() < 0
	abs := new(big.Rat).Abs(r)
	// e = floor(log2 |r|)
	e := int64(abs.Num().BitLen() - abs.Denom().BitLen())
	for abs.Cmp(pow2(e)) < 0 {
		e--
	}
	for abs.Cmp(pow2(e+1)) >= 0 {
		e++
	}
	e = max(e, 2-int64(1)<<(f.EB()-1))
	quantum := e - int64(f.SB()) + 1
	n := roundInteger(m, new(big.Rat).Mul(r, pow2(-quantum)))
	v := new(big.Rat).Mul(new(big.Rat).SetInt(n), pow2(quantum))
	emax := int64(1)<<(f.EB()-1) - 1
	if new(big.Rat).Abs(v).Cmp(pow2(emax+1)) >= 0 {
		toMax := m == RTZ || m == RTP && neg || m == RTN && !neg
		bits := new(big.Int).Lsh(big.NewInt(1), f.EB())
		bits.Sub(bits, big.NewInt(1)).Lsh(bits, f.SB()-1)
		if toMax {
			bits.Sub(bits, big.NewInt(1))
		}
		if neg {
			bits.SetBit(bits, int(f.Width())-1, 1)
		}
		return f.FromBits(bits)
	}
	if n.Sign() == 0 {
		return f.Zero(neg)
	}
	return encode(f, v)
}

// encode returns the representable v != 0 as a Float, through its bits.
func encode(f Format, v *big.Rat) Float {
	abs := new(big.Rat).Abs(v)
	emin := 2 - int64(1)<<(f.EB()-1)
	e := emin
	if d := int64(abs.Num().BitLen() - abs.Denom().BitLen()); d-1 > e {
		e = d - 1
	}
	for abs.Cmp(pow2(e+1)) >= 0 {
		e++
	}
	n := new(big.Rat).Mul(abs, pow2(int64(f.SB())-1-e))
	if !n.IsInt() {
		panic("encode: not representable")
	}
	bits := new(big.Int).Set(n.Num())
	if bits.Bit(int(f.SB())-1) == 1 { // normal: replace the hidden bit by the exponent
		bits.SetBit(bits, int(f.SB())-1, 0)
		biased := big.NewInt(e - emin + 1)
		bits.Or(bits, biased.Lsh(biased, f.SB()-1))
	}
	if v.Sign() < 0 {
		bits.SetBit(bits, int(f.Width())-1, 1)
	}
	return f.FromBits(bits)
}

// value decodes a number through its bits.
func value(x Float) *big.Rat {
	f := x.Format()
	b := x.Bits()
	frac := new(big.Int).And(b, allOnes(f.SB()-1))
	exp := new(big.Int).And(new(big.Int).Rsh(b, f.SB()-1), allOnes(f.EB())).Int64()
	e := exp
	if exp == 0 {
		e = 1
	} else {
		frac.SetBit(frac, int(f.SB())-1, 1)
	}
	bias := int64(1)<<(f.EB()-1) - 1
	v := new(big.Rat).Mul(new(big.Rat).SetInt(frac), pow2(e-bias-int64(f.SB())+1))
	if b.Bit(int(f.Width())-1) == 1 {
		v.Neg(v)
	}
	return v
}

func sumZero(m Rounding, a, b bool) bool {
	if a == b {
		return a
	}
	return m == RTN
}

func oracleAdd(f Format, m Rounding, x, y Float) Float {
	return oracleRound(f, m, new(big.Rat).Add(value(x), value(y)), sumZeroOf(m, x, y))
}

func sumZeroOf(m Rounding, x, y Float) bool {
	if x.IsZero() && y.IsZero() {
		return sumZero(m, x.IsNegative(), y.IsNegative())
	}
	return m == RTN
}

func oracleFMA(f Format, m Rounding, x, y, z Float) Float {
	p := new(big.Rat).Mul(value(x), value(y))
	zeroNeg := m == RTN
	if p.Sign() == 0 && z.IsZero() {
		zeroNeg = sumZero(m, x.IsNegative() != y.IsNegative(), z.IsNegative())
	}
	return oracleRound(f, m, p.Add(p, value(z)), zeroNeg)
}

func oracleSqrt(f Format, m Rounding, x Float) Float {
	v := value(x)
	// A rational below or equal to the root, exact or followed by a fraction of 2^-k
	// far below the precision: then half of that unit is added.
	k := uint(f.SB()) + uint(1)<<f.EB() + 8
	n := new(big.Int).Mul(v.Num(), v.Denom())
	n.Lsh(n, 2*k)
	s := new(big.Int).Sqrt(n)
	exact := new(big.Int).Mul(s, s).Cmp(n) == 0
	num := new(big.Int).Lsh(s, 1)
	if !exact {
		num.Add(num, big.NewInt(1))
	}
	den := new(big.Int).Lsh(v.Denom(), k+1)
	return oracleRound(f, m, new(big.Rat).SetFrac(num, den), false)
}

func oracleRem(f Format, x, y Float) Float {
	n := roundInteger(RNE, new(big.Rat).Quo(value(x), value(y)))
	r := new(big.Rat).Mul(new(big.Rat).SetInt(n), value(y))
	return oracleRound(f, RTZ, r.Sub(value(x), r), x.IsNegative())
}

// testFormats are small enough for the rational oracle.
var testFormats = []Format{
	{eb: 2, sb: 2}, {eb: 2, sb: 3}, {eb: 2, sb: 8}, {eb: 3, sb: 5}, {eb: 4, sb: 4}, {eb: 5, sb: 11}, {eb: 8, sb: 24}, {eb: 11, sb: 53},
	{eb: 6, sb: 62}, {eb: 7, sb: 63}, {eb: 8, sb: 64}, {eb: 5, sb: 65}, {eb: 10, sb: 100}, {eb: 9, sb: 2}, {eb: 11, sb: 5}, {eb: 2, sb: 70},
}

func drawFormat(t *rapid.T) Format {
	if rapid.Bool().Draw(t, "listed") {
		return rapid.SampledFrom(testFormats).Draw(t, "format")
	}
	return Format{eb: rapid.Uint8Range(2, 10).Draw(t, "eb"), sb: rapid.Uint32Range(2, 130).Draw(t, "sb")}
}

// randomFloat is biased to boundaries: special values, powers of two, runs of
// equal bits, exponents near others.
func randomFloat(r *rand.Rand, f Format) Float {
	w := f.Width()
	b := new(big.Int)
	for i := uint(0); i < w; i += 32 {
		b.Lsh(b, 32).Or(b, new(big.Int).SetUint64(uint64(r.Uint32())))
	}
	fracMask := allOnes(f.SB() - 1)
	expMask := new(big.Int).Lsh(allOnes(f.EB()), f.SB()-1)
	switch r.IntN(8) {
	case 0: // special fraction
		b.AndNot(b, fracMask)
		run := allOnes(uint(r.IntN(int(f.SB()))))
		run.Lsh(run, uint(r.IntN(int(f.SB()))))
		b.Or(b, run.And(run, fracMask))
	case 1: // around 1
		bias := new(big.Int).SetInt64(f.Emax() + int64(r.IntN(5)) - 2)
		b.AndNot(b, expMask).Or(b, bias.Lsh(bias.Abs(bias), f.SB()-1).And(bias, expMask))
	case 2: // smallest and largest exponents
		b.AndNot(b, expMask)
		if r.IntN(2) == 0 {
			b.Or(b, expMask).Sub(b, new(big.Int).Lsh(big.NewInt(1), f.SB()-1))
		}
	case 3: // near integers of the width of the significand
		e := new(big.Int).SetInt64(f.Emax() + int64(r.IntN(int(f.SB())+2)))
		b.AndNot(b, expMask).Or(b, e.Lsh(e, f.SB()-1).And(e, expMask))
	case 4:
		specials := []Float{f.NaN(), f.Zero(false), f.Zero(true), f.Inf(false), f.Inf(true), f.Max(false), f.Max(true),
			f.MinNormal(false), f.MinSubnormal(true), f.powerOfTwo(false, 0), f.powerOfTwo(true, 0)}
		return specials[r.IntN(len(specials))]
	}
	return f.FromBits(b)
}

// randomNear returns a value whose exponent or bits are close to those of x.
func randomNear(r *rand.Rand, x Float) Float {
	f := x.Format()
	b := x.Bits()
	switch r.IntN(3) {
	case 0:
		b.Add(b, big.NewInt(int64(r.IntN(9)-4)))
	case 1:
		d := big.NewInt(int64(r.IntN(2*int(f.SB())+9) - int(f.SB()) - 4))
		b.Add(b, d.Lsh(d, f.SB()-1))
	default:
		return randomFloat(r, f)
	}
	return f.FromBits(b.Abs(b).And(b, allOnes(f.Width())))
}

func drawFloats(t *rapid.T, f Format, n int) []Float {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	out := []Float{randomFloat(r, f)}
	for len(out) < n {
		out = append(out, randomNear(r, out[len(out)-1]))
	}
	return out
}

func requireSame(t require.TestingT, want, got Float, op string, args ...any) {
	if !Identical(want, got) {
		require.Failf(t, "wrong result", "%s%v\nwant %v\ngot  %v", op, args, want, got)
	}
}

func isNumber(xs ...Float) bool {
	for _, x := range xs {
		if !x.IsFinite() {
			return false
		}
	}
	return true
}

// checkFinite compares every operation on numbers with the oracle.
func checkFinite(t require.TestingT, f Format, m Rounding, x, y, z Float) {
	requireSame(t, oracleAdd(f, m, x, y), Add(m, x, y), "fp.add", m, x, y)
	requireSame(t, oracleAdd(f, m, x, y.Neg()), Sub(m, x, y), "fp.sub", m, x, y)
	neg := x.IsNegative() != y.IsNegative()
	requireSame(t, oracleRound(f, m, new(big.Rat).Mul(value(x), value(y)), neg), Mul(m, x, y), "fp.mul", m, x, y)
	requireSame(t, oracleFMA(f, m, x, y, z), FMA(m, x, y, z), "fp.fma", m, x, y, z)
	if !y.IsZero() {
		requireSame(t, oracleRound(f, m, new(big.Rat).Quo(value(x), value(y)), neg), Div(m, x, y), "fp.div", m, x, y)
		requireSame(t, oracleRem(f, x, y), Rem(x, y), "fp.rem", x, y)
	}
	if !x.IsZero() && !x.IsNegative() {
		requireSame(t, oracleSqrt(f, m, x), Sqrt(m, x), "fp.sqrt", m, x)
	}
	n := roundInteger(m, value(x))
	requireSame(t, oracleRound(f, m, new(big.Rat).SetInt(n), x.IsNegative()), RoundToIntegral(m, x), "fp.roundToIntegral", m, x)
	got, err := x.Int(m)
	require.NoError(t, err)
	require.Zero(t, n.Cmp(got), "integer of %v %v: want %v, got %v", m, x, n, got)
	require.Equal(t, value(x).Cmp(value(y)) < 0, Lt(x, y), "fp.lt %v %v", x, y)
	require.Equal(t, value(x).Cmp(value(y)) <= 0, Leq(x, y), "fp.leq %v %v", x, y)
	require.Equal(t, value(x).Cmp(value(y)) == 0, Eq(x, y), "fp.eq %v %v", x, y)
}

func TestOperationsAgainstRationalOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFormat(t)
		m := rapid.SampledFrom(roundings()).Draw(t, "mode")
		xs := drawFloats(t, f, 30)
		for i := range len(xs) - 2 {
			if isNumber(xs[i : i+3]...) {
				checkFinite(t, f, m, xs[i], xs[i+1], xs[i+2])
			} else {
				checkSpecial(t, m, xs[i], xs[i+1], xs[i+2])
			}
		}
	})
}

func TestConversionsAgainstRationalOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, g := drawFormat(t), drawFormat(t)
		m := rapid.SampledFrom(roundings()).Draw(t, "mode")
		x := drawFloats(t, f, 1)[0]
		if !isNumber(x) {
			t.Skip()
		}
		requireSame(t, oracleRound(g, m, value(x), x.IsNegative()), g.Convert(m, x), "to_fp", m, x)
		r, err := x.Rat()
		require.NoError(t, err)
		require.Zero(t, r.Cmp(value(x)), "fp.to_real %v", x)
		// A rational near a value of g, not necessarily representable.
		q := new(big.Rat).Add(value(x), new(big.Rat).SetFrac64(rapid.Int64().Draw(t, "n"), rapid.Int64Range(1, 1<<62).Draw(t, "d")))
		if rapid.Bool().Draw(t, "small") {
			q.Mul(q, pow2(rapid.Int64Range(-300, 10).Draw(t, "shift")))
		}
		requireSame(t, oracleRound(g, m, q, false), g.FromRat(m, q), "to_fp", m, q)
		n := floorRat(q)
		requireSame(t, oracleRound(g, m, new(big.Rat).SetInt(n), false), g.FromInt(m, n), "to_fp", m, n)
		i := rapid.Int64().Draw(t, "i")
		requireSame(t, g.FromInt(m, big.NewInt(i)), g.FromInt64(m, i), "to_fp", m, i)
		u := new(big.Int).SetUint64(uint64(i))
		requireSame(t, oracleRound(g, m, new(big.Rat).SetInt(u), false), g.FromUint64(m, uint64(i)), "to_fp", m, u)

		w := rapid.UintRange(1, 140).Draw(t, "width")
		want := roundInteger(m, value(x))
		bound := new(big.Int).Lsh(big.NewInt(1), w)
		got, err := x.UBV(m, w)
		if want.Sign() >= 0 && want.Cmp(bound) < 0 {
			require.NoError(t, err)
			require.Zero(t, want.Cmp(got))
		} else {
			require.ErrorIs(t, err, ErrUnspecified)
		}
		bound.Rsh(bound, 1)
		got, err = x.SBV(m, w)
		if want.Cmp(bound) < 0 && want.Cmp(new(big.Int).Neg(bound)) >= 0 {
			require.NoError(t, err)
			require.Zero(t, want.Cmp(got))
		} else {
			require.ErrorIs(t, err, ErrUnspecified)
		}
	})
}

// TestDecode pins the shared decoding to the definition of the encoding, and the round trip.
func TestDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFormat(t)
		x := drawFloats(t, f, 1)[0]
		requireSame(t, x, f.FromBits(x.Bits()), "bits", x)
		neg, exp, frac := x.Parts()
		requireSame(t, x, f.FromParts(neg, exp, frac), "parts", x)
		if f.SB() <= 64 {
			requireSame(t, x, f.FromParts64(neg, exp, frac.Uint64()), "parts", x)
		}
		if isNumber(x) {
			r, err := x.Rat()
			require.NoError(t, err)
			require.Zero(t, r.Cmp(value(x)))
			if !x.IsZero() {
				requireSame(t, x, encode(f, r), "encode", x)
			}
		}
	})
}

// allValues lists the values of a small format, one NaN.
func allValues(f Format) []Float {
	var out []Float
	seenNaN := false
	for b := uint64(0); b < 1<<f.Width(); b++ {
		x := f.FromBits64(b)
		if x.IsNaN() {
			if seenNaN {
				continue
			}
			seenNaN = true
		}
		out = append(out, x)
	}
	return out
}

// number is a value with the rational that it is or, for an infinity, stands for:
// the magnitude 2^(emax+1) (IEEE 754-2019, section 4.3).
type number struct {
	x  Float
	at *big.Rat
}

// numbers lists the values of a small format in increasing order, -zero before
// +zero, with one infinity at each end.
func numbers(f Format) []number {
	var out []number
	for _, x := range allValues(f) {
		switch {
		case x.IsNaN():
			continue
		case x.IsInf():
			v := pow2(f.Emax() + 1)
			if x.IsNegative() {
				v.Neg(v)
			}
			out = append(out, number{x, v})
		default:
			out = append(out, number{x, value(x)})
		}
	}
	slices.SortStableFunc(out, func(a, b number) int {
		if c := a.at.Cmp(b.at); c != 0 {
			return c
		}
		return strings.Compare(b.x.String(), a.x.String()) // "(_ -" after "(_ +"
	})
	return out
}

// nearest picks from the ordered list of all values by the definition of the modes.
func nearest(f Format, all []number, m Rounding, r *big.Rat, zeroNeg bool) Float {
	neg := r.Sign() < 0
	if r.Sign() == 0 {
		return f.Zero(zeroNeg)
	}
	i, found := slices.BinarySearchFunc(all, r, func(n number, r *big.Rat) int { return n.at.Cmp(r) })
	if found && !all[i].x.IsInf() {
		return all[i].x
	}
	if found || i == 0 || i == len(all) {
		return rounder{f, m}.overflow(neg)
	}
	below, above := all[i-1], all[i]
	toward, away := below.x, above.x
	if neg {
		toward, away = away, toward
	}
	if toward.IsZero() {
		toward = f.Zero(neg)
	}
	switch {
	case m == RTP && neg, m == RTN && !neg, m == RTZ:
		return toward
	case m == RTP, m == RTN:
		return away
	}
	low := new(big.Rat).Sub(r, below.at)
	high := new(big.Rat).Sub(above.at, r)
	switch c := low.Cmp(high); {
	case (c < 0) != neg && c != 0:
		return toward
	case c != 0:
		return away
	case m == RNA || toward.Bits64()&1 == 1:
		return away
	}
	return toward
}

// TestTinyFormatsExhaustively compares all pairs of values (a quarter of them at 6 bits and more unless deep) with the
// oracle, and results with the choice from the list of all values.
func TestTinyFormatsExhaustively(t *testing.T) {
	for _, f := range []Format{{eb: 2, sb: 2}, {eb: 2, sb: 3}, {eb: 3, sb: 3}, {eb: 3, sb: 2}} {
		values, all := allValues(f), numbers(f)
		r := rand.New(rand.NewPCG(1, 2))
		for _, m := range roundings() {
			for _, x := range values {
				for _, y := range values {
					if !deep() && f.Width() > 5 && r.IntN(4) != 0 {
						continue
					}
					if !isNumber(x, y) {
						checkSpecial(t, m, x, y, randomFloat(r, f))
						continue
					}
					z := values[r.IntN(len(values))]
					if !isNumber(z) {
						z = x
					}
					checkFinite(t, f, m, x, y, z)
					sum := new(big.Rat).Add(value(x), value(y))
					requireSame(t, nearest(f, all, m, sum, sumZeroOf(m, x, y)), Add(m, x, y), "fp.add", m, x, y)
					neg := x.IsNegative() != y.IsNegative()
					requireSame(t, nearest(f, all, m, new(big.Rat).Mul(value(x), value(y)), neg), Mul(m, x, y), "fp.mul", m, x, y)
					if !y.IsZero() {
						requireSame(t, nearest(f, all, m, new(big.Rat).Quo(value(x), value(y)), neg), Div(m, x, y), "fp.div", m, x, y)
					}
				}
			}
		}
	}
}

// TestSmallFormatsExhaustively is the same without the choice from the list, on
// formats too large for it; all triples of operands of fma are left to chance.
func TestSmallFormatsExhaustively(t *testing.T) {
	formats := []Format{{eb: 2, sb: 5}, {eb: 3, sb: 5}, {eb: 4, sb: 4}}
	r := rand.New(rand.NewPCG(3, 4))
	for _, f := range formats {
		values := allValues(f)
		for _, x := range values {
			for _, y := range values {
				for _, m := range roundings() {
					if !deep() && r.IntN(80) != 0 {
						continue
					}
					if z := values[r.IntN(len(values))]; isNumber(x, y, z) {
						checkFinite(t, f, m, x, y, z)
					} else {
						checkSpecial(t, m, x, y, z)
					}
				}
			}
		}
	}
}

// checkSpecial states the rules for NaN and the infinities (IEEE 754-2019,
// sections 6 and 7) where an operand is one of them.
func checkSpecial(t require.TestingT, m Rounding, x, y, z Float) {
	f := x.Format()
	nan := f.NaN()
	neg := x.IsNegative() != y.IsNegative()
	var add, mul, div, rem Float
	switch {
	case x.IsNaN() || y.IsNaN():
		add, mul, div, rem = nan, nan, nan, nan
	case x.IsInf() && y.IsInf():
		add = nan
		if !neg {
			add = x
		}
		mul, div, rem = f.Inf(neg), nan, nan
	case x.IsInf():
		add, mul, div, rem = x, f.Inf(neg), f.Inf(neg), nan
		if y.IsZero() {
			mul = nan
		}
	case y.IsInf():
		add, mul, div, rem = y, f.Inf(neg), f.Zero(neg), x
		if x.IsZero() {
			mul = nan
		}
	default:
		return
	}
	requireSame(t, add, Add(m, x, y), "fp.add", m, x, y)
	requireSame(t, mul, Mul(m, x, y), "fp.mul", m, x, y)
	requireSame(t, div, Div(m, x, y), "fp.div", m, x, y)
	requireSame(t, rem, Rem(x, y), "fp.rem", x, y)
	fma := Add(m, mul, z)
	requireSame(t, fma, FMA(m, x, y, z), "fp.fma", m, x, y, z)
	if x.IsNaN() || y.IsNaN() {
		require.False(t, Eq(x, y) || Lt(x, y) || Leq(x, y))
	}
}
