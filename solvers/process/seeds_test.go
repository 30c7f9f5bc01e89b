package process

import (
	"context"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// seedFiles samples the files LOGIC/sat|unsat/*.smt2 below $SMTLARK_SEEDS: every n-th of all.
func seedFiles(t *testing.T, n int) []string {
	root := os.Getenv("SMTLARK_SEEDS")
	if root == "" {
		t.Skip("SMTLARK_SEEDS is not set")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*", "*.smt2"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	sort.Strings(files)
	var some []string
	for i := 0; i < len(files); i += n {
		some = append(some, files[i])
	}
	return some
}

// TestSeedsInAllModes runs real scripts one after the other through persistent processes: no answer may contradict
// the label, no class may be garbage, whatever came before. SMTLARK_SEEDS_STEP=1 takes all seeds and all solvers.
func TestSeedsInAllModes(t *testing.T) {
	step, _ := strconv.Atoi(os.Getenv("SMTLARK_SEEDS_STEP"))
	all := step > 0
	if !all {
		step = 50
		if testing.Short() {
			step = 100
		}
	}
	files := seedFiles(t, step)
	lim := solvers.Limits{Wall: 300 * time.Millisecond, Memory: 1 << 30, Output: 1 << 20}
	kinds := map[string]bool{}
	for _, s := range realSolvers(t) {
		if kinds[s.Profile.Name] && !all {
			continue
		}
		kinds[s.Profile.Name] = true
		for _, m := range s.Modes() {
			t.Run(s.Name+"/"+string(m), func(t *testing.T) {
				target := New(s, TargetOptions{Mode: m})
				defer target.Close()
				classes := map[solvers.Class]int{}
				var cpu time.Duration
				for _, file := range files {
					src, err := os.ReadFile(file)
					require.NoError(t, err)
					script, err := smtlib.Parse(file, src, smt.NewArena())
					require.NoError(t, err)
					run := target.Run(context.Background(), solvers.FromScript(script), lim)
					classes[run.Class]++
					cpu += run.CPU
					label, _ := smtlib.ParseAnswer(filepath.Base(filepath.Dir(file)))
					if a := run.Answer(); a.Decided() {
						require.Equal(t, label, a, "%s: %+v", file, run)
					}
					switch run.Class {
					case solvers.OK, solvers.Timeout:
					case solvers.ParseError, solvers.Unsupported, solvers.Refusal:
						t.Logf("%s: %v: %s", file, run.Class, run.Message)
					default:
						t.Errorf("%s: %v: %s\n%s\n%s", file, run.Class, run.Message, strings.TrimSpace(run.Stdout), run.Stderr)
					}
				}
				t.Logf("%v, CPU %v", classes, cpu)
			})
		}
	}
}
