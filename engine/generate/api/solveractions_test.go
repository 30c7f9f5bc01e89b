package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

var ownActions = []solvers.Action{
	{Name: "get-odd", Commands: []string{"(get-odd {name} {goal})"}, State: "sat", Weight: 40, Option: "produce-odd", Probability: 1, SpendsModel: true},
	{Name: "by-tactic", Commands: []string{"(check-sat-using (then simplify smt))"}, State: "check_sat", Next: "decide", Weight: 5},
	{Name: "simplify", Commands: []string{"(simplify {formula} :flat true)"}, State: "create_terms", Weight: 3},
	{Name: "forget", Commands: []string{"(forget)"}, State: "sat", Weight: 5, ChangesProblem: true},
}

// TestActionsOfProfiles checks that actions of profiles are done in the states that the machine names, with the options
// they need, and that the known answers are right.
func TestActionsOfProfiles(t *testing.T) {
	m := standard().With(ownActions)
	require.NoError(t, m.Check())
	require.Equal(t, "produce-odd", m.Options[0].Name, "before the machine's own")
	seen := map[string]int{}
	for _, truth := range []Certainty{ByBoth, Unconstrained} {
		for seed := range uint64(30) {
			cfg := everything(truth)
			cfg.Machine = m
			w, text := walkCase(t, seed, cfg)
			c, err := w.Case("case").Wire().Case(nil)
			require.NoError(t, err)
			require.Equal(t, text, c.Script.Text(), "a case with them is the same after a round through its wire form")
			require.Equal(t, len(c.Expect), c.Script.CheckSats())
			spent := false
			for _, call := range w.Calls() {
				seen[call.Action]++
				switch call.Action {
				case "get-odd":
					require.Equal(t, "true", w.Option("produce-odd"))
					require.Len(t, call.Command.Terms, 1)
					spent = true
				case "get-model":
					require.False(t, spent, text)
				case "forget":
					require.Equal(t, Unconstrained, truth)
				case "by-tactic":
					require.Equal(t, smtlib.CmdCheckSatUsing, call.Command.Kind)
				case "simplify":
					require.Equal(t, ":flat true", call.Command.Text)
				}
				if call.Command.Kind.IsCheck() {
					spent = false
				}
			}
		}
	}
	for _, d := range ownActions {
		require.Positive(t, seen[d.Name], d.Name)
	}
	bare := standard()
	bare.State("sat").SolverActions = -1
	bare.RemoveElsewhere("by-tactic")
	require.Equal(t, []string{"simplify"}, addedTo(bare))
}

func addedTo(m *Machine) (names []string) {
	for name := range m.With(ownActions).Actions {
		if m.Actions[name] == nil {
			names = append(names, name)
		}
	}
	return names
}
