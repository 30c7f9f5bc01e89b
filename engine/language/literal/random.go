package literal

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Boundary draws a literal at a boundary of its sort now and then: of bit vectors 0, 1, -1, the least and the greatest
// signed number, of floating-point sorts special values, and bits at the boundaries of exponent and significand, NaNs
// with any payload among them. It returns 0 if it is the turn of any literal, and for other sorts. The other classes of
// OfClass are not among them: with all classes, campaigns found a planted defect less and took longer for the median
// one (docs/performance.md).
func Boundary(a *smt.Arena, r *rng.Source, s smt.Sort) smt.Term {
	switch a.SortKind(s) {
	case smt.KindBitVec:
		const drawn = 5 // the first classes
		if class := r.Intn(12); class < drawn {
			return OfClass(a, r, s, class)
		}
	case smt.KindFloat:
		return floatBoundary(a, r, s)
	}
	return 0
}

var specialFloats = []smt.Op{smt.OpFPPlusInf, smt.OpFPMinusInf, smt.OpFPPlusZero, smt.OpFPMinusZero, smt.OpFPNaN}

func floatBoundary(a *smt.Arena, r *rng.Source, s smt.Sort) smt.Term {
	e, m := a.FloatFormat(s)
	switch r.Intn(4) {
	case 0:
		t, err := a.App(specialFloats[r.Intn(len(specialFloats))], []smt.Index{a.NumIndex(uint64(e)), a.NumIndex(uint64(m))})
		if err == nil {
			return t
		}
	case 1:
		bits := func(w int) smt.Term {
			n := new(big.Int).Lsh(big.NewInt(1), uint(w))
			switch r.Intn(4) {
			case 0:
				return a.BV(w, n.Sub(n, big.NewInt(1)))
			case 1:
				return a.BV(w, new(big.Int))
			case 2:
				return a.BV(w, big.NewInt(1))
			}
			return a.BV(w, n.SetUint64(r.Uint64()))
		}
		return a.MustApp(smt.OpFP, bits(1), bits(e), bits(m-1))
	}
	return 0
}

// Random draws a literal of a sort, small numbers and boundaries most often; 0 if the sort has none.
func Random(a *smt.Arena, r *rng.Source, s smt.Sort) smt.Term {
	if t := Boundary(a, r, s); t != 0 {
		return t
	}
	switch a.SortKind(s) {
	case smt.KindBool:
		return a.BoolVal(r.Bool())
	case smt.KindInt:
		n := smallNumber(r)
		if n < 0 { // as Int64 does, without big numbers
			return a.MustApp(smt.OpSub, a.Int64(-n))
		}
		return a.Int64(n)
	case smt.KindReal:
		n := smallNumber(r)
		if r.Intn(3) == 0 {
			return a.RealVal(big.NewRat(n, [...]int64{2, 4, 5, 8, 10, 100}[r.Intn(6)]))
		}
		if n < 0 {
			return a.MustApp(smt.OpSub, a.RealInt(-n))
		}
		return a.RealInt(n)
	case smt.KindBitVec:
		return anyBits(a, r, a.Width(s))
	case smt.KindString:
		// Characters that string functions, escapes and conversions to numbers treat differently.
		const letters = "ab01 -\\\"z"
		out := make([]rune, r.Intn(5))
		for i := range out {
			out[i] = rune(letters[r.Intn(len(letters))])
		}
		return a.Str(out)
	case smt.KindRoundingMode:
		return a.MustApp([...]smt.Op{smt.OpRNE, smt.OpRNA, smt.OpRTP, smt.OpRTN, smt.OpRTZ}[r.Intn(5)])
	case smt.KindFloat:
		e, m := a.FloatFormat(s)
		t, err := a.App(smt.OpFP, nil, anyBits(a, r, 1), anyBits(a, r, e), anyBits(a, r, m-1))
		if err != nil {
			return 0
		}
		return t
	}
	return 0
}

func smallNumber(r *rng.Source) int64 {
	switch r.Intn(4) {
	case 0:
		return int64(r.Range(-2, 2))
	case 1:
		return int64(r.Range(-1000, 1000))
	}
	return int64(r.Range(-16, 16))
}

// anyBits draws a bit vector; all lengths of the number are equally likely.
func anyBits(a *smt.Arena, r *rng.Source, w int) smt.Term {
	if w <= 64 {
		u := r.Uint64() | 1<<63
		return a.BVUint(w, u>>r.Intn(w))
	}
	x := new(big.Int)
	for x.BitLen() < w {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(r.Uint64()|1<<63))
	}
	return a.BV(w, x.Rsh(x, uint(r.Intn(w))))
}
