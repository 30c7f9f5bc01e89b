package fusion_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/fusion"
	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// library returns the table of the library and what its makers want.
func library(t testing.TB) (*engine.Table, any) {
	t.Helper()
	reg, err := script.Registry()
	require.NoError(t, err)
	in := script.New(script.NewSources(reg, stdlib.FS(), t.TempDir()), script.InterpreterOptions{})
	globals, err := in.Load(context.Background(), "@std//fusion/table.star")
	require.NoError(t, err)
	th := in.NewThread(script.Case, "test")
	t.Cleanup(th.Close)
	return globals["TABLE"].(*fusion.TableValue).Engine(), th.Starlark()
}

// seedFiles lists the files below a folder by logic.
func seedFiles(t testing.TB, dir string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".smt2") {
			rel, _ := filepath.Rel(dir, path)
			logic, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
			out[logic] = append(out[logic], path)
		}
		return err
	}))
	return out
}

func readPart(t testing.TB, path string) engine.Part {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s, err := smtlib.Parse(filepath.Base(path), text, smt.NewArena())
	require.NoError(t, err)
	asserts, err := scope.StripNames(s.Arena, s.Asserts())
	require.NoError(t, err)
	return engine.Part{Script: s, Asserts: asserts, Answer: s.Status(), Known: engine.Analyze(s, asserts)}
}

// accepts reports whether a solver reads all of a script but its check-sat.
func accepts(t testing.TB, target solvers.Target, s *smtlib.Script) (bool, string) {
	t.Helper()
	var cmds []smtlib.Command
	for _, c := range s.Commands {
		if !c.Kind.IsCheck() && c.Kind != smtlib.CmdSetInfo && c.Kind != smtlib.CmdExit {
			cmds = append(cmds, c)
		}
	}
	// A model of nothing is not asked for: the script ends behind its assertions.
	run := target.Run(context.Background(), solvers.FromScript(s.WithCommands(cmds)), solvers.Limits{Wall: 20 * time.Second})
	out := run.Stdout + run.Stderr + run.Message
	return !strings.Contains(out, "rror"), strings.TrimSpace(out)
}

// TestSeedsFuse fuses each seed with another one of its logic: SMTLARK_DEEP=1, SMTLARK_SEEDS=folder. It reports by
// logic how many files with a variable that can be replaced had one replaced, and how many fused scripts z3 and cvc5
// read where they read both seeds.
func TestSeedsFuse(t *testing.T) {
	dir := os.Getenv("SMTLARK_SEEDS")
	if os.Getenv("SMTLARK_DEEP") == "" || dir == "" {
		t.Skip("set SMTLARK_DEEP and SMTLARK_SEEDS")
	}
	table, env := library(t)
	var targets []solvers.Target
	for _, name := range []string{"z3", "cvc5"} {
		s, err := script.Supply().Find(name, "")
		require.NoError(t, err)
		target := process.New(s, process.TargetOptions{Mode: solvers.Reset})
		t.Cleanup(func() { _ = target.Close() })
		targets = append(targets, target)
	}
	for _, target := range targets { // control: the target must refuse a wrong script
		s := &smtlib.Script{Arena: smt.NewArena(), Commands: []smtlib.Command{{Kind: smtlib.CmdOther, Text: "(assert (= undeclared 1))"}}}
		ok, why := accepts(t, target, s)
		require.False(t, ok, "%s: %s", target.Solver().Name, why)
	}
	files := seedFiles(t, dir)
	total, fused, made, read := 0, 0, 0, [2]int{}
	readable := map[string][2]bool{}
	reads := func(p engine.Part, path string) [2]bool {
		if _, ok := readable[path]; !ok {
			var r [2]bool
			for i, target := range targets {
				r[i], _ = accepts(t, target, p.Script)
			}
			readable[path] = r
		}
		return readable[path]
	}
	var both [2]int
	for n, logic := range slices.Sorted(maps.Keys(files)) {
		have, did := 0, 0
		for k, path := range files[logic] {
			r := rng.New(uint64(n)<<32 + uint64(k))
			other := files[logic][r.Intn(len(files[logic]))]
			parts := []engine.Part{readPart(t, path), readPart(t, other)}
			j, err := engine.Join(parts)
			require.NoError(t, err, "%s %s", path, other)
			if len(j.Variables(0)) == 0 {
				continue
			}
			have++
			f, err := j.Fuse(table, j.Env(r, env, r.Bool(), 0.5), 2, 0.8, engine.Size{Nodes: r.Range(5, 20)})
			require.NoError(t, err, "%s %s", path, other)
			c, err := j.Case(r, engine.How{Share: 0.5})
			require.NoError(t, err)
			if f == nil {
				t.Logf("not fused: %s %s", path, other)
				continue
			}
			did++
			made++
			canOne, canTwo := reads(parts[0], path), reads(parts[1], other)
			for i, target := range targets {
				if !canOne[i] || !canTwo[i] {
					continue
				}
				both[i]++
				if ok, why := accepts(t, target, c.Script); ok {
					read[i]++
				} else {
					t.Logf("%s refuses %s + %s: %.300s", target.Solver().Name, path, other, why)
					if out := os.Getenv("SMTLARK_KEEP"); out != "" {
						require.NoError(t, os.WriteFile(filepath.Join(out, fmt.Sprintf("refused-%s-%d.smt2", logic, k)), c.Text(), 0o644))
					}
				}
			}
		}
		total, fused = total+have, fused+did
		t.Logf("%-12s %4d of %4d files with a variable fuse (%d files)", logic, did, have, len(files[logic]))
	}
	t.Logf("fused %d of %d; z3 reads %d of %d, cvc5 reads %d of %d", fused, total, read[0], both[0], read[1], both[1])
	require.GreaterOrEqual(t, float64(fused), 0.95*float64(total))
	require.GreaterOrEqual(t, float64(read[0]+read[1]), 0.999*float64(both[0]+both[1]))
}
