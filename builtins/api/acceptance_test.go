package api_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/stdlib"
)

// TestWhatIsDeclinedIsKnown runs real solvers on all bundled seeds: the rules must predict exactly the seeds that the
// solvers refuse.
func TestWhatIsDeclinedIsKnown(t *testing.T) {
	seeds, err := value.Bundled(stdlib.FS())
	require.NoError(t, err)
	var cases []*testcase.Case
	for _, src := range seeds.Seeds() {
		text, err := src.Read()
		require.NoError(t, err)
		c, err := value.ParseCase(src.Name(), text)
		require.NoError(t, err)
		tc, err := c.TestCase()
		require.NoError(t, err)
		cases = append(cases, tc)
	}
	if dir := os.Getenv("SMTLARK_SEEDS"); dir != "" && os.Getenv("SMTLARK_DEEP") != "" {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".smt2" {
				return err
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			c, err := value.ParseCase(path, text)
			if err != nil {
				return nil
			}
			tc, err := c.TestCase()
			require.NoError(t, err)
			cases = append(cases, tc)
			return nil
		}))
	}
	cache := memo.New(t.TempDir())
	for _, name := range []string{"z3", "cvc5", "bitwuzla", "boolector", "yices2"} {
		if testing.Short() && name != "cvc5" {
			continue // one of all
		}
		t.Run(name, func(t *testing.T) {
			found, err := solving.NewSupply(stdlib.FS()).Find(name, "")
			if err != nil {
				require.Empty(t, os.Getenv("CI"), "%v", err)
				t.Skipf("%v", err)
			}
			s := &target.Solver{Found: found, Opt: process.TargetOptions{Mode: solvers.Fresh}}
			require.NoError(t, target.LearnFacts(t.Context(), []*target.Solver{s}, cache, nil))
			rules := target.AcceptanceOf([]*target.Solver{s})
			target := process.New(s.Found, s.Opt)
			defer target.Close()
			for _, c := range cases {
				why := rules.Declines(c.Script)
				if !s.Found.Profile.Takes(c.Script.Logic()) {
					continue // campaigns leave out its logic
				}
				lim := solvers.Limits{Wall: 300 * time.Millisecond}
				if why != "" { // a refusal is waited for
					lim.Wall = time.Minute
				}
				run := target.Run(t.Context(), c.Query(), lim)
				switch run.Class {
				case solvers.Refusal, solvers.Unsupported, solvers.ParseError, solvers.SolverError:
					if why == "" {
						t.Errorf("%s: nothing says that %s refuses it: %s", c.Script.Name, name, run.Message)
					}
				default:
					if why != "" {
						t.Errorf("%s: %s is said not to take it (%s), but it does: %s", c.Script.Name, name, why, run.Class)
					}
				}
			}
		})
	}
}
