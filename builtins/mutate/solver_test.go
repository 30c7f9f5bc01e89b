package mutate_test

import (
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/stdlib"
)

// target starts a solver of this machine, which must be there in CI.
func target(t testing.TB, name string, mode solvers.Mode) solvers.Target {
	found, err := solving.NewSupply(stdlib.FS()).Find(name, "")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "%v", err)
		t.Skipf("%v", err)
	}
	tg := process.New(found, process.TargetOptions{Mode: mode})
	t.Cleanup(func() { _ = tg.Close() })
	return tg
}

// TestSolversNeverRefuteStorm asks real solvers about cases of the bundled seeds: they may give up, but a single unsat,
// and any input that they reject as ill-formed, is a mistake of ours.
func TestSolversNeverRefuteStorm(t *testing.T) {
	for _, name := range []string{"z3", "cvc5"} {
		t.Run(name, func(t *testing.T) {
			tg, fresh := target(t, name, solvers.Reset), target(t, name, solvers.Fresh)
			decided, rejected := 0, map[string]int{}
			makeCases(t, bundledStorm(t, "max_asserts = 12, formulas = (20, 60), max_depth = 5", ""), 3, 150, func(n int, c *testcase.Case) {
				run := tg.Run(t.Context(), c.Query(), solvers.Limits{Wall: 400 * time.Millisecond})
				for i, a := range run.Answers {
					require.NotEqual(t, smtlib.Unsat, a, "case %d, check-sat %d\n%s\n%s", n, i, c.Text(), c.Wire().Witness)
					if a == smtlib.Sat {
						decided++
					}
				}
				if run.Class == solvers.ParseError { // z3 4.8.12 forgets constructors of patterns over (reset)
					run = fresh.Run(t.Context(), c.Query(), solvers.Limits{Wall: time.Second})
				}
				if run.Class == solvers.ParseError || run.Class == solvers.SolverError {
					rejected[fmt.Sprintf("%s %s: %s", c.Script.Logic(), c.Origin.Seeds, run.Message)]++
				}
			})
			require.Greater(t, decided, 20)
			require.Empty(t, rejected)
		})
	}
}

// TestStatusOfBundledSeeds runs real solvers on the unchanged seeds: no answer may contradict the status of a seed.
func TestStatusOfBundledSeeds(t *testing.T) {
	files, err := fs.Glob(stdlib.FS(), "seeds/*.smt2")
	require.NoError(t, err)
	decided := map[string]bool{}
	for _, name := range []string{"z3", "cvc5"} {
		tg := target(t, name, solvers.Reset)
		for _, file := range files {
			text, err := fs.ReadFile(stdlib.FS(), file)
			require.NoError(t, err)
			c, err := value.ParseCase(file, text)
			require.NoError(t, err)
			tc, err := c.TestCase()
			require.NoError(t, err)
			require.NotEmpty(t, tc.Expect, "%s has no status", file)
			require.NotEmpty(t, tc.Script.Logic(), file)
			for i, a := range tg.Run(t.Context(), tc.Query(), solvers.Limits{Wall: 300 * time.Millisecond}).Answers {
				// Z3 4.13.3 answers unsat where it has a fifth of a second; 5.4.1 answers sat, and x = 0.32 is a model.
				if name == "z3" && file == "seeds/qf_fplra_compare.smt2" && a == smtlib.Unsat {
					continue
				}
				if a.Decided() {
					require.Equal(t, tc.ExpectAt(i), a, "%s says of check-sat %d in %s", name, i, file)
					decided[file] = true
				}
			}
		}
	}
	require.Greater(t, len(decided), len(files)/4)
}
