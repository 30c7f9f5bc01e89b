package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/solvers/trust"
)

// memoryProfile is the fake solver with a fault that shows only with, or only without, the markers between which smtlark reads
// replies: as faults do that depend on the memory of the process.
const memoryProfile = `
def fake(fault):
    return solver.profile(
        name = "fake", binaries = ["fakesolver"], args = ["--fault=" + fault], version_args = ["--version"], version = "version (\\S+)",
        modes = ["fresh", "reset", "incremental"], has_reset = True, continues_after_error = True, multiline_tokens = True,
    )

CASE = smt.case("(declare-const x Int)(assert (> x 1))(check-sat)")
`

// A fault that shows only where everything is given at once, as repro.sh does, is reproduced by smtlark repro, which says so. One
// that shows only piece by piece, as in a campaign, is reproduced by repro.sh, which asks smtlark where it does not see it.
func TestMemoryFaultsReplayInBothWays(t *testing.T) {
	dir := fakeProject(t, "echoed.star", memoryProfile+`
campaign(technique = lambda seeds, rng: CASE, targets = [solver(fake("segv-echoed"), mode = "reset")], reduce = False)
`)
	t.Setenv(trust.Env, dir)
	atOnce := "reproduced 3 of 3, with everything in one file"
	for _, c := range []struct {
		arguments string
		code      int
		want      string
	}{
		{`target = solver(fake("segv-plain"), mode = "reset"), got = "crash", message = "SIGSEGV"`, command.ExitFindings, atOnce},
		{`target = solver(fake("segv-plain"), mode = "incremental"), got = "crash", message = "SIGSEGV"`, command.ExitFindings, atOnce},
		{`target = solver(fake("segv-plain"), mode = "reset"), got = "crash", message = "SIGSEGV", before = [CASE], repeat = 1`, command.ExitFindings, atOnce},
		{`target = solver(fake("segv-plain"), mode = "reset"), got = "fault"`, command.ExitFindings, atOnce},
		{`target = solver(fake("segv-plain"), mode = "reset"), got = "crash", message = "SIGSEGV: input:*: bad text"`, command.ExitFindings, atOnce},
		{`target = solver(fake("segv-plain"), mode = "reset"), got = "crash", message = "SIGBUS"`, command.ExitOK, "reproduced 0 of 3\n"},
		{`target = solver(fake("segv-plain"), mode = "reset"), got = "unsat", truth = "sat"`, command.ExitOK, "reproduced 0 of 3\n"},
		{`target = solver(fake("segv-echoed"), mode = "reset"), got = "crash", message = "SIGSEGV"`, command.ExitFindings, "reproduced 3 of 3\n"},
	} {
		file := filepath.Join(dir, "once.star")
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "%s\nreproduce(case = CASE, %s)\n", memoryProfile, c.arguments), 0o644))
		code, said := runCode(t, smtlarkIn(dir, "repro", "once.star"))
		require.Equal(t, c.code, code, "%s\n%s", c.arguments, said)
		require.Contains(t, said, c.want, c.arguments)
	}

	code, said := runCode(t, smtlarkIn(dir, "run", "echoed.star", "--seed", "1", "--cases", "1", "-j", "1", "-q"))
	require.Equal(t, command.ExitFindings, code, said)
	require.Contains(t, said, "findings: 1 new, 0 known, 0 flaky", said)
	code, said = runCode(t, smtlarkIn(dir, "repro", "1"))
	require.Equal(t, command.ExitFindings, code, said)
	scripts, err := filepath.Glob(filepath.Join(dir, "findings", "0*", "repro.sh"))
	require.NoError(t, err)
	require.Len(t, scripts, 1)
	script := exec.Command("sh", scripts[0])
	script.Env = append(smtlarkIn(dir).Env, "SMTLARK="+filepath.Join(dir, "smtlark"))
	code, said = runCode(t, script)
	require.Equal(t, command.ExitFindings, code, said)
	require.Contains(t, said, "It does not show with everything in one file. smtlark sends it piece by piece")
	require.Contains(t, said, "REPRODUCED")
	script = exec.Command("sh", scripts[0])
	script.Env = append(smtlarkIn(dir).Env, "SMTLARK="+filepath.Join(dir, "smtlark"), "SOLVER=/bin/true")
	code, said = runCode(t, script)
	require.Equal(t, command.ExitOK, code, said)
}
