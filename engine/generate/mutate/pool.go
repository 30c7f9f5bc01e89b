package mutate

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Pool holds Bool terms whose truth value is known: initial ones, and ones constructed of others. A constructed
// formula is a record of its operator and operands; its term is made when it is sampled.
type Pool struct {
	a       *smt.Arena
	entries []entry
	initial int
	// lists hold the numbers of the entries: [initial, constructed][false, true].
	lists [2][2][]int32

	marks []uint32 // scratch of Sample: which sample took the entry last
	mark  uint32
}

type entry struct {
	term  smt.Term // 0 while it is not made
	args  [3]int32
	depth int32
	op    BoolOp
	value bool
}

// BoolOp is an operator that pools construct formulas with.
type BoolOp uint8

// The operators of pools.
const (
	opInitial BoolOp = iota
	Not
	And
	Or
	Xor
	Implies
	Iff
	Ite
	numBoolOps
)

var boolOps = [numBoolOps]struct {
	name  string
	op    smt.Op
	arity int
}{
	Not: {"not", smt.OpNot, 1}, And: {"and", smt.OpAnd, 2}, Or: {"or", smt.OpOr, 2}, Xor: {"xor", smt.OpXor, 2},
	Implies: {"=>", smt.OpImplies, 2}, Iff: {"=", smt.OpEq, 2}, Ite: {"ite", smt.OpIte, 3},
}

// ParseBoolOp finds an operator by its name in SMT-LIB.
func ParseBoolOp(name string) (BoolOp, bool) {
	for op := Not; op < numBoolOps; op++ {
		if boolOps[op].name == name {
			return op, true
		}
	}
	return 0, false
}

// String returns the operator's name in SMT-LIB.
func (op BoolOp) String() string {
	if op >= numBoolOps {
		return fmt.Sprintf("BoolOp(%d)", uint8(op))
	}
	return boolOps[op].name
}

func (op BoolOp) evaluate(x, y, z bool) bool {
	switch op {
	case Not:
		return !x
	case And:
		return x && y
	case Or:
		return x || y
	case Xor:
		return x != y
	case Implies:
		return !x || y
	case Iff:
		return x == y
	case Ite:
		if x {
			return y
		}
		return z
	}
	panic("mutate: apply of " + op.String())
}

// NewPool returns an empty pool of terms of the arena.
func NewPool(a *smt.Arena) *Pool { return &Pool{a: a} }

// Reset empties the pool and keeps its memory.
func (p *Pool) Reset(a *smt.Arena) {
	p.a, p.entries, p.initial = a, p.entries[:0], 0
	for c := range p.lists {
		for v := range p.lists[c] {
			p.lists[c][v] = p.lists[c][v][:0]
		}
	}
}

// Add puts a term with its value into the pool, as initial formula of that depth; add before the first Grow.
func (p *Pool) Add(t smt.Term, value bool, depth int) {
	p.addEntry(0, entry{term: t, value: value, depth: int32(depth)})
	p.initial++
}

func (p *Pool) addEntry(constructed int, e entry) {
	v := 0
	if e.value {
		v = 1
	}
	p.lists[constructed][v] = append(p.lists[constructed][v], int32(len(p.entries)))
	p.entries = append(p.entries, e)
}

// Len returns the number of formulas, Initial that of the initial ones.
func (p *Pool) Len() int { return len(p.entries) }

// Initial returns the number of initial formulas.
func (p *Pool) Initial() int { return p.initial }

// Count returns the number of formulas that have the value.
func (p *Pool) Count(value bool) int {
	v := 0
	if value {
		v = 1
	}
	return len(p.lists[0][v]) + len(p.lists[1][v])
}

// Policy says how a formula is picked.
type Policy struct {
	// FromInitial is the probability of an initial formula, as long as there are constructed ones too. A negative one
	// makes all formulas equally likely (STORM's tool does so while it constructs; its paper has 0.3 everywhere).
	FromInitial float64
	// Balanced picks the truth value first, with a fair coin, if there are formulas of both (as STORM's tool does).
	Balanced bool
}

