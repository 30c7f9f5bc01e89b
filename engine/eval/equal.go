package eval

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/eval/softfp"
)

// Equal compares two values of one sort. It is Unknown only where arrays given by terms, uninterpreted sorts of
// unknown size or regular languages make it so.
func Equal(v, w Value) Truth {
	if v.unknown() || w.unknown() {
		return Unknown
	}
	if v.kind != w.kind {
		if v.kind == kClosure || w.kind == kClosure {
			return Unknown
		}
		return False
	}
	switch v.kind {
	case kBigInt, kBigBV, kFF:
		return truth(v.ref.(*big.Int).Cmp(w.ref.(*big.Int)) == 0)
	case kRat:
		return truth(v.ref.(*big.Rat).Cmp(w.ref.(*big.Rat)) == 0)
	case kBigFP:
		return truth(softfp.Identical(*v.ref.(*softfp.Float), *w.ref.(*softfp.Float)))
	case kString:
		return truth(slices.Equal(v.runes(), w.runes()))
	case kSeq:
		return equalLists(v.elems(), w.elems())
	case kData:
		return equalData(v.data(), w.data())
	case kTable:
		return equalTables(v.table(), w.table())
	case kClosure:
		return v.ref.(*closure).equal(w.ref.(*closure))
	case kRegex:
		return equalRegex(v, w)
	}
	return truth(v.bits == w.bits)
}

func equalLists(v, w []Value) Truth {
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
			if i == n-1 && x.kind == kData && y.kind == kData {
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

// compare is a total order on the values of one sort in which equal values are equal, wherever Equal knows; it
// is meant for printing in a fixed order.
func compare(v, w Value) int {
	if v.kind != w.kind {
		if x, ok := v.Int(); ok && w.big() != nil {
			return x.Cmp(w.big())
		}
		if x, ok := v.Rat(); ok && w.rat() != nil {
			return x.Cmp(w.rat())
		}
		return cmp.Compare(v.kind, w.kind)
	}
	switch v.kind {
	case kInt, kReal:
		return cmp.Compare(v.signed(), w.signed())
	case kBigInt, kBigBV, kFF:
		return v.ref.(*big.Int).Cmp(w.ref.(*big.Int))
	case kRat:
		return v.ref.(*big.Rat).Cmp(w.ref.(*big.Rat))
	case kBigFP:
		return v.ref.(*softfp.Float).Bits().Cmp(w.ref.(*softfp.Float).Bits())
	case kString:
		return slices.Compare(v.runes(), w.runes())
	case kSeq:
		return slices.CompareFunc(v.elems(), w.elems(), compare)
	case kData:
		x, y := v.data(), w.data()
		if x == y {
			return 0
		}
		if c := cmp.Compare(x.ctor, y.ctor); c != 0 {
			return c
		}
		return slices.CompareFunc(x.fields, y.fields, compare)
	case kTable:
		return compareTables(v.table(), w.table())
	case kClosure:
		return cmp.Compare(v.ref.(*closure).body, w.ref.(*closure).body)
	case kRegex:
		return 0
	}
	return cmp.Compare(v.bits, w.bits)
}
