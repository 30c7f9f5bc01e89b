package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

// Two real crashes, one of a mode and one of a C library: their pages lead with the plain program, and what they tell
// to type dies as they say, in the folder of the page, as repro.sh does. A library is given the script, whose texts
// choose among equivalent calls, and the options of its target. From another folder bisect asks all versions, too.
func TestPagesOfRealCrashes(t *testing.T) {
	unpacked := unpackedWith(t, "bin/cvc5-1.3.2", "bin/bitwuzla-0.8.2", "lib/libbitwuzla.so")
	dir := fakeProject(t, "crashes.star", `
experimental = solver.profile(name = "cvc5-fp", base = "cvc5", binaries = ["cvc5-1.3.2"], try_args = ["--fp-exp"], api_exclude = [])

CASES = [
    "(declare-const a (_ BitVec 10))(assert (fp.isNaN ((_ to_fp 6 10) RNE a)))(check-sat)",
    "(check-sat-assuming ((bvnego ((_ fp.to_ubv 1) RNE (_ +zero 5 11)))))",
]

def technique(_seeds, rng):
    return smt.case(CASES[rng.turn % 2])

campaign(technique = technique, targets = [solver(experimental, mode = "reset"), solver("bitwuzla", mode = "native", options = {"seed": "7"})], reduce = False)
`)
	require.NoError(t, os.Symlink(unpacked, filepath.Join(dir, ".solvers")))
	out, _ := smtlarkIn(dir, "run", "crashes.star", "--cases", "2", "--seed", "7", "-q", "-j", "1").CombinedOutput()
	recs, _ := storedFindings(t, dir)
	require.NotEmpty(t, recs, string(out))
	pages := map[string]string{}
	for _, r := range recs {
		folder := filepath.Join(dir, "findings", r.Dir())
		page, err := os.ReadFile(filepath.Join(folder, "README.md"))
		require.NoError(t, err)
		kind := r.Plan.Targets[0].Kind
		pages[kind] = string(page)
		require.NotEmpty(t, r.Plan.Targets[0].Build.ID, "the build is known")
		require.NotContains(t, r.Verdict.Summary, "smtlark")
		line := regexp.MustCompile(`(?m)^\$ (.*)$`).FindStringSubmatch(string(page))
		require.NotNil(t, line, string(page))
		pasted := exec.Command("sh", "-c", line[1])
		pasted.Dir = folder
		said, _ := pasted.CombinedOutput()
		require.GreaterOrEqual(t, pasted.ProcessState.ExitCode(), 128, "%s\n%s", line[1], said)
		said, _ = smtlarkIn(dir, "repro", folder).CombinedOutput()
		require.Contains(t, string(said), "reproduced 3 of 3")
		repro := exec.Command("sh", "repro.sh")
		repro.Dir = folder
		said, _ = repro.CombinedOutput()
		require.Equal(t, command.ExitFindings, repro.ProcessState.ExitCode(), string(said))
		traces, err := filepath.Glob(filepath.Join(folder, "*.trace"))
		require.NoError(t, err)
		require.Empty(t, traces, "a script is no trace")
		if kind == "bitwuzla" {
			script, err := os.ReadFile(filepath.Join(folder, "repro.sh"))
			require.NoError(t, err)
			require.Contains(t, string(script), `"$smtlark" native -o seed=7 bitwuzla "$library" case.smt2`)
		}
	}
	require.Regexp(t, `(?m)^\$ \S*/cvc5-1.3.2 --fp-exp case.smt2$`, pages["cvc5-fp"])
	require.Contains(t, pages["cvc5-fp"], "`--fp-exp` is experimental")
	require.Contains(t, pages["cvc5-fp"], "| safe |")
	require.Contains(t, pages["cvc5-fp"], "crash under options")
	require.Regexp(t, `(?m)^\$ \S*/bitwuzla-0.8.2 case.smt2$`, pages["bitwuzla"])
	require.Contains(t, pages["bitwuzla"], "It shows in the default configuration, without any option.")
	require.Contains(t, pages["bitwuzla"], "crash in a default or safe configuration")
	require.False(t, strings.Contains(pages["bitwuzla"], "smtlark: bitvector.cpp"))

	elsewhere := smtlarkIn(dir, "bisect", "1", "--out", dir)
	elsewhere.Dir = t.TempDir()
	text, _ := elsewhere.CombinedOutput()
	require.Contains(t, string(text), "1.3.2", string(text))
}
