package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// metaCampaign asks a crosscheck, of which one crashes, one hangs, one lies and one says unknown,
// and three that are right. Its settings choose the members.
const metaCampaign = `
def fake(name, *args):
    p = solver.profile(name = "fake-" + name, binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)", args = list(args),
        modes = ["fresh", "reset"], session_args = [], time_limit = "", has_reset = True, continues_after_error = True, assertion = ["Assertion .* failed"])
    return solver(p, name = name, timeout = "1s")

KINDS = {
    "right": lambda: fake("right"), "right2": lambda: fake("right2"), "right3": lambda: fake("right3"),
    "crash": lambda: fake("crash", "--fault=segv"), "hang": lambda: fake("hang", "--fault=hang"),
    "liar": lambda: fake("liar", "--fault=wrong"), "shy": lambda: fake("shy", "--fault=unknown"),
}

def technique(seeds, rng):
    return smt.case("(set-logic QF_LIA)(set-info :status %s)(declare-const x Int)(assert (> x %d))(check-sat)" % (rng.pick(["sat", "unsat"]), rng.int(1, 999)))

x = solver.cross([KINDS[k]() for k in setting("members", "right").split("+")])
y = solver.tee("asked/{hash}.trace", solver.writer("asked/all.smt2", x)) if setting("write", False) else x
campaign(technique = technique, targets = y, oracles = [oracle.crash()], reduce = False)
`

// TestMetaSolvers runs campaigns of solver.cross over solvers with faults: each member's fault is found, in its name, whatever the
// others do; one that hangs or says unknown is no finding.
func TestMetaSolvers(t *testing.T) {
	dir := t.TempDir()
	for out, pkg := range map[string]string{"fakesolver": "github.com/smtlark/smtlark/internal/fakesolver/cmd/fakesolver", "smtlark": "."} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin", out), pkg)
		text, err := build.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "meta.star"), []byte(metaCampaign), 0o644))
	run := func(members string, more ...string) (report, asked string) {
		args := append([]string{"run", "meta.star", "--seed", "7", "-j", "1", "--cases", "2", "--set", "members=" + members, "--out", members}, more...)
		cmd := exec.Command(filepath.Join(dir, "bin", "smtlark"), args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			require.Equal(t, 10, cmd.ProcessState.ExitCode(), "%s\n%s", err, out)
		}
		return string(out), filepath.Join(dir, members, "asked")
	}
	out, _ := run("crash+right+liar+hang+shy+right2")
	require.Contains(t, out, "2 new", out)
	require.Contains(t, out, "crashes: crash: SIGSEGV", out)
	require.Contains(t, out, "liar: disagreement: it says", out)

	out, _ = run("right+right2+right3+shy")
	require.Contains(t, out, "findings: 0 new", out)
	out, _ = run("right+liar")
	require.Contains(t, out, "disagreement:", out)
	require.Contains(t, out, "liar", out)

	out, asked := run("right", "--set", "write=True")
	require.Contains(t, out, "findings: 0 new", out)
	all, err := os.ReadFile(filepath.Join(asked, "all.smt2"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(all), "(check-sat)\n(reset)\n"), string(all))
	traces, err := filepath.Glob(filepath.Join(asked, "*.trace"))
	require.NoError(t, err)
	require.Len(t, traces, 2)
	text, err := os.ReadFile(traces[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "check-sat")
}
