package api

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// TestSecondSolver checks that the second solver's assertions and expected answers agree with the walk's assignment,
// and that only formulas of the first one are transferred.
func TestSecondSolver(t *testing.T) {
	cfg := everything(ByBoth)
	cfg.Machine.SetWeight("new-solver", 3)
	answers := map[smtlib.Answer]int{}
	for seed := range uint64(120) {
		w, text := walkCase(t, seed, cfg)
		a := w.Gen.A
		ev := eval.New(a, w.Gen.Model)
		var there, over []smt.Term
		open := false
		for _, c := range w.Calls() {
			switch {
			case c.Instance == 1 && c.Kind == solvers.CallNew:
				require.False(t, open)
				open, there, over = true, nil, nil
			case c.Instance == 1 && c.Kind == solvers.CallDelete:
				open = false
			case c.Kind == solvers.CallTransfer && c.Instance == 1:
				over = append(over, c.Args...)
			case c.Instance == 1 && c.Command.Kind == smtlib.CmdAssert:
				require.True(t, slices.Contains(over, c.Command.Terms[0]))
				there = append(there, c.Command.Terms[0])
			case c.Instance == 1 && c.Command.Kind == smtlib.CmdCheckSat:
				answers[c.Expect]++
				v := eval.CheckTerms(ev, there)
				require.Equal(t, map[smtlib.Answer]value.Truth{smtlib.Sat: value.True, smtlib.Unsat: value.False}[c.Expect], v.Result, "seed %d: %s", seed, text)
			}
		}
		require.NotContains(t, text, "transfer", "the script is that of the first solver")
	}
	require.Greater(t, answers[smtlib.Sat], 40)
	require.Greater(t, answers[smtlib.Unsat], 20)
}

// TestLimits: a limit is lifted after its check.
func TestLimits(t *testing.T) {
	cfg := everything(ByBoth)
	cfg.Limits = []rule.Limit{{Name: "timeout", Lo: 1, Hi: 1000}}
	n := 0
	for seed := range uint64(60) {
		w, _ := walkCase(t, seed, cfg)
		calls := w.Calls()
		for i := range calls {
			if calls[i].Command.Kind == smtlib.CmdSetOption && calls[i].Command.Name == ":timeout" && calls[i].Command.Text != "0" {
				require.Equal(t, smtlib.CmdCheckSat, calls[i+1].Command.Kind)
				require.Equal(t, "0", calls[i+2].Command.Text)
				n++
			}
		}
	}
	require.Greater(t, n, 5)
}

func TestClaims(t *testing.T) {
	cfg := everything(BySat)
	cfg.Without = lacktest.Lacks("option produce-proofs", "action push")
	operators, actions, err := cfg.Claims()
	require.NoError(t, err)
	require.Subset(t, operators, []string{"bvadd", "apply", "forall", "constructor", "match"})
	require.True(t, slices.IsSorted(operators) && slices.IsSorted(actions))
	require.Subset(t, actions, []string{"pop", "transfer", "mk-var", "get-model"})
	for _, never := range []string{"push", "get-proof", "plant", "check-sat-limited", "block-model"} {
		require.NotContains(t, actions, never)
	}
}

// TestLogicALL: with a theory that targets know in the logic ALL only, the logic is that or one without the theory.
func TestLogicALL(t *testing.T) {
	cfg := everything(ByBoth)
	cfg.Gen.Quantifiers = false
	cfg.Gen.Theories = []string{"BV", "String"}
	cfg.Gen.Rules.Exclude = lacktest.Lacks("logic-all BitVectorExtensions", "logic-all Strings")
	logics, n := map[string]int{}, 0
	for seed := range uint64(60) {
		w, _ := walkCase(t, seed, cfg)
		logics[w.Logic()]++
		if w.Gen.On["Strings"] && w.Logic() != "ALL" {
			require.Equal(t, "QF_SNIA", w.Logic())
		}
		if w.Logic() != "ALL" {
			require.False(t, w.Gen.On["BitVectorExtensions"])
			n++
		}
	}
	require.Greater(t, logics["ALL"], 10)
	require.Greater(t, n, 4)
}
