package rewrite

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
)

// Weights of terms, as trees. Every rule lowers the weight of the term that it is applied to, whatever its parameters
// stand for, so rewriting terminates. It is the measure of Knuth and Bendix without its order of operators, "Simple
// Word Problems in Universal Algebras" (1970): a side is lighter if it weighs less and no parameter occurs more often
// in it.
const (
	leaf = 2 // of parameters, literals and constants: no term weighs less
	// node is added to the cost of each operator, so that flattening an associative one makes it lighter.
	node = 1
	// cost is that of most operators; an associative one has it for each of its arguments but one.
	cost = 4
)

// costs are those of operators that others stand for.
var costs = map[smt.Op]int{
	smt.OpGe: cost + 1, smt.OpGt: cost + 1,
	smt.OpBVUge: cost + 1, smt.OpBVUgt: cost + 1, smt.OpBVSge: cost + 1, smt.OpBVSgt: cost + 1,
	smt.OpFPGeq: cost + 1, smt.OpFPGt: cost + 1,
	smt.OpBVNand: 3 * cost, smt.OpBVNor: 3 * cost, smt.OpBVXnor: 3 * cost,
}

func costOf(op smt.Op) int {
	if c, ok := costs[op]; ok {
		return c
	}
	return cost
}

// maxParameters bounds the parameters of a law.
const maxParameters = 8

// sum is the weight of a side of a law: a number, and how often each parameter occurs.
type sum struct {
	weight  int
	times   [maxParameters]int
	element [maxParameters]int // of a list: the weight that each of its terms adds beside its own
}

// weigh returns the weight of a template; ok is false if a list is among the arguments of operators of
// different costs, or terms are put for the variables of a formula.
func weigh(t *template.Template) (total sum, ok bool) {
	nodes, root := t.Nodes()
	sums := make([]sum, len(nodes))
	ok = true
	for k, n := range nodes {
		s := &sums[k]
		switch {
		case n.List:
			s.times[n.Parameter] = 1
			continue
		case n.Parameter >= 0:
			s.weight, s.times[n.Parameter] = leaf, 1
			ok = ok && !n.Replaced // its weight depends on the substituted terms, each any number of times
			continue
		case len(n.Args) == 0:
			s.weight = leaf
			continue
		}
		each, single := 0, 0
		for _, arg := range n.Args {
			if !nodes[arg].List {
				single++
			}
		}
		s.weight = node + costOf(n.Op)
		if template.Associative(n.Op) {
			each = costOf(n.Op)
			s.weight = node + (single-1)*each
		}
		for _, arg := range n.Args {
			x := &sums[arg]
			s.weight += x.weight
			for p := range x.times {
				if s.times[p] > 0 && x.times[p] > 0 && s.element[p] != max(x.element[p], each) && nodes[arg].List {
					ok = false
				}
				s.times[p] += x.times[p]
				s.element[p] = max(s.element[p], x.element[p])
				if nodes[arg].List && x.times[p] > 0 {
					s.element[p] = each
				}
			}
		}
	}
	return sums[root], ok
}

// lighter returns by how much one template is lighter than another, whatever its parameters stand for; 0 if it may not
// be.
func lighter(heavy, light *template.Template) int {
	h, ok1 := weigh(heavy)
	l, ok2 := weigh(light)
	if !ok1 || !ok2 || h.weight <= l.weight {
		return 0
	}
	for p := range h.times {
		if l.times[p] > h.times[p] || l.times[p] > 0 && l.element[p] > h.element[p] {
			return 0
		}
	}
	return h.weight - l.weight
}
