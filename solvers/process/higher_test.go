package process

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/internal/standardmachine"
	"github.com/smtlark/smtlark/solvers"
)

// TestFunctionWalks checks that solvers read walks with functions as values, and that no answer contradicts the known
// one.
func TestFunctionWalks(t *testing.T) {
	theory := map[string]string{"cvc5": gen.HigherOrder, "z3": gen.ArrayFunctions}
	for _, s := range realSolvers(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			target := New(s, TargetOptions{Mode: solvers.Incremental})
			defer func() { require.NoError(t, target.Close()) }()
			cfg := &api.WalkConfig{Machine: standardmachine.New(t), Truth: api.ByBoth, Literals: true, Gen: gen.Config{HigherOrder: true, MaxWidth: 8, Rules: gen.Exclusions{
				Kinds:    []string{s.Profile.Name},
				Theories: []string{"Core", "FixedSizeBitVectors", "ArraysEx", "UF", theory[s.Profile.Name]},
				Exclude: lacktest.Lacks("array-index ->", "array-element ->", "fun-codomain ->", "array-index Array", "operator const", "operator eqrange", "operator default",
					"operator store", // into a lambda: z3 4.13.3 takes (select (store (lambda ((x Bool)) x) true false) c) for satisfiable
					// Old versions lack them.
					"operator bvnego", "operator bvuaddo", "operator bvsaddo", "operator bvumulo", "operator bvsmulo", "operator bvusubo", "operator bvssubo", "operator bvsdivo",
					"theory BitVectorExtensions", "nary bvxnor", "logic-all ArrayFunctions"),
			}}, Without: lacktest.Lacks("action get-proof", "option produce-proofs")}
			decided, made := 0, map[string]int{}
			for seed := range uint64(20) {
				w, err := api.NewWalk(smt.NewArena(), rng.New(seed), cfg)
				require.NoError(t, err)
				for op, n := range w.Gen.Made {
					made[op] += n
				}
				trace := w.Trace()
				script := trace.Script("case")
				run := target.Run(context.Background(), trace.ConditionalQuery(script), solvers.Limits{Wall: 2 * time.Second})
				if run.Class == solvers.Timeout {
					continue
				}
				require.Equal(t, solvers.OK, run.Class, "seed %d: %s\n%s", seed, run.Message, script.Text())
				expect := w.Case("case").Expect
				for i, got := range run.Answers {
					if got.Decided() && i < len(expect) && expect[i].Decided() {
						require.Equal(t, expect[i], got, "seed %d, check %d:\n%s", seed, i, script.Text())
						decided++
					}
				}
			}
			require.Greater(t, decided, 15)
			require.Greater(t, made["lambda"]+made["lambda-array"], 10)
			require.Greater(t, made["@"]+made["map"], 10)
			require.Greater(t, made["function"]+made["as-array"], 0)
		})
	}
}
