package bindings

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (b *boolector) Sort(s *driver.Translation, so smt.Sort) driver.Ref {
	a := s.Arena()
	switch a.SortKind(so) {
	case smt.KindBool:
		return b.callC("bool_sort", b.btor)
	case smt.KindBitVec:
		return b.callC("bitvec_sort", b.btor, uintptr(a.Width(so)))
	case smt.KindArray:
		x := a.SortArgs(so)
		if a.SortKind(x[0]) == smt.KindArray || a.SortKind(x[1]) == smt.KindArray {
			panic(driver.Unsupported("boolector has no arrays of arrays"))
		}
		return b.callC("array_sort", b.btor, s.Sort(x[0]), s.Sort(x[1]))
	}
	panic(s.NoSort(so))
}
