package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/judge/oracle"
)

// oddCampaign walks with an action that the profile of a campaign file declares, of which its solver dies.
const oddCampaign = `
load("@std//smtlib_api.star", "smtlib_api")

mine = solver.profile(
    name = "mine", base = "generic", binaries = ["bin/fakesolver"], version_args = ["--version"], version = "version (\\S+)", modes = ["fresh", "incremental"],
    args = ["--plant=get-oddity:assert/odd.cpp:7", "--reply=get-evenness:(even)"], session_args = [], build_args = [], multiline_tokens = True,
    api_actions = [
        solver.action("get-oddity", "(get-oddity {name} {goal} :deep)", state = "sat", weight = 20 if setting("odd", True) else 0),
        solver.action("get-evenness", ["(get-evenness)", "(get-evenness {term})"], state = "sat", weight = 30, needs_model = True),
        solver.action("not-here", "(get-nothing)", state = "no-such-state"),
    ],
)
campaign(technique = api.fuzz(smtlib_api(theories = ["Int"], max_calls = 80)), targets = [solver(mine, mode = "incremental")], oracles = [oracle.crash()], confirm = 1, reduce_references = False)
`

// TestActionsOfOneSolver: a profile declares a command of its solver; walks make it, findings with it replay and become
// small.
func TestActionsOfOneSolver(t *testing.T) {
	notInGate(t)
	dir := fakeProject(t, "odd.star", oddCampaign)
	out := filepath.Join(dir, "out")
	code, said := runCode(t, smtlarkIn(dir, "run", "odd.star", "--trust", "--seed", "1", "-j", "1", "--cases", "40", "--findings", "1", "--out", out))
	require.Equal(t, command.ExitFindings, code, said)
	require.Positive(t, replayEverything(t, dir, out)[oracle.KindCrash], said)
	findings, _ := storedFindings(t, out)
	small, err := os.ReadFile(filepath.Join(out, "findings", findings[0].Dir(), "min.smt2"))
	require.NoError(t, err)
	require.Regexp(t, `\(get-oddity \S+ true :deep\)`, string(small), "the formula of the command is reduced with it")
	require.Less(t, len(small), 300, string(small))

	code, said = runCode(t, smtlarkIn(dir, "run", "odd.star", "--trust", "--seed", "1", "-j", "1", "--cases", "40", "--set", "odd=False"))
	require.Equal(t, command.ExitOK, code, said)
	stats, err := os.ReadFile(filepath.Join(dir, "runs", "odd", "latest", "stats.json"))
	require.NoError(t, err)
	require.Regexp(t, `"name": "get-evenness",\s+"tried": \d+,\s+"ok": [1-9]`, string(stats))
	require.NotContains(t, string(stats), "get-oddity")
	require.NotContains(t, string(stats), "not-here")
}
