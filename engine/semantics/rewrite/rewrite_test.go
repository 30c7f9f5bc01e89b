package rewrite

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/law"
)

// aLaw makes a law of a function that makes its sides and its condition.
func aLaw(t *testing.T, name string, index []string, sorts []string, f func(a *smt.Arena, x []smt.Term, i []uint64) (left, right, when smt.Term)) *law.Law {
	l := &law.Law{Name: name}
	for _, text := range sorts {
		p, err := law.ParseParameter(text)
		require.NoError(t, err)
		l.Parameters = append(l.Parameters, p)
	}
	for k, text := range index {
		x, err := template.ParseIndexRange(string(rune('i'+k)), text)
		require.NoError(t, err)
		l.Index = append(l.Index, x)
	}
	l.Make = func(_ any, a *smt.Arena, sorts []smt.Sort, indices []*big.Int) (*law.Definition, error) {
		var args []smt.Term
		for k := range sorts {
			args = append(args, l.Constants(a, k, sorts)[0])
		}
		var numbers []uint64
		for _, n := range indices {
			numbers = append(numbers, n.Uint64())
		}
		d := &law.Definition{}
		d.Left, d.Right, d.When = f(a, args, numbers)
		return d, nil
	}
	require.NoError(t, l.Check())
	return l
}

// TestNumbersMustAgree: a number that occurs twice in a law is the same in both places of a term.
func TestNumbersMustAgree(t *testing.T) {
	l := aLaw(t, "div", []string{"1..64"}, []string{"Int"}, func(a *smt.Arena, x []smt.Term, i []uint64) (smt.Term, smt.Term, smt.Term) {
		k := a.Int64(int64(i[0]))
		return a.MustApp(smt.OpIntDiv, a.MustApp(smt.OpMul, k, x[0]), k), x[0], 0
	})
	rules, err := Compile(nil, []*law.Law{l})
	require.NoError(t, err)
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, smt.SortInt))
	div := func(i, k int64) smt.Term {
		return a.MustApp(smt.OpIntDiv, a.MustApp(smt.OpMul, x, a.Int64(i)), a.Int64(k))
	}
	s := New(a, rules)
	require.Equal(t, x, s.Term(div(9, 9)))
	require.Equal(t, div(9, 10), s.Term(div(9, 10)))
	require.Equal(t, div(65, 65), s.Term(div(65, 65)), "out of the range of the law")
	require.Equal(t, map[string]int{"div": 1}, s.Stats().Applied)
	require.Error(t, s.Without("mod"))
	require.NoError(t, s.Without("div"))
	require.Equal(t, div(9, 9), s.Term(div(9, 9)))
}

// TestDirection: a law is used from the heavier side, and not where none is heavier for all that its parameters stand
// for.
func TestDirection(t *testing.T) {
	swap := aLaw(t, "swap", nil, []string{"Int", "Int"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		return a.MustApp(smt.OpAdd, x[0], x[1]), a.MustApp(smt.OpAdd, x[1], x[0]), 0
	})
	distributes := aLaw(t, "distributes", nil, []string{"Int", "Int", "Int"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		return a.MustApp(smt.OpMul, x[0], a.MustApp(smt.OpAdd, x[1], x[2])), a.MustApp(smt.OpAdd, a.MustApp(smt.OpMul, x[0], x[1]), a.MustApp(smt.OpMul, x[0], x[2])), 0
	})
	square := aLaw(t, "square", nil, []string{"Int", "Int"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		return a.MustApp(smt.OpAdd, x[0], x[1], a.Int64(0), a.Int64(0)), a.MustApp(smt.OpMul, x[1], x[1]), 0
	})
	rules, err := Compile(nil, []*law.Law{swap, distributes, square})
	require.NoError(t, err)
	names, err := rules.Names()
	require.NoError(t, err)
	require.Equal(t, []string{"distributes"}, names)
	require.True(t, rules.laws[1].lighter.back)
}

