package claim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
)

// smaller reads the commands of a candidate into the arena of a case.
func smaller(t *testing.T, c *testcase.Case, text string) *smtlib.Script {
	script, err := smtlib.Parse("candidate", []byte(text), c.Script.Arena)
	require.NoError(t, err)
	return script
}

func caseOf(t *testing.T, text string, expect ...smtlib.Answer) *testcase.Case {
	script, err := smtlib.Parse("case", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return &testcase.Case{Script: script, Expect: expect}
}

const twoChecks = "(declare-const x Int)(declare-const y Int)(assert (> x 1))(check-sat)(assert (< y x))(check-sat)"

// Without a witness a candidate stays sat by asserting less, each check like one of the case that comes no earlier than
// those of the checks before it.
func TestTruthByAssertingLess(t *testing.T) {
	c := caseOf(t, twoChecks, smtlib.Sat, smtlib.Sat)
	truth := claim.TruthOf(c)
	var cmds []smtlib.Command
	for _, keep := range [][]int{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 5}, {0, 1, 4, 5}, {0, 1, 3, 2, 5}} {
		cmds = cmds[:0]
		for _, i := range keep {
			cmds = append(cmds, c.Script.Commands[i])
		}
		script := c.Script.WithCommands(cmds)
		answers := make([]smtlib.Answer, script.CheckSats())
		for i := range answers {
			answers[i] = smtlib.Sat
		}
		require.True(t, truth.Keeps(script, answers, nil), keep)
	}
	later := c.Script.WithCommands([]smtlib.Command{c.Script.Commands[0], c.Script.Commands[1], c.Script.Commands[4], c.Script.Commands[3], c.Script.Commands[2], c.Script.Commands[5]})
	require.True(t, truth.Keeps(later, []smtlib.Answer{smtlib.Sat, smtlib.Sat}, nil), "both are like the second check")
	require.True(t, truth.AssertsNoMore(later, 0))

	one := caseOf(t, twoChecks, smtlib.Sat, smtlib.Unknown)
	require.False(t, claim.TruthOf(one).Keeps(one.Script, []smtlib.Answer{smtlib.Unknown, smtlib.Sat}, nil), "the second check was not known to be sat")
	require.True(t, claim.TruthOf(one).Keeps(one.Script, []smtlib.Answer{smtlib.Unsat, smtlib.None}, nil), "unsat is for others to keep")
	require.False(t, claim.TruthOf(one).AssertsNoMore(one.Script, 1))
	require.False(t, claim.TruthOf(one).AssertsNoMore(caseOf(t, twoChecks).Script, 0), "terms of another arena say nothing")
}

// With a witness, a candidate may assert any formula that the witness satisfies by evaluation.
func TestTruthByAWitness(t *testing.T) {
	c := caseOf(t, "(declare-const x Int)(assert (> x 1))(check-sat)", smtlib.Sat)
	witness, err := modelreader.Parse(c.Script, "((define-fun x () Int 3))")
	require.NoError(t, err)
	truth := claim.TruthOf(c)
	truth.Pin(witness)
	mark := c.Script.Arena.Mark()
	require.True(t, truth.Keeps(smaller(t, c, "(declare-const x Int)(assert (> x 2))(check-sat)"), c.Expect, witness))
	c.Script.Arena.Release(mark)
	require.False(t, truth.Keeps(smaller(t, c, "(declare-const x Int)(assert (> x 3))(check-sat)"), c.Expect, witness))
	c.Script.Arena.Release(mark)
	truth.Pin(witness)
	require.False(t, truth.Keeps(smaller(t, c, "(declare-const x Int)(declare-fun f (Int) Int)(assert (forall ((y Int)) (= (f y) (* y y))))(check-sat)"), c.Expect, witness), "nobody knows")
	truth.Pin(nil)
	require.True(t, truth.Keeps(c.Script, c.Expect, nil))
}
