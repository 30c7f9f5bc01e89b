package literal

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Constants returns closed terms of a sort, simplest first, that can replace larger terms. All of them are standard if
// the sort's theory has standard constants. For a sort without constants (an uninterpreted one) it returns none.
func Constants(a *smt.Arena, s smt.Sort) []smt.Term {
	return constantsOf(a, s, map[smt.Sort]bool{})
}

// constantsOf is Constants without the terms that need a sort in open, so that it terminates for recursive datatypes.
func constantsOf(a *smt.Arena, s smt.Sort, open map[smt.Sort]bool) []smt.Term {
	switch a.SortKind(s) {
	case smt.KindBool:
		return []smt.Term{a.True(), a.False()}
	case smt.KindInt:
		return []smt.Term{a.Int64(0), a.Int64(1)}
	case smt.KindReal:
		return []smt.Term{a.RealVal(new(big.Rat)), a.RealVal(big.NewRat(1, 1))}
	case smt.KindString:
		return []smt.Term{a.Str(nil)}
	case smt.KindRegLan:
		return []smt.Term{a.MustApp(smt.OpReNone), a.MustApp(smt.OpReAll), a.MustApp(smt.OpReAllChar), a.MustApp(smt.OpStrToRe, a.Str(nil))}
	case smt.KindRoundingMode:
		return []smt.Term{a.MustApp(smt.OpRNE)}
	case smt.KindBitVec:
		w := a.Width(s)
		all := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(w)), big.NewInt(1))
		// All ones are 1 here, and no constant should be tried twice.
		if w == 1 {
			return []smt.Term{a.BVUint(w, 0), a.BVUint(w, 1)}
		}
		return []smt.Term{a.BVUint(w, 0), a.BVUint(w, 1), a.BV(w, all)}
	case smt.KindFloat:
		eb, sb := a.FloatFormat(s)
		idx := []smt.Index{a.NumIndex(uint64(eb)), a.NumIndex(uint64(sb))}
		var out []smt.Term
		for _, op := range []smt.Op{smt.OpFPPlusZero, smt.OpFPNaN, smt.OpFPPlusInf} {
			if t, err := a.App(op, idx); err == nil {
				out = append(out, t)
			}
		}
		return out
	case smt.KindFiniteField:
		return []smt.Term{a.FFVal(s, new(big.Int)), a.FFVal(s, big.NewInt(1))}
	case smt.KindSeq:
		return appAs(a, smt.OpSeqEmpty, s)
	case smt.KindSet:
		return appAs(a, smt.OpSetEmpty, s)
	case smt.KindBag:
		return appAs(a, smt.OpBagEmpty, s)
	case smt.KindDatatype:
		return datatypeConstants(a, s, open)
	}
	return nil
}

func appAs(a *smt.Arena, op smt.Op, s smt.Sort) []smt.Term {
	t, err := a.AppAs(op, s, nil)
	if err != nil {
		return nil
	}
	return []smt.Term{t}
}

// maxOpen bounds how deeply values nest: the fields of a datatype may be ever larger instances of it.
const maxOpen = 16

// datatypeConstants returns one value for each constructor that does not need the sort itself.
func datatypeConstants(a *smt.Arena, s smt.Sort, open map[smt.Sort]bool) []smt.Term {
	if open[s] || len(open) >= maxOpen {
		return nil
	}
	open[s] = true
	defer delete(open, s)
	dt, params := a.DatatypeOf(s)
	if dt == nil {
		return nil
	}
	var out []smt.Term
ctors:
	for _, c := range dt.Constructors {
		info := a.SymbolInfo(c.Symbol)
		var args []smt.Term
		for _, p := range info.Params {
			vals := constantsOf(a, a.SubstSort(p, params), open)
			if len(vals) == 0 {
				continue ctors
			}
			args = append(args, vals[0])
		}
		if t, err := a.ApplyAs(c.Symbol, s, args...); err == nil {
			out = append(out, t)
		}
	}
	return out
}
