package api_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestMessagesOfManager: what an author reads of a manager and its draws.
func TestMessagesOfManager(t *testing.T) {
	scripttest.Messages(t, `c = smt.case("(set-logic QF_LIA)(declare-const x Int)(declare-fun f (Int) Int)(assert (> x 1))(assert (or (< x 9) (= (f x) 2)))(check-sat)")
r = rng(1)
g = gen.manager(c)`, []scripttest.Message{
		{`g.terms(1)`, `manager.terms: for parameter sort: got int 1, want sort`},
		{`g.terms("Int")`, `manager.terms: for parameter sort: got string "Int", want sort; is smt.Sort("Int") meant?`},
		{`g.uses(1)`, `manager.uses: for parameter term: got int 1, want term`},
		{`g.operators(1)`, `manager.operators: for parameter sort: got int 1, want sort or None`},
		{`g.add(1)`, `manager.add: for parameter term: got int 1, want term`},
		{`g.constant(1, smt.Int)`, `manager.constant: for parameter rng: got int 1, want rng`},
		{`g.constant(r, 1)`, `manager.constant: for parameter sort: got int 1, want sort`},
		{`g.pick(smt.Int, r)`, `manager.pick: for parameter rng: got sort, want rng`},
		{`g.pick(r)`, `manager.pick: missing argument for sort; usage: manager.pick(rng, sort)`},
		{`g.literal(r, "Int")`, `manager.literal: for parameter sort: got string "Int", want sort; is smt.Sort("Int") meant?`},
		{`g.random(r, smt.Int, -1)`, `manager.random: for parameter depth: -1 is not between 1 and 16`},
		{`g.random(r, smt.Int, 1000000)`, `manager.random: for parameter depth: 1000000 is not between 1 and 16`},
		{`g.random(r, smt.Int, depth = "x")`, `manager.random: for parameter depth: got string "x", want int`},
		{`g.pop()`, `manager.pop: no level is open`},
		{`g.nope`, `manager has no field or method 'nope'; it has add, constant, level, literal, made, operators, pick, pop, push, random, size, sorts, terms, uses`},
	})
}
