package dialogue_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
)

// frontTarget makes a front end that is a target.
func frontTarget(t *testing.T, mode solvers.Mode, o frontend.Options, members ...solvers.Target) solvers.Target {
	t.Helper()
	p := &solvers.Profile{Name: "frontend"}
	p.Binaries = []string{"smtlark"}
	require.NoError(t, p.Validate())
	x := dialogue.NewTarget("front", &solvers.Solver{Profile: p, Name: "front"}, mode, o, members...)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	return x
}

// queryOf makes a query of a text.
func queryOf(t *testing.T, text string) *solvers.Query {
	t.Helper()
	s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return solvers.FromScript(s)
}

// TestTargetRuns checks that the run has the replies that a client would read, in all modes, for several questions.
func TestTargetRuns(t *testing.T) {
	for _, mode := range []solvers.Mode{solvers.Fresh, solvers.Reset} {
		x := frontTarget(t, mode, frontend.Options{}, targetsOf(t, "z3")...)
		for range 3 {
			q := queryOf(t, "(set-option :print-success true)(set-logic QF_LIA)(declare-const x Int)(assert (= x 3))(check-sat)(get-value (x))(push 1)(assert (> x 3))(check-sat)(pop 1)(check-sat)")
			run := x.Run(context.Background(), q, solvers.Limits{})
			require.Equal(t, solvers.OK, run.Class, run.Message)
			require.Equal(t, []smtlib.Answer{smtlib.Sat, smtlib.Unsat, smtlib.Sat}, run.Answers)
			require.Equal(t, []string{"((x 3))"}, run.Values)
			run = x.Run(context.Background(), queryOf(t, "(declare-const p Bool)(assert p)(check-sat)(assert (not p))(check-sat)").WithModel(), solvers.Limits{})
			require.Equal(t, solvers.OK, run.Class, run.Message)
			require.Contains(t, run.Values[0], "define-fun p")
			require.Empty(t, run.Values[1])
		}
	}
}

// TestTargetRefusals: an answer after a refused command is to another question, and counts for nothing.
func TestTargetRefusals(t *testing.T) {
	x := frontTarget(t, solvers.Reset, frontend.Options{}, targetsOf(t, "z3")...)
	q := &solvers.Query{Commands: []solvers.PrintedCommand{{Text: "(declare-const p Bool)"}, {Text: "(check-sat)", Reply: solvers.AnswerReply}, {Text: "(assert (and p q))"},
		{Text: "(check-sat)", Reply: solvers.AnswerReply}}}
	run := x.Run(context.Background(), q, solvers.Limits{})
	require.Equal(t, solvers.ParseError, run.Class)
	require.Equal(t, []smtlib.Answer{smtlib.Sat, smtlib.None}, run.Answers)
	run = x.Run(context.Background(), queryOf(t, "(check-sat)(exit)"), solvers.Limits{})
	require.Equal(t, []smtlib.Answer{smtlib.Sat}, run.Answers)
	run = x.Run(context.Background(), queryOf(t, "(check-sat)"), solvers.Limits{})
	require.Equal(t, solvers.OK, run.Class, "after an exit there is another front end")
}

// TestTargetContradiction: members that contradict one another are a failure of the run, which names one.
func TestTargetContradiction(t *testing.T) {
	x := frontTarget(t, solvers.Fresh, frontend.Options{Check: true}, append([]solvers.Target{fakeTarget(t, "liar", "--answer=unsat")}, targetsOf(t, "z3")...)...)
	run := x.Run(context.Background(), queryOf(t, "(declare-const x Int)(assert (> x 3))(check-sat)"), solvers.Limits{})
	require.Equal(t, smtlib.Sat, run.Answer())
	require.Len(t, run.Failed, 1)
	require.Contains(t, run.Failed[0].Message, "liar: it says unsat")
}

// TestTargetLimits: a run ends with its time, and the next question is answered.
func TestTargetLimits(t *testing.T) {
	x := frontTarget(t, solvers.Reset, frontend.Options{}, fakeTarget(t, "fake"))
	run := x.Run(context.Background(), queryOf(t, "(set-info :fault hang)(check-sat)"), solvers.Limits{})
	require.Equal(t, smtlib.Sat, run.Answer(), "settings of the client's own stay in the front end")
	hanging := frontTarget(t, solvers.Reset, frontend.Options{}, fakeTarget(t, "hanging", "--fault=hang"))
	run = hanging.Run(context.Background(), queryOf(t, "(check-sat)"), solvers.Limits{Wall: 300 * time.Millisecond})
	require.Equal(t, solvers.Timeout, run.Class)
	require.Equal(t, smtlib.None, run.Answer())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Equal(t, solvers.Cancelled, x.Run(ctx, queryOf(t, "(check-sat)"), solvers.Limits{}).Class)
	require.Equal(t, smtlib.Sat, x.Run(context.Background(), queryOf(t, "(check-sat)"), solvers.Limits{}).Answer())
}
