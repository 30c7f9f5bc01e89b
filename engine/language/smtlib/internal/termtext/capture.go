package termtext

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// findClashes finds names that stand for both a bound variable and something else below the root, and the places where
// the other meaning occurs. Only there may a variable have to be renamed.
func (p *planner) findClashes(root smt.Term) {
	if len(p.vars) == 0 {
		return
	}
	a := p.a
	names := make(map[string]int, len(p.vars))
	for _, v := range p.vars {
		names[a.VarName(v.t)]++
	}
	add := func(name string) {
		if p.clashes == nil {
			p.clashes = map[string]uint64{}
		}
		if _, ok := p.clashes[name]; !ok {
			p.clashes[name] = 1 << min(len(p.clashes), lastClash)
		}
	}
	for _, v := range p.vars {
		name := a.VarName(v.t)
		// An inner variable of that name would capture the outer one or the operator.
		if _, isOp := smt.LookupOp(name); isOp || names[name] > 1 {
			add(name)
		}
	}
	for _, f := range p.symbols {
		if name := a.SymbolInfo(f).Name; names[name] > 0 {
			add(name)
		}
	}
	for _, head := range p.heads {
		if names[head] > 0 {
			add(head)
		}
	}
	if p.clashes == nil {
		return
	}
	// Few scripts have a clash: the others are spared this walk.
	p.masks = map[smt.Term]uint64{}
	a.PostOrder([]smt.Term{root}, func(t smt.Term) {
		m := uint64(0)
		for _, x := range a.Args(t) {
			m |= p.masks[x]
		}
		switch op := a.Op(t); {
		case op == smt.OpOpaque:
			head, _ := a.OpaqueHead(t)
			m |= p.clashes[head]
		case !op.Structural():
			m |= p.clashes[op.Info().Wire] | p.clashes[op.Info().Name]
		default:
			if f := a.SymbolOf(t); f != 0 {
				m |= p.clashes[a.SymbolInfo(f).Name]
			}
		}
		if m != 0 {
			p.masks[t] = m
		}
	})
}

// enter opens the scope of a binder's body, in which its variables are visible under their names.
func (p *planner) enter(t smt.Term, inner int32) {
	depth := int32(len(p.stack))
	p.stack = append(p.stack, inner)
	bound := p.a.BoundVars(t)
	p.undo = append(p.undo, savedVar{num: noVariable})
	for _, v := range bound {
		num := p.nodes[v].entry
		x := &p.vars[num]
		p.undo = append(p.undo, savedVar{num, x.depth, x.text})
		text := smt.QuoteSymbol(p.a.VarName(v))
		if p.mustRename(t, v) {
			text = p.freshName(v)
		}
		x.depth, x.text = depth, text
	}
}

func (p *planner) leaveScope() {
	p.stack = p.stack[:len(p.stack)-1]
	for {
		s := p.undo[len(p.undo)-1]
		p.undo = p.undo[:len(p.undo)-1]
		if s.num == noVariable {
			return
		}
		p.vars[s.num].depth, p.vars[s.num].text = s.depth, s.text
	}
}

// mustRename reports whether the variable's own name would capture something else in the binder's body, or would be
// read as a constructor.
func (p *planner) mustRename(t, v smt.Term) bool {
	a := p.a
	name := a.VarName(v)
	if a.Op(t) == smt.OpCase && a.SymbolOf(t) == 0 {
		if dt, _ := a.DatatypeOf(a.Sort(v)); dt != nil {
			for _, k := range dt.Constructors {
				if k.Name == name {
					return true
				}
			}
		}
	}
	bit := p.clashes[name]
	if bit == 0 {
		return false
	}
	if p.masks[a.Body(t)]&bit != 0 {
		return true
	}
	set := p.nodes[t].set
	if set == bigSet {
		return true
	}
	for _, w := range p.set(set) {
		if u := p.vars[w]; u.t != v && a.VarName(u.t) == name {
			return true
		}
	}
	return false
}

// freshName returns a name for a variable that nothing in the term has.
func (p *planner) freshName(v smt.Term) string {
	used := map[string]bool{}
	for _, x := range p.vars {
		used[p.a.VarName(x.t)] = true
	}
	for _, head := range p.heads {
		used[head] = true
	}
	for _, f := range p.symbols {
		used[p.a.SymbolInfo(f).Name] = true
	}
	for i := 1; ; i++ {
		if name := fmt.Sprintf("%s!%d", p.a.VarName(v), i); !used[name] && p.clashes[name] == 0 && !p.taken(name) {
			return smt.QuoteSymbol(name)
		}
	}
}

// taken reports whether an open binder has the name already.
func (p *plan) taken(name string) bool {
	q := smt.QuoteSymbol(name)
	for _, v := range p.vars {
		if v.depth > 0 && v.text == q {
			return true
		}
	}
	return false
}
