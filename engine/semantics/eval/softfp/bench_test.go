package softfp

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

var sink Float

func benchValues(f Format) []Float {
	r := rand.New(rand.NewPCG(1, 1))
	out := make([]Float, 1024)
	for i := range out {
		prev := Float{}
		if i > 0 {
			prev = out[i-1]
		}
		for {
			if f.Width() <= 64 {
				out[i] = randomFast(r, f, prev)
			} else {
				out[i] = randomFloat(r, f)
			}
			if out[i].IsFinite() {
				break
			}
		}
	}
	return out
}

func benchmarkOps(b *testing.B, f Format) {
	xs := benchValues(f)
	at := func(i int) Float { return xs[i&1023] }
	m := func(i int) Rounding { return Rounding(i % 5) }
	rats := make([]*big.Rat, len(xs))
	for i := range rats {
		rats[i] = big.NewRat(int64(i*i*7919+1), int64(i*31+7))
	}
	ops := []struct {
		name string
		f    func(i int) Float
	}{
		{"add", func(i int) Float { return Add(m(i), at(i), at(i+1)) }},
		{"mul", func(i int) Float { return Mul(m(i), at(i), at(i+1)) }},
		{"div", func(i int) Float { return Div(m(i), at(i), at(i+1)) }},
		{"fma", func(i int) Float { return FMA(m(i), at(i), at(i+1), at(i+2)) }},
		{"sqrt", func(i int) Float { return Sqrt(m(i), at(i).Abs()) }},
		{"rem", func(i int) Float { return Rem(at(i), at(i+1)) }},
		{"roundToIntegral", func(i int) Float { return RoundToIntegral(m(i), at(i)) }},
		{"convert", func(i int) Float { return Float32.Convert(m(i), at(i)) }},
		{"fromRat", func(i int) Float { return f.FromRat(m(i), rats[i&1023]) }},
		{"fromInt64", func(i int) Float { return f.FromInt64(m(i), int64(i)*0x9e3779b97f4a7c1) }},
		{"toSBV64", func(i int) Float { _, _ = at(i).SBV(m(i), 64); return Float{} }},
		{"bits", func(i int) Float { return f.FromBits(at(i).Bits()) }},
		{"lt", func(i int) Float { return f.Zero(Lt(at(i), at(i+1))) }},
	}
	for _, op := range ops {
		b.Run(op.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				sink = op.f(i)
			}
		})
	}
}

func BenchmarkFloat64(b *testing.B)  { benchmarkOps(b, Float64) }
func BenchmarkFloat128(b *testing.B) { benchmarkOps(b, float128) }
