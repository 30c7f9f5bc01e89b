package fusion

import (
	"sync"

	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Size bounds a generated function.
type Size struct {
	// Nodes is the number of nodes of the equation z = f: those of f and two.
	Nodes int
	// Leaves is the least number of leaves of f.
	Leaves int
}

// Node is a node of the tree of a function.
type Node struct {
	Rule  *operator.Rule // nil for a leaf
	Args  []*Node
	Term  smt.Term
	Input int // number of the input, from 0; -1 for any other node

	free   bool  // a constant whose sort is not settled
	inputs bool  // an input lies below
	shape  int32 // number of arguments
	depth  int32 // number of nodes above it
	b      *smt.Bindings
	fresh  []smt.Symbol
}

// Function is a fusion function z = F with an inverse for each input: where z = F and the Side conditions hold, input i
// equals Inverse[i].
type Function struct {
	Arena   *smt.Arena
	Inputs  []smt.Term
	Z       smt.Term
	F       smt.Term
	Inverse []smt.Term
	// Consts are the symbolic constants, Fresh the functions, that are declared for it alone.
	Consts []smt.Symbol
	Fresh  []smt.Symbol
	// Side are the conditions on the fresh functions: they can always be met.
	Side []smt.Term
	Tree *Node
	// Needs are the features that it needs of a logic.
	Needs logic.Features
	// Proven says that the inverses are right wherever the equation and the conditions hold. Nothing is known about the
	// inverses of other functions: their equations are always asserted if the fused script is meant to be
	// unsatisfiable, and a satisfiable script needs a witness.
	Proven bool

	mem *memory // of a generated function
}

// memory has the parts of a generated function: functions that are given back with Free share it one after another.
type memory struct {
	f        Function
	inverse  []smt.Term
	consts   []smt.Symbol
	fresh    []smt.Symbol
	side     []smt.Term
	nodes    []Node
	children []*Node
	bindings []smt.Bindings
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// Free gives the memory of a generated function back, for functions to come. The function and its tree must not be used
// after it. Those that are not given back are collected as garbage.
func (f *Function) Free() {
	if m := f.mem; m != nil {
		m.f = Function{}
		memories.Put(m)
	}
}

// newFunction makes the memory that of a function of the inputs.
func (m *memory) newFunction(a *smt.Arena, inputs []smt.Term) *Function {
	m.inverse, m.consts, m.fresh, m.side, m.bindings = m.inverse[:0], m.consts[:0], m.fresh[:0], m.side[:0], m.bindings[:0]
	m.f = Function{Arena: a, Inputs: inputs, Proven: true, mem: m}
	return &m.f
}

// newNodes returns nodes, and space for the arguments of all of them.
func (m *memory) newNodes(n int) ([]Node, []*Node) {
	if cap(m.nodes) < n {
		m.nodes, m.children = make([]Node, n), make([]*Node, n)
	}
	m.nodes, m.children = m.nodes[:n], m.children[:n]
	clear(m.nodes)
	return m.nodes, m.children
}
