package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// Every solver burns CPU time here: as a target, when it is asked for models of seeds and when the campaign file asks
// it, when a verdict is confirmed and when it is reduced. The CPU times in the statistics must add up to the time that
// the system reports for the whole process tree.
const burningCampaign = `
def burner(name, loops):
    return solver.profile(
        name = name, binaries = ["burn"], version_args = ["--version"], version = "burn ([0-9.]+)", modes = ["fresh"], args = [str(loops)],
    )

target, models, asked = solver(burner("target", 10000)), solver(burner("models", 20000)), solver(burner("asked", 15000))
SEEDS = corpus.texts({"s%d" % i: "(set-logic QF_LIA)(declare-const x Int)(assert (> x %d))(assert (< x 90))(check-sat)" % i for i in range(12)})

def technique(seeds, rng):
    seed = seeds.next(rng)
    seed.model(by = models)
    if rng.bool(0.3):
        asked.check(seed)
    return seed.with_answer("unsat" if seed.asserts[0] == seed.parse("(> x 95)") else "sat")

campaign(technique = technique, seeds = SEEDS, targets = target, oracles = [oracle.known_answer()], reduce_for = 1, confirm = 2)
`

func TestAccountsAddUp(t *testing.T) {
	dir := fakeProject(t, "burn.star", burningCampaign)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "burn"), []byte(`#!/bin/sh
case "$1" in --version) echo "burn 1.0"; exit 0;; esac
i=0
while [ $i -lt $1 ]; do i=$((i+1)); done
echo unsat
`), 0o755))
	cmd := smtlarkIn(dir, "run", "burn.star", "--seed", "3", "--cases", "30", "--for", "10m", "-q", "--workers", "2")
	cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+t.TempDir())
	out, _ := cmd.CombinedOutput()
	require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode(), string(out))
	text, err := os.ReadFile(filepath.Join(dir, "runs", "burn", "latest", "stats.json"))
	require.NoError(t, err)
	var st metrics.Stats
	require.NoError(t, json.Unmarshal(text, &st))
	whole := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	require.InDelta(t, whole, st.CPU.Total, 0.05*whole+0.1, "%s", out)
	sum := st.CPU.Coordinator + st.CPU.Lost
	times := map[string]uint64{}
	for _, p := range st.CPU.Purposes {
		sum += p.Engine + p.Solvers
		times[p.Name] = p.Times
	}
	require.InDelta(t, st.CPU.Total, sum, 1e-6)
	require.Less(t, st.CPU.Lost, 0.05*whole+0.1)
	require.InDelta(t, (st.CPU.Workers+st.CPU.Coordinator)/st.CPU.Total, st.CPU.EngineShare, 1e-9)
	require.GreaterOrEqual(t, times["models"], uint64(12), "every seed, and no seed often")
	require.LessOrEqual(t, times["models"], uint64(24))
	for _, p := range []string{"cases", "models", "questions", "confirmation", "reduction"} {
		require.Positive(t, st.CPU.Of(account.Purpose(p)).Solvers, p)
	}
	require.Contains(t, string(out), "models of seeds")
}
