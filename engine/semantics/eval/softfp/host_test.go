package softfp

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// deep says that long runs were asked for.
func deep() bool { return os.Getenv("SMTLARK_DEEP") != "" }

func scale(n int) int {
	if deep() {
		return 50 * n
	}
	return n
}

// roundings returns the five modes in the order of their constants.
func roundings() []Rounding { return []Rounding{RNE, RNA, RTP, RTN, RTZ} }
func same64(x Float, y float64) bool {
	if math.IsNaN(y) {
		return x.IsNaN()
	}
	return !x.IsNaN() && x.Bits64() == math.Float64bits(y)
}

func same32(x Float, y float32) bool {
	if y != y {
		return x.IsNaN()
	}
	return !x.IsNaN() && x.Bits64() == uint64(math.Float32bits(y))
}

// TestAgainstHardware64 compares with the processor's binary64 arithmetic, which is RNE.
func TestAgainstHardware64(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 53))
	for range scale(150_000) {
		fx := randomFast(r, Float64, Float{})
		fy := randomFast(r, Float64, fx)
		fz := randomFast(r, Float64, fy)
		x, y, z := math.Float64frombits(fx.Bits64()), math.Float64frombits(fy.Bits64()), math.Float64frombits(fz.Bits64())
		ok := same64(Add(RNE, fx, fy), x+y) && same64(Sub(RNE, fx, fy), x-y) && same64(Mul(RNE, fx, fy), x*y) &&
			same64(Div(RNE, fx, fy), x/y) && same64(FMA(RNE, fx, fy, fz), math.FMA(x, y, z)) && same64(Sqrt(RNE, fx), math.Sqrt(x)) &&
			same64(RoundToIntegral(RNE, fx), math.RoundToEven(x)) && same64(RoundToIntegral(RNA, fx), math.Round(x)) &&
			same64(RoundToIntegral(RTP, fx), math.Ceil(x)) && same64(RoundToIntegral(RTN, fx), math.Floor(x)) &&
			same64(RoundToIntegral(RTZ, fx), math.Trunc(x)) &&
			Lt(fx, fy) == (x < y) && Leq(fx, fy) == (x <= y) && Eq(fx, fy) == (x == y) &&
			same32(Float32.Convert(RNE, fx), float32(x)) && same64(Rem(fx, fy), math.Remainder(x, y))
		if !ok {
			t.Fatalf("x=%v (%x) y=%v (%x) z=%v (%x)", x, fx.Bits64(), y, fy.Bits64(), z, fz.Bits64())
		}
	}
}

// TestAgainstHardware32 compares with the processor's binary32 arithmetic.
func TestAgainstHardware32(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 24))
	for range scale(80_000) {
		fx := randomFast(r, Float32, Float{})
		fy := randomFast(r, Float32, fx)
		x, y := math.Float32frombits(uint32(fx.Bits64())), math.Float32frombits(uint32(fy.Bits64()))
		ok := same32(Add(RNE, fx, fy), x+y) && same32(Sub(RNE, fx, fy), x-y) && same32(Mul(RNE, fx, fy), x*y) &&
			same32(Div(RNE, fx, fy), x/y) && same32(Sqrt(RNE, fx), float32(math.Sqrt(float64(x)))) &&
			same64(Float64.Convert(RNE, fx), float64(x)) && same32(Rem(fx, fy), float32(math.Remainder(float64(x), float64(y))))
		if !ok {
			t.Fatalf("x=%v y=%v", x, y)
		}
		i := int64(r.Uint64()) >> r.IntN(64)
		if !same32(Float32.FromInt64(RNE, i), float32(i)) || !same64(Float64.FromInt64(RNE, i), float64(i)) ||
			!same64(Float64.FromUint64(RNE, uint64(i)), float64(uint64(i))) {
			t.Fatalf("i=%v", i)
		}
	}
}

