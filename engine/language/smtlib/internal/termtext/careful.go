package termtext

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// entry is a compound term in one scope.
type entry struct {
	t      smt.Term
	scope  int32
	refs   int32
	let    int32
	inner  int32 // of a binder: the scope of its body
	uses   int32 // the first of its uses, plus 1; 0 for none
	forced bool  // bound by let even if it occurs once
}

// use is an argument of an entry that is another one.
type use struct {
	by   int32 // entry
	next int32 // use of the same entry, plus 1
}

type entryKey struct {
	t     smt.Term
	scope int32
}

// variable is a bound variable, with its innermost open binder and its name there.
type variable struct {
	t     smt.Term
	depth int32
	text  string
}

type savedVar struct {
	num   int32
	depth int32
	text  string
}

const (
	bigSet    = -1
	maxSet    = 64
	smallTree = 256 // patterns up to this size are written without let
	maxTree   = 5000
	// maxUnshared bounds the nodes of a term that is written without let because its source text had none either.
	maxUnshared = 1 << 16
	lastClash   = 63
	rootEntry   = 0
	outermost   = 0
	noVariable  = -1
	noScope     = -1
)

// carefulPlan plans the lets of a term with binders or annotations.
func (p *planner) carefulPlan(root smt.Term) {
	p.sets, p.members = append(p.sets[:0], span{}), p.members[:0]
	p.symbols, p.heads = p.symbols[:0], p.heads[:0]
	p.vars, p.entries, p.stack, p.undo = p.vars[:0], p.entries[:0], p.stack[:0], p.undo[:0]
	if p.entryIDs == nil {
		p.entryIDs = map[entryKey]int32{}
	}
	clear(p.entryIDs)
	p.named, p.clashes, p.masks, p.flat = nil, nil, nil, false
	p.survey(root)
	p.findClashes(root)
	p.countEntries(root)
	p.carefulLets()
}

// survey computes free variables and heights, and looks for relevant names.
func (p *planner) survey(root smt.Term) {
	a := p.a
	var annotated []smt.Term
	uses := false
	a.PostOrder([]smt.Term{root}, func(t smt.Term) {
		switch a.Op(t) {
		case smt.OpVar:
			p.seeName(a.VarName(t))
			p.members = append(p.members, int32(len(p.vars)))
			p.nodes[t] = nodePlan{gen: p.gen, set: p.closeSet(len(p.members) - 1), entry: int32(len(p.vars)), scope: noVariable}
			p.vars = append(p.vars, variable{t: t, text: smt.QuoteSymbol(a.VarName(t))})
			return
		case smt.OpApply, smt.OpFunction, smt.OpMapArrays:
			if f := a.SymbolOf(t); p.seeSymbol(f) {
				info := a.SymbolInfo(f)
				p.seeName(info.Name)
				uses = uses || info.Kind == smt.SymNamed
			}
		case smt.OpIs, smt.OpUpdate, smt.OpCase:
			if f := a.SymbolOf(t); f != 0 {
				p.seeSymbol(f)
			}
		case smt.OpOpaque:
			head, _ := a.OpaqueHead(t)
			p.seeName(head)
			p.heads = append(p.heads, head)
		case smt.OpAnnot:
			annotated = append(annotated, t)
		}
		n := nodePlan{gen: p.gen, entry: noVariable, scope: noVariable, set: p.freeSet(t)}
		for _, x := range a.Args(t) {
			n.level = max(n.level, p.nodes[x].level+1)
		}
		p.nodes[t] = n
	})
	var inner map[string]smt.Term // terms with names, by the name as written
	for _, t := range annotated {
		for _, x := range a.Annotations(t) {
			if x.Keyword == ":named" && t != root {
				if inner == nil {
					inner = map[string]smt.Term{}
				}
				inner[x.Value] = t
			}
		}
	}
	switch {
	case inner == nil:
		p.flat = p.Unshared && a.TreeSize(root, maxUnshared+1) <= maxUnshared
	case p.plainTree(root, inner):
		p.flat = true
	case uses:
		p.orderNamed(root, inner)
	}
}