// pickEntry draws a formula; the pool is not empty.
func (p *Pool) pickEntry(r *rng.Source, pol Policy) int32 {
	f, t := p.Count(false), p.Count(true)
	values := [2]bool{f > 0, t > 0}
	if pol.Balanced && f > 0 && t > 0 {
		v := r.Bool()
		values = [2]bool{!v, v}
	}
	size := [2]int{}
	for c := range size {
		for v := range values {
			if values[v] {
				size[c] += len(p.lists[c][v])
			}
		}
	}
	from, n := 0, size[0]
	switch {
	case size[1] == 0:
	case size[0] == 0:
		from, n = 1, size[1]
	case pol.FromInitial < 0:
		n += size[1]
	case !r.Chance(pol.FromInitial):
		from, n = 1, size[1]
	}
	i := r.Intn(n)
	for c := from; c < 2; c++ {
		for v := range values {
			if !values[v] {
				continue
			}
			if l := p.lists[c][v]; i < len(l) {
				return l[i]
			} else {
				i -= len(l)
			}
		}
	}
	panic("mutate: pick beyond the pool")
}

// Weights says how likely each operator is; the sum of all is at least 1.
type Weights [numBoolOps]int

// Total returns the sum of the weights.
func (w *Weights) Total() int {
	n := 0
	for _, x := range w {
		n += x
	}
	return n
}

func (w *Weights) pickOperator(r *rng.Source, total int) BoolOp {
	i := r.Intn(total)
	for op, x := range w {
		if i < x {
			return BoolOp(op)
		}
		i -= x
	}
	panic("mutate: weights")
}

// Grow tries steps times to construct a formula: it draws an operator and operands and adds the result unless it is
// deeper than maxDepth (negative: no bound). Nothing can be constructed in an empty pool.
func (p *Pool) Grow(r *rng.Source, steps int, w *Weights, pol Policy, maxDepth int) {
	total := w.Total()
	if len(p.entries) == 0 || total == 0 {
		return
	}
	for range steps {
		e := entry{op: w.pickOperator(r, total)}
		var x [3]bool
		for i := range boolOps[e.op].arity {
			k := p.pickEntry(r, pol)
			arg := &p.entries[k]
			e.args[i], x[i] = k, arg.value
			e.depth = max(e.depth, arg.depth+1)
		}
		if maxDepth >= 0 && int(e.depth) > maxDepth {
			continue
		}
		e.value = e.op.evaluate(x[0], x[1], x[2])
		p.addEntry(1, e)
	}
}

// maxMisses bounds how many draws in a row may hit formulas that are in the sample already.
const maxMisses = 16

// Sampled is a formula with its value.
type Sampled struct {
	Term  smt.Term
	Value bool
}

// Sample appends up to n different formulas to dst: fewer if the pool has fewer, or hardly any that the sample has not.
func (p *Pool) Sample(dst []Sampled, r *rng.Source, n int, pol Policy) ([]Sampled, error) {
	if len(p.entries) == 0 {
		return dst, nil
	}
	p.mark++
	for len(p.marks) < len(p.entries) {
		p.marks = append(p.marks, 0)
	}
	for misses := 0; n > 0 && misses < maxMisses; {
		k := p.pickEntry(r, pol)
		if p.marks[k] == p.mark {
			misses++
			continue
		}
		misses = 0
		p.marks[k] = p.mark
		t, err := p.entryTerm(k)
		if err != nil {
			return dst, err
		}
		dst = append(dst, Sampled{t, p.entries[k].value})
		n--
	}
	return dst, nil
}

// entryTerm makes the term of an entry, its operands first. Operands come before the entries made of them, and depth is
// bounded by their number, so the stack is short.
func (p *Pool) entryTerm(k int32) (smt.Term, error) {
	if t := p.entries[k].term; t != 0 {
		return t, nil
	}
	stack := []int32{k}
	for len(stack) > 0 {
		e := &p.entries[stack[len(stack)-1]]
		if e.term != 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		var args [3]smt.Term
		ready := true
		n := boolOps[e.op].arity
		for i := range n {
			if args[i] = p.entries[e.args[i]].term; args[i] == 0 {
				stack = append(stack, e.args[i])
				ready = false
			}
		}
		if !ready {
			continue
		}
		t, err := p.a.App(boolOps[e.op].op, nil, args[:n]...)
		if err != nil {
			return 0, err
		}
		e.term = t
		stack = stack[:len(stack)-1]
	}
	return p.entries[k].term, nil
}
