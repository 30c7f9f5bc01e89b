package bindings

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (b *bitwuzla) Sort(s *driver.Translation, so smt.Sort) driver.Ref {
	a := s.Arena()
	switch a.SortKind(so) {
	case smt.KindBool:
		return b.callC("mk_bool_sort", b.tm)
	case smt.KindBitVec:
		return b.callC("mk_bv_sort", b.tm, uintptr(a.Width(so)))
	case smt.KindFloat:
		eb, sb := a.FloatFormat(so)
		return b.callC("mk_fp_sort", b.tm, uintptr(eb), uintptr(sb))
	case smt.KindRoundingMode:
		return b.callC("mk_rm_sort", b.tm)
	case smt.KindArray:
		x := a.SortArgs(so)
		return b.callC("mk_array_sort", b.tm, s.Sort(x[0]), s.Sort(x[1]))
	case smt.KindFunc:
		x := a.SortArgs(so)
		return b.functionSort(s, x[:len(x)-1], x[len(x)-1])
	case smt.KindUser:
		if len(a.SortArgs(so)) == 0 {
			name, _ := a.SortSymbolName(a.SortSymbolOf(so))
			return b.callC("mk_uninterpreted_sort", b.tm, b.Library.Str(name))
		}
	}
	panic(s.NoSort(so))
}