// randomFast is a quick source for formats of at most 64 bits, biased to
// boundaries and to values near prev.
func randomFast(r *rand.Rand, f Format, prev Float) Float {
	b := r.Uint64() & (1<<f.Width() - 1)
	if f.Width() == 64 {
		b = r.Uint64()
	}
	frac := uint64(1)<<(f.SB()-1) - 1
	switch k := r.IntN(16); {
	case k < 3 && prev.Format() == f: // an exponent near that of prev
		e := int64(prev.Bits64()>>(f.SB()-1)&(1<<f.EB()-1)) + int64(r.IntN(2*int(f.SB())+8)) - int64(f.SB()) - 4
		e = min(max(e, 0), 1<<f.EB()-1)
		b = b&(frac|1<<(f.Width()-1)) | uint64(e)<<(f.SB()-1)
	case k == 3 && prev.Format() == f:
		b = prev.Bits64() ^ uint64(r.IntN(8)) ^ uint64(r.IntN(2))<<(f.Width()-1)
	case k < 6: // a fraction of few bits
		b = b&^frac | (uint64(1)<<r.IntN(int(f.SB()))-1)<<r.IntN(int(f.SB()))&frac
	case k == 6: // subnormal
		b &= frac | 1<<(f.Width()-1)
	case k == 7: // near the largest values, infinities, NaN
		b |= (1<<f.EB() - 2) << (f.SB() - 1)
	case k < 10: // an exponent around the significand's size
		e := uint64(f.Emax()) + uint64(r.IntN(int(f.SB())+2))
		b = b&(frac|1<<(f.Width()-1)) | e<<(f.SB()-1)
	}
	return f.FromBits64(b)
}

// TestWordAndBigPathsAgree runs the math/big implementation on formats that
// normally take the word path.
func TestWordAndBigPathsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	formats := []Format{float16, Float32, Float64, {eb: 3, sb: 5}, {eb: 2, sb: 62}, {eb: 15, sb: 49}, {eb: 30, sb: 34}, {eb: 8, sb: 56}}
	long := []Format{{eb: 15, sb: 64}, {eb: 15, sb: 63}, {eb: 60, sb: 64}, {eb: 60, sb: 2}, {eb: 12, sb: 62}}
	for i := range scale(30_000) {
		f := formats[i%len(formats)]
		x := randomFast(r, f, Float{})
		y := randomFast(r, f, x)
		z := randomFast(r, f, y)
		if i%4 == 0 {
			f = long[i/4%len(long)]
			x = randomFloat(r, f)
			y = randomNear(r, x)
			z = randomNear(r, y)
		}
		if x.class != finite || y.class != finite || z.class != finite {
			continue
		}
		m := Rounding(i % 5)
		ux, uy := x.unpack(), y.unpack()
		requireSame(t, rounder{f, m}.addBig(ux, uy), Add(m, x, y), "fp.add", m, x, y)
		requireSame(t, rounder{f, m}.mulBig(ux, uy), Mul(m, x, y), "fp.mul", m, x, y)
		requireSame(t, rounder{f, m}.divBig(ux, uy), Div(m, x, y), "fp.div", m, x, y)
		requireSame(t, rounder{f, m}.fmaBig(ux, uy, z), FMA(m, x, y, z), "fp.fma", m, x, y, z)
		requireSame(t, rounder{f, RTZ}.remBig(ux, uy), Rem(x, y), "fp.rem", x, y)
		if !x.neg {
			requireSame(t, rounder{f, m}.sqrtBig(ux), Sqrt(m, x), "fp.sqrt", m, x)
		}
		g := formats[r.IntN(len(formats))]
		requireSame(t, rounder{g, m}.roundBig(ux.neg, ux.mant, ux.lsb, false), g.Convert(m, x), "to_fp", m, x)
	}
}

func TestRemainderOfHugeQuotientEndsQuickly(t *testing.T) {
	f, err := NewFormat(60, 200)
	require.NoError(t, err)
	for _, f := range []Format{f, {eb: 60, sb: 64}} {
		x, y := f.Max(false), f.MinSubnormal(true)
		require.True(t, Rem(x, y).IsZero())
		three := f.FromInt64(RNE, 3)
		// Max is (2^sb-1)*2^k with k odd iff emax-sb+1 is; powers of two are 1 or 2
		// modulo 3 by the parity of the exponent.
		want := new(big.Int).Exp(big.NewInt(2), big.NewInt((f.Emax()-int64(f.SB())+1)%2), nil)
		sig := allOnes(f.SB())
		want.Mul(want, sig).Mod(want, big.NewInt(3))
		got, err := Rem(x, three).Int(RTZ)
		require.NoError(t, err)
		require.Zero(t, new(big.Int).Mod(got, big.NewInt(3)).Cmp(want))
	}
}