// TestConditions: a law with a condition is used where that comes to true.
func TestConditions(t *testing.T) {
	l := aLaw(t, "read", nil, []string{"Array(A,B)", "A", "A", "B"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		return a.MustApp(smt.OpSelect, a.MustApp(smt.OpStore, x[0], x[1], x[3]), x[2]), a.MustApp(smt.OpSelect, x[0], x[2]), a.MustApp(smt.OpDistinct, x[1], x[2])
	})
	rules, err := Compile(nil, []*law.Law{l})
	require.NoError(t, err)
	a := smt.NewArena()
	array := a.Const(a.Declare("a", nil, a.Array(smt.SortInt, smt.SortInt)))
	x := a.Const(a.Declare("x", nil, smt.SortInt))
	read := func(i, k smt.Term) smt.Term {
		return a.MustApp(smt.OpSelect, a.MustApp(smt.OpStore, array, i, x), k)
	}
	s := New(a, rules)
	require.Equal(t, a.MustApp(smt.OpSelect, array, a.Int64(2)), s.Term(read(a.Int64(1), a.Int64(2))))
	require.Equal(t, read(x, a.Int64(2)), s.Term(read(x, a.Int64(2))))
}

// TestReleasedTerms checks that cached results of released terms are not used for new terms with the same number.
func TestReleasedTerms(t *testing.T) {
	rules, err := Compile(nil, nil)
	require.NoError(t, err)
	a := smt.NewArena()
	s := New(a, rules)
	mark := a.Mark()
	require.Equal(t, a.Int64(5), s.Term(a.MustApp(smt.OpAdd, a.Int64(2), a.Int64(3))))
	a.Release(mark)
	require.Equal(t, a.Int64(6), s.Term(a.MustApp(smt.OpMul, a.Int64(2), a.Int64(3))))
}

// TestSolversStay checks that simplifying adds no operators that some solvers lack, but may replace such an operator by
// another one of the same solvers.
func TestSolversStay(t *testing.T) {
	one := func(a *smt.Arena, x smt.Term) smt.Term { return a.BVUint(a.Width(a.Sort(x)), 1) }
	increment := aLaw(t, "increment", nil, []string{"BV(m)"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		return a.MustApp(smt.OpBVAdd, x[0], one(a, x[0])), a.MustApp(smt.OpBVInc, x[0]), 0
	})
	within := aLaw(t, "within", nil, []string{"Set(A)", "Set(A)"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		return a.MustApp(smt.OpSetIsEmpty, a.MustApp(smt.OpSetMinus, x[0], x[1])), a.MustApp(smt.OpSetSubset, x[0], x[1]), 0
	})
	rules, err := Compile(nil, []*law.Law{increment, within})
	require.NoError(t, err)
	names, err := rules.Names()
	require.NoError(t, err)
	require.Equal(t, []string{"within"}, names)
}

// TestLiteralsOfAllWidths checks that a literal of one width in a law is adapted to the width of each use.
func TestLiteralsOfAllWidths(t *testing.T) {
	l := aLaw(t, "ones", nil, []string{"BV(m)"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		w := a.Width(a.Sort(x[0]))
		return a.MustApp(smt.OpBVAnd, x[0], a.BVUint(w, 1<<w-1)), x[0], 0
	})
	rules, err := Compile(nil, []*law.Law{l})
	require.NoError(t, err)
	for _, w := range []int{1, 2, 6, 8, 23, 40} {
		a := smt.NewArena()
		x := a.Const(a.Declare("x", nil, a.BitVec(w)))
		require.Equal(t, x, New(a, rules).Term(a.MustApp(smt.OpBVAnd, x, a.BVUint(w, 1<<w-1))), "%d", w)
	}
}

// TestLawsAreMadeWhenTheyAreNeeded: a law that cannot be made for some numbers is an error where a term has the head of
// one of its sides, and none elsewhere.
func TestLawsAreMadeWhenTheyAreNeeded(t *testing.T) {
	l := aLaw(t, "broken", nil, []string{"BV(m)"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
		if a.Width(a.Sort(x[0])) < 20 {
			return a.MustApp(smt.OpBVNeg, x[0]), a.True(), 0
		}
		return a.MustApp(smt.OpBVNeg, x[0]), x[0], 0
	})
	rules, err := Compile(nil, []*law.Law{l})
	require.NoError(t, err)
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, a.BitVec(8)))
	s := New(a, rules)
	s.Term(a.MustApp(smt.OpBVNot, x))
	require.NoError(t, s.Err())
	t1 := a.MustApp(smt.OpBVNeg, x)
	require.Equal(t, t1, s.Term(t1))
	require.ErrorContains(t, s.Err(), "broken")
	_, err = rules.Names()
	require.ErrorContains(t, err, "broken")
	require.ErrorContains(t, s.Without("broken"), "broken")
}
