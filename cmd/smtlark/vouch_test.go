package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

// z3 4.13.3 takes two different arrays of Booleans for the same. The trace is a walk of API fuzzing whose core was
// planted, so that it is unsat by construction; no target of the campaign can tell that for a smaller one.
func TestWrongSatOfALibraryBecomesSmall(t *testing.T) {
	bin := solvers.Unpacked("bin")
	if len(bin) == 0 {
		t.Skip("no solvers are unpacked")
	}
	unpacked := filepath.Dir(bin[0])
	for _, needed := range []string{"bin/z3-5.4.0", "lib/libz3.so"} {
		if _, err := os.Stat(filepath.Join(unpacked, needed)); err != nil {
			t.Skip(err)
		}
	}
	text, err := os.ReadFile("testdata/wrong-sat.trace")
	require.NoError(t, err)
	dir := fakeProject(t, "wrong.star", `
def technique(_seeds, _rng):
    return smt.read("wrong-sat.trace")

campaign(
    technique = technique,
    targets = solver("z3", version = "4.13.3", mode = "native"),
    reduce_references = [solver("z3", version = "5.4.0")],
    reduce_for = "5m",
)
`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wrong-sat.trace"), text, 0o644))
	require.NoError(t, os.Symlink(unpacked, filepath.Join(dir, ".solvers")))
	out, _ := smtlarkIn(dir, "run", "wrong.star", "--cases", "1", "--seed", "7", "-q").CombinedOutput()
	recs, _ := storedFindings(t, dir)
	require.Len(t, recs, 1, string(out))
	require.Contains(t, recs[0].Verdict.Summary, "answers sat to check-sat 1 of 2, the answer is unsat")
	require.Less(t, recs[0].MinBytes, 300, string(out))
	require.NotEmpty(t, recs[0].Reduced.ConfirmedBy)
	readme, err := os.ReadFile(filepath.Join(dir, "findings", recs[0].Dir(), "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "`case.smt2` is unsat by construction. Reference solvers confirmed the answer for every smaller case")
	require.Contains(t, string(readme), "z3 5.4.0 answers `unsat`")
}
