package bindings

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (y *yices) Sort(s *driver.Translation, so smt.Sort) driver.Ref {
	a := s.Arena()
	switch a.SortKind(so) {
	case smt.KindBool:
		return y.callForObject("bool_type")
	case smt.KindInt:
		return y.callForObject("int_type")
	case smt.KindReal:
		return y.callForObject("real_type")
	case smt.KindBitVec:
		return y.callForObject("bv_type", uintptr(a.Width(so)))
	case smt.KindArray:
		x := a.SortArgs(so)
		return y.callForObject("function_type", 1, y.numberList([]driver.Ref{s.Sort(x[0])}), objectNumber(s.Sort(x[1])))
	case smt.KindUser:
		return y.callForObject("new_uninterpreted_type")
	}
	panic(s.NoSort(so))
}
