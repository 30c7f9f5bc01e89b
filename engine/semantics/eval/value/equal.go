package value

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/semantics/eval/softfp"
	"github.com/smtlark/smtlark/engine/semantics/eval/strre"
)

// Equal compares two values of one sort. It is Unknown only where arrays given by terms, uninterpreted sorts of
// unknown size or regular languages make it so.
func Equal(v, w Value) Truth {
	if !v.IsValue() || !w.IsValue() {
		return Unknown
	}
	if v.kind != w.kind {
		if v.kind == KindClosure || w.kind == KindClosure {
			return Unknown
		}
		return False
	}
	switch v.kind {
	case KindBigInt, KindBigBitVec, KindFiniteField:
		return TruthOf(v.ref.(*big.Int).Cmp(w.ref.(*big.Int)) == 0)
	case KindRat:
		return TruthOf(v.ref.(*big.Rat).Cmp(w.ref.(*big.Rat)) == 0)
	case KindBigFloat:
		return TruthOf(softfp.Identical(*v.ref.(*softfp.Float), *w.ref.(*softfp.Float)))
	case KindString:
		return TruthOf(slices.Equal(v.CodePoints(), w.CodePoints()))
	case KindSeq:
		return EqualLists(v.Items(), w.Items())
	case KindData:
		return equalData(v.data(), w.data())
	case KindTable:
		return equalTables(v.AsTable(), w.AsTable())
	case KindClosure:
		return v.ref.(*Closure).equal(w.ref.(*Closure))
	case KindRegex:
		return equalRegex(v, w)
	}
	return TruthOf(v.bits == w.bits)
}

// EqualLists compares lists of values, place by place.
func EqualLists(v, w []Value) Truth {
	if len(v) != len(w) {
		return False
	}
	result := True
	for i := range v {
		switch Equal(v[i], w[i]) {
		case False:
			return False
		case Unknown:
			result = Unknown
		}
	}
	return result
}

// equalData compares along the last field without recursion, since lists nest there.
func equalData(v, w *dataValue) Truth {
	result := True
	for v != w {
		if v.ctor != w.ctor || v.hash != w.hash && !v.opaque && !w.opaque {
			return False
		}
		n := len(v.fields)
		var next [2]*dataValue
		for i := range v.fields {
			x, y := v.fields[i], w.fields[i]
			if i == n-1 && x.kind == KindData && y.kind == KindData {
				next = [2]*dataValue{x.data(), y.data()}
				break
			}
			switch Equal(x, y) {
			case False:
				return False
			case Unknown:
				result = Unknown
			}
		}
		if next[0] == nil {
			break
		}
		v, w = next[0], next[1]
	}
	return result
}

// Compare is a total order on the values of one sort in which equal values are equal, wherever Equal knows; it
// is meant for printing in a fixed order.
func Compare(v, w Value) int {
	if v.kind != w.kind {
		// Small and big numbers are of different kinds and have one order.
		if x, ok := v.Int(); ok && w.BigInt() != nil {
			return x.Cmp(w.BigInt())
		}
		if x, ok := v.Rat(); ok && w.BigRat() != nil {
			return x.Cmp(w.BigRat())
		}
		return cmp.Compare(v.kind, w.kind)
	}
	switch v.kind {
	case KindInt, KindReal:
		return cmp.Compare(v.Small(), w.Small())
	case KindBigInt, KindBigBitVec, KindFiniteField:
		return v.ref.(*big.Int).Cmp(w.ref.(*big.Int))
	case KindRat:
		return v.ref.(*big.Rat).Cmp(w.ref.(*big.Rat))
	case KindBigFloat:
		return v.ref.(*softfp.Float).Bits().Cmp(w.ref.(*softfp.Float).Bits())
	case KindString:
		return slices.Compare(v.CodePoints(), w.CodePoints())
	case KindSeq:
		return slices.CompareFunc(v.Items(), w.Items(), Compare)
	case KindData:
		x, y := v.data(), w.data()
		if x == y {
			return 0
		}
		if c := cmp.Compare(x.ctor, y.ctor); c != 0 {
			return c
		}
		return slices.CompareFunc(x.fields, y.fields, Compare)
	case KindTable:
		return compareTables(v.AsTable(), w.AsTable())
	case KindClosure:
		return cmp.Compare(v.ref.(*Closure).Body, w.ref.(*Closure).Body)
	// Languages have no order that is cheap to compute.
	case KindRegex:
		return 0
	}
	return cmp.Compare(v.bits, w.bits)
}

func equalRegex(v, w Value) Truth {
	b, ok := v.ref.(*strre.Builder)
	if !ok || v.ref != w.ref {
		return Unknown
	}
	if v.bits == w.bits {
		return True
	}
	same, err := b.Equivalent(v.Regex(), w.Regex())
	if err != nil {
		return Unknown
	}
	return TruthOf(same)
}
