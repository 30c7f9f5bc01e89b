package law_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/law"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// sides makes the sides of a law, and its condition, over its parameters.
type sides func(a *smt.Arena, args []smt.Term, indices []*big.Int) (left, right, when smt.Term)

func newLaw(t *testing.T, kind law.Kind, f sides, index []string, sorts ...string) *law.Law {
	l := &law.Law{Name: "test.law", Kind: kind, Where: "test.star:1:1"}
	for _, text := range sorts {
		p, err := law.ParseParameter(text)
		require.NoError(t, err)
		l.Parameters = append(l.Parameters, p)
	}
	for i, text := range index {
		x, err := template.ParseIndexRange(string(rune('i'+i)), text)
		require.NoError(t, err)
		l.Index = append(l.Index, x)
	}
	l.Make = func(_ any, a *smt.Arena, sorts []smt.Sort, indices []*big.Int) (*law.Definition, error) {
		var args []smt.Term
		for i, s := range sorts {
			if !l.Parameters[i].List {
				args = append(args, a.Const(a.Declare(template.ArgName(i), nil, s)))
				continue
			}
			for j := range template.ListElements {
				args = append(args, a.Const(a.Declare(template.ListName(i, j), nil, s)))
			}
		}
		d := &law.Definition{}
		d.Left, d.Right, d.When = f(a, args, indices)
		return d, nil
	}
	require.NoError(t, l.Check())
	return l
}

func examine(t *testing.T, l *law.Law) *law.Verdict {
	v, err := l.Examine(context.Background(), nil, &proof.Prover{Values: 1 << 12})
	require.NoError(t, err)
	return v
}

func app(a *smt.Arena, op smt.Op, args ...smt.Term) smt.Term { return a.MustApp(op, args...) }

// TestWrongLaws shows the numbers, the values of the parameters and both values of laws that do not hold.
func TestWrongLaws(t *testing.T) {
	l := newLaw(t, law.Equal, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
		return app(a, smt.OpBVUdiv, x[0], x[0]), a.BVUint(a.Width(a.Sort(x[0])), 1), 0
	}, nil, "BV(m)")
	require.Equal(t, "for m=2: it does not hold where x1 = #b00: the left side is #b11, the right side is #b01", examine(t, l).Refuted)

	l = newLaw(t, law.Implies, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
		return app(a, smt.OpLe, x[0], x[1]), app(a, smt.OpLt, x[0], x[1]), 0
	}, nil, "Int", "Int")
	require.Equal(t, "it does not hold where x1 = 0, x2 = 0: the left side is true, the right side is false", examine(t, l).Refuted)

	// A rotation that is a shift: wrong for some index only.
	l = newLaw(t, law.Equal, func(a *smt.Arena, x []smt.Term, i []*big.Int) (smt.Term, smt.Term, smt.Term) {
		r, err := a.App(smt.OpRotateLeft, []smt.Index{a.NumIndex(i[0].Uint64())}, x[0])
		require.NoError(t, err)
		return r, app(a, smt.OpBVShl, x[0], a.BV(a.Width(a.Sort(x[0])), i[0])), 0
	}, []string{"0..m-1"}, "BV(m)")
	require.Regexp(t, "^for m=2 i=1: it does not hold where x1 = #b1", examine(t, l).Refuted)
}

