package termtext

import (
	"math/big"
	"math/bits"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// leaf writes a term without arguments.
func (p *Terms) leaf(t smt.Term) {
	a := p.a
	op := a.Op(t)
	switch op {
	case smt.OpTrue:
		p.b = append(p.b, "true"...)
	case smt.OpFalse:
		p.b = append(p.b, "false"...)
	case smt.OpApply:
		f := a.SymbolInfo(a.SymbolOf(t))
		if f.Qualified {
			p.b = append(append(append(p.b, "(as "...), f.Text...), ' ')
			p.b = append(a.AppendSort(p.b, a.Sort(t)), ')')
			return
		}
		p.b = append(p.b, p.nameOf(a.SymbolOf(t))...)
	case smt.OpVar:
		if n := int(t); n < len(p.nodes) && p.nodes[n].gen == p.gen && p.careful {
			p.b = append(p.b, p.vars[p.nodes[n].entry].text...)
			return
		}
		p.b = append(p.b, smt.QuoteSymbol(a.VarName(t))...)
	case smt.OpIntLit:
		p.b = appendNumeral(p.b, a, t)
	case smt.OpRealLit:
		if _, ok := a.IndexUint(a.Indices(t)[0]); ok {
			p.b = append(appendNumeral(p.b, a, t), ".0"...)
			return
		}
		r, _ := a.RatOf(t)
		p.b = append(p.b, smt.Decimal(r)...)
	case smt.OpBVLit:
		p.b = appendBV(p.b, a, t)
	case smt.OpStringLit:
		s, _ := a.StrOf(t)
		p.b = smt.AppendString(p.b, s)
	case smt.OpFFLit:
		v, _ := a.FFOf(t)
		p.b = append(v.Append(append(p.b, "(as ff"...), 10), ' ')
		p.b = append(a.AppendSort(p.b, a.Sort(t)), ')')
	default:
		p.head(t, op)
	}
}

// head writes the head of an application: a symbol, or an operator with its indices. It adds the sort where that is
// needed.
func (p *Terms) head(t smt.Term, op smt.Op) {
	a := p.a
	switch op {
	case smt.OpApply:
		f := a.SymbolInfo(a.SymbolOf(t))
		if !f.Qualified {
			p.b = append(p.b, f.Text...)
			return
		}
		p.b = append(append(append(p.b, "(as "...), f.Text...), ' ')
		p.b = append(a.AppendSort(p.b, a.Sort(t)), ')')
		return
	case smt.OpIs, smt.OpUpdate:
		p.b = append(append(append(p.b, "(_ "...), op.String()...), ' ')
		p.b = append(append(p.b, a.SymbolInfo(a.SymbolOf(t)).Text...), ')')
		return
	case smt.OpHOApply:
		p.b = append(p.b, '@')
		return
	case smt.OpMapArrays:
		p.b = append(append(append(p.b, "(_ map "...), a.SymbolInfo(a.SymbolOf(t)).Text...), ')')
		return
	case smt.OpFunction:
		if a.SortKind(a.Sort(t)) != smt.KindArray {
			p.b = append(p.b, a.SymbolInfo(a.SymbolOf(t)).Text...)
			return
		}
		p.b = append(append(append(p.b, "(_ as-array "...), a.SymbolInfo(a.SymbolOf(t)).Text...), ')')
		return
	case smt.OpOpaque:
		p.opaque(t)
		return
	}
	info := op.Info()
	// Versions of solvers know different names. Unless the standard's name is requested, use the one that most of them
	// read.
	name := info.Wire
	if p.Standard && op != smt.OpReLoopArgs {
		name = info.Name
	}
	idx := a.Indices(t)
	if len(idx) == 0 && !info.Qualified {
		p.b = append(p.b, name...)
		return
	}
	if info.Qualified {
		p.b = append(p.b, "(as "...)
	}
	p.indexed(name, idx)
	if info.Qualified {
		p.b = append(a.AppendSort(append(p.b, ' '), a.Sort(t)), ')')
	}
}

// indexed writes (_ name indices), or just the name if there are none.
func (p *Terms) indexed(name string, idx []smt.Index) {
	if len(idx) == 0 {
		p.b = append(p.b, name...)
		return
	}
	p.b = append(append(p.b, "(_ "...), name...)
	for _, x := range idx {
		p.b = append(p.b, ' ')
		if n, ok := p.a.IndexUint(x); ok {
			p.b = strconv.AppendUint(p.b, n, 10)
		} else if s, ok := p.a.IndexName(x); ok {
			if s != "" && s[0] != '#' {
				s = smt.QuoteSymbol(s)
			}
			p.b = append(p.b, s...)
		} else {
			n, _ := p.a.IndexNum(x)
			p.b = n.Append(p.b, 10)
		}
	}
	p.b = append(p.b, ')')
}

// opaque writes the head of a term that the operator table lacks, with its sort if nothing else determines that.
func (p *Terms) opaque(t smt.Term) {
	head, idx := p.a.OpaqueHead(t)
	as := p.a.IsQualified(t)
	if as {
		p.b = append(p.b, "(as "...)
	}
	p.indexed(smt.QuoteSymbol(head), idx)
	if as {
		p.b = append(p.a.AppendSort(append(p.b, ' '), p.a.Sort(t)), ')')
	}
}

func appendNumeral(b []byte, a *smt.Arena, t smt.Term) []byte {
	x := a.Indices(t)[0]
	if n, ok := a.IndexUint(x); ok {
		return strconv.AppendUint(b, n, 10)
	}
	n, _ := a.IndexNum(x)
	return n.Append(b, 10)
}

const hexDigits = "0123456789abcdef"

// appendBV writes a bit-vector literal: hexadecimal where the width is a multiple of four, else binary; (_ bvN w)
// where that is much shorter.
func appendBV(b []byte, a *smt.Arena, t smt.Term) []byte {
	w := a.Width(a.Sort(t))
	v, ok := a.BVSmall(t)
	if !ok {
		n, _ := a.BVOf(t)
		return appendWideBV(b, w, n)
	}
	if w > 256 && bits.Len64(v) < w/2 {
		return appendDecBV(b, w, new(big.Int).SetUint64(v))
	}
	if w%4 == 0 {
		b = append(b, '#', 'x')
		for i := w - 4; i >= 0; i -= 4 {
			d := uint64(0)
			if i < 64 {
				d = v >> i & 15
			}
			b = append(b, hexDigits[d])
		}
		return b
	}
	b = append(b, '#', 'b')
	for i := w - 1; i >= 0; i-- {
		d := uint64(0)
		if i < 64 {
			d = v >> i & 1
		}
		b = append(b, hexDigits[d])
	}
	return b
}

func appendWideBV(b []byte, w int, n *big.Int) []byte {
	if w > 256 && n.BitLen() < w/2 {
		return appendDecBV(b, w, n)
	}
	return smt.AppendBV(b, w, n)
}

func appendDecBV(b []byte, w int, n *big.Int) []byte {
	b = append(n.Append(append(b, "(_ bv"...), 10), ' ')
	return append(strconv.AppendInt(b, int64(w), 10), ')')
}
