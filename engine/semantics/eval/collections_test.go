package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// collections are terms over cvc5's sets, bags, relations, tables and nullables, and their values.
var collections = []struct{ term, want string }{
	{`(set.map (lambda ((x Int)) (* x x)) (set.insert 1 (- 1) 2 (set.singleton 3)))`, `(set.union (set.union (set.singleton 1) (set.singleton 4)) (set.singleton 9))`},
	{`(set.filter (lambda ((x Int)) (> x 1)) (set.insert 1 (- 1) 2 (set.singleton 3)))`, `(set.union (set.singleton 2) (set.singleton 3))`},
	{`(set.all (lambda ((x Int)) (> x 1)) (set.insert 1 2 (set.singleton 3)))`, `false`},
	{`(set.some (lambda ((x Int)) (> x 1)) (set.insert 1 2 (set.singleton 3)))`, `true`},
	{`(set.fold (lambda ((x Int) (y Int)) (+ x y)) 5 (set.insert 1 2 (set.singleton 3)))`, `11`},
	{`(bag.map (lambda ((x Int)) (* x x)) (bag.union_disjoint (bag 1 2) (bag (- 1) 3)))`, `(bag 1 5)`},
	{`(bag.filter (lambda ((x Int)) (> x 0)) (bag.union_disjoint (bag 1 2) (bag (- 1) 3)))`, `(bag 1 2)`},
	{`(bag.fold (lambda ((x Int) (y Int)) (+ x y)) 1 (bag.union_disjoint (bag 1 2) (bag (- 1) 3)))`, `0`},
	{`(bag.all (lambda ((x Int)) (> x 0)) (bag.union_disjoint (bag 1 2) (bag (- 1) 3)))`, `false`},
	{`(bag.some (lambda ((x Int)) (> x 0)) (bag.union_disjoint (bag 1 2) (bag (- 1) 3)))`, `true`},
	{`(bag.partition (lambda ((x Int) (y Int)) (= (mod x 2) (mod y 2))) (bag.union_disjoint (bag 1 2) (bag 2 3)))`, `(bag.union_disjoint (bag (bag 1 2) 1) (bag (bag 2 3) 1))`},
	{`(rel.transpose (set.insert (tuple 1 true) (set.singleton (tuple 2 false))))`, `(set.union (set.singleton (tuple false 2)) (set.singleton (tuple true 1)))`},
	{`(rel.join (set.insert (tuple 1 true) (set.singleton (tuple 2 false))) (set.singleton (tuple true 7)))`, `(set.singleton (tuple 1 7))`},
	{`(rel.product (set.insert (tuple 1 true) (set.singleton (tuple 2 false))) (set.singleton (tuple true 7)))`, `(set.union (set.singleton (tuple 1 true true 7)) (set.singleton (tuple 2 false true 7)))`},
	{`(rel.tclosure (set.insert (tuple 1 2) (tuple 3 1) (set.singleton (tuple 2 3))))`, `(set.union (set.union (set.union (set.union (set.union (set.union (set.union (set.union (set.singleton (tuple 1 1)) (set.singleton (tuple 1 2))) (set.singleton (tuple 1 3))) (set.singleton (tuple 2 1))) (set.singleton (tuple 2 2))) (set.singleton (tuple 2 3))) (set.singleton (tuple 3 1))) (set.singleton (tuple 3 2))) (set.singleton (tuple 3 3)))`},
	{`(rel.iden (set.insert (tuple 1) (set.singleton (tuple 2))))`, `(set.union (set.singleton (tuple 1 1)) (set.singleton (tuple 2 2)))`},
	{`(rel.join_image (set.insert (tuple 1 2) (tuple 1 3) (set.singleton (tuple 2 3))) 2)`, `(set.singleton (tuple 1))`},
	{`((_ rel.project 1 0 1) (set.insert (tuple 1 2) (tuple 1 3) (set.singleton (tuple 2 3))))`, `(set.union (set.union (set.singleton (tuple 2 1 2)) (set.singleton (tuple 3 1 3))) (set.singleton (tuple 3 2 3)))`},
	{`((_ rel.group 0) (set.insert (tuple 1 2) (tuple 1 3) (set.singleton (tuple 2 3))))`, `(set.union (set.singleton (set.union (set.singleton (tuple 1 2)) (set.singleton (tuple 1 3)))) (set.singleton (set.singleton (tuple 2 3))))`},
	{`((_ rel.group 0) (as set.empty (Set (Tuple Int Int))))`, `(set.singleton (as set.empty (Set (Tuple Int Int))))`},
	{`(rel.group (set.insert (tuple 1 2) (tuple 1 3) (set.singleton (tuple 2 3))))`, `(set.singleton (set.union (set.union (set.singleton (tuple 1 2)) (set.singleton (tuple 1 3))) (set.singleton (tuple 2 3))))`},
	{`((_ rel.table_join 0 0) (set.insert (tuple 1 2) (set.singleton (tuple 2 3))) (set.singleton (tuple 1 3)))`, `(set.singleton (tuple 1 2 1 3))`},
	{`((_ rel.aggr 0) (lambda ((t (Tuple Int Int)) (x Int)) (+ x ((_ tuple.select 1) t))) 0 (set.insert (tuple 1 2) (tuple 1 3) (set.singleton (tuple 2 3))))`, `(set.union (set.singleton 3) (set.singleton 5))`},
	{`((_ rel.aggr 0) (lambda ((t (Tuple Int Int)) (x Int)) (+ x ((_ tuple.select 1) t))) 0 (as set.empty (Set (Tuple Int Int))))`, `(set.singleton 0)`},
	{`((_ table.project 1 0) (bag.union_disjoint (bag (tuple 1 2) 2) (bag (tuple 1 3) 1)))`, `(bag.union_disjoint (bag (tuple 2 1) 2) (bag (tuple 3 1) 1))`},
	{`((_ table.project 0) (bag.union_disjoint (bag (tuple 1 2) 2) (bag (tuple 1 3) 1)))`, `(bag (tuple 1) 3)`},
	{`(table.product (bag (tuple 1 2) 2) (bag (tuple true) 3))`, `(bag (tuple 1 2 true) 6)`},
	{`((_ table.join 0 0) (bag (tuple 1 2) 2) (bag (tuple 1 5) 3))`, `(bag (tuple 1 2 1 5) 6)`},
	{`(table.join (bag (tuple 1 2) 2) (bag (tuple 1 5) 3))`, `(bag (tuple 1 2 1 5) 6)`},
	{`((_ table.group 0) (bag.union_disjoint (bag (tuple 1 2) 2) (bag (tuple 1 3) 1)))`, `(bag (bag.union_disjoint (bag (tuple 1 2) 2) (bag (tuple 1 3) 1)) 1)`},
	{`((_ table.aggr 0) (lambda ((t (Tuple Int Int)) (x Int)) (+ x ((_ tuple.select 1) t))) 0 (bag.union_disjoint (bag (tuple 1 2) 2) (bag (tuple 1 3) 1)))`, `(bag 7 1)`},
	{`((_ tuple.project 1 0 1) (tuple 1 true))`, `(tuple true 1 true)`},
	{`(nullable.lift (lambda ((x Int) (y Int)) (+ x y)) (nullable.some 3) (nullable.some 4))`, `(nullable.some 7)`},
	{`(nullable.lift (lambda ((x Int) (y Int)) (+ x y)) (nullable.some 3) (as nullable.null (Nullable Int)))`, `(as nullable.null (Nullable Int))`},
	{`(nullable.is_some (nullable.some 3))`, `true`},
	{`(nullable.is_null (as nullable.null (Nullable Int)))`, `true`},
	{`(nullable.val (nullable.some 4))`, `4`},
	{`(as nullable.null (Nullable Int))`, `(as nullable.null (Nullable Int))`},
	{`tuple.unit`, `tuple.unit`},
	{`(rel.project (set.singleton (tuple 2 3)))`, `(set.singleton tuple.unit)`},
	{`(set.map (lambda ((x Int)) (tuple x x)) (set.insert 1 2 (set.singleton 3)))`, `(set.union (set.union (set.singleton (tuple 1 1)) (set.singleton (tuple 2 2))) (set.singleton (tuple 3 3)))`},
	{`(set.map (lambda ((x (Set Int))) (set.card x)) (set.insert (set.singleton 2) (set.singleton (as set.empty (Set Int)))))`, `(set.union (set.singleton 0) (set.singleton 1))`},
	{`(set.fold (lambda ((x Int) (y Int)) (- x y)) 5 (set.insert 1 2 (set.singleton 3)))`, `unknown: set.fold: the value depends on the order of the elements`},
	{`(bag.fold (lambda ((x Int) (y Int)) (+ x y)) 5 (bag 1 11))`, `unknown: bag.fold: too large: more than 10 elements in any order`},
	{`(bag.partition (lambda ((x Int) (y Int)) (< x y)) (bag.union_disjoint (bag 1 2) (bag 2 3)))`, `unknown: bag.partition: the function is no equivalence of the elements`},
	{`(nullable.val (as nullable.null (Nullable Int)))`, `unknown: nullable.val: null has no element`},
	{`(rel.join_image (set.singleton (tuple 2 3)) 0)`, `unknown: rel.join_image: a number below one`},
	{`(set.filter (lambda ((x Int)) (= 0 (mod x 0))) (set.singleton 3))`, `unknown: mod: division by zero has no interpretation in the model`},
	{`(set.map (lambda ((x Int)) x) (as set.universe (Set Int)))`, `unknown: set.universe: cvc5 takes the universe for what is in the sets of the problem, not for all of the sort`},
	{`(set.all (lambda ((x Int)) (= 0 (div 1 x))) (set.insert 0 (set.singleton 1)))`, `false`},
}

func TestCollections(t *testing.T) {
	for _, c := range collections {
		t.Run(c.term, func(t *testing.T) { require.Equal(t, c.want, evalText(t, smt.NewArena(), nil, nil, c.term)) })
	}
}

// TestCollectionsInCvc5: cvc5 says that each of these terms has no other value.
func TestCollectionsInCvc5(t *testing.T) {
	script := "(set-logic HO_ALL)\n"
	asked := 0
	for _, c := range collections {
		if !strings.HasPrefix(c.want, "unknown") {
			script += fmt.Sprintf("(push)(assert (not (= %s %s)))(check-sat)(pop)\n", c.term, c.want)
			asked++
		}
	}
	require.Equal(t, strings.Repeat("unsat\n", asked), askNamed(t, "cvc5-1.3.2", []string{"--incremental", "--sets-exp"}, script))
}
