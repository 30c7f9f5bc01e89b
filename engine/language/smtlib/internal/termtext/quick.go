package termtext

import (
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// quick counts references; it gives up at the first binder, variable or annotation.
func (p *planner) quick(root smt.Term) bool {
	a := p.a
	op, args := a.Look(root)
	if !p.quickHead(root, op) {
		return false
	}
	walk := append(p.below[:0], quickFrame{root, args})
	p.nodes[root].first(p.gen)
	for len(walk) > 0 {
		f := &walk[len(walk)-1]
		if len(f.args) == 0 {
			p.order = append(p.order, f.t)
			walk = walk[:len(walk)-1]
			continue
		}
		c := f.args[0]
		f.args = f.args[1:]
		n := &p.nodes[c]
		if n.gen == p.gen {
			n.refs++
			p.again = true
			continue
		}
		op, args := a.Look(c)
		if !p.quickHead(c, op) {
			p.below = walk
			return false
		}
		n.first(p.gen)
		if len(args) > 0 {
			walk = append(walk, quickFrame{c, args})
		} else if op == smt.OpStringLit || op == smt.OpBVLit || op == smt.OpIntLit {
			p.order = append(p.order, c) // long ones are worth a let
		}
	}
	p.below = walk
	return true
}

// first initialises the node of a term that is seen for the first time; only careful plans use its other fields.
func (n *nodePlan) first(gen uint32) { n.gen, n.refs, n.level, n.let = gen, 1, 0, 0 }

// quickHead sees the head of a term for the first time. It returns false for heads that need a careful plan.
func (p *planner) quickHead(t smt.Term, op smt.Op) bool {
	switch op {
	case smt.OpVar, smt.OpForall, smt.OpExists, smt.OpLambda, smt.OpMatch, smt.OpCase, smt.OpAnnot, smt.OpHOApply:
		return false
	case smt.OpApply, smt.OpFunction, smt.OpMapArrays:
		if name := p.a.SymbolInfo(p.a.SymbolOf(t)).Name; len(name) > 1 && name[0] == '?' {
			p.seeName(name)
		}
	case smt.OpOpaque:
		head, _ := p.a.OpaqueHead(t)
		p.seeName(head)
	}
	return true
}

// fitsUnshared reports whether the term is small enough to be written without let. It computes smt.TreeSize from the
// nodes that quick has visited, without a second walk.
func (p *planner) fitsUnshared() bool {
	fits := true
	for _, t := range p.order {
		_, args := p.a.Look(t)
		size := int32(1)
		for _, x := range args {
			size += max(1, p.nodes[x].level)
		}
		p.nodes[t].level = min(size, maxUnshared+1)
		fits = fits && size <= maxUnshared
	}
	for _, t := range p.order {
		p.nodes[t].level = 0
	}
	return fits
}

// quickLets gives let variables to terms that occur more than once. The terms of a group do not depend on one another.
func (p *planner) quickLets() {
	p.scopes = append(p.scopes, scope{})
	if !p.again {
		return
	}
	top := int32(0)
	for _, t := range p.order {
		n := &p.nodes[t]
		bind := n.refs > 1 && p.worthLet(t, int(n.refs))
		if !bind && len(p.lets) == 0 {
			continue // nothing below has a let: it is of level 0
		}
		_, args := p.a.Look(t)
		level := int32(0)
		for _, x := range args {
			m := &p.nodes[x]
			l := m.level
			if m.let != 0 {
				l++
			}
			level = max(level, l)
		}
		n.level = level
		if bind {
			n.let = 1
			p.lets = append(p.lets, let{t: t, level: level})
			top = max(top, level)
		}
	}
	p.sortLets(0, top)
	for i := range p.lets {
		p.lets[i].num = int32(p.first + i)
		p.nodes[p.lets[i].t].let = int32(p.first + i)
	}
	p.scopes[0].to = int32(len(p.lets))
}

// quickTerm appends a term of a quick plan: its lets, each binding the variables of one level, and the body.
func (p *Terms) quickTerm(b []byte, t smt.Term) []byte {
	groups := 0
	for i := range p.lets {
		l := &p.lets[i]
		switch {
		case i == 0:
			b = append(b, "(let ("...)
			groups++
		case p.lets[i-1].level != l.level:
			b = append(b, ") (let ("...)
			groups++
		default:
			b = append(b, ' ')
		}
		b = append(strconv.AppendInt(append(b, "(?"...), int64(l.num), 10), ' ')
		b = append(p.quickTree(b, l.t), ')')
	}
	if groups > 0 {
		b = append(b, ") "...)
	}
	b = p.quickTree(b, t)
	for range groups {
		b = append(b, ')')
	}
	p.a, p.b = nil, nil
	return b
}

// quickTree appends a term as a tree; variables stand for terms below it that have lets.
func (p *Terms) quickTree(b []byte, t smt.Term) []byte {
	a := p.a
	op, args := a.Look(t)
	if len(args) == 0 {
		return p.quickLeaf(b, t, op)
	}
	b = p.quickOpen(b, t, op)
	walk := append(p.below[:0], quickFrame{t, args})
	for {
		f := &walk[len(walk)-1]
		if len(f.args) == 0 {
			b = append(b, ')')
			if walk = walk[:len(walk)-1]; len(walk) == 0 {
				break
			}
			continue
		}
		c := f.args[0]
		f.args = f.args[1:]
		b = append(b, ' ')
		if n := p.nodes[c].let; n != 0 {
			b = strconv.AppendInt(append(b, '?'), int64(n), 10)
			continue
		}
		op, args := a.Look(c)
		if len(args) == 0 {
			b = p.quickLeaf(b, c, op)
			continue
		}
		b = p.quickOpen(b, c, op)
		walk = append(walk, quickFrame{c, args})
	}
	p.below = walk
	return b
}

// quickLeaf appends a term without arguments.
func (p *Terms) quickLeaf(b []byte, t smt.Term, op smt.Op) []byte {
	switch op {
	case smt.OpApply:
		if f := p.a.SymbolInfo(p.a.SymbolOf(t)); !f.Qualified && p.names == nil {
			return append(b, f.Text...)
		}
	case smt.OpIntLit:
		return appendNumeral(b, p.a, t)
	}
	p.b = b
	p.leaf(t)
	return p.b
}

// quickOpen appends the parenthesis and the head of a term with arguments.
func (p *Terms) quickOpen(b []byte, t smt.Term, op smt.Op) []byte {
	b = append(b, '(')
	if name := plainHeads[op]; name != "" && !p.Standard && len(p.a.Indices(t)) == 0 {
		return append(b, name...)
	}
	p.b = b
	p.head(t, op)
	return p.b
}

// plainHeads maps operators to the names of heads without indices and sort; the name is empty for operators that are
// written differently.
var plainHeads = func() []string {
	ops := smt.Ops()
	heads := make([]string, ops[len(ops)-1].Op+1)
	for _, info := range ops {
		if !info.Qualified {
			heads[info.Op] = info.Wire
		}
	}
	return heads
}()
