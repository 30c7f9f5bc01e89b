package native

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// TestWhatMayShareASolver: only scripts that leave nothing behind, with the settings that they begin with.
func TestWhatMayShareASolver(t *testing.T) {
	settings := func(text string) (string, int, bool) {
		script, err := smtlib.Parse("test.smt2", []byte(text), smt.NewArena())
		require.NoError(t, err, text)
		return settingsOf(solvers.TraceOf(script).Calls)
	}
	const body = "(declare-const p Bool)(push 1)(assert p)(check-sat)(pop 1)(check-sat)(get-model)"
	key, n, ok := settings("(set-info :status sat)(set-logic QF_UF)(set-option :produce-models true)" + body)
	require.True(t, ok)
	require.Equal(t, 3, n)
	other, _, _ := settings("(set-logic QF_UF)(set-info :status unsat)(set-option :produce-models true)" + body)
	require.Equal(t, key, other, "information is no setting of the solver")
	other, _, _ = settings("(set-logic QF_LIA)(set-option :produce-models true)" + body)
	require.NotEqual(t, key, other)
	other, _, _ = settings("(set-logic QF_UF)" + body)
	require.NotEqual(t, key, other)
	for _, text := range []string{
		body + "(set-option :produce-models true)", "(set-option :global-declarations true)" + body, body + "(reset)", body + "(reset-assertions)",
		"(declare-sort S 0)" + body, "(declare-datatype D ((c)))" + body, "(define-fun-rec f ((x Int)) Int (f x))" + body, body + "(get-assertions)",
		body + "(check-sat-using smt)", body + "(get-option :produce-models)",
	} {
		_, _, ok := settings(text)
		require.False(t, ok, text)
	}
	_, _, ok = settingsOf([]solvers.Call{{Command: smtlib.Command{Kind: smtlib.CmdPush, N: 1}}, {Command: smtlib.Command{Kind: smtlib.CmdPop, N: 2}}})
	require.False(t, ok, "the level below it is not its own")
}

// TestSharedSolver: scripts that share a solver get the answers and values that they get in a solver of their own,
// whatever ran before them: other sorts of the same name, levels left open, other settings, cores, quantifiers and
// errors.
func TestSharedSolver(t *testing.T) {
	texts := []string{
		"(declare-const x (_ BitVec 8))(assert (= x #x01))(assert (= x #x02))(check-sat)",
		"(set-option :produce-models true)(declare-const x (_ BitVec 4))(assert (= x #x3))(check-sat)(get-value (x (bvadd x x)))",
		"(set-option :produce-models true)(declare-fun x ((_ BitVec 4)) (_ BitVec 2))(assert (= (x #x3) #b01))(check-sat)(get-value ((x #x3)))",
		"(declare-const p Bool)(push 2)(assert p)(assert (not p))(check-sat)",
		"(declare-const p Bool)(assert p)(check-sat)(push 1)(assert (not p))(check-sat)(pop 1)(check-sat)(check-sat-assuming ((not p)))",
		"(set-logic QF_BV)(set-option :produce-unsat-cores true)(declare-const p Bool)(declare-const q Bool)(assert (! p :named a))(assert (! q :named b))(assert (! (not p) :named c))(check-sat)(get-unsat-core)",
		"(set-logic QF_BV)(set-option :produce-unsat-cores true)(declare-const q Bool)(assert (! q :named b))(check-sat)",
		"(declare-const x (_ BitVec 2))(assert (forall ((y (_ BitVec 2))) (or (= x y) (bvule x y))))(check-sat)",
		"(declare-const x (_ BitVec 2))(assert (= x (bvadd x #b01)))(check-sat)",
		"(set-option :no-such-option true)(declare-const p Bool)(assert p)(check-sat)",
		"(define-fun f ((x (_ BitVec 4))) (_ BitVec 4) (bvmul x x))(declare-const x (_ BitVec 4))(assert (= (f x) #x9))(check-sat)",
	}
	ask := func(target solvers.Target, text string) *solvers.Run {
		script, err := smtlib.Parse("test.smt2", []byte(text), smt.NewArena())
		require.NoError(t, err, text)
		q := solvers.FromScript(script)
		q.Shares = true
		return target.Run(context.Background(), q, solvers.Limits{})
	}
	for _, s := range libraries(t, false) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			own := New(s, process.TargetOptions{MaxRuns: 1})
			defer own.Close()
			var want []*solvers.Run
			for _, text := range texts {
				want = append(want, ask(own, text))
			}
			target := New(s, process.TargetOptions{})
			defer target.Close()
			for i := range 5 * len(texts) { // past one that is alone
				n := i * 7 % len(texts) // each after different others
				if i/len(texts)%2 == 1 {
					n = i % len(texts)
				}
				got := ask(target, texts[n])
				require.Equal(t, want[n].Class, got.Class, "%s\n%s", texts[n], got.Message)
				require.Equal(t, want[n].Answers, got.Answers, texts[n])
				require.Equal(t, want[n].Values, got.Values, texts[n])
			}
		})
	}
}

// TestBoolectorSharesNoSolver: its runs have a solver each, those of other libraries seldom.
func TestBoolectorSharesNoSolver(t *testing.T) {
	for _, s := range libraries(t, false) {
		t.Run(s.Name, func(t *testing.T) {
			target := New(s, process.TargetOptions{}).(*target)
			defer target.Close()
			script, err := smtlib.Parse("test.smt2", []byte("(declare-const x (_ BitVec 8))(assert (= x #x01))(check-sat)"), smt.NewArena())
			require.NoError(t, err)
			q := solvers.FromScript(script)
			q.Shares = true
			const runs = 10
			for range runs {
				require.Equal(t, solvers.OK, target.Run(context.Background(), q, solvers.Limits{}).Class)
			}
			alone := 1
			if s.Profile.Name == "boolector" {
				alone = runs
			}
			require.Equal(t, alone*aloneWear+runs-alone, target.wear)
		})
	}
}
