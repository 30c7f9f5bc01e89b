package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// modesCampaign has a target that no mode was asked for, which fails below a push: in one of its modes only.
const modesCampaign = `
FAULTS = ["bvmul:wrong", "bvudiv:segv", "bvurem:assert/rewriter.cpp:120:_mk_urem", "bvor:assert/bits.cpp:7:_mk_or"]

fake = solver.profile(
    name = "fake", binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)", args = ["--plant=" + ",".join(FAULTS), "--pushed"],
    modes = ["fresh", "reset", "incremental"], has_reset = True, continues_after_error = True, multiline_tokens = True,
)

def technique(seeds, rng):
    op = rng.pick(FAULTS).split(":")[0] if rng.turn % 40 == 7 else "bvadd"
    return smt.case("(set-logic QF_BV)(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 32))(assert (bvule (%s x y) #x%s))(assert (bvule x y))(set-info :status sat)(check-sat)" %
                    (op, str(100000000 + rng.turn)[1:]))

def modes(case, runs):
    print("asked", case.text.split("#x")[1][:8], ",".join([r.mode for r in runs]))

campaign(technique = technique, targets = [solver(fake)], oracles = [oracle.crash(), oracle.known_answer(), modes], full_timeout = False)
`

// asked finds the lines that say in which modes a case was asked.
var asked = regexp.MustCompile(`asked \d+ [a-z,]+`)

// modesOf returns the modes of cases that a campaign printed, and the campaign's tables of mode shares by epoch.
func modesOf(t *testing.T, dir, out string, said []byte) (cases []string, tables map[int][]uint32) {
	cases = asked.FindAllString(string(said), -1)
	slices.Sort(cases)
	tables = map[int][]uint32{}
	logs, err := filepath.Glob(filepath.Join(dir, out, "runs", "*", "*", "events.jsonl"))
	require.NoError(t, err)
	for _, log := range logs {
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		for _, line := range bytes.Split(text, []byte("\n")) {
			var e struct {
				Event string   `json:"event"`
				Epoch int      `json:"epoch"`
				Modes []uint32 `json:"modes"`
			}
			if json.Unmarshal(line, &e) != nil || e.Modes == nil {
				continue
			}
			if tables[e.Epoch] != nil {
				require.Equal(t, tables[e.Epoch], e.Modes, "epoch %d has two tables", e.Epoch)
			}
			tables[e.Epoch] = e.Modes
		}
	}
	return slices.Compact(cases), tables
}

// TestModesAreTheSameEverywhere: in which mode a case is asked does not depend on the number of workers, nor on runs
// that were killed.
func TestModesAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	const cases = 1500
	dir := fakeProject(t, "modes.star", modesCampaign)
	run := func(out string, workers int) []byte {
		cmd := smtlarkIn(dir, "run", "modes.star", "--seed", "9", "--cases", fmt.Sprint(cases), "-j", fmt.Sprint(workers), "--out", out)
		said, _ := cmd.CombinedOutput()
		require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode(), string(said))
		return said
	}
	one, tables := modesOf(t, dir, "one", run("one", 1))
	require.Len(t, one, cases)
	require.GreaterOrEqual(t, len(tables), 5, "%v", tables)
	require.Equal(t, tables[0][:3], tables[1][:3], "nothing is known of the first two epochs")
	require.NotEqual(t, tables[0][:3], tables[4][:3], "one mode alone finds")
	count := map[string]int{}
	for _, line := range one {
		count[strings.Fields(line)[2]]++
	}
	require.Len(t, count, 3, "%v", count)
	all := count["fresh,incremental,reset"] + count["reset,fresh,incremental"]
	require.Greater(t, count["incremental"], 2*count["reset"], "cheap modes have many cases")
	require.Greater(t, count["reset"], all, "and expensive ones a sample")
	require.Positive(t, all, "in which all modes are compared")

	two, tablesOfTwo := modesOf(t, dir, "two", run("two", 2))
	require.Equal(t, one, two)
	require.Equal(t, tables, tablesOfTwo)

	// Killed in the third epoch, and resumed.
	var first bytes.Buffer
	cmd := smtlarkIn(dir, "run", "modes.star", "--seed", "9", "--cases", fmt.Sprint(cases), "-j", "1", "--out", "killed")
	cmd.Stdout, cmd.Stderr = &first, &first
	require.NoError(t, cmd.Start())
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline))
		logs, _ := filepath.Glob(filepath.Join(dir, "killed", "runs", "*", "*", "events.jsonl"))
		if len(logs) == 0 {
			continue
		}
		text, _ := os.ReadFile(logs[0])
		if bytes.Contains(text, []byte(`"epoch":3`)) {
			break
		}
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait()
	killed, tablesOfKilled := modesOf(t, dir, "killed", append(first.Bytes(), run("killed", 2)...))
	require.Equal(t, one, killed)
	require.Equal(t, tables, tablesOfKilled)
}