// namedBy returns the term in inner whose name t is, or 0.
func (p *planner) namedBy(t smt.Term, inner map[string]smt.Term) smt.Term {
	if p.a.Op(t) != smt.OpApply {
		return 0
	}
	if f := p.a.SymbolInfo(p.a.SymbolOf(t)); f.Kind == smt.SymNamed {
		return inner[f.Text]
	}
	return 0
}

// plainTree reports whether a term with :named inside can be written without any let, because cvc5 accepts no :named
// below let. The term must be small, introduce each name once, and use it only after that.
func (p *planner) plainTree(root smt.Term, inner map[string]smt.Term) bool {
	a := p.a
	given := make(map[smt.Term]bool, len(inner)) // true from the end of the term that has the name
	for _, at := range inner {
		given[at] = false
	}
	size := 0
	walk := append(p.walk[:0], walkFrame{t: root})
	defer func() { p.walk = walk }()
	for len(walk) > 0 {
		f := &walk[len(walk)-1]
		if f.next < int32(a.NumArgs(f.t)) {
			f.next++
			walk = append(walk, walkFrame{t: a.Arg(f.t, int(f.next-1))})
			if size++; size > maxTree {
				return false
			}
			continue
		}
		t := f.t
		walk = walk[:len(walk)-1]
		switch a.Op(t) {
		case smt.OpAnnot:
			if done, ok := given[t]; ok {
				if done {
					return false
				}
				given[t] = true
			}
		case smt.OpApply:
			if at := p.namedBy(t, inner); at != 0 && !given[at] {
				return false
			}
		}
	}
	return true
}

// seeSymbol notes a symbol that occurs in the term and reports whether it is new.
func (p *planner) seeSymbol(f smt.Symbol) bool {
	if int(f) >= len(p.symbolGen) {
		p.symbolGen = append(p.symbolGen, make([]uint32, p.a.NumSymbols()-len(p.symbolGen))...)
	}
	if p.symbolGen[f] == p.gen {
		return false
	}
	p.symbolGen[f] = p.gen
	p.symbols = append(p.symbols, f)
	return true
}

// freeSet returns the set of free variables of a term from the sets of its arguments.
func (p *planner) freeSet(t smt.Term) int32 {
	a := p.a
	bound := a.BoundVars(t)
	args := a.Args(t)[len(bound):]
	set := int32(0)
	for _, x := range args {
		set = p.union(set, p.nodes[x].set)
	}
	if len(bound) == 0 || set == 0 || set == bigSet {
		return set
	}
	from := len(p.members)
	for i := p.sets[set].from; i < p.sets[set].to; i++ {
		if v := p.members[i]; !slices.Contains(bound, p.vars[v].t) {
			p.members = append(p.members, v)
		}
	}
	if len(p.members)-from == p.sets[set].len() {
		p.members = p.members[:from]
		return set
	}
	return p.closeSet(from)
}

// closeSet makes a set of the members from index from on.
func (p *variableSets) closeSet(from int) int32 {
	n := len(p.members) - from
	if n == 0 || n > maxSet {
		p.members = p.members[:from]
		if n == 0 {
			return 0
		}
		return bigSet
	}
	p.sets = append(p.sets, span{int32(from), int32(len(p.members))})
	return int32(len(p.sets) - 1)
}

func (p *variableSets) set(x int32) []int32 { return p.members[p.sets[x].from:p.sets[x].to] }

// union merges two sorted sets; if one contains the other, it returns that one.
func (p *variableSets) union(x, y int32) int32 {
	if x == y || y == 0 {
		return x
	}
	if x == 0 {
		return y
	}
	if x == bigSet || y == bigSet {
		return bigSet
	}
	s, u := p.set(x), p.set(y)
	if len(s) < len(u) {
		s, u, x = u, s, y
	}
	from := len(p.members)
	for i, j := 0, 0; i < len(s) || j < len(u); {
		switch {
		case j == len(u) || i < len(s) && s[i] < u[j]:
			p.members = append(p.members, s[i])
			i++
		case i == len(s) || u[j] < s[i]:
			p.members = append(p.members, u[j])
			j++
		default:
			p.members = append(p.members, s[i])
			i++
			j++
		}
	}
	if len(p.members)-from == len(s) {
		p.members = p.members[:from]
		return x
	}
	return p.closeSet(from)
}

