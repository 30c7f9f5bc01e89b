package testcase_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

const text = `(set-logic QF_UFLIA)
(declare-const x Int)
(declare-fun f (Int) Int)
(assert (> (f x) 3))
(check-sat)
(push 1)
(assert (= x 2))
(check-sat)
`

// An answer to the last check-sat implies answers to others if the assertions of one are a subset of the other's.
func TestFollowing(t *testing.T) {
	script, err := smtlib.Parse("a.smt2", []byte(`(declare-const p Bool)(declare-const q Bool)
(assert p)(check-sat)(check-sat-assuming ((not p)))(push)(assert q)(assert (or p q))(check-sat)(pop)
(assert q)(check-sat)(check-sat-assuming (p))`), smt.NewArena())
	require.NoError(t, err)
	const none, sat, unsat = smtlib.None, smtlib.Sat, smtlib.Unsat
	require.Equal(t, []smtlib.Answer{sat, none, none, sat, sat}, testcase.Following(script, sat))
	require.Equal(t, []smtlib.Answer{none, none, unsat, unsat, unsat}, testcase.Following(script, unsat))
	require.Nil(t, testcase.Following(script, none))
}

func TestWireRoundTrip(t *testing.T) {
	script, err := smtlib.Parse("a.smt2", []byte(text), smt.NewArena())
	require.NoError(t, err)
	model, err := modelreader.Parse(script, "((define-fun x () Int 2) (define-fun f ((y Int)) Int (ite (= y 2) 4 0)))")
	require.NoError(t, err)
	c := &testcase.Case{
		Script: script, Expect: []smtlib.Answer{smtlib.Sat, smtlib.None}, Witness: model,
		Origin: testcase.Origin{Campaign: "c", Technique: "t", Seed: 1 << 63, Number: 9, Seeds: []string{"s"}, Steps: []string{"a", "b"}},
	}
	line, err := json.Marshal(c.Wire())
	require.NoError(t, err)
	w := &testcase.Wire{}
	require.NoError(t, json.Unmarshal(line, w))
	back, err := w.Case(nil)
	require.NoError(t, err)
	require.Equal(t, string(c.Text()), string(back.Text()))
	require.Equal(t, c.Expect, back.Expect)
	require.Equal(t, c.Origin, back.Origin)
	require.Equal(t, "a.smt2", back.Script.Name)
	require.Equal(t, c.Witness.Text(), back.Witness.Text())
	for _, assert := range back.Script.Asserts() {
		value, known := eval.New(back.Script.Arena, back.Witness).Holds(assert)
		require.True(t, known && value)
	}
	require.Equal(t, 2, back.Query().Count(solvers.AnswerReply))
	require.Equal(t, smtlib.Sat, back.ExpectAt(0))
	require.Equal(t, smtlib.None, back.ExpectAt(1))
	require.Equal(t, smtlib.None, back.ExpectAt(2))
	require.Equal(t, smtlib.None, back.ExpectAt(-1))
}

// TestOwnWitness checks that symbols that the script does not declare, or no longer declares, are left out; the case
// keeps its witness.
func TestOwnWitness(t *testing.T) {
	for _, tc := range []struct{ name, script, want string }{
		{"a constant", "(declare-const x Int)(assert (= x 2))(check-sat)", "(\n  (define-fun x () Int 2)\n)\n"},
		{"a function", "(declare-fun f (Int) Int)(assert (= (f 2) 4))(check-sat)", "(\n  (define-fun f ((x!0 Int)) Int (ite (= x!0 2) 4 0))\n)\n"},
		{"none", "(assert (= 1 1))(check-sat)", "(\n)\n"},
	} {
		script, err := smtlib.Parse("a.smt2", []byte("(declare-const x Int)(declare-const y Bool)(declare-fun f (Int) Int)(check-sat)"), smt.NewArena())
		require.NoError(t, err)
		witness, err := modelreader.Parse(script, "((define-fun x () Int 2) (define-fun y () Bool true) (define-fun f ((y Int)) Int (ite (= y 2) 4 0)))")
		require.NoError(t, err)
		smaller, err := smtlib.Parse("b.smt2", []byte(tc.script), script.Arena)
		require.NoError(t, err)
		c := &testcase.Case{Script: smaller, Expect: []smtlib.Answer{smtlib.Sat}, Witness: witness}
		require.Equal(t, tc.want, c.OwnWitness().Text(), tc.name)
		require.Len(t, c.Witness.Symbols(), 3)
	}
	require.Nil(t, (&testcase.Case{}).OwnWitness())
}

func TestBrokenWire(t *testing.T) {
	for want, w := range map[string]testcase.Wire{
		"case:1:":                {Script: "(assert"},
		`"perhaps" is no answer`: {Script: text, Expect: []string{"sat", "perhaps"}},
		"witness":                {Script: text, Witness: "((define-fun x () Int"},
	} {
		_, err := w.Case(nil)
		require.ErrorContains(t, err, want)
	}
}

// A comment gives the size of a sort; it must not swallow the text after it.
func TestWitnessOfATraceKeepsItsLines(t *testing.T) {
	script, err := smtlib.Parse("c", []byte("(declare-sort U 0)(declare-const u U)(declare-const x Int)(assert (> x 3))(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	c := &testcase.Case{Script: script, Expect: []smtlib.Answer{smtlib.Sat}}
	c.Witness, err = modelreader.Parse(script, "(\n  ; cardinality of U is 4\n  (define-fun u () U (as @U!3 U))\n  (define-fun x () Int 7)\n)")
	require.NoError(t, err)
	back, err := tracetext.Read([]byte(tracetext.Text(c.WithTruth())), nil)
	require.NoError(t, err)
	got := testcase.FromTrace("c", back)
	require.NotNil(t, got.Witness)
	require.Equal(t, c.Witness.Text(), got.Witness.Text())
}
