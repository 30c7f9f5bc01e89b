package literal

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// boundaryShare has the chance of a literal at a boundary, by kind of sorts. Of numbers and strings larger ones make
// problems harder, so they come seldom.
var boundaryShare = map[smt.SortKind]float64{
	smt.KindBitVec: 0.42,
	smt.KindFloat:  0.5,
	smt.KindInt:    0.15,
	smt.KindReal:   0.15,
	smt.KindString: 0.2,
}

// Boundary draws a literal of one of the boundary classes of a sort (OfClass) now and then. It is 0 where it is the turn
// of any literal, and for sorts other than numbers, bit vectors, floating-point numbers and strings.
func Boundary(a *smt.Arena, r *rng.Source, s smt.Sort) smt.Term {
	kind := a.SortKind(s)
	share := boundaryShare[kind]
	if share == 0 || !r.Chance(share) {
		return 0
	}
	return OfClass(a, r, s, r.Intn(len(classes[kind])-1)) // the last class is any literal
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

// anyBits draws a bit vector, numbers of any length alike.
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
