package smt

import (
	"iter"
	"math"
)

// reader gives access to the parts of terms.
type reader struct {
	literals
	stampers []*Stamps
}

// Stamps is a set of terms of one arena that is cleared in constant time. Get one from Arena.Stamps and give it
// back with Free.
type Stamps struct {
	terms *reader
	gen   uint32
	at    []uint32
}

// Stamps returns an empty set.
func (a *reader) Stamps() *Stamps {
	var s *Stamps
	if n := len(a.stampers); n > 0 {
		s, a.stampers = a.stampers[n-1], a.stampers[:n-1]
	} else {
		s = &Stamps{terms: a}
	}
	s.gen++
	if s.gen == math.MaxUint32 {
		clear(s.at)
		s.gen = 1
	}
	return s
}

// Free gives the set back to its arena.
func (s *Stamps) Free() { s.terms.stampers = append(s.terms.stampers, s) }

// Add puts t into the set and reports whether it is new there.
func (s *Stamps) Add(t Term) bool {
	if int(t) >= len(s.at) {
		s.at = append(s.at, make([]uint32, len(s.terms.nodes)+len(s.terms.nodes)/4-len(s.at)+1)...)
	}
	if s.at[t] == s.gen {
		return false
	}
	s.at[t] = s.gen
	return true
}

// Has reports whether t is in the set.
func (s *Stamps) Has(t Term) bool { return int(t) < len(s.at) && s.at[t] == s.gen }

// PostOrder calls visit once for each different term below the roots, arguments before the term. It needs no
// stack of the machine, so depth does not matter. The visit may make terms.
func (a *reader) PostOrder(roots []Term, visit func(Term)) {
	seen := a.Stamps()
	defer seen.Free()
	type frame struct {
		t    Term
		next uint32
	}
	var stack []frame
	for _, r := range roots {
		if !seen.Add(r) {
			continue
		}
		stack = append(stack, frame{t: r})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			n := &a.nodes[f.t]
			if f.next == n.n {
				t := f.t
				stack = stack[:len(stack)-1]
				visit(t)
				continue
			}
			c := Term(a.slab[n.off+uint32(n.nidx)+f.next])
			f.next++
			if seen.Add(c) {
				stack = append(stack, frame{t: c})
			}
		}
	}
}

// Terms goes over all terms that the arena holds, in the order in which they were made.
func (a *reader) Terms() iter.Seq[Term] {
	return func(yield func(Term) bool) {
		for t := 1; t < len(a.nodes); t++ {
			if !yield(Term(t)) {
				return
			}
		}
	}
}

// Size returns the number of different terms below the roots, the roots among them.
func (a *reader) Size(roots ...Term) int {
	n := 0
	a.PostOrder(roots, func(Term) { n++ })
	return n
}

// TreeSize returns the number of nodes of the term written without let, at most max.
func (a *reader) TreeSize(t Term, max int) int {
	size := map[Term]int{}
	a.PostOrder([]Term{t}, func(t Term) {
		n := 1
		for _, x := range a.Args(t) {
			if n += size[x]; n > max {
				n = max
				break
			}
		}
		size[t] = n
	})
	return size[t]
}

// Depth returns the length of the longest path from the term to a leaf; a leaf has depth 0.
func (a *reader) Depth(t Term) int {
	depth := map[Term]int{}
	a.PostOrder([]Term{t}, func(t Term) {
		d := 0
		for _, x := range a.Args(t) {
			d = max(d, depth[x]+1)
		}
		depth[t] = d
	})
	return depth[t]
}