func TestLimitsAndUnspecified(t *testing.T) {
	_, err := NewFormat(61, 5)
	require.ErrorIs(t, err, errTooLarge)
	_, err = NewFormat(5, maxSB+1)
	require.ErrorIs(t, err, errTooLarge)
	for _, bad := range [][2]uint{{1, 5}, {5, 1}, {0, 0}} {
		_, err = NewFormat(bad[0], bad[1])
		require.ErrorContains(t, err, "must be greater than 1")
		require.NotErrorIs(t, err, errTooLarge)
	}
	f := Format{eb: 40, sb: 10}
	for _, x := range []Float{f.Max(true), f.MinSubnormal(false)} {
		_, err = x.Rat()
		require.ErrorIs(t, err, errTooLarge)
	}
	_, err = f.Max(false).Int(RNE)
	require.ErrorIs(t, err, errTooLarge)
	n, err := f.MinSubnormal(false).Int(RTP)
	require.NoError(t, err)
	require.Equal(t, "1", n.String())
	for _, x := range []Float{f.NaN(), f.Inf(false), f.Inf(true)} {
		_, err = x.Rat()
		require.ErrorIs(t, err, ErrUnspecified)
		_, err = x.Int(RTZ)
		require.ErrorIs(t, err, ErrUnspecified)
		_, err = x.UBV(RTZ, 8)
		require.ErrorIs(t, err, ErrUnspecified)
		_, err = x.SBV(RTZ, 8)
		require.ErrorIs(t, err, ErrUnspecified)
	}
	_, err = f.Max(false).UBV(RTZ, 64)
	require.ErrorIs(t, err, ErrUnspecified)
}

func TestMinMax(t *testing.T) {
	f := float16
	one, two := f.FromInt64(RNE, 1), f.FromInt64(RNE, 2)
	pos, neg := f.Zero(false), f.Zero(true)
	for _, c := range []struct{ x, y, min, max Float }{
		{one, two, one, two}, {two, one, one, two}, {f.NaN(), one, one, one}, {one, f.NaN(), one, one},
		{f.NaN(), f.NaN(), f.NaN(), f.NaN()}, {f.Inf(true), neg, f.Inf(true), neg}, {pos, pos, pos, pos}, {neg, neg, neg, neg},
		{one.Neg(), pos, one.Neg(), pos},
	} {
		got, err := Min(c.x, c.y)
		require.NoError(t, err)
		requireSame(t, c.min, got, "fp.min", c.x, c.y)
		got, err = Max(c.x, c.y)
		require.NoError(t, err)
		requireSame(t, c.max, got, "fp.max", c.x, c.y)
	}
	for _, c := range [][2]Float{{pos, neg}, {neg, pos}} {
		_, err := Min(c[0], c[1])
		require.ErrorIs(t, err, ErrUnspecified)
		_, err = Max(c[0], c[1])
		require.ErrorIs(t, err, ErrUnspecified)
	}
}

func TestClassifiersOfAllValues(t *testing.T) {
	for _, f := range []Format{{eb: 2, sb: 2}, {eb: 3, sb: 5}, {eb: 5, sb: 11}} {
		for b := uint64(0); b < 1<<f.Width(); b++ {
			x := f.FromBits64(b)
			exp, frac := b>>(f.SB()-1)&(1<<f.EB()-1), b&(1<<(f.SB()-1)-1)
			top, neg := exp == 1<<f.EB()-1, b>>(f.Width()-1) == 1
			isNaN := top && frac != 0
			require.Equal(t, isNaN, x.IsNaN())
			require.Equal(t, top && frac == 0, x.IsInf())
			require.Equal(t, exp == 0 && frac == 0, x.IsZero())
			require.Equal(t, exp == 0 && frac != 0, x.IsSubnormal())
			require.Equal(t, exp != 0 && !top, x.IsNormal())
			require.Equal(t, neg && !isNaN, x.IsNegative())
			require.Equal(t, !neg && !isNaN, x.IsPositive())
			if isNaN {
				require.True(t, Identical(x, x.Neg()) && Identical(x, x.Abs()))
			} else {
				require.Equal(t, b, x.Bits64())
				require.Equal(t, b^1<<(f.Width()-1), x.Neg().Bits64())
				require.Equal(t, b&^(1<<(f.Width()-1)), x.Abs().Bits64())
			}
		}
	}
}

func TestStrings(t *testing.T) {
	for want, x := range map[string]Float{
		"(fp #b1 #b01111 #b1000000000)":              float16.FromRat(RNE, big.NewRat(-3, 2)),
		"(_ NaN 8 24)":                               Float32.NaN(),
		"(_ +oo 8 24)":                               Float32.Inf(false),
		"(_ -zero 2 3)":                              Format{eb: 2, sb: 3}.Zero(true),
		"(fp #b0 #b00000 #b0000000001)":              float16.MinSubnormal(false),
		"(fp #b0 #b0000000000 #b" + zeros(98) + "1)": Format{eb: 10, sb: 100}.MinSubnormal(false),
	} {
		require.Equal(t, want, x.String())
	}
	require.Equal(t, "[RNE RNA RTP RTN RTZ]", fmt.Sprint(roundings()))
}

func zeros(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '0'
	}
	return string(b)
}
