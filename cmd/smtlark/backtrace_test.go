//go:build linux && (amd64 || arm64)

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Crashes that say no more than SIGSEGV are told apart, and known again, by the functions that they died in: one
// finding for a program and its library, for cases that are reduced to other operators, and in another campaign, where
// every address is another one. A finding that hides others is suppressed by the shape of its reduced case.
func TestOneCrashOneFinding(t *testing.T) {
	unpacked := unpackedWith(t, "bin/boolector-3.2.4", "bin/bitwuzla-0.8.2", "lib/libbitwuzla.so")
	const common = `
ARRAY = "(set-option :produce-models true)(declare-const a (Array (_ BitVec 2) (_ BitVec 2)))(declare-const i (_ BitVec 2))"
CASES = [
    ARRAY + "(check-sat)(get-value ((store a i i)))",
    ARRAY + "(assert (bvult (bvmul i i) (select a i)))(check-sat)(get-value ((store a i (bvmul i i))))",
    "(check-sat-assuming ((bvnego ((_ fp.to_ubv 1) RNE (_ +zero 5 11)))))",
    ARRAY + "(check-sat)(get-value ((ite (= i #b00) a (store a i #b01))))",
]

def technique(_seeds, rng):
    return smt.case(CASES[rng.turn % 4])
`
	const targets = `targets = [solver("boolector", version = "3.2.4", mode = "fresh"), solver("bitwuzla", version = "0.8.2", mode = "fresh"), solver("bitwuzla", mode = "native")]`
	dir := fakeProject(t, "crashes.star", common+"campaign(technique = technique, "+targets+")\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "behind.star"), []byte(common+
		`campaign(technique = technique, suppress = [oracle.pattern(kind = "crash", shape = ["bvnego"])], `+targets+")\n"), 0o600))
	require.NoError(t, os.Symlink(unpacked, filepath.Join(dir, ".solvers")))
	signatures := map[string]string{} // by kind of solver
	for _, out := range []string{"one", "two"} {
		said, _ := smtlarkIn(dir, "run", "crashes.star", "--cases", "4", "--fresh", "--seed", "7", "-q", "-j", "1", "--out", out).CombinedOutput()
		recs, _ := storedFindings(t, filepath.Join(dir, out))
		require.Len(t, recs, 2, string(said))
		for _, r := range recs {
			kind := r.Plan.Targets[0].Kind
			signal := "SIGSEGV"
			if kind == "bitwuzla" { // its failed check says where it is
				signal = "SIGABRT"
				require.Equal(t, 2, r.Count, "of the program and of the library")
			} else {
				require.NotEmpty(t, r.Signature.Frames, "%s\n%s", r.Signature.Text, said)
			}
			require.Contains(t, []string{"", r.Signature.Text}, signatures[kind])
			signatures[kind] = r.Signature.Text
			page, err := os.ReadFile(filepath.Join(dir, out, "findings", r.Dir(), "README.md"))
			require.NoError(t, err)
			require.Contains(t, string(page), "The stack when "+signal+" came")
			require.Contains(t, string(page), r.Stack.Frames[0].Name())
		}
	}
	require.Contains(t, signatures["boolector"], "btor_model_get_value")
	said, _ := smtlarkIn(dir, "run", "behind.star", "--cases", "4", "--seed", "7", "-q", "-j", "1", "--out", "behind").CombinedOutput()
	recs, _ := storedFindings(t, filepath.Join(dir, "behind"))
	require.Len(t, recs, 1, string(said))
}
