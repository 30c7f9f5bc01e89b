package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/trust"
	"github.com/smtlark/smtlark/stdlib"
)

// z3 5.4.0 dies of a match over a datatype that it was given before, with (reset) in between, and not of the match
// alone. The exact trigger depends on its memory, so the test only requires that the crash is found and stored with the
// right kind.
func TestDeathByTheSameCaseAgain(t *testing.T) {
	bin := solvers.Unpacked("bin")
	if len(bin) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("no solvers are unpacked: make solvers")
		}
		t.Skip("no solvers are unpacked: make solvers")
	}
	unpacked := filepath.Dir(bin[0])
	if _, err := os.Stat(filepath.Join(unpacked, "bin/z3-5.4.0")); err != nil {
		t.Skip(err)
	}
	seed, err := fs.ReadFile(stdlib.FS(), "seeds/qf_ufdtlia_match.smt2")
	require.NoError(t, err)
	dir := fakeProject(t, "match.star", `
load("@std//storm.star", "storm")

campaign(technique = storm(), seeds = corpus.files("seeds"), targets = solver("z3", version = "5.4.0", mode = "reset"), oracles = [oracle.crash()], reduce_for = "5s")
`)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "seeds"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "seeds", "match.smt2"), seed, 0o644))
	require.NoError(t, os.Symlink(unpacked, filepath.Join(dir, ".solvers")))
	cmd := smtlarkIn(dir, "run", "match.star", "--cases", "20", "--seed", "2", "-j", "1", "-q")
	cmd.Env = append(cmd.Env, trust.Env+"="+dir)
	out, _ := cmd.CombinedOutput()
	found, flaky := storedFindings(t, dir)
	require.NotEmpty(t, found, string(out))
	require.Empty(t, flaky, "what dies of its own repetition is not flaky: %s", out)
	sequences := 0
	for _, f := range found {
		require.Equal(t, f.Tries, f.Hits, string(out))
		before, err := filepath.Glob(filepath.Join(dir, "findings", f.Dir(), "before-*.smt2"))
		require.NoError(t, err)
		if len(before)+f.Repeat > 0 {
			sequences++
			require.FileExists(t, filepath.Join(dir, "findings", f.Dir(), "input.smt2"), "all of it in one file")
		}
	}
	require.Positive(t, sequences, string(out))
}
