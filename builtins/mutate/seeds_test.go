package mutate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// TestStormOnRealSeeds makes cases of real benchmarks and checks each assertion with an evaluator of its own.
func TestStormOnRealSeeds(t *testing.T) {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		t.Skip("SMTLARK_SEEDS names no folder of seeds")
	}
	logics, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, logic := range logics {
		if !logic.IsDir() {
			continue
		}
		t.Run(logic.Name(), func(t *testing.T) {
			home := t.TempDir()
			require.NoError(t, os.CopyFS(filepath.Join(home, "seeds"), os.DirFS(filepath.Join(dir, logic.Name()))))
			tech := technique(t, home, "load(\"@std//storm.star\", \"storm\")\ntechnique = storm(max_depth = 8, formulas = (50, 200), mutants = (1, 1))\nseeds = corpus.files(\"seeds\")\n")
			made, skipped, asserted, r := 0, 0, 0, rng.New(1)
			for n := range uint64(60) {
				c, err := tech.make(t.Context(), r.Split(n))
				if err != nil {
					require.ErrorContains(t, err, "no predicate whose value is known")
					skipped++
					continue
				}
				made++
				asserted += requireTrue(t, c)
			}
			t.Logf("%d made, %d skipped, %d assertions, broken %v", made, skipped, asserted, tech.session.Broken())
			require.Greater(t, made, 30)
			require.Empty(t, tech.session.Broken())
		})
	}
}

// requireTrue checks that the witness satisfies what each check-sat sees, after the case went through its text. It
// returns how many assertions there are.
func requireTrue(t *testing.T, c *testcase.Case) (asserted int) {
	back, err := c.Wire().Case(nil)
	require.NoError(t, err)
	for i := range back.Script.CheckSats() {
		ev := eval.New(back.Script.Arena, back.Witness)
		for k, a := range back.Script.AssertsAt(i) {
			asserted++
			if v := ev.Truth(a); v != value.True {
				_, err := ev.Eval(a)
				t.Fatalf("assertion %d of check-sat %d is %s (%v) in\n%s\n%s", k, i, v, err, c.Text(), c.Wire().Witness)
			}
		}
	}
	return asserted
}
