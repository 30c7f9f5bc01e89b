package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// Six wrong answers with nothing but an operator to tell them apart, and six crashes: two failed checks in one file,
// two stack traces with the same function on top, an error of the allocator, a bare signal. Addresses, build folders,
// process numbers and stacks of other threads differ from case to case.
const plantedCampaign = `
PLANTS = {
    "bvmul": "wrong", "bvudiv": "wrong", "bvshl": "wrong", "bvor": "wrong", "bvxor": "wrong", "bvsrem": "wrong",
    "bvurem": "assert/rewriter.cpp:120: void rewriter::mk_urem(expr*)", "bvand": "assert/rewriter.cpp:210: void rewriter::mk_and(expr*)",
    "bvlshr": "trace/get_sort<mk_lshr<simplify<check", "bvashr": "trace/get_sort<mk_ashr<simplify<check",
    "bvneg": "glibc/free():_invalid_pointer", "bvnot": "segv",
}

def fake(name, args):
    return solver.profile(
        name = name, binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)", args = args,
        modes = ["fresh", "reset"], has_reset = True, continues_after_error = True, multiline_tokens = True,
    )

bad = fake("bad", ["--plant=" + ",".join([op + ":" + what for op, what in PLANTS.items()])])
good = fake("good", [])

def term(op, a, b):
    return "(%s %s)" % (op, a) if op in ("bvneg", "bvnot") else "(%s %s %s)" % (op, a, b)

def technique(seeds, rng):
    """One of the operators among others."""
    op = rng.pick(PLANTS.keys())
    noise = ["(bvult x y)", "(= (bvadd x y) z)", "(bvsle z (bvsub y x))", "(or (= x y) (bvugt y z))", "(distinct x y z)"]
    planted = "(bvuge (bvadd %s z) x)" % term(op, "(bvsub x y)", "y")
    text = "(set-logic QF_BV)" + "".join(["(declare-const %s (_ BitVec %d))" % (v, 8) for v in ("x", "y", "z")])
    for f in [rng.pick(noise) for _ in range(rng.int(1, 4))] + [planted] + [rng.pick(noise) for _ in range(rng.int(1, 4))]:
        text += "(assert %s)" % f
    return smt.case(text + "(set-info :status sat)(check-sat)")

# The limits are far above what anything here takes: a busy machine must not decide which cases time out and how small they get.
bad_fresh, bad_reset = [solver(bad, mode = mode, timeout = "2m") for mode in ("fresh", "reset")]
campaign(technique = technique, targets = [bad_fresh, bad_reset, solver(good, timeout = "2m")], reduce_for = "10m", confirm = 2)
`

// fakeProject returns a folder with a campaign file, smtlark and the fake solver.
func fakeProject(t *testing.T, name, text string) string {
	t.Helper()
	dir, from := t.TempDir(), programs
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	for program, to := range map[string]string{"fakesolver": "bin/fakesolver", "smtlark": "smtlark"} {
		require.NoError(t, os.Link(filepath.Join(from, program), filepath.Join(dir, to)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	return dir
}

// smtlarkIn makes a command of the smtlark that was built into a folder.
func smtlarkIn(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(dir, "smtlark"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SMTLARK_SOLVERS="+filepath.Join(dir, "bin"))
	return cmd
}

// 200 planted crashes and wrong answers with 12 causes become 12 findings.
func TestPlantedCauses(t *testing.T) {
	t.Parallel()
	dir := fakeProject(t, "planted.star", plantedCampaign)
	cmd := smtlarkIn(dir, "run", "planted.star", "--seed", "3", "--cases", "200", "-q", "--workers", "2")
	out, _ := cmd.CombinedOutput()
	require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode(), string(out))

	r, err := store.OpenReader(dir)
	require.NoError(t, err)
	defer r.Close()
	records, err := r.Findings()
	require.NoError(t, err)
	kinds, verdicts := map[string]int{}, 0
	for _, f := range records {
		require.False(t, f.Flaky, f.Verdict.Summary)
		require.Equal(t, folder.StatusOpen, f.Status, f.Verdict.Summary)
		require.Positive(t, f.MinBytes, "%s: %s", f.Verdict.Summary, f.Reduced.Reason)
		kinds[f.Verdict.Kind]++
		verdicts += f.Count
		for _, m := range f.Members {
			require.NotEmpty(t, m.Reason)
		}
	}
	require.Equal(t, map[string]int{"known-answer": 6, "crash": 6}, kinds, string(out))
	require.Equal(t, 200, verdicts, "every case is counted at one finding")
}
