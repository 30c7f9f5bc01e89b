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
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestLiveSession(t *testing.T) {
	for _, sv := range realSolvers(t) {
		t.Run(sv.Name, func(t *testing.T) {
			target := New(sv, Options{})
			defer func() { require.NoError(t, target.Close()) }()
			a := smt.NewArena()
			s := openLive(t, target, a, testLimits)
			require.Same(t, a, s.Arena())
			require.NoError(t, s.SetOption("produce-models", "true"))
			require.NoError(t, s.SetOption("produce-unsat-cores", "true"))
			require.NoError(t, s.SetOption("produce-unsat-assumptions", "true"))
			require.NoError(t, s.SetLogic("QF_LIA"))
			x := a.Const(a.Declare("x y", nil, smt.SortInt))
			require.NoError(t, s.Declare(a.SymbolOf(x)))
			gt := a.MustApp(smt.OpGt, x, a.Int64(3))
			named := a.Annotate(gt, []smt.Attr{{Keyword: ":named", Value: "n1"}})
			a.Name("n1", gt)
			require.NoError(t, s.Assert(named))
			got, err := s.CheckSat(nil)
			require.NoError(t, err)
			require.Equal(t, smtlib.Sat, got)
			values, err := s.(solvers.Valuer).Values([]smt.Term{gt, a.MustApp(smt.OpSub, x, x)})
			require.NoError(t, err)
			require.Equal(t, []string{"true", "0"}, values)
			require.NoError(t, s.Push(1))
			require.NoError(t, s.Assert(a.MustApp(smt.OpLt, x, a.Int64(3))))
			got, err = s.CheckSat(nil)
			require.NoError(t, err)
			require.Equal(t, smtlib.Unsat, got)
			core, err := s.(solvers.Corer).UnsatCore()
			require.NoError(t, err)
			require.Len(t, core, 1)
			require.NoError(t, s.Pop(1))
			p := a.Const(a.Declare("p", nil, smt.SortBool))
			require.NoError(t, s.Declare(a.SymbolOf(p)))
			got, err = s.CheckSat([]smt.Term{p, a.Not(p)})
			require.NoError(t, err)
			require.Equal(t, smtlib.Unsat, got)
			failed, err := s.(solvers.AssumptionCorer).UnsatAssumptions()
			require.NoError(t, err)
			require.ElementsMatch(t, []smt.Term{p, a.Not(p)}, failed)
		})
	}
}

// TestLiveSessionErrors: classes are told, and whether the session lives on.
func TestLiveSessionErrors(t *testing.T) {
	target := fake(t, Options{}, nil)
	a := smt.NewArena()
	s := openLive(t, target, a, testLimits)
	_, err := s.(solvers.Asker).Ask(&smtlib.Command{Kind: smtlib.CmdSetInfo, Name: ":status", Text: "sat"})
	require.NoError(t, err)
	got, err := s.CheckSat(nil)
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, got)
	_, err = s.(solvers.Asker).Ask(&smtlib.Command{Kind: smtlib.CmdSetInfo, Name: ":fault", Text: "segv"})
	require.NoError(t, err)
	_, err = s.CheckSat(nil)
	require.Equal(t, solvers.Crash, solvers.ClassOf(err), "%v", err)
	require.True(t, solvers.DeadAfter(err))
	_, err = s.CheckSat(nil)
	require.True(t, solvers.DeadAfter(err))
	var run solvers.Run
	s.(solvers.Measured).Measure(&run)
	require.Equal(t, "SIGSEGV", run.Signal)
}

func TestLiveSessionTimesOut(t *testing.T) {
	target := fake(t, Options{}, nil)
	lim := testLimits
	lim.Wall = 300 * time.Millisecond
	s := openLive(t, target, smt.NewArena(), lim)
	_, err := s.(solvers.Asker).Ask(&smtlib.Command{Kind: smtlib.CmdSetInfo, Name: ":fault", Text: "hang"})
	require.NoError(t, err)
	_, err = s.CheckSat(nil)
	require.Equal(t, solvers.Timeout, solvers.ClassOf(err), "%v", err)
	require.True(t, solvers.DeadAfter(err))
}

// TestPlayedIsRun: a trace that is played gives what its text gives.
func TestPlayedIsRun(t *testing.T) {
	script, err := smtlib.Parse("s", []byte(`(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(check-sat)(get-value ((> x 3)))
(push 1)(assert (= x 2))(check-sat)(pop 1)(check-sat-assuming ((= x 3)))(check-sat)(echo "hi")`), smt.NewArena())
	require.NoError(t, err)
	for _, sv := range realSolvers(t) {
		target := New(sv, Options{})
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
