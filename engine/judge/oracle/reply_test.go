package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// A reply that contradicts earlier commands is reported; one that only looks different is not.
func TestRepliesAgainstWhatWasSaid(t *testing.T) {
	const text = `(set-option :produce-models true)
(set-option :random-seed 7)
(echo "a b")
(echo "c")
(declare-const x Int)
(assert (< x 4))
(push 2)
(assert (> x 2))
(get-info :assertion-stack-levels)
(check-sat)
(get-option :produce-models)
(get-option :random-seed)
(get-assertions)
(pop 1)
(get-info :assertion-stack-levels)
(get-assertions)
`
	good := []string{
		"a b", "c", "(:assertion-stack-levels 2)", "true", "7", "((< x 4) (> x 2))", "(:assertion-stack-levels 1)", "((< x 4))",
	}
	for _, test := range []struct {
		reply   int
		text    string
		summary string
	}{
		{0, `"a b"`, ""},
		{0, "a", "echo prints another text"},
		{1, "( ;", "echo prints another text"},
		{2, "(:assertion-stack-levels 1)", "get-info tells another number of assertion levels"},
		{6, "(:assertion-stack-levels 2)", "get-info tells another number of assertion levels"},
		{3, "false", "get-option tells another value than was set"},
		{3, "unknown", ""},
		{4, "8", "get-option tells another value than was set"},
		{5, "((> 4 x) (not (<= x 2)))", ""}, // in other words
		{5, "((< x 4) (> x 2) (= x 4))", "get-assertions lists other formulas than are asserted"},
		{5, "((< x y))", ""}, // y is unknown
		{7, "(false)", "get-assertions lists other formulas than are asserted"},
		{7, "", ""},
	} {
		a := smt.NewArena()
		s, err := smtlib.Parse("", []byte(text), a)
		require.NoError(t, err)
		m := model.New(a)
		m.Set(s.Commands[4].Symbols[0], value.Int64(3))
		c := &testcase.Case{Script: s, Witness: m}
		replies := append([]string(nil), good...)
		replies[test.reply] = test.text
		r := &solvers.Run{Class: solvers.OK, Answers: []smtlib.Answer{smtlib.Sat}, Values: replies}
		v := judgeDialogue(c, r)
		if test.summary == "" {
			require.Nil(t, v, test.text)
			continue
		}
		require.NotNil(t, v, test.text)
		require.Equal(t, test.summary, v.Summary)
		require.Contains(t, v.Detail, test.text)
		// A solver that reported an error may have ignored a command.
		r.Stdout = "unsupported\n"
		require.Nil(t, judgeDialogue(c, r))
	}
	// If an echo is printed without quotes, the end of its reply is unknown, and so are the replies after it.
	odd, err := smtlib.Parse("", []byte(`(echo "( ;")(get-info :assertion-stack-levels)`), smt.NewArena())
	require.NoError(t, err)
	require.False(t, Talks(odd))
	// A mode that keeps the solver for further cases has a level beneath.
	a := smt.NewArena()
	s, err := smtlib.Parse("", []byte("(get-info :assertion-stack-levels)(push 1)(get-info :assertion-stack-levels)"), a)
	require.NoError(t, err)
	c := &testcase.Case{Script: s}
	levels := func(n, m string) *solvers.Run {
		return &solvers.Run{Class: solvers.OK, Values: []string{"(:assertion-stack-levels " + n + ")", "(:assertion-stack-levels " + m + ")"}}
	}
	require.Nil(t, judgeDialogue(c, levels("1", "2")))
	require.NotNil(t, judgeDialogue(c, levels("1", "1")))
}

// A walk asks some questions only after a certain answer; after another one, there is no reply to be wrong.
func TestDialogueThatDependsOnAnAnswer(t *testing.T) {
	a := smt.NewArena()
	check, echo := smtlib.Command{Kind: smtlib.CmdCheckSat}, smtlib.Command{Kind: smtlib.CmdEcho, Text: `"a"`}
	c := testcase.FromTrace("", &solvers.Trace{Arena: a, Calls: []solvers.Call{
		solvers.CommandCall(check), {Kind: solvers.CallCommand, Command: echo, When: smtlib.Sat},
	}})
	run := func(answer smtlib.Answer) *solvers.Run {
		return &solvers.Run{Class: solvers.OK, Answers: []smtlib.Answer{answer}, Values: []string{""}}
	}
	require.Nil(t, judgeDialogue(c, run(smtlib.Unknown)))
	require.NotNil(t, judgeDialogue(c, run(smtlib.Sat)))
}
