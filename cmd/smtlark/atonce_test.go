package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/trust"
)

// memoryProfile is the fake solver with a fault that shows only with, or only without, the markers between which
// smtlark reads replies: as faults do that depend on the memory of the process.
const memoryProfile = `
def fake(fault):
    return solver.profile(
        name = "fake", binaries = ["fakesolver"], args = ["--fault=" + fault], version_args = ["--version"], version = "version (\\S+)",
        modes = ["fresh", "reset", "incremental"], has_reset = True, continues_after_error = True, multiline_tokens = True,
    )

CASE = smt.case("(declare-const x Int)(assert (> x 1))(check-sat)")
`

// A fault that shows only where everything is given at once, as repro.sh does, is reproduced by smtlark repro, which
// says so. One that shows only piece by piece, as in a campaign, is reproduced by repro.sh, which asks smtlark where it
// does not see it.
func TestMemoryFaultsReplayInBothWays(t *testing.T) {
	notInGate(t)
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
	require.Contains(t, said, "It does not reproduce with everything in one file. smtlark sends it piece by piece")
	require.Contains(t, said, "REPRODUCED")
	script = exec.Command("sh", scripts[0])
	script.Env = append(smtlarkIn(dir).Env, "SMTLARK="+filepath.Join(dir, "smtlark"), "SOLVER=/bin/true")
	code, said = runCode(t, script)
	require.Equal(t, command.ExitInternal, code, said) // it could not be asked, which is no answer
	require.Contains(t, said, "whether it reproduces is not known")
}

// A solver that dies the first time that it is asked at all, and from then on only in a process without markers.
const onceThenPlain = `#!/bin/sh
[ "$1" = --version ] && { echo version 1.0; exit; }
echoes=no
while read -r line; do
	case $line in
	*echo*) echoes=yes; line=${line#*\"}; echo "${line%\"*}" ;;
	*check-sat*)
		if [ ! -e "$ASKED" ] || [ $echoes = no ]; then
			: > "$ASKED"
			kill -SEGV $$
		fi
		echo sat ;;
	*exit*) exit ;;
	esac
done
`

// A bug that a campaign sees once, and that then reproduces only with all input in one file, is a finding and not
// flaky. repro.sh, smtlark repro and a recheck by the campaign reproduce it.
func TestConfirmedWithEverythingInOneFile(t *testing.T) {
	dir := fakeProject(t, "once.star", `
once = solver.profile(
    name = "once", binaries = ["./once"], version_args = ["--version"], version = "version (\\S+)",
    modes = ["reset"], has_reset = True, continues_after_error = True,
)
CASE = smt.case("(declare-const x Int)(assert (> x 1))(assert (> x 2))(check-sat)")
campaign(technique = lambda seeds, rng: CASE, targets = [solver(once)], reduce_for = "5s")
`)
	t.Setenv(trust.Env, dir)
	t.Setenv("ASKED", filepath.Join(dir, "asked"))
	t.Setenv(confine.EnvPass, "ASKED")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "once"), []byte(onceThenPlain), 0o755))
	run := []string{"run", "once.star", "--seed", "1", "--cases", "2", "-j", "1", "-q", "--unsafe-solver"}
	code, said := runCode(t, smtlarkIn(dir, run...))
	require.Equal(t, command.ExitFindings, code, said)
	require.Contains(t, said, "findings: 1 new, 0 known, 0 flaky")
	readme, err := filepath.Glob(filepath.Join(dir, "findings", "0*", "README.md"))
	require.NoError(t, err)
	require.Len(t, readme, 1)
	text, err := os.ReadFile(readme[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "It shows only if the process gets everything in one input, and not piece by piece.")
	require.NotContains(t, string(text), "> x", "it was reduced in the same way")
	code, said = runCode(t, smtlarkIn(dir, "repro", "1", "--unsafe-solver"))
	require.Equal(t, command.ExitFindings, code, said)
	require.Contains(t, said, "reproduced 3 of 3, with everything in one file")
	script := exec.Command("sh", filepath.Join(filepath.Dir(readme[0]), "repro.sh"))
	script.Env = append(smtlarkIn(dir).Env, "SMTLARK="+filepath.Join(dir, "smtlark"))
	code, said = runCode(t, script)
	require.Equal(t, command.ExitFindings, code, said)
	code, said = runCode(t, smtlarkIn(dir, append(run, "--cases", "3")...))
	require.NotContains(t, said, "fixed", said)
	require.Equal(t, command.ExitFindings, code, said)
}