// TestConditions: a law that is wrong without its condition passes with it, and a condition that is never true proves
// nothing.
func TestConditions(t *testing.T) {
	divide := func(when func(a *smt.Arena, x smt.Term) smt.Term) *law.Law {
		return newLaw(t, law.Equal, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
			return app(a, smt.OpBVUdiv, x[0], x[0]), a.BVUint(a.Width(a.Sort(x[0])), 1), when(a, x[0])
		}, nil, "BV(m)")
	}
	zero := func(a *smt.Arena, x smt.Term) smt.Term { return a.BVUint(a.Width(a.Sort(x)), 0) }
	v := examine(t, divide(func(a *smt.Arena, x smt.Term) smt.Term { return app(a, smt.OpDistinct, x, zero(a, x)) }))
	require.Empty(t, v.Refuted)
	require.Equal(t, 7, v.Certificate.Exhaustive) // m = 1, 2, 3, 4, 5, 7 and 8 have few values
	v = examine(t, divide(func(a *smt.Arena, x smt.Term) smt.Term { return app(a, smt.OpBVUlt, x, zero(a, x)) }))
	require.Equal(t, "its condition was true for none of the values that were tried", v.Open)
	_, err := divide(func(a *smt.Arena, x smt.Term) smt.Term { return a.False() }).Examine(context.Background(), nil, &proof.Prover{Values: 9})
	require.EqualError(t, err, "test.star:1:1: law test.law: no choice of its numbers gives sorts and a condition that is not false")
}

// TestLists: a list stands for any number of terms.
func TestLists(t *testing.T) {
	l := newLaw(t, law.Equal, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
		return app(a, smt.OpStrConcat, a.Str(nil), x[0], x[1]), app(a, smt.OpStrConcat, x[0], x[1]), 0
	}, nil, "String...")
	v := examine(t, l)
	require.Empty(t, v.Refuted)
	require.Equal(t, 4, v.Certificate.Instances) // 0 to 3 elements

	l = newLaw(t, law.Equal, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
		return app(a, smt.OpAnd, x[0], x[1]), a.Not(x[0]), 0
	}, nil, "Bool...")
	_, err := l.Examine(context.Background(), nil, &proof.Prover{Values: 9})
	require.ErrorContains(t, err, "rhs: a list stands only among the arguments of an operator")
}

// TestWhatIsNoLaw has the errors of definitions.
func TestWhatIsNoLaw(t *testing.T) {
	check := func(want string, kind law.Kind, f sides) {
		l := newLaw(t, kind, f, nil, "Int")
		_, err := l.Examine(context.Background(), nil, &proof.Prover{Values: 9})
		require.EqualError(t, err, "test.star:1:1: law test.law: "+want)
	}
	check("the left side has sort Int, the right side Bool", law.Equal, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
		return x[0], a.True(), 0
	})
	check("one formula implies another: the sides have sort Int", law.Implies, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
		return x[0], x[0], 0
	})
	check("the condition has sort Int, want Bool", law.Equal, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
		return x[0], x[0], x[0]
	})
	check("rhs: c is not declared: a law speaks of its parameters", law.Equal, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
		return x[0], a.Const(a.Declare("c", nil, smt.SortInt)), 0
	})
	_, err := law.ParseParameter("BW(m)")
	require.ErrorContains(t, err, `there is no sort "BW"`)
}

// TestSolversThatDoNotDecide leave a law open; a proof in words closes it.
func TestSolversThatDoNotDecide(t *testing.T) {
	l := newLaw(t, law.Equal, func(a *smt.Arena, x []smt.Term, _ []*big.Int) (smt.Term, smt.Term, smt.Term) {
		return app(a, smt.OpAdd, x[0], x[1]), app(a, smt.OpAdd, x[1], x[0]), 0
	}, nil, "Int", "Int")
	silent := func(context.Context, *smtlib.Script) (*proof.Response, error) {
		return &proof.Response{Outcome: "timeout"}, nil
	}
	p := &proof.Prover{Values: 100, Solvers: []proof.Reference{{Name: "silent", Ask: silent}, {Name: "mute", Ask: silent}}}
	v, err := l.Examine(context.Background(), nil, p)
	require.NoError(t, err)
	require.Equal(t, "of 2 solvers 0 proved it; want two, or one where all values of small sorts were tried, or a proof in words (proof = ...)", v.Open)
	l.Written = "Addition is commutative."
	v, err = l.Examine(context.Background(), nil, p)
	require.NoError(t, err)
	require.True(t, v.Proven())
	require.Contains(t, v.Certificate.String(), fmt.Sprintf("%s test.law | evaluated on 100 values in 1 instances, all values in 0 | in words: Addition is commutative.", v.Certificate.Key))
}
