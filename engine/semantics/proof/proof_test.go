package proof_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// claim makes the claim that a formula over x and y of a sort is true.
func claim(t *testing.T, sort, formula string) *proof.Claim {
	t.Helper()
	s, err := smtlib.Parse("claim", []byte("(declare-const x "+sort+")(declare-const y "+sort+")(assert "+formula+")"), smt.NewArena())
	require.NoError(t, err)
	a := s.Arena
	x := a.Const(s.Commands[0].Symbols[0])
	y := a.Const(s.Commands[1].Symbols[0])
	f := s.Asserts()[0]
	return &proof.Claim{Arena: a, Args: []smt.Term{x, y}, Names: []string{"x", "y"}, Formula: f, Wrong: "it does not hold", Script: proof.Query(a, "claim", a.Not(f))}
}

// says is a solver that replies the same to everything.
func says(name string, r proof.Response) proof.Reference {
	return proof.Reference{Name: name, Ask: func(context.Context, *smtlib.Script) (*proof.Response, error) { return &r, nil }}
}

// Few values are all tried, and then the claim is sure; of many some are, boundaries among them.
func TestClaimsAreEvaluated(t *testing.T) {
	few := claim(t, "(_ BitVec 3)", "(= (bvadd x y) (bvadd y x))").Test(64, 1)
	require.Equal(t, proof.Tested{Values: 64, Held: 64, Exhaustive: true}, few)
	many := claim(t, "Int", "(= (+ x y) (+ y x))").Test(100, 1)
	require.Equal(t, proof.Tested{Values: 100, Held: 100}, many)
	wrong := claim(t, "(_ BitVec 64)", "(=> (bvult x y) (bvslt x y))").Test(100, 1)
	require.NotEmpty(t, wrong.Refuted, "boundaries are among few of many values")
	open := claim(t, "Int", "(= (div x y) (div x y 1))").Test(100, 1)
	require.NotZero(t, open.Unknown, "a division by zero is the solver's choice")
	require.Empty(t, open.Refuted)
}

// A conditional claim counts the tuples for which its condition is true.
func TestConditionsAreCounted(t *testing.T) {
	c := claim(t, "(_ BitVec 2)", "(=> (= x y) (= (bvsub x y) #b00))")
	a := c.Arena
	c.When = a.Arg(c.Formula, 0)
	require.Equal(t, proof.Tested{Values: 16, Held: 4, Exhaustive: true}, c.Test(16, 1))
}

// A solver is believed where it proves; a counterexample is evaluated first, and one that contradicts a proof is a
// dispute.
func TestSolversProve(t *testing.T) {
	ctx := t.Context()
	holds := claim(t, "Int", "(= (+ x y) (+ y x))")
	unsat := says("prover", proof.Response{Answer: smtlib.Unsat, CPU: time.Second})
	false1 := says("liar", proof.Response{Answer: smtlib.Sat, Model: "((define-fun x () Int 1) (define-fun y () Int 2))"})
	silent := says("silent", proof.Response{Answer: smtlib.Unknown, Outcome: "timeout of 1 s"})

	p, err := (&proof.Prover{Values: 10, Solvers: []proof.Reference{unsat, false1, silent}}).Prove(ctx, holds, false)
	require.NoError(t, err)
	require.True(t, p.Sure())
	require.Equal(t, "10 values, proven by prover, liar gives a counterexample that is none: ((define-fun x () Int 1) (define-fun y () Int 2)), silent: timeout of 1 s", p.Said)
	require.Len(t, p.Disputes, 1)
	require.Equal(t, "liar", p.Disputes[0].Solver)
	require.Equal(t, []proof.Asked{{Solver: "prover", Proven: true, CPU: time.Second}, {Solver: "liar"}, {Solver: "silent"}}, p.Asked)

	p, err = (&proof.Prover{Values: 10, Solvers: []proof.Reference{silent}}).Prove(ctx, holds, false)
	require.NoError(t, err)
	require.False(t, p.Sure(), "values that were tried prove nothing where there are more")

	wrong := claim(t, "Int", "(distinct (+ (* 1000 x) y) 123456789)")
	p, err = (&proof.Prover{Values: 10, Solvers: []proof.Reference{says("finder", proof.Response{Answer: smtlib.Sat, Model: "((define-fun x () Int 123456)\n (define-fun y () Int 789))"})}}).Prove(ctx, wrong, false)
	require.NoError(t, err)
	require.Equal(t, "finder has a counterexample: ((define-fun x () Int 123456) (define-fun y () Int 789))", p.Refuted)

	p, err = (&proof.Prover{Values: 10, Solvers: []proof.Reference{unsat}}).Prove(ctx, holds, true)
	require.NoError(t, err)
	require.Equal(t, "10 values, solvers not asked: undecided for smaller numbers", p.Said)

	gone := errors.New("gone")
	_, err = (&proof.Prover{Solvers: []proof.Reference{{Name: "gone", Ask: func(context.Context, *smtlib.Script) (*proof.Response, error) { return nil, gone }}}}).Prove(ctx, holds, false)
	require.ErrorIs(t, err, gone)
}

// A refuted claim is told with the values, and solvers are not asked.
func TestRefutedClaims(t *testing.T) {
	c := claim(t, "(_ BitVec 1)", "(= x y)")
	c.Sides = c.Args
	p, err := (&proof.Prover{Values: 4, Solvers: []proof.Reference{{Name: "never asked"}}}).Prove(t.Context(), c, false)
	require.NoError(t, err)
	require.Equal(t, "it does not hold where x = #b1, y = #b0: the left side is #b1, the right side is #b0", p.Refuted)
	require.False(t, p.Sure())
}
