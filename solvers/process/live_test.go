package process

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

func openLive(t *testing.T, target solvers.Target, a *smt.Arena, lim solvers.Limits) solvers.Session {
	t.Helper()
	s, err := target.(solvers.Opener).Open(context.Background(), a, lim)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := s.Close()
		require.NoError(t, err)
	})
	return s
}

func TestLiveSession(t *testing.T) {
	for _, sv := range realSolvers(t) {
		t.Run(sv.Name, func(t *testing.T) {
			target := New(sv, TargetOptions{})
			defer func() { require.NoError(t, target.Close()) }()
			a := smt.NewArena()
			s := openLive(t, target, a, testLimits)
			require.Same(t, a, s.Arena())
			ctx := t.Context()
			tell := func(commands ...smtlib.Command) { require.NoError(t, solvers.Tell(ctx, s, commands...)) }
			require.NoError(t, solvers.SetOption(ctx, s, "produce-models", "true"))
			require.NoError(t, solvers.SetOption(ctx, s, "produce-unsat-cores", "true"))
			require.NoError(t, solvers.SetOption(ctx, s, "produce-unsat-assumptions", "true"))
			tell(smtlib.Command{Kind: smtlib.CmdSetLogic, Text: "QF_LIA"})
			x := a.Const(a.Declare("x y", nil, smt.SortInt))
			gt := a.MustApp(smt.OpGt, x, a.Int64(3))
			named := a.Annotate(gt, []smt.Attr{{Keyword: ":named", Value: "n1"}})
			a.Name("n1", gt)
			tell(smtlib.DeclareCommand(a, a.SymbolOf(x)), smtlib.AssertCommand(named))
			got, err := solvers.Check(ctx, s)
			require.NoError(t, err)
			require.Equal(t, smtlib.Sat, got)
			getValue := smtlib.Command{Kind: smtlib.CmdGetValue, Terms: []smt.Term{gt, a.MustApp(smt.OpSub, x, x)}}
			values, err := solvers.Say(ctx, s, getValue)
			require.NoError(t, err)
			require.Equal(t, []string{"true", "0"}, values.Values)
			require.Equal(t, "(((> |x y| 3) true) ((- |x y| |x y|) 0))", values.Text)
			tell(smtlib.Command{Kind: smtlib.CmdPush, N: 1}, smtlib.AssertCommand(a.MustApp(smt.OpLt, x, a.Int64(3))))
			got, err = solvers.Check(ctx, s)
			require.NoError(t, err)
			require.Equal(t, smtlib.Unsat, got)
			core, err := solvers.Say(ctx, s, smtlib.Command{Kind: smtlib.CmdGetUnsatCore})
			require.NoError(t, err)
			require.Len(t, core.Terms, 1)
			p := a.Const(a.Declare("p", nil, smt.SortBool))
			check := solvers.CommandCall(smtlib.CheckCommand([]smt.Term{p, a.Not(p)}))
			check.Before = []smtlib.Command{{Kind: smtlib.CmdPop, N: 1}, smtlib.DeclareCommand(a, a.SymbolOf(p))}
			reply, err := s.Call(ctx, &check)
			require.NoError(t, err)
			require.Equal(t, smtlib.Unsat, reply.Answer)
			failed, err := solvers.Say(ctx, s, smtlib.Command{Kind: smtlib.CmdGetUnsatAssumptions})
			require.NoError(t, err)
			require.ElementsMatch(t, []smt.Term{p, a.Not(p)}, failed.Terms)
		})
	}
}

// setInfo is (set-info NAME VALUE) as it was written: the fake solver behaves as it says. Others are not told.
func setInfo(a *smt.Arena, name, value string) smtlib.Command {
	c := smtlib.Command{Kind: smtlib.CmdSetInfo, Name: name, Text: value}
	c.KeepText(a, []byte("(set-info "+name+" "+value+")"))
	return c
}

// TestLiveSessionErrors: classes are told, and whether the session lives on.
func TestLiveSessionErrors(t *testing.T) {
	target := fake(t, TargetOptions{}, nil)
	a := smt.NewArena()
	s := openLive(t, target, a, testLimits)
	require.NoError(t, solvers.Tell(t.Context(), s, setInfo(a, ":status", "sat")))
	got, err := solvers.Check(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, got)
	require.NoError(t, solvers.Tell(t.Context(), s, setInfo(a, ":fault", "segv")))
	_, err = solvers.Check(t.Context(), s)
	require.Equal(t, solvers.Crash, solvers.ClassOf(err), "%v", err)
	require.True(t, solvers.DeadAfter(err))
	_, err = solvers.Check(t.Context(), s)
	require.True(t, solvers.DeadAfter(err))
	run, err := s.Close()
	require.NoError(t, err)
	require.Equal(t, "SIGSEGV", run.Signal)
}

func TestLiveSessionTimesOut(t *testing.T) {
	target := fake(t, TargetOptions{}, nil)
	lim := testLimits
	lim.Wall = 300 * time.Millisecond
	s := openLive(t, target, smt.NewArena(), lim)
	require.NoError(t, solvers.Tell(t.Context(), s, setInfo(s.Arena(), ":fault", "hang")))
	_, err := solvers.Check(t.Context(), s)
	require.Equal(t, solvers.Timeout, solvers.ClassOf(err), "%v", err)
	require.True(t, solvers.DeadAfter(err))
}

// TestPlayedIsRun: a trace that is played gives what its text gives.
func TestPlayedIsRun(t *testing.T) {
	script, err := smtlib.Parse("s", []byte(`(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(check-sat)(get-value ((> x 3)))
(push 1)(assert (= x 2))(check-sat)(pop 1)(check-sat-assuming ((= x 3)))(check-sat)(echo "hi")`), smt.NewArena())
	require.NoError(t, err)
	for _, sv := range realSolvers(t) {
		target := New(sv, TargetOptions{})
		q := solvers.FromScript(script)
		q.Models = true
		want := target.Run(context.Background(), q, testLimits)
		played := solvers.RunLive(context.Background(), target, q, testLimits, nil)
		require.Equal(t, solvers.OK, played.Class, "%+v", played)
		require.Equal(t, want.Answers, played.Answers)
		require.Positive(t, played.CPU)
		require.NoError(t, target.Close())
	}
}
