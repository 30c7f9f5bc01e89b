package termtext

import "github.com/smtlark/smtlark/engine/language/smt"

// maxDirect is the depth to which Direct writes terms itself.
const maxDirect = 256

// Direct is Term, faster for small terms and for those that share little: it writes while it looks for repeated
// subterms, and starts over like Term if a let variable pays off. The text is the same.
func (p *Terms) Direct(b []byte, a *smt.Arena, t smt.Term) []byte {
	from := len(b)
	p.a, p.b = a, b
	p.prepare()
	p.left = maxUnshared
	b, ok := p.direct(b, t, maxDirect)
	if ok && !(p.again && len(p.order) > largeTerm) {
		p.a, p.b = nil, nil
		return b
	}
	return p.Term(b[:from], a, t)
}

// direct appends a term and reports whether it needs no let variable. It sets again if that is only because the term is
// small.
func (p *Terms) direct(b []byte, t smt.Term, depth int) ([]byte, bool) {
	op, args := p.a.Look(t)
	switch op {
	case smt.OpVar, smt.OpForall, smt.OpExists, smt.OpLambda, smt.OpMatch, smt.OpCase, smt.OpAnnot, smt.OpOpaque, smt.OpHOApply:
		return b, false
	}
	n := &p.nodes[t]
	if p.Unshared {
		return p.directTree(b, t, op, args, depth)
	}
	if len(args) == 0 {
		switch op {
		case smt.OpStringLit, smt.OpBVLit, smt.OpIntLit: // long ones may be bound by let
			if n.gen != p.gen {
				n.first(p.gen)
				p.order = append(p.order, t)
			} else if p.worthLet(t, 2) {
				return b, false
			}
		default:
			n.first(p.gen)
		}
		return p.quickLeaf(b, t, op), true
	}
	if depth == 0 {
		return b, false
	}
	if n.gen == p.gen {
		n.refs++
		if p.worthLet(t, int(n.refs)) {
			return b, false
		}
		if len(args) > 1 || p.a.NumArgs(args[0]) > 0 || op != smt.OpNot && op != smt.OpSub {
			p.again = true
		}
		return p.quickTree(b, t), true
	}
	n.first(p.gen)
	p.order = append(p.order, t)
	return p.directArgs(b, t, op, args, depth)
}

// directTree is direct without let: it copies the text of a term that was written before.
func (p *Terms) directTree(b []byte, t smt.Term, op smt.Op, args []smt.Term, depth int) ([]byte, bool) {
	if len(args) == 0 {
		p.left--
		return p.quickLeaf(b, t, op), p.left >= 0
	}
	n := &p.nodes[t]
	if n.gen == p.gen {
		p.left -= int(n.refs)
		if p.left < 0 {
			return b, false
		}
		return append(b, b[n.level:n.let]...), true
	}
	if p.left--; p.left < 0 || depth == 0 {
		return b, false
	}
	from, left := len(b), p.left
	b, ok := p.directArgs(b, t, op, args, depth)
	n.first(p.gen)
	// Three fields that only lets need hold how many nodes it has, and where its text lies.
	n.refs, n.level, n.let = uint32(left-p.left+1), int32(from), int32(len(b))
	return b, ok
}

// directArgs appends a term with arguments; its result is that of direct.
func (p *Terms) directArgs(b []byte, t smt.Term, op smt.Op, args []smt.Term, depth int) ([]byte, bool) {
	b = p.quickOpen(b, t, op)
	for _, x := range args {
		var ok bool
		if b, ok = p.direct(append(b, ' '), x, depth-1); !ok {
			return b, false
		}
	}
	return append(b, ')'), true
}