// orderNamed takes care of terms with :named whose names are used in the same text: each of them gets a let before the
// terms that use its name, because the name is known only from there on.
func (p *planner) orderNamed(root smt.Term, inner map[string]smt.Term) {
	a := p.a
	p.named = map[smt.Symbol]smt.Term{}
	a.PostOrder([]smt.Term{root}, func(t smt.Term) {
		if at := p.namedBy(t, inner); at != 0 {
			p.named[a.SymbolOf(t)] = at
		}
	})
	// Heights again, with the use of a name above the term that has it.
	seen := a.Stamps()
	defer seen.Free()
	seen.Add(root)
	walk := append(p.walk[:0], walkFrame{t: root})
	for len(walk) > 0 {
		f := &walk[len(walk)-1]
		t := f.t
		c := smt.Term(0)
		if int(f.next) < a.NumArgs(t) {
			c = a.Arg(t, int(f.next))
		} else if int(f.next) == a.NumArgs(t) {
			c = p.named[a.SymbolOf(t)]
		} else {
			n := &p.nodes[t]
			for _, x := range a.Args(t) {
				n.level = max(n.level, p.nodes[x].level+1)
			}
			if at := p.named[a.SymbolOf(t)]; at != 0 {
				n.level = max(n.level, p.nodes[at].level+1)
			}
			walk = walk[:len(walk)-1]
			continue
		}
		f.next++
		if c != 0 && seen.Add(c) {
			walk = append(walk, walkFrame{t: c})
		}
	}
	p.walk = walk
}

// place returns the scope to which a term belongs, among the open ones.
func (p *plan) place(t smt.Term) int32 {
	set := p.nodes[t].set
	switch {
	case set == 0:
		return outermost
	case set == bigSet:
		return p.stack[len(p.stack)-1]
	}
	depth := int32(0)
	for _, v := range p.set(set) {
		depth = max(depth, p.vars[v].depth)
	}
	return p.stack[depth]
}

// find returns the entry of a term in a scope, or -1.
func (p *plan) find(t smt.Term, s int32) int32 {
	n := &p.nodes[t]
	if n.scope == s {
		return n.entry
	}
	if e, ok := p.entryIDs[entryKey{t, s}]; ok {
		return e
	}
	return -1
}

// countEntries counts the occurrences of every term at its place.
func (p *planner) countEntries(root smt.Term) {
	type frame struct {
		entry   int32
		next, n int32
	}
	a := p.a
	p.scopes = append(p.scopes, scope{})
	p.around, p.uses = append(p.around[:0], noScope), p.uses[:0]
	p.stack = append(p.stack, outermost)
	var walk []frame
	noteUse := func(e int32) {
		if len(walk) > 0 {
			p.uses = append(p.uses, use{by: walk[len(walk)-1].entry, next: p.entries[e].uses})
			p.entries[e].uses = int32(len(p.uses))
		}
	}
	visit := func(t smt.Term) {
		// A let is never shorter than a leaf, but for long literals.
		if a.NumArgs(t) == 0 && a.Op(t) != smt.OpStringLit && a.Op(t) != smt.OpBVLit && a.Op(t) != smt.OpIntLit {
			return
		}
		s := p.place(t)
		if e := p.find(t, s); e >= 0 {
			p.entries[e].refs++
			noteUse(e)
			return
		}
		e := int32(len(p.entries))
		p.entries = append(p.entries, entry{t: t, scope: s, refs: 1})
		noteUse(e)
		if n := &p.nodes[t]; n.scope < 0 {
			n.scope, n.entry = s, e
		} else {
			p.entryIDs[entryKey{t, s}] = e
		}
		f := frame{entry: e, n: int32(a.NumArgs(t))}
		switch op := a.Op(t); {
		case op.IsBinder():
			f.next = f.n - 1
			p.entries[e].inner = int32(len(p.scopes))
			p.scopes = append(p.scopes, scope{})
			p.around = append(p.around, noScope)
			p.enter(t, p.entries[e].inner)
		case op == smt.OpAnnot:
			if !p.bigPatterns(t) {
				f.n = 1
			}
		}
		walk = append(walk, f)
	}
	visit(root)
	for len(walk) > 0 {
		f := &walk[len(walk)-1]
		t := p.entries[f.entry].t
		if f.next < f.n {
			f.next++
			visit(a.Arg(t, int(f.next-1)))
			continue
		}
		if a.Op(t).IsBinder() {
			p.leaveScope()
		}
		walk = walk[:len(walk)-1]
	}
	for _, at := range p.named {
		if e := p.find(at, outermost); e > rootEntry {
			p.entries[e].forced = true
		}
	}
}

