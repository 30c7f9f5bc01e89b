package bindings

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (z *z3) Value(s *driver.Translation, t smt.Term) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
	case smt.OpTrue:
		return z.ast("mk_true")
	case smt.OpFalse:
		return z.ast("mk_false")
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		return z.number(s, n, smt.SortInt)
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		so := a.Sort(t)
		if w := a.Width(so); w <= 512 && s.Pick(4) == 3 {
			bits := z.Library.Memory.Bytes(w)
			for i := range bits {
				bits[i] = byte(n.Bit(i))
			}
			return z.ast("mk_bv_numeral", uintptr(w), driver.Address(bits))
		}
		return z.number(s, n, so)
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		if way := s.Pick(3); way == 1 && r.Num().IsInt64() && r.Denom().IsInt64() && r.Num().BitLen() < 31 && r.Denom().
			BitLen() < 31 {
			return z.ast("mk_real", uintptr(r.Num().Int64()), uintptr(r.Denom().Int64()))
		}
		return z.ast("mk_numeral", z.Library.Str(r.RatString()), s.Sort(smt.SortReal))
	case smt.OpStringLit:
		return z.stringValue(s, t)
	}
	panic(s.NoOp(t))
}

func (z *z3) number(s *driver.Translation, n *big.Int, so smt.Sort) driver.Ref {
	r := s.Sort(so)
	switch way := s.Pick(4); {
	case way == 1 && n.IsUint64():
		return z.ast("mk_unsigned_int64", uintptr(n.Uint64()), r)
	case way == 2 && n.IsInt64():
		return z.ast("mk_int64", uintptr(n.Int64()), r)
	case way == 3 && n.BitLen() < 31:
		return z.ast("mk_unsigned_int", uintptr(n.Uint64()), r)
	}
	return z.ast("mk_numeral", z.Library.Str(n.String()), r)
}

func (z *z3) stringValue(s *driver.Translation, t smt.Term) driver.Ref {
	runes, _ := s.Arena().StrOf(t)
	if z.Library.Has("Z3_mk_u32string") && s.Pick(2) == 1 {
		codes := make([]uint32, len(runes))
		for i, r := range runes {
			codes[i] = uint32(r)
		}
		return z.ast("mk_u32string", uintptr(len(codes)), z.Library.Words32(codes))
	}
	return z.ast("mk_string", z.Library.Str(driver.Escaped(runes)))
}
