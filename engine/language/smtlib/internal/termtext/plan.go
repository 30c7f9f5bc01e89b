package termtext

import (
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// plan says which subterms of one term are bound by let, where, and under which names.
//
// A compound term that occurs more than once is bound once: in front of everything, or at the head of the body of the
// innermost binder that has all of its occurrences. Where nothing binds, quick does it alone; otherwise careful takes
// over, which tells the occurrences under different binders apart.
type plan struct {
	gen   uint32
	nodes []nodePlan // by term
	order []smt.Term // compound terms, arguments first
	walk  []walkFrame
	below []quickFrame
	again bool  // quick: something is referred to more than once
	lets  []let // grouped by scope
	first int   // number of the first let variable

	starts []int32 // of sortLets
	sorted []let

	careful bool
	flat    bool // careful: the whole term is written without let
	scopePlan
	usedSymbols
}

// scopePlan holds the scopes of a careful plan: which terms depend on variables, and which variables must be renamed.
type scopePlan struct {
	scopes   []scope
	around   []int32 // by scope: the one around it
	entries  []entry
	uses     []use
	entryIDs map[entryKey]int32 // of terms in a second scope
	variableSets
	stack   []int32 // the open scopes
	undo    []savedVar
	named   map[smt.Symbol]smt.Term // terms that :named names, where their names are used beside them
	clashes map[string]uint64
	masks   map[smt.Term]uint64
	measure []smt.Term
}

// variableSets are sets of variables, each once.
type variableSets struct {
	sets    []span // by number; set 0 is empty
	members []int32
	vars    []variable
}

// usedSymbols are the symbols that occur in the term, and the heads of its opaque terms.
type usedSymbols struct {
	symbols   []smt.Symbol
	symbolGen []uint32
	heads     []string
}

type nodePlan struct {
	gen   uint32
	refs  uint32
	level int32
	let   int32 // number of the let variable; 0 for none
	set   int32 // careful: the free variables, or bigSet; of a variable its number
	entry int32 // careful: its entry in scope
	scope int32
}

type walkFrame struct {
	t    smt.Term
	next int32
}

// quickFrame is a term that a quick plan is visiting, with its remaining arguments.
type quickFrame struct {
	t    smt.Term
	args []smt.Term
}

// let is a let variable: the term in its place, and the level of its group.
type let struct {
	t     smt.Term
	level int32
	num   int32
	scope int32
}

// scope is a place for lets, as a range of them. Scope 0 is the head of the whole term, each other one the head of a
// binder's body.
type scope = span

type span struct{ from, to int32 }

func (s span) len() int { return int(s.to - s.from) }

func (p *planner) prepare() {
	p.gen++
	if p.gen == 0 {
		clear(p.nodes)
		clear(p.symbolGen)
		p.gen = 1
	}
	if n := p.a.Len(); len(p.nodes) < n {
		p.nodes = append(p.nodes, make([]nodePlan, n+n/4-len(p.nodes))...)
	}
	p.order, p.lets, p.scopes, p.walk = p.order[:0], p.lets[:0], p.scopes[:0], p.walk[:0]
	p.first, p.careful, p.flat, p.again = 1, false, false, false
}

// makePlan plans the lets of a term. It reports whether it was done the quick way.
func (p *planner) makePlan(root smt.Term) bool {
	p.prepare()
	if p.quick(root) {
		// If nothing occurs twice, there is nothing to bind and no need to compute the size.
		p.flat = p.Unshared && (!p.again || p.fitsUnshared())
		if !p.flat {
			p.quickLets()
		}
		return true
	}
	p.prepare()
	p.careful = true
	p.carefulPlan(root)
	return false
}

// seeName makes the numbers of let variables start after a name of the same form.
func (p *plan) seeName(s string) {
	if len(s) < 2 || s[0] != '?' || len(s) > 10 {
		return
	}
	if n, err := strconv.ParseUint(s[1:], 10, 32); err == nil && int(n) >= p.first {
		p.first = int(n) + 1
	}
}

// sortLets orders p.lets[from:] by level, keeping the order within one.
func (p *plan) sortLets(from int, top int32) {
	lets := p.lets[from:]
	if len(lets) < 2 || top == 0 {
		return
	}
	starts := slices.Grow(p.starts[:0], int(top)+2)[:top+2]
	clear(starts)
	for _, l := range lets {
		starts[l.level+1]++
	}
	for i := range top {
		starts[i+1] += starts[i]
	}
	sorted := slices.Grow(p.sorted[:0], len(lets))[:len(lets)]
	for _, l := range lets {
		sorted[starts[l.level]] = l
		starts[l.level]++
	}
	copy(lets, sorted)
	p.starts, p.sorted = starts, sorted
}

// largeTerm is the number of compound nodes above which a term is written for solvers, not for people.
const largeTerm = 32

// worthLet reports whether a term with refs occurrences should be bound by let: a compound term unless the let would be
// longer than repeating it, and a long literal.
func (p *planner) worthLet(t smt.Term, refs int) bool {
	a := p.a
	op := a.Op(t)
	switch op {
	case smt.OpStringLit:
		s, _ := a.StrOf(t)
		return len(s) > 40
	case smt.OpBVLit:
		return a.Width(a.Sort(t)) > 256
	case smt.OpIntLit:
		if _, ok := a.IndexUint(a.Indices(t)[0]); ok {
			return false
		}
		n, _ := a.IntOf(t)
		return n.BitLen() > 256
	case smt.OpCase:
		return false
	}
	if a.NumArgs(t) == 0 {
		return false
	}
	if len(p.order) > largeTerm { // no person reads such a text: it only matters to write each node once
		literal := op == smt.OpDiv && a.Op(a.Arg(t, 0)) == smt.OpRealLit && a.Op(a.Arg(t, 1)) == smt.OpRealLit
		return !literal && (a.NumArgs(t) > 1 || a.NumArgs(a.Arg(t, 0)) > 0 || op != smt.OpNot && op != smt.OpSub)
	}
	// Repeated it has refs*n characters; with let n, those of the binding, and a variable for each reference.
	most := (3*refs + len("(let ((?1 )) )")) / (refs - 1)
	return p.room(t, most) < 0
}

// room returns how many of most characters remain after a term without lets. It returns a negative number if the term
// is longer or its length cannot be determined cheaply.
func (p *planner) room(t smt.Term, most int) int {
	a := p.a
	op := a.Op(t)
	n := a.NumArgs(t)
	switch {
	case op == smt.OpApply:
		most -= len(a.SymbolName(a.SymbolOf(t)))
	case op == smt.OpIntLit:
		v, ok := a.IndexUint(a.Indices(t)[0])
		if !ok || v > 9999 {
			return -1
		}
		most -= 2
	case op == smt.OpTrue || op == smt.OpFalse:
		most -= 4
	case op == smt.OpBVLit:
		most -= len("#b") + int(a.Width(a.Sort(t)))
	case op == smt.OpStringLit:
		s, _ := a.StrOf(t)
		most -= len("\"\"") + len(s)*len(`\u{10FFFF}`) // an escape for each character at most
	case op.Structural() || len(a.Indices(t)) > 0:
		return -1
	default:
		most -= len(op.String())
	}
	if n > 0 {
		most -= 2 + n
	}
	for i := range n {
		if most < 0 {
			break
		}
		most = p.room(a.Arg(t, i), most)
	}
	return most
}
