package api

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/gen"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// matters reports whether an assertion of a case would be false if a term had another value.
func matters(t *testing.T, asserts []smt.Term, a *smt.Arena, model *eval.Model, values *eval.Generator, term smt.Term) bool {
	sort := a.Sort(term)
	other := a.Declare("other value", nil, sort)
	for range 2 {
		v := values.Value(sort)
		if !v.IsValue() {
			return false
		}
		model.Set(other, v)
		ev := eval.New(a, model)
		for _, assert := range asserts {
			changed, err := a.Subst(assert, map[smt.Term]smt.Term{term: a.Const(other)})
			require.NoError(t, err)
			if changed == assert {
				continue
			}
			if holds, known := ev.Holds(changed); known && !holds {
				return true
			}
		}
	}
	return false
}

// shareThatMatters returns the share of the applications made in walks that can change the truth of an assertion.
func shareThatMatters(t *testing.T, walks uint64) float64 {
	made, shown := 0, 0
	for seed := range walks {
		a := smt.NewArena()
		cfg := &Config{Machine: Base(), Truth: BySat, Gen: gen.Config{Theories: []string{"BV", "Array", "UF", "Int"}, Rules: gen.Rules{Kinds: []string{"z3"}}}}
		run, err := Walk(a, rng.New(seed), cfg)
		require.NoError(t, err)
		var asserts []smt.Term
		terms := map[smt.Term]bool{}
		for _, c := range run.calls {
			if c.Command.Kind == smtlib.CmdAssert {
				asserts = append(asserts, c.Command.Terms[0])
			}
		}
		for _, x := range run.Gen.DB.Applications() {
			terms[x] = true
		}
		values := eval.NewGenerator(a, run.Gen.Model, rng.New(seed))
		for x := range terms {
			made++
			if matters(t, asserts, a, run.Gen.Model, values, x) {
				shown++
			}
		}
	}
	return float64(shown) / float64(made)
}

// TestTermsOfWalksMatter measures how many of the terms that a walk makes could change an answer. It was 0.077 of 300 walks before terms were
// pinned to their values.
func TestTermsOfWalksMatter(t *testing.T) {
	walks := uint64(25)
	if os.Getenv("SMTLARK_DEEP") != "" {
		walks = 300
	}
	share := shareThatMatters(t, walks)
	t.Logf("%.3f of the terms of walks can change the truth of an assertion", share)
	require.Greater(t, share, 0.18)
}
