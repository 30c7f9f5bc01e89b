package mutate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
)

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemoryStaysFlat makes many cases of the same seeds: nothing of a case may stay.
func TestMemoryStaysFlat(t *testing.T) {
	tech := bundledStorm(t, "", "logic = [\"QF_LIA\", \"QF_BV\", \"UF\", \"QF_SLIA\", \"QF_UFLIA\"]")
	run := func(seed uint64) { makeCases(t, tech, seed, 400, func(int, *testcase.Case) {}) }
	run(1)
	before := liveHeap()
	run(2)
	run(3)
	run(4)
	require.Less(t, liveHeap()-before, int64(2<<20))
}

// TestSeedsBeyondTheCache picks from more seeds than a thread keeps parsed.
func TestSeedsBeyondTheCache(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "seeds"), 0o777))
	for i := range 24 {
		text := "(set-logic QF_LIA)\n"
		for k := range 2000 {
			text += fmt.Sprintf("(declare-const x%d_%d Int)(assert (or (> x%d_%d %d) (< x%d_%d %d)))\n", i, k, i, k, k+5, i, k, k)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "seeds", fmt.Sprintf("%02d.smt2", i)), []byte(text+"(check-sat)\n"), 0o666))
	}
	tech := technique(t, dir, "load(\"@std//storm.star\", \"storm\")\ntechnique = storm(models = 1)\nseeds = corpus.files(\"seeds\")\n")
	before := liveHeap()
	seeds := map[string]bool{}
	makeCases(t, tech, 1, 30, func(_ int, c *testcase.Case) { seeds[c.Script.Name] = true })
	require.Greater(t, len(seeds), 12)
	require.Less(t, liveHeap()-before, int64(150<<20))
}