// TestFindingOfOneMode: a finding says in which mode it was found and that the others do not show it, and it is
// replayed.
func TestFindingOfOneMode(t *testing.T) {
	dir := fakeProject(t, "modes.star", strings.Replace(modesCampaign, "oracle.known_answer(), modes]", "oracle.known_answer()]", 1))
	cmd := smtlarkIn(dir, "run", "modes.star", "--seed", "9", "--cases", "700", "-j", "2")
	said, _ := cmd.CombinedOutput()
	require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode(), string(said))
	folders, err := filepath.Glob(filepath.Join(dir, "findings", "0*"))
	require.NoError(t, err)
	require.Len(t, folders, 4, string(said))
	for _, f := range folders {
		r, err := folder.ReadRecord(f)
		require.NoError(t, err)
		require.Equal(t, "own", r.Mode)
		require.Equal(t, []string{"fake-1.2.3/incremental"}, r.Verdict.Targets)
		require.Equal(t, "found in mode incremental; not in reset, fresh", r.ModesText(), f)
		readme, err := os.ReadFile(filepath.Join(f, "README.md"))
		require.NoError(t, err)
		require.Contains(t, string(readme), "Modes: found in mode incremental; not in reset, fresh.")
		again := smtlarkIn(dir, "repro", f)
		text, _ := again.CombinedOutput()
		require.Equal(t, command.ExitFindings, again.ProcessState.ExitCode(), string(text))
		shell := smtlarkIn(dir, "repro", f)
		shell.Path, shell.Args, shell.Dir = "/bin/sh", []string{"sh", "repro.sh"}, f
		text, _ = shell.CombinedOutput()
		require.Equal(t, command.ExitFindings, shell.ProcessState.ExitCode(), string(text))
	}
	// The case alone is asked in all modes, so that in which it was found is among them.
	r, err := folder.ReadRecord(folders[0])
	require.NoError(t, err)
	one := smtlarkIn(dir, append(strings.Fields(r.Replay)[1:], "--out", "again")...)
	text, _ := one.CombinedOutput()
	for _, mode := range []string{"fresh", "reset", "incremental"} {
		require.Contains(t, string(text), "fake-1.2.3/"+mode)
	}
}

// TestModesAreCompared: where nothing is known of the answers and there is one solver, its modes contradict each other.
func TestModesAreCompared(t *testing.T) {
	notInGate(t)
	text := strings.Replace(modesCampaign, "oracles = [oracle.crash(), oracle.known_answer(), modes]", "oracles = [oracle.agree()]", 1)
	text = strings.Replace(text, `rng.pick(FAULTS).split(":")[0] if rng.turn % 40 == 7 else "bvadd"`, `"bvmul"`, 1)
	dir := fakeProject(t, "modes.star", text)
	cmd := smtlarkIn(dir, "run", "modes.star", "--seed", "9", "--cases", "200", "-j", "1")
	said, _ := cmd.CombinedOutput()
	require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode(), string(said))
	folders, err := filepath.Glob(filepath.Join(dir, "findings", "0*"))
	require.NoError(t, err)
	require.Len(t, folders, 1, string(said))
	r, err := folder.ReadRecord(folders[0])
	require.NoError(t, err)
	require.Equal(t, "disagreement", r.Verdict.Kind)
	require.Equal(t, []string{"fake-1.2.3/incremental"}, r.Verdict.Targets)
	require.Equal(t, []string{"fake-1.2.3/reset", "fake-1.2.3/fresh"}, r.Verdict.Against)
	require.Equal(t, "found in mode incremental; not in reset, fresh", r.ModesText())
	require.Less(t, r.Count, 20, "a sample")
}
