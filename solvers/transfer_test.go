package solvers_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/meta"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// TestTransferDeclares plays a trace with a second solver on sessions that record their commands.
func TestTransferDeclares(t *testing.T) {
	script, err := smtlib.Parse("s", []byte(`(declare-sort U 0)
(declare-datatypes ((A 0) (B 0)) (((a (toB B)) (a0)) ((b (toA A) (u U)))))
(declare-fun g (U A) Int)
(declare-const x A)
(declare-const w U)
(define-fun h ((z Int)) Bool (> z (g w x)))
(define-funs-rec ((ev ((n Int)) Bool) (od ((n Int)) Bool)) ((ite (= n 0) true (od (- n 1))) (ite (= n 0) false (ev (- n 1)))))
(assert (h 3))
(assert (ev (g w x)))
(check-sat)
`), smt.NewArena())
	require.NoError(t, err)
	tr := solvers.TraceOf(script)
	var asserted []smt.Term
	for _, c := range tr.Calls {
		if c.Command.Kind == smtlib.CmdAssert {
			asserted = append(asserted, c.Command.Terms[0])
		}
	}
	on := func(c solvers.Call) { c.Instance = 1; tr.Calls = append(tr.Calls, c) }
	cmd := solvers.CommandCall
	on(solvers.Call{Kind: solvers.CallNew})
	on(cmd(smtlib.Command{Kind: smtlib.CmdPush, N: 1}))
	on(solvers.Call{Kind: solvers.CallTransfer, Args: asserted[:1]})
	on(solvers.Call{Kind: solvers.CallTransfer, Args: asserted})
	on(cmd(smtlib.Command{Kind: smtlib.CmdPop, N: 1}))
	on(solvers.Call{Kind: solvers.CallTransfer, Args: asserted[:1]})
	on(cmd(smtlib.AssertCommand(asserted[0])))
	check := cmd(smtlib.Command{Kind: smtlib.CmdCheckSat})
	check.Expect = smtlib.Sat
	on(check)

	text := tracetext.Text(tr)
	back, err := tracetext.Read([]byte(text), nil)
	require.NoError(t, err, text)
	require.Equal(t, text, tracetext.Text(back))
	require.True(t, back.Several())
	require.False(t, solvers.TraceOf(script).Several())

	for _, tr := range []*solvers.Trace{tr, back} {
		var first, second strings.Builder
		run := &solvers.Run{}
		p := solvers.Player{Open: func() (solvers.Session, error) { return meta.NewWriter(tr.Arena, &second), nil }}
		p.Play(t.Context(), meta.NewWriter(tr.Arena, &first), tr.Calls, run)
		require.Equal(t, solvers.OK, run.Class, run.Message)
		got := second.String()
		_, err := smtlib.Parse("second", []byte(got), smt.NewArena())
		require.NoError(t, err, "everything is declared before it is used: %s", got)
		require.Equal(t, 2, strings.Count(got, "(declare-sort U 0)"), "once before the pop and once after it: %s", got)
		require.Equal(t, 1, strings.Count(got, "define-funs-rec"), got)
		require.NotContains(t, first.String(), "push", "the first solver is left alone")
	}
}

// answering says sat to everything.
type answering struct{ solvers.Session }

func (answering) Call(context.Context, *solvers.Call) (solvers.Reply, error) {
	return solvers.Reply{Answer: smtlib.Sat}, nil
}

func TestFurtherSolverIsJudged(t *testing.T) {
	a := smt.NewArena()
	check := solvers.CommandCall(smtlib.Command{Kind: smtlib.CmdCheckSat})
	check.Instance = 1
	for expect, failed := range map[smtlib.Answer]int{smtlib.None: 0, smtlib.Sat: 0, smtlib.Unsat: 1} {
		check.Expect = expect
		run := &solvers.Run{}
		open := func() (solvers.Session, error) { return answering{meta.NewWriter(a, &strings.Builder{})}, nil }
		s, _ := open()
		(&solvers.Player{Open: open}).Play(t.Context(), s, []solvers.Call{{Kind: solvers.CallNew, Instance: 1}, check}, run)
		require.Len(t, run.Failed, failed)
		require.Empty(t, run.Answers, "answers are those of the first solver")
	}
}