// bigPatterns reports whether the terms inside the attributes are too large to be written without let. It visits no
// more of them than it needs to decide.
func (p *planner) bigPatterns(t smt.Term) bool {
	size := 0
	todo := append(p.measure[:0], p.a.Args(t)[1:]...)
	for len(todo) > 0 && size <= smallTree {
		x := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], p.a.Args(x)...)
		size++
	}
	p.measure = todo
	return size > smallTree
}

// commonScopes returns for each entry the innermost scope that contains all its occurrences; if the entry is bound, it
// is bound there. A let further out could stand between quantifiers, so that these would not follow one another in the
// text, and solvers would number terms in another order than in the text that was read.
func (p *planner) commonScopes() []int32 {
	order := make([]int32, len(p.entries))
	for i := range order {
		order[i] = int32(i)
	}
	level := func(e int32) int32 { return p.nodes[p.entries[e].t].level }
	slices.SortStableFunc(order, func(x, y int32) int { return int(level(y) - level(x)) }) // users of an entry come before it
	at := make([]int32, len(p.entries))
	for _, i := range order {
		e := &p.entries[i]
		common := int32(noScope)
		if e.forced || e.uses == 0 {
			common = e.scope
		}
		for u := e.uses; u > 0 && !e.forced; u = p.uses[u-1].next {
			by := p.uses[u-1].by
			s := at[by]
			if p.entries[by].inner != 0 {
				s = p.entries[by].inner
			}
			common = p.commonScope(common, s)
		}
		at[i] = common
		if e.inner != 0 { // a binder that is bound by let has its body there, not where it was met first
			p.around[e.inner] = common
		}
	}
	return at
}

// commonScope returns the innermost scope around two. A scope has a greater number than the enclosing one, which was
// visited earlier.
func (p *plan) commonScope(x, y int32) int32 {
	if x == noScope {
		return y
	}
	for x != y {
		if x > y {
			x = p.around[x]
		} else {
			y = p.around[y]
		}
	}
	return x
}

// carefulLets gives let variables to terms that occur more than once in one scope, grouped by height.
func (p *planner) carefulLets() {
	common := p.commonScopes()
	for i := range p.entries {
		e := &p.entries[i]
		if e.forced || e.refs > 1 && p.worthLet(e.t, int(e.refs)) {
			p.lets = append(p.lets, let{t: e.t, level: p.nodes[e.t].level, num: int32(i), scope: common[i]})
		}
	}
	slices.SortStableFunc(p.lets, func(x, y let) int {
		if x.scope != y.scope {
			return int(x.scope - y.scope)
		}
		return int(x.level - y.level)
	})
	for i := range p.lets {
		l := &p.lets[i]
		e := &p.entries[l.num]
		l.num = int32(p.first + i)
		e.let = l.num
		s := &p.scopes[l.scope]
		if s.to == 0 {
			s.from = int32(i)
		}
		s.to = int32(i + 1)
	}
}
