package rewrite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/law"
)

// TestAlternatives: each law is used at a term, and is tried with arguments as they are, too.
func TestAlternatives(t *testing.T) {
	not := func(a *smt.Arena, x smt.Term) smt.Term { return a.MustApp(smt.OpNot, x) }
	twice := aLaw(t, "not_not", nil, []string{"Bool"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		return not(a, not(a, x[0])), x[0], 0
	})
	same := aLaw(t, "and_self", nil, []string{"Bool"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		return a.MustApp(smt.OpAnd, x[0], x[0]), x[0], 0
	})
	swap := aLaw(t, "and_swap", nil, []string{"Bool", "Bool"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		return a.MustApp(smt.OpAnd, x[0], x[1]), a.MustApp(smt.OpAnd, x[1], x[0]), 0
	})
	rules, err := Compile(nil, []*law.Law{twice, same, swap})
	require.NoError(t, err)
	a := smt.NewArena()
	p := a.Const(a.Declare("p", nil, smt.SortBool))
	x := NewAlternatives(a, rules)
	four := not(a, not(a, not(a, not(a, p))))
	require.Equal(t, []smt.Term{not(a, not(a, p))}, x.Of(four))
	require.Equal(t, []smt.Term{four, p}, x.Of(a.MustApp(smt.OpAnd, four, four)), "arguments made lighter, and the law at the term as it is")
	require.Empty(t, x.Of(p))
	require.Empty(t, x.Of(not(a, p)))
}

// TestNumbersDiffer: a law of several numbers is used whatever they are, not for those alone that its samples have in
// common.
func TestNumbersDiffer(t *testing.T) {
	extract := func(a *smt.Arena, high, low uint64, x smt.Term) smt.Term {
		y, err := a.App(smt.OpExtract, []smt.Index{a.NumIndex(high), a.NumIndex(low)}, x)
		require.NoError(t, err)
		return y
	}
	l := aLaw(t, "extract_extract", []string{"0..m-1", "0..i", "0..i", "0..k"}, []string{"BV(m)"}, func(a *smt.Arena, x []smt.Term, n []uint64) (smt.Term, smt.Term, smt.Term) {
		i, j, k, l := n[0], n[1], n[2], n[3]
		if j+k > i {
			return x[0], x[0], a.False()
		}
		return extract(a, k, l, extract(a, i, j, x[0])), extract(a, j+k, j+l, x[0]), 0
	})
	rules, err := Compile(nil, []*law.Law{l})
	require.NoError(t, err)
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, a.BitVec(16)))
	for _, n := range [][4]uint64{{15, 0, 3, 0}, {7, 0, 7, 2}, {9, 4, 4, 3}, {12, 12, 0, 0}, {14, 5, 9, 9}} {
		require.Equal(t, extract(a, n[1]+n[2], n[1]+n[3], x), New(a, rules).Term(extract(a, n[2], n[3], extract(a, n[0], n[1], x))), "%v", n)
	}
}
