package eval

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// memo remembers values of terms, and the values of variables that they are for.
type memo struct {
	a     *smt.Arena
	pages [][]slot
	base  uint32 // stamp of the values of closed terms
	next  uint32 // the next stamp
	pin   int

	binds []bound
	free  []freeVars
	spare []int32 // numbers of free that are not in use
}

// slot has the cached facts about a term. open is the number under which memo.free has its free variables, if it has
// any.
type slot struct {
	val   value.Value
	stamp uint32
	open  int32
}

const (
	notAnalysed = 0
	isClosed    = -1
)

func (s *slot) isOpen() bool { return s.open > 0 }

// freeVars are the free variables of a term, by the numbers that they have themselves.
type freeVars struct {
	vars  []int32
	v     smt.Term // the variable, where the term is one
	bound int32    // where in binds it has its value; -1: nowhere
}

const (
	pageBits = 7
	pageMask = 1<<pageBits - 1
)

type bound struct {
	v    smt.Term
	val  value.Value
	gen  uint32
	num  int32 // of v
	prev int32 // the binding of v that this one hides, or -1
}

// Pin declares that no Release will drop the terms that exist now, so that their values survive Releases.
func (e *memo) Pin() { e.pin = e.a.Len() }

func newMemo(a *smt.Arena) memo {
	return memo{a: a, free: make([]freeVars, 1)}
}

// forgetAll forgets all values, in constant time.
func (e *memo) forgetAll() {
	if e.next > 1<<31 { // stamps must never come round
		for _, p := range e.pages {
			for i := range p {
				p[i].stamp = 0
			}
		}
		e.next = 0
	}
	e.next++
	e.base = e.next
}

// forgetFrom forgets the known facts about the terms from n on.
func (e *memo) forgetFrom(n int) {
	for p := n >> pageBits; p < len(e.pages); p++ {
		from := max(0, n-p<<pageBits)
		if from >= len(e.pages[p]) {
			continue
		}
		for i := range e.pages[p][from:] {
			if s := &e.pages[p][from+i]; s.isOpen() {
				e.free[s.open] = freeVars{}
				e.spare = append(e.spare, s.open)
			}
		}
		if from > 0 {
			clear(e.pages[p][from:])
		} else {
			e.pages[p] = nil
		}
	}
}

// setFree notes that a term has free variables, and returns their number.
func (e *memo) setFree(s *slot, f freeVars) int32 {
	if n := len(e.spare); n > 0 {
		s.open = e.spare[n-1]
		e.spare = e.spare[:n-1]
	} else {
		s.open = int32(len(e.free))
		e.free = append(e.free, freeVars{})
	}
	if f.vars == nil { // a variable
		f.vars = []int32{s.open}
	}
	e.free[s.open] = f
	return s.open
}

// numberOf returns the number of a variable.
func (e *memo) numberOf(v smt.Term) int32 {
	s := e.slotOf(v)
	if s.isOpen() {
		return s.open
	}
	return e.setFree(s, freeVars{v: v, bound: -1})
}

// freeIn returns the free variables of a term that findFreeVars has seen.
func (e *memo) freeIn(t smt.Term) []int32 {
	if s := e.slotOf(t); s.isOpen() {
		return e.free[s.open].vars
	}
	return nil
}

func (e *memo) slotOf(t smt.Term) *slot {
	p := int(t) >> pageBits
	if p >= len(e.pages) {
		e.pages = append(e.pages, make([][]slot, p+1+p/4-len(e.pages))...)
	}
	if e.pages[p] == nil {
		e.pages[p] = make([]slot, 1<<pageBits)
	}
	return &e.pages[p][t&pageMask]
}

// bindVar gives a variable a value until unbind.
func (e *memo) bindVar(v smt.Term, val value.Value) {
	num := e.numberOf(v)
	f := &e.free[num]
	e.next++
	e.binds = append(e.binds, bound{v: v, val: val, gen: e.next, num: num, prev: f.bound})
	f.bound = int32(len(e.binds) - 1)
}

func (e *memo) unbindTo(mark int) {
	for i := len(e.binds) - 1; i >= mark; i-- {
		e.free[e.binds[i].num].bound = e.binds[i].prev
	}
	e.binds = e.binds[:mark]
}

// rebindVar gives a variable that was bound last another value.
func (e *memo) rebindVar(i int, val value.Value) {
	e.next++
	e.binds[i].val, e.binds[i].gen = val, e.next
}

// findFreeVars finds the free variables of every term below t; it must run before a term under a binder is evaluated.
func (e *memo) findFreeVars(root smt.Term) {
	if e.slotOf(root).open != notAnalysed {
		return
	}
	a := e.a
	var stack []smt.Term
	stack = append(stack, root)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		if e.slotOf(t).open != notAnalysed {
			stack = stack[:len(stack)-1]
			continue
		}
		before := len(stack)
		for _, x := range a.Args(t) {
			if e.slotOf(x).open == notAnalysed {
				stack = append(stack, x)
			}
		}
		if len(stack) > before {
			continue
		}
		stack = stack[:len(stack)-1]
		if a.Op(t) == smt.OpVar {
			e.numberOf(t)
			continue
		}
		bound := a.BoundVars(t)
		hidden := make([]int32, len(bound))
		for i, v := range bound {
			hidden[i] = e.numberOf(v)
		}
		var vars []int32
		for _, x := range a.Args(t)[len(bound):] {
			vars = smt.UnionVars(vars, e.freeIn(x), hidden)
		}
		if s := e.slotOf(t); vars == nil {
			s.open = isClosed
		} else {
			e.setFree(s, freeVars{vars: vars})
		}
	}
}

// validStamp returns the stamp that the value of a term must have to be valid in the present scope; 0 if a variable is
// not bound. Bindings nest and their generations grow, so the youngest one that it depends on determines all the
// others.
func (e *memo) validStamp(s *slot) uint32 {
	if !s.isOpen() {
		return e.base
	}
	g := e.base
	for _, v := range e.free[s.open].vars {
		i := e.free[v].bound
		if i < 0 {
			return 0
		}
		g = max(g, e.binds[i].gen)
	}
	return g
}

// occursFree reports whether a variable is free in a term that findFreeVars has seen.
func (e *memo) occursFree(x, t smt.Term) bool {
	free := e.freeIn(t)
	return len(free) > 0 && slices.Contains(free, e.numberOf(x))
}
