package mutate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// technique runs a campaign file that defines technique and seeds, in a folder.
func technique(t testing.TB, dir, src string) *maker {
	require.NoError(t, os.WriteFile(filepath.Join(dir, "t.star"), []byte(src), 0o666))
	reg, err := script.Registry()
	require.NoError(t, err)
	in := script.New(script.NewSources(reg, stdlib.FS(), dir), script.InterpreterOptions{Setup: script.Slots})
	globals, err := in.Exec(t.Context(), script.Campaign, filepath.Join(dir, "t.star"))
	require.NoError(t, err)
	th := in.NewThread(script.Case, "test")
	t.Cleanup(th.Close)
	return &maker{th, globals["technique"].(starlark.Callable), globals["seeds"], value.SessionOf(th.Starlark())}
}

// maker makes cases as a campaign does.
type maker struct {
	th        registry.Thread
	technique starlark.Callable
	seeds     starlark.Value
	session   *value.ThreadState
}

func (m *maker) make(ctx context.Context, r *engine.Source) (*testcase.Case, error) {
	m.session.Begin()
	v, err := m.th.Call(ctx, m.technique, starlark.Tuple{m.seeds, value.NewRng(r)}, nil)
	if err != nil {
		return nil, err
	}
	c, err := v.(value.Case).TestCase()
	if err != nil {
		return nil, err
	}
	out := *c
	out.Origin = m.session.Origin(c.Origin)
	return &out, nil
}

const stormSource = "load(\"@std//storm.star\", \"storm\")\ntechnique = storm(%s)\nseeds = corpus.bundled(%s)\n"

func bundledStorm(t testing.TB, args, filter string) *maker {
	return technique(t, t.TempDir(), fmt.Sprintf(stormSource, args, filter))
}

// makeCases makes cases and calls f for those that are not skipped.
func makeCases(t testing.TB, tech *maker, seed uint64, n int, f func(n int, c *testcase.Case)) {
	r := engine.New(seed)
	made := 0
	for i := range n {
		c, err := tech.make(t.Context(), r.Split(uint64(i)))
		if _, skipped := err.(*registry.Skip); skipped {
			continue
		}
		require.NoError(t, err, "case %d", i)
		made++
		f(i, c)
	}
	require.Greater(t, made, n/2)
}

// TestStormIsTrue checks by an evaluator of its own that the witness satisfies every assertion of every case, after the
// case went through its text.
func TestStormIsTrue(t *testing.T) {
	for _, args := range []string{"", "ops = {\"and\": 1, \"or\": 1, \"not\": 1, \"xor\": 1, \"=>\": 1, \"=\": 1, \"ite\": 1}, balanced = True, incremental = 1.0", "max_depth = 3, max_asserts = 5, incremental = 0, tactics = 1.0"} {
		tech := bundledStorm(t, args, "")
		logics := map[string]int{}
		makeCases(t, tech, 1, 150, func(n int, c *testcase.Case) {
			logics[c.Script.Logic()]++
			for i := range c.Script.CheckSats() {
				require.Equal(t, smtlib.Sat, c.ExpectAt(i), "case %d", n)
			}
			requireTrue(t, c)
		})
		require.Greater(t, len(logics), 20, "%v", logics)
	}
}

// TestStormIsDeterministic makes the same cases in another order, on a technique of its own.
func TestStormIsDeterministic(t *testing.T) {
	texts := map[int]string{}
	text := func(c *testcase.Case) string {
		origin, err := json.Marshal(c.Origin)
		require.NoError(t, err)
		return string(c.Text()) + c.Wire().Witness + fmt.Sprint(c.Expect) + string(origin)
	}
	makeCases(t, bundledStorm(t, "", ""), 7, 60, func(n int, c *testcase.Case) { texts[n] = text(c) })
	tech := bundledStorm(t, "", "")
	r := engine.New(7)
	for n := 59; n >= 0; n-- {
		c, err := tech.make(t.Context(), r.Split(uint64(n)))
		if err != nil {
			require.Empty(t, texts[n])
			continue
		}
		require.Equal(t, texts[n], text(c), "case %d", n)
	}
}

// BenchmarkStormCeiling measures the maximal speed of the engine: a whole technique in Starlark and the printing of
// each case, with a target that answers at once. The goal is 2,000 cases/s on one core for QF_LIA.
func BenchmarkStormCeiling(b *testing.B) {
	for _, bounds := range []struct{ name, args string }{
		{"default", "incremental = 0"},
		{"tool", "max_depth = 20, max_asserts = 20, formulas = (1000, 1000), mutants = (1000, 1000), balanced = True, incremental = 0.5"},
	} {
		b.Run(bounds.name, func(b *testing.B) {
			tech := bundledStorm(b, bounds.args, "logic = \"QF_LIA\"")
			if dir := os.Getenv("SMTLARK_SEEDS"); dir != "" {
				tech = technique(b, dirWithSeeds(b, filepath.Join(dir, "QF_LIA", "sat")), fmt.Sprintf("load(\"@std//storm.star\", \"storm\")\ntechnique = storm(%s)\nseeds = corpus.files(\"seeds\")\n", bounds.args))
			}
			r := engine.New(1)
			size, start := 0, system.CPUTime()
			for n := uint64(0); b.Loop(); n++ {
				c, err := tech.make(b.Context(), r.Split(n))
				if err != nil {
					continue
				}
				for _, cmd := range c.Query().Commands { // the target answers at once
					size += len(cmd.Text) + 1
				}
			}
			b.ReportMetric(float64(b.N)/(system.CPUTime()-start).Seconds(), "cases/cpu-s") // on a busy machine, other than cases/s
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
			b.ReportMetric(float64(size)/float64(b.N), "bytes/case")
		})
	}
}

// dirWithSeeds copies seeds to a folder that a campaign may read.
func dirWithSeeds(t testing.TB, from string) string {
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join(from, "*.smt2"))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "seeds"), 0o777))
	for i, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "seeds", fmt.Sprintf("%03d.smt2", i)), text, 0o666))
	}
	return dir
}
