package eval

import (
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/smt"
)

// memo remembers values of terms, and the values of variables that they are for.
type memo struct {
	a     *smt.Arena
	pages [][]slot
	base  uint32 // stamp of the values of closed terms
	next  uint32 // the next stamp
	pin   int

	binds []bound
	scope map[smt.Term]int // where in binds a variable has its value
	free  map[smt.Term][]smt.Term
}

// slot is what is remembered of a term.
type slot struct {
	val   value.Value
	stamp uint32
	state openness
}

type openness uint8

const (
	notAnalysed openness = iota
	isClosed
	isOpen // has free variables
)

const (
	pageBits = 9
	pageMask = 1<<pageBits - 1
)

type bound struct {
	v    smt.Term
	val  value.Value
	gen  uint32
	prev int // the binding of v that this one hides, or -1
}

// Pin declares that no Release will drop the terms that exist now, so that their values survive Releases.
func (e *memo) Pin() { e.pin = e.a.Len() }

func newMemo(a *smt.Arena) memo {
	return memo{a: a, scope: map[smt.Term]int{}, free: map[smt.Term][]smt.Term{}}
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

// forgetFrom forgets what is known of the terms from n on.
func (e *memo) forgetFrom(n int) {
	for p := n >> pageBits; p < len(e.pages); p++ {
		if from := n - p<<pageBits; from > 0 && e.pages[p] != nil {
			clear(e.pages[p][from:])
		} else {
			e.pages[p] = nil
		}
	}
	for t := range e.free {
		if int(t) >= n {
			delete(e.free, t)
		}
	}
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
	prev, ok := e.scope[v]
	if !ok {
		prev = -1
	}
	e.next++
	e.scope[v] = len(e.binds)
	e.binds = append(e.binds, bound{v: v, val: val, gen: e.next, prev: prev})
}

func (e *memo) unbindTo(mark int) {
	for i := len(e.binds) - 1; i >= mark; i-- {
		if b := &e.binds[i]; b.prev < 0 {
			delete(e.scope, b.v)
		} else {
			e.scope[b.v] = b.prev
		}
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
	if e.slotOf(root).state != notAnalysed {
		return
	}
	a := e.a
	var stack []smt.Term
	stack = append(stack, root)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		if e.slotOf(t).state != notAnalysed {
			stack = stack[:len(stack)-1]
			continue
		}
		before := len(stack)
		for _, x := range a.Args(t) {
			if e.slotOf(x).state == notAnalysed {
				stack = append(stack, x)
			}
		}
		if len(stack) > before {
			continue
		}
		stack = stack[:len(stack)-1]
		var free []smt.Term
		if a.Op(t) == smt.OpVar {
			free = []smt.Term{t}
		} else {
			vars := a.BoundVars(t)
			for _, x := range a.Args(t)[len(vars):] {
				free = smt.UnionVars(free, e.free[x], vars)
			}
		}
		s := e.slotOf(t)
		s.state = isClosed
		if free != nil {
			s.state = isOpen
			e.free[t] = free
		}
	}
}

// validStamp returns the stamp that the value of t must have to be valid in the present scope; 0 if a variable is not
// bound. Bindings nest and their generations grow, so the youngest one that t depends on determines all the others.
func (e *memo) validStamp(t smt.Term, s *slot) uint32 {
	if s.state != isOpen {
		return e.base
	}
	g := e.base
	for _, v := range e.free[t] {
		i, ok := e.scope[v]
		if !ok {
			return 0
		}
		g = max(g, e.binds[i].gen)
	}
	return g
}

func (e *memo) occursFree(x, t smt.Term) bool {
	for _, v := range e.free[t] {
		if v == x {
			return true
		}
	}
	return false
}
