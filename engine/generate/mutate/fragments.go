package mutate

import "github.com/smtlark/smtlark/engine/language/smt"

// Fragment is a Bool term without free variables.
type Fragment struct {
	Term  smt.Term
	Depth int // nesting of Boolean operators; 0 for a predicate that is none
	// Outer fragments are assertions, or operands of and and or in outer fragments. STORM's tool takes no others.
	Outer bool
}

// Fragments returns every Bool term below the roots that has no free variables, the roots among them, each once and
// before what contains it. It looks through everything: the arguments of every Boolean operator, conditions of ite,
// Bool arguments of functions, bodies of quantifiers as far as they are closed, bodies of defined constants. The truth
// values themselves are no fragments. A negative maxDepth is no bound.
func Fragments(a *smt.Arena, roots []smt.Term, maxDepth int) []Fragment {
	f := fragmenter{a: a, seen: a.Stamps(), depth: map[smt.Term]int32{}, open: map[smt.Term][]smt.Term{}, max: maxDepth}
	defer f.seen.Free()
	pending := append([]smt.Term(nil), roots...)
	for len(pending) > 0 {
		f.bodies = f.bodies[:0]
		f.visitAll(pending)
		pending = append(pending[:0], f.bodies...)
	}
	markOuter(a, roots, f.out)
	return f.out
}

// markOuter sets Outer.
func markOuter(a *smt.Arena, roots []smt.Term, frags []Fragment) {
	outer := a.Stamps()
	defer outer.Free()
	stack := append([]smt.Term(nil), roots...)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !outer.Add(t) {
			continue
		}
		switch a.Op(t) {
		case smt.OpAnd, smt.OpOr:
			stack = append(stack, a.Args(t)...)
		}
	}
	for i := range frags {
		frags[i].Outer = outer.Has(frags[i].Term)
	}
}

type fragmenter struct {
	a      *smt.Arena
	seen   *smt.Stamps
	depth  map[smt.Term]int32      // of Bool terms with an operator of Bool arguments
	open   map[smt.Term][]smt.Term // free variables, where there are any
	bodies []smt.Term
	out    []Fragment
	max    int
}

func (f *fragmenter) visitAll(roots []smt.Term) {
	f.a.PostOrder(roots, func(t smt.Term) {
		if f.seen.Add(t) {
			f.visit(t)
		}
	})
}

func (f *fragmenter) visit(t smt.Term) {
	a := f.a
	f.freeVars(t)
	if a.Op(t) == smt.OpApply {
		if info := a.SymbolInfo(a.SymbolOf(t)); info.Body != 0 && len(info.Vars) == 0 {
			f.bodies = append(f.bodies, info.Body)
		}
	}
	if a.Sort(t) != smt.SortBool {
		return
	}
	d := int32(0)
	if isConnective(a, t) {
		for _, x := range a.Args(t) {
			d = max(d, f.depth[x]+1)
		}
		f.depth[t] = d
	}
	switch a.Op(t) {
	case smt.OpTrue, smt.OpFalse, smt.OpAnnot, smt.OpCase:
		return
	}
	if len(f.open[t]) == 0 && (f.max < 0 || int(d) <= f.max) {
		f.out = append(f.out, Fragment{Term: t, Depth: int(d)})
	}
}

// freeVars notes the free variables of a term whose arguments are noted.
func (f *fragmenter) freeVars(t smt.Term) {
	a := f.a
	if a.Op(t) == smt.OpVar {
		f.open[t] = []smt.Term{t}
		return
	}
	if len(f.open) == 0 {
		return
	}
	var vars []smt.Term
	for i := range a.NumArgs(t) {
		for _, v := range f.open[a.Arg(t, i)] {
			if !containsItem(vars, v) {
				vars = append(vars, v)
			}
		}
	}
	if len(vars) > 0 && a.Op(t).IsBinder() {
		bound := a.BoundVars(t)
		kept := vars[:0]
		for _, v := range vars {
			if !containsItem(bound, v) {
				kept = append(kept, v)
			}
		}
		vars = kept
	}
	if len(vars) > 0 {
		f.open[t] = vars
	}
}

func containsItem[T comparable](ts []T, t T) bool {
	for _, x := range ts {
		if x == t {
			return true
		}
	}
	return false
}

// isConnective reports whether the term applies a Boolean operator to Bool terms.
func isConnective(a *smt.Arena, t smt.Term) bool {
	switch a.Op(t) {
	case smt.OpNot, smt.OpImplies, smt.OpAnd, smt.OpOr, smt.OpXor:
		return true
	case smt.OpEq, smt.OpDistinct:
		return a.Sort(a.Arg(t, 0)) == smt.SortBool
	case smt.OpIte:
		return a.Sort(t) == smt.SortBool
	}
	return false
}

// Depth returns the nesting of Boolean operators at the top of a Bool term; 0 for a term without one.
func Depth(a *smt.Arena, t smt.Term) int {
	depth := map[smt.Term]int{}
	type frame struct {
		t    smt.Term
		next int
	}
	stack := []frame{{t: t}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if !isConnective(a, f.t) {
			depth[f.t] = 0
			stack = stack[:len(stack)-1]
			continue
		}
		if f.next < a.NumArgs(f.t) {
			c := a.Arg(f.t, f.next)
			f.next++
			if _, ok := depth[c]; !ok {
				stack = append(stack, frame{t: c})
			}
			continue
		}
		d := 0
		for _, x := range a.Args(f.t) {
			d = max(d, depth[x]+1)
		}
		depth[f.t] = d
		stack = stack[:len(stack)-1]
	}
	return depth[t]
}
