package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

const faultyCampaign = `
fake = solver.profile(
    name = "fake", binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)",
    modes = ["fresh", "reset", "incremental"], has_reset = True, continues_after_error = True, multiline_tokens = True, exit_codes = {"10": "ok"},
)

BUGS = ["wrong", "segv", "abort", "abort-after", "fatal", "exit139", "reset-segv"]
OTHERS = [
    "unknown", "two-answers", "garbage", "partial", "half", "silent", "late", "success", "exit0", "exit3", "kill", "flood",
    "flood-stderr", "grandchild", "unsupported", "parse-error", "refusal", "marker-wrong", "marker-missing", "marker-double", "marker-early",
]

SLOW = ["hang", "deaf", "close"]

def technique(seeds, rng):
    fault = rng.pick(SLOW if rng.bool(0.025) else BUGS + OTHERS + ["none"])
    return smt.case("(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(set-info :status sat)(set-info :fault %s)(check-sat)" % fault)

campaign(
    technique = technique, targets = [solver(fake, mode = m) for m in ["fresh", "reset", "incremental"]], reduce = False,
    limits = {"timeout": "1500ms", "output": "1MB"},
)
`

// With a solver that has every fault, the campaign continues and records each fault under its class. Exactly the faults
// that are solver bugs become findings.
func TestCampaignAgainstFaults(t *testing.T) {
	dir := fakeProject(t, "faults.star", faultyCampaign)
	const cases = 110
	cmd := smtlarkIn(dir, "run", "faults.star", "--seed", "1", "--cases", "110", "-q")
	out, _ := cmd.CombinedOutput()
	require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode(), string(out))

	text, err := os.ReadFile(filepath.Join(dir, "runs", "faults", "latest", "stats.json"))
	require.NoError(t, err)
	var st metrics.Stats
	require.NoError(t, json.Unmarshal(text, &st))
	require.EqualValues(t, cases, st.Cases)
	require.Zero(t, st.Killed+st.Errors+st.Internal)
	require.Zero(t, st.Workers.Restarts, "a fault of a solver is none of its worker: %v", st.Workers.Deaths)
	for _, target := range st.Targets {
		require.EqualValues(t, cases, target.Runs)
		for _, class := range []string{"crash", "assertion", "timeout", "garbage", "output-limit", "killed", "parse-error", "refusal", "error"} {
			require.Positive(t, target.Classes[class], "%s: %s", target.Name, class)
		}
	}
	findings, flaky := storedFindings(t, dir)
	require.Empty(t, flaky)
	var found []string
	for _, r := range findings {
		what := r.Verdict.Message
		if r.Verdict.Kind != "crash" {
			what = r.Verdict.Kind
		}
		found = append(found, strings.Fields(what)[0])
		require.Equal(t, 3, r.Hits, r.Verdict.Summary)
		repro := exec.Command("sh", filepath.Join(dir, "findings", r.Dir(), "repro.sh"))
		text, _ := repro.CombinedOutput()
		require.Equal(t, command.ExitFindings, repro.ProcessState.ExitCode(), "%s\n%s", r.Verdict.Summary, text)
	}
	require.ElementsMatch(t, []string{"known-answer", "SIGSEGV", "SIGABRT", "fakesolver:", "Fatal", "exit"}, found, string(out))
}
