package fusion

import (
	"math"
	"math/big"

	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
)

// Literal draws a literal of a sort, boundary values most often; 0 if the sort has none.
func Literal(a *smt.Arena, r *rng.Source, s smt.Sort) smt.Term {
	switch a.SortKind(s) {
	case smt.KindBool:
		return a.BoolVal(r.Bool())
	case smt.KindInt:
		n := number64(r)
		if n < 0 { // as Int64 does, without big numbers
			return a.MustApp(smt.OpSub, a.Int64(-n))
		}
		return a.Int64(n)
	case smt.KindReal:
		n := number64(r)
		if r.Intn(3) == 0 {
			return a.RealVal(big.NewRat(n, [...]int64{2, 4, 5, 8, 10, 100}[r.Intn(6)]))
		}
		if n < 0 {
			return a.MustApp(smt.OpSub, a.RealInt(-n))
		}
		return a.RealInt(n)
	case smt.KindBitVec:
		return bvLiteral(a, r, a.Width(s))
	case smt.KindString:
		const letters = "ab01 -\\\"z"
		out := make([]rune, r.Intn(5))
		for i := range out {
			out[i] = rune(letters[r.Intn(len(letters))])
		}
		return a.Str(out)
	case smt.KindRoundingMode:
		return a.MustApp([...]smt.Op{smt.OpRNE, smt.OpRNA, smt.OpRTP, smt.OpRTN, smt.OpRTZ}[r.Intn(5)])
	case smt.KindFloat:
		return floatLiteral(a, r, s)
	}
	return 0
}

func number64(r *rng.Source) int64 {
	switch r.Intn(4) {
	case 0:
		return int64(r.Range(-2, 2))
	case 1:
		return int64(r.Range(-1000, 1000))
	}
	return int64(r.Range(-16, 16))
}

func bvLiteral(a *smt.Arena, r *rng.Source, w int) smt.Term {
	switch r.Intn(6) {
	case 0:
		return a.BVUint(w, 0)
	case 1:
		return a.BVUint(w, 1)
	case 2:
		if w <= 64 {
			return a.BVUint(w, math.MaxUint64)
		}
		return a.BV(w, big.NewInt(-1))
	case 3:
		if w <= 64 {
			return a.BVUint(w, 1<<(w-1))
		}
		return a.BV(w, new(big.Int).Lsh(big.NewInt(1), uint(w-1)))
	}
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

func floatLiteral(a *smt.Arena, r *rng.Source, s smt.Sort) smt.Term {
	eb, sb := a.FloatFormat(s)
	idx := []smt.Index{a.NumIndex(uint64(eb)), a.NumIndex(uint64(sb))}
	if i := r.Intn(8); i < 5 {
		t, err := a.App([...]smt.Op{smt.OpFPPlusInf, smt.OpFPMinusInf, smt.OpFPPlusZero, smt.OpFPMinusZero, smt.OpFPNaN}[i], idx)
		if err != nil {
			return 0
		}
		return t
	}
	t, err := a.App(smt.OpFP, nil, bvLiteral(a, r, 1), bvLiteral(a, r, eb), bvLiteral(a, r, sb-1))
	if err != nil {
		return 0
	}
	return t
}
