package native

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
)

func (z *z3) value(s *session, t smt.Term) ref {
	a := s.a
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
		if w := a.Width(so); w <= 512 && s.pick(4) == 3 {
			bits := z.l.mem.bytes(w)
			for i := range bits {
				bits[i] = byte(n.Bit(i))
			}
			return z.ast("mk_bv_numeral", uintptr(w), address(bits))
		}
		return z.number(s, n, so)
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		if way := s.pick(3); way == 1 && r.Num().IsInt64() && r.Denom().IsInt64() && r.Num().BitLen() < 31 && r.Denom().BitLen() < 31 {
			return z.ast("mk_real", uintptr(r.Num().Int64()), uintptr(r.Denom().Int64()))
		}
		return z.ast("mk_numeral", z.l.str(r.RatString()), s.sort(smt.SortReal))
	case smt.OpStringLit:
		return z.stringValue(s, t)
	}
	panic(z.noOp(s, t))
}

func (z *z3) number(s *session, n *big.Int, so smt.Sort) ref {
	r := s.sort(so)
	switch way := s.pick(4); {
	case way == 1 && n.IsUint64():
		return z.ast("mk_unsigned_int64", uintptr(n.Uint64()), r)
	case way == 2 && n.IsInt64():
		return z.ast("mk_int64", uintptr(n.Int64()), r)
	case way == 3 && n.BitLen() < 31:
		return z.ast("mk_unsigned_int", uintptr(n.Uint64()), r)
	}
	return z.ast("mk_numeral", z.l.str(n.String()), r)
}

func (z *z3) stringValue(s *session, t smt.Term) ref {
	runes, _ := s.a.StrOf(t)
	if z.l.has("Z3_mk_u32string") && s.pick(2) == 1 {
		codes := make([]uint32, len(runes))
		for i, r := range runes {
			codes[i] = uint32(r)
		}
		return z.ast("mk_u32string", uintptr(len(codes)), z.l.u32s(codes))
	}
	return z.ast("mk_string", z.l.str(escaped(runes)))
}

// escaped spells code points with the escapes of SMT-LIB's string literals (theory Strings), the printable ones by
// themselves.
func escaped(runes []rune) string {
	var b strings.Builder
	for _, r := range runes {
		if r < 0x20 || r > 0x7e || r == '\\' {
			fmt.Fprintf(&b, "\\u{%x}", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
