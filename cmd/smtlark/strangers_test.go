package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

// strangers are solvers that CI has not: patterns of their programs, from the root of the project. The Java ones are
// unpacked by make test-all where Java and Maven are, in a folder of their own: tests that take all solvers of this
// machine would wait for them.
var strangers = map[string]string{
	"opensmt":     "../shared/programs/opensmt",
	"smtinterpol": ".solvers/java/bin/smtinterpol-*",
	"princess":    ".solvers/java/bin/princess-*",
}

// TestSolversThatAreSeldomThere runs the campaign of smtlark fuzz on real solvers of kinds whose profiles nothing else
// of the tests holds against a program: they answer, and refuse little. SMTInterpol crashes on half of its first cases,
// those with datatypes, and Princess takes a second for each.
func TestSolversThatAreSeldomThere(t *testing.T) {
	if testing.Short() {
		t.Skip("learning what a solver in Java supports takes minutes")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	for kind, pattern := range strangers {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			found, err := filepath.Glob(filepath.Join(root, pattern))
			require.NoError(t, err)
			if len(found) == 0 {
				t.Skipf("no program %s", pattern)
			}
			dir := fakeProject(t, "none.star", "")
			cmd := smtlarkIn(dir, "fuzz", "--solver", kind+"="+found[0], "--cases", "120", "--seed", "5", "-j", "1", "-q", "--for", "6m")
			out, _ := cmd.CombinedOutput()
			require.Contains(t, []int{0, command.ExitFindings}, cmd.ProcessState.ExitCode(), string(out))
			text, err := os.ReadFile(filepath.Join(dir, "runs", "everything", "latest", "stats.json"))
			require.NoError(t, err)
			var stats struct {
				Targets []struct {
					Name             string
					Runs, Sat, Unsat int
					Classes          map[string]int
				}
			}
			require.NoError(t, json.Unmarshal(text, &stats))
			runs, decided, refused := 0, 0, 0
			for _, x := range stats.Targets {
				if strings.HasPrefix(x.Name, kind) {
					runs += x.Runs
					decided += x.Sat + x.Unsat
					refused += x.Classes["error"] + x.Classes["unsupported"]
				}
			}
			require.Positive(t, runs, string(text))
			require.Greater(t, 10*decided, runs, string(text))
			require.Less(t, 5*refused, runs, string(text))
		})
	}
}