// FreeVars returns the bound-variable terms that occur free below the roots, in order of first occurrence.
func (a *reader) FreeVars(roots ...Term) []Term {
	f := a.freeVarSets(roots)
	var out []Term
	seen := map[Term]bool{}
	for _, r := range roots {
		for _, v := range f[r] {
			if !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	return out
}

// ClosedTerms returns the terms below the roots, and the roots, that have no free variables: each once, arguments
// first. Match cases and annotations are no terms of their own.
func (a *reader) ClosedTerms(roots ...Term) (closed []Term) {
	free := a.freeVarSets(roots)
	a.PostOrder(roots, func(t Term) {
		if op := a.Op(t); len(free[t]) == 0 && op != OpCase && op != OpAnnot {
			closed = append(closed, t)
		}
	})
	return closed
}

// freeVarSets computes the free variables of every term below the roots; terms without any have no entry.
func (a *reader) freeVarSets(roots []Term) map[Term][]Term {
	free := map[Term][]Term{}
	a.PostOrder(roots, func(t Term) {
		if a.Op(t) == OpVar {
			free[t] = []Term{t}
			return
		}
		bound := a.BoundVars(t)
		args := a.Args(t)
		var out []Term
		for _, x := range args[len(bound):] {
			out = UnionVars(out, free[x], bound)
		}
		if out != nil {
			free[t] = out
		}
	})
	return free
}

// UnionVars appends to out the variables (terms or numbers) of more that are neither in out nor in except. Other
// holders of the list out are not affected.
func UnionVars[V comparable](out, more, except []V) []V {
next:
	for _, v := range more {
		for _, w := range except {
			if v == w {
				continue next
			}
		}
		for _, w := range out {
			if v == w {
				continue next
			}
		}
		out = append(out[:len(out):len(out)], v)
	}
	return out
}

// Symbols returns the declared and defined symbols that occur below the roots, in order of first occurrence;
// symbols inside definitions are not followed.
func (a *reader) Symbols(roots ...Term) []Symbol {
	var out []Symbol
	seen := map[Symbol]bool{}
	a.PostOrder(roots, func(t Term) {
		if f := a.SymbolOf(t); f != 0 && !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	})
	return out
}

// Brief returns the term as text without let, cut short: for error texts.
func (a *reader) Brief(t Term) string {
	return string(a.appendBrief(nil, t, 4))
}

func (a *reader) appendBrief(b []byte, t Term, depth int) []byte {
	// For messages: a term may be larger than memory as a tree, so the rest must not even be visited.
	const limit = 160
	if len(b) > limit {
		return b
	}
	op := a.Op(t)
	switch op {
	case OpIntLit:
		n, _ := a.IntOf(t)
		return n.Append(b, 10)
	case OpRealLit:
		r, _ := a.RatOf(t)
		return append(b, Decimal(r)...)
	case OpBVLit:
		n, _ := a.BVOf(t)
		return AppendBV(b, a.Width(a.Sort(t)), n)
	case OpStringLit:
		s, _ := a.StrOf(t)
		return AppendString(b, s)
	case OpFFLit:
		n, _ := a.FFOf(t)
		return append(append(append(append(b, "(as ff"...), n.String()...), ' '), a.SortString(a.Sort(t))+")"...)
	case OpVar:
		return append(b, QuoteSymbol(a.VarName(t))...)
	case OpAnnot:
		return a.appendBrief(b, a.Arg(t, 0), depth)
	}
	head := op.String()
	switch op {
	case OpApply:
		head = QuoteSymbol(a.SymbolName(a.SymbolOf(t)))
	case OpIs, OpUpdate:
		head = "(_ " + head + " " + QuoteSymbol(a.SymbolName(a.SymbolOf(t))) + ")"
	case OpMapArrays:
		head = "(_ map " + QuoteSymbol(a.SymbolName(a.SymbolOf(t))) + ")"
	case OpFunction:
		head = QuoteSymbol(a.SymbolName(a.SymbolOf(t)))
		if a.sorts[a.Sort(t)].kind == KindArray {
			head = "(_ as-array " + head + ")"
		}
	case OpOpaque:
		head, _ = a.OpaqueHead(t)
	case OpCase:
		head = "case"
	default:
		if idx := a.Indices(t); len(idx) > 0 && !op.Structural() {
			head = "(_ " + head
			for _, x := range idx {
				head += " " + a.indexText(x)
			}
			head += ")"
		}
		if op.isQualified() && !op.Structural() {
			head = "(as " + head + " " + a.SortString(a.Sort(t)) + ")"
		}
	}
	if a.NumArgs(t) == 0 {
		return append(b, head...)
	}
	b = append(append(b, '('), head...)
	for i := range a.NumArgs(t) {
		b = append(b, ' ')
		if depth == 0 || len(b) > limit {
			b = append(b, "…"...)
			break
		}
		b = a.appendBrief(b, a.Arg(t, i), depth-1)
	}
	return append(b, ')')
}
