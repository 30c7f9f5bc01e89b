package native

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// seedFiles are the bundled seeds, and with SMTLARK_SEEDS the files below that folder.
func seedFiles(t *testing.T) []string {
	files, err := filepath.Glob("../../stdlib/seeds/*.smt2")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	if dir := os.Getenv("SMTLARK_SEEDS"); dir != "" && os.Getenv("SMTLARK_DEEP") != "" {
		_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
			if err == nil && filepath.Ext(p) == ".smt2" {
				files = append(files, p)
			}
			return nil
		})
	}
	return files
}

// TestSeeds: no library contradicts the status of a seed, and its models satisfy it, as the evaluator sees it.
func TestSeeds(t *testing.T) {
	files := seedFiles(t)
	for _, s := range libraries(t, os.Getenv("SMTLARK_DEEP") != "") {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			// A deterministic limit: what is left out then does not depend on how busy the machine is.
			units := map[string]uint64{"z3": 100_000, "cvc5": 5_000}
			target := New(s, process.TargetOptions{Resources: units[s.Profile.Name]})
			defer target.Close()
			counts := map[string]int{}
			for _, file := range files {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				script, err := smtlib.Parse(file, text, smt.NewArena())
				if err != nil || script.CheckSats() == 0 {
					continue
				}
				q := solvers.FromScript(script).WithModel()
				q.Shares = true // so that no seed shows in the answer to another
				run := target.Run(context.Background(), q, solvers.Limits{Wall: 5 * time.Second})
				counts[run.Class.String()]++
				require.False(t, run.Class.IsBug(), "%s: %s: %s\n%s", file, run.Class, run.Message, run.Stderr)
				require.NotContains(t, []solvers.Class{solvers.Garbage, solvers.StartFailure, solvers.SolverError}, run.Class, "%s: %s\n%s", file, run.Message, run.Stderr)
				if status, got := script.Status(), run.Answer(); status.Decided() && got.Decided() {
					require.Equal(t, status, got, file)
					counts[got.String()]++
				}
				if run.Answer() == smtlib.Sat {
					checkModel(t, file, script, run, counts)
				}
			}
			t.Log(counts)
			require.Greater(t, counts["sat"]+counts["unsat"], 10)
		})
	}
}

func checkModel(t *testing.T, file string, script *smtlib.Script, run *solvers.Run, counts map[string]int) {
	reply := run.Values[len(run.Values)-1]
	quantified := !strings.HasPrefix(script.Logic(), "QF_")
	if reply == "" && (run.Solver[:8] == "libyices" || run.Solver[:8] == "libboole" && quantified) { // they give none of functions, and none beside quantifiers
		counts["no model"]++
		return
	}
	require.NotEmpty(t, reply, file)
	m, err := modelreader.Parse(script, reply)
	if err != nil {
		counts["model unread"]++
		t.Logf("%s: %v\n%.300s", file, err, reply)
		return
	}
	v := eval.CheckModel(script, m)
	require.NotEqual(t, value.False, v.Result, "%s: %s\n%s", file, v.String(script.Arena), reply)
	counts["model "+v.Result.String()]++
}
