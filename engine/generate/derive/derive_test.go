package derive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
)

func caseOf(t *testing.T, text string, expect ...smtlib.Answer) *testcase.Case {
	t.Helper()
	s, err := smtlib.Parse("case", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return &testcase.Case{Script: s, Expect: expect}
}

const twice = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (> x 1))(check-sat)(assert (< x y))(check-sat)"

// Fewer assertions than a check that is sat are sat, more than one that is unsat are unsat; of all others nothing is
// known.
func TestStillKnown(t *testing.T) {
	c := caseOf(t, twice, smtlib.Sat, smtlib.Unsat)
	p := derive.PreambleOf(c.Script)
	asserts := c.Script.Asserts()
	known := func(parts ...smt.Term) []smtlib.Answer { return derive.StillKnown(c, p.Asserting(c.Script, parts)) }
	require.Equal(t, []smtlib.Answer{smtlib.Sat}, known(asserts[0]))
	require.Equal(t, []smtlib.Answer{smtlib.Sat}, known())
	require.Nil(t, known(asserts[1]), "a part of what is unsat, and no part of what is sat")
	more := c.Script.Arena.Not(asserts[1])
	require.Equal(t, []smtlib.Answer{smtlib.Unsat}, known(asserts[1], more, asserts[0]))
}

// A weaker form of a case keeps sat, with the witness; a stronger one keeps unsat. Where there are fewer checks they
// are the last ones.
func TestKeepShifted(t *testing.T) {
	from := caseOf(t, twice, smtlib.Unsat, smtlib.Sat)
	var err error
	from.Witness, err = modelreader.Parse(from.Script, "((define-fun x () Int 2)(define-fun y () Int 3))")
	require.NoError(t, err)
	last := from.With(derive.PreambleOf(from.Script).Asserting(from.Script, from.Script.Asserts()), nil, nil)
	weaker := derive.KeepShifted(last, from, true)
	require.Equal(t, []smtlib.Answer{smtlib.Sat}, weaker.Expect)
	require.Same(t, from.Witness, weaker.Witness)
	require.Same(t, last, derive.KeepShifted(last, from, false), "the last check is sat, and a stronger form need not be")
	all := derive.KeepShifted(from.With(from.Script, nil, nil), from, false)
	require.Equal(t, []smtlib.Answer{smtlib.Unsat, smtlib.None}, all.Expect)
	require.Nil(t, all.Witness)
}

// A witness is kept where it satisfies the case, and the answers where there are as many checks.
func TestKeepAnswers(t *testing.T) {
	from := caseOf(t, "(declare-const x Int)(assert (> x 1))(check-sat)", smtlib.Sat)
	var err error
	from.Witness, err = modelreader.Parse(from.Script, "((define-fun x () Int 2))")
	require.NoError(t, err)
	a := from.Script.Arena
	p := derive.PreambleOf(from.Script)
	asserting := func(text string) *testcase.Case {
		term, err := smtlib.ParseTerm(a, from.Script, text)
		require.NoError(t, err)
		return from.With(p.Asserting(from.Script, []smt.Term{term}), nil, nil)
	}
	require.Same(t, from.Witness, derive.KeepAnswers(asserting("(> x 0)"), from).Witness)
	other := derive.KeepAnswers(asserting("(> x 5)"), from)
	require.Nil(t, other.Witness)
	require.Equal(t, []smtlib.Answer{smtlib.Sat}, other.Expect)
}

func TestIsChanged(t *testing.T) {
	c := caseOf(t, twice)
	require.False(t, derive.IsChanged(c.With(c.Script, nil, nil), c))
	require.True(t, derive.IsChanged(c.With(c.Script, []smtlib.Answer{smtlib.Sat, smtlib.None}, nil), c), "more is known")
	require.True(t, derive.IsChanged(c.With(c.Script.WithLogic("ALL"), nil, nil), c))
	require.True(t, derive.IsChanged(caseOf(t, twice), c), "terms of another arena")
}

// Missing declarations of symbols come before every use, and outside of every push.
func TestDeclarationsComeFirst(t *testing.T) {
	c := caseOf(t, "(set-logic QF_LIA)(declare-const x Int)(push 1)(assert (> x 1))(check-sat)(pop 1)")
	a := c.Script.Arena
	z := a.Const(a.Declare("z", nil, smt.SortInt))
	cmds, fresh, err := derive.MapTerms(c.Script, func(f smt.Term) (smt.Term, error) { return a.And(f, a.Not(a.Eq(z, a.Arg(f, 0)))), nil })
	require.NoError(t, err)
	missing, with := derive.PreambleOf(c.Script).Declaring(a, fresh)
	text := c.Script.WithCommands(derive.Insert(cmds, missing)).Text()
	require.Equal(t, "(set-logic QF_LIA)\n(declare-const x Int)\n(declare-const z Int)\n(push 1)\n(assert (and (> x 1) (not (= z x))))\n(check-sat)\n(pop 1)\n", text)
	again, same := with.Declaring(a, fresh)
	require.Nil(t, again)
	require.Same(t, with, same)
	require.Equal(t, "(declare-const z Int)\n(assert (= z 0))\n(check-sat)\n", derive.Question(a, a.Eq(z, a.Int64(0))).Text())
	require.Contains(t, derive.WithTactic(c.Script, "simplify").Text(), "(check-sat-using simplify)")
}
