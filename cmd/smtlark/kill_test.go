package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/internal/processtest"
)

// killOften starts a campaign again and again and kills it by -9 when it has logged some more events: the coordinator,
// or all of its workers, by turns, until it ends by itself. It returns how often it did.
func killOften(t *testing.T, dir string, events func(round int) int, rounds int, args ...string) int {
	t.Helper()
	left := "TMPDIR=" + t.TempDir() // who is killed removes nothing
	for round := range rounds {
		cmd := smtlarkIn(dir, args...)
		cmd.Env = append(cmd.Env, left)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		if hasEnded(done, dir, events(round)) {
			code := cmd.ProcessState.ExitCode()
			require.Contains(t, []int{command.ExitOK, command.ExitFindings, command.ExitFlaky}, code, out.String())
			return round
		}
		if round%3 == 2 {
			for _, pid := range children(cmd.Process.Pid) {
				_ = processtest.KillProcess(pid)
			}
			if hasEnded(done, dir, events(round)) {
				continue
			}
		}
		if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) { // it may end by itself at this moment
			require.NoError(t, err)
		}
		<-done
	}
	return rounds
}

// hasEnded waits until the campaigns of a folder have logged some more events, or until done, and reports the latter.
func hasEnded(done <-chan error, dir string, events int) bool {
	for wanted := countEvents(dir) + events; countEvents(dir) < wanted; {
		select {
		case <-done:
			return true
		case <-time.After(5 * time.Millisecond): // until the files are looked at again
		}
	}
	return false
}

// countEvents counts the events that all campaigns of a folder have logged.
func countEvents(dir string) (n int) {
	logs, _ := filepath.Glob(filepath.Join(dir, "runs", "*", "[0-9]*", "events.jsonl"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		n += bytes.Count(text, []byte("\n"))
	}
	return n
}

// children returns the child processes of a process.
func children(pid int) []int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil
	}
	var out []int
	for _, word := range strings.Fields(string(text)) {
		if n, err := strconv.Atoi(word); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// intact checks that the database of a folder is sound, that no signature and no number is there twice, and that every
// finding has its folder, where no process was killed before it could write it; it returns the findings.
func intact(t *testing.T, dir string) []*folder.Record {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "smtlark.db"))
	require.NoError(t, err)
	defer db.Close()
	var verdict string
	require.NoError(t, db.QueryRow("PRAGMA integrity_check").Scan(&verdict))
	require.Equal(t, "ok", verdict)
	var broken int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM runs WHERE stats <> '' AND NOT json_valid(stats)").Scan(&broken))
	require.Zero(t, broken, "runs whose figures are no JSON")
	r, err := store.OpenReader(dir)
	require.NoError(t, err)
	defer r.Close()
	records, err := r.Findings()
	require.NoError(t, err)
	keys := map[string]bool{}
	for _, f := range records {
		for _, sig := range f.Signatures {
			require.False(t, keys[sig.Key], "two findings have the signature %s", sig.Text)
			keys[sig.Key] = true
		}
		_, err := folder.ReadRecord(f.Path)
		if errors.Is(err, fs.ErrNotExist) && !f.Flaky { // the next process writes it: the database says that it is missing
			var exported int
			require.NoError(t, db.QueryRow("SELECT exported FROM findings WHERE number = ? AND NOT flaky", f.Number).Scan(&exported))
			require.Zero(t, exported, f.Path)
			continue
		}
		require.NoError(t, err)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "runs", "*", "*", "stats.json"))
	require.NoError(t, err)
	for _, stats := range runs {
		_, err := store.ReadRun(filepath.Dir(stats))
		require.NoError(t, err)
		events, err := os.ReadFile(filepath.Join(filepath.Dir(stats), "events.jsonl"))
		require.NoError(t, err)
		lines := bytes.SplitAfter(events, []byte("\n"))
		for _, line := range lines[:len(lines)-1] { // what a killed process leaves after the last end of line is half a line
			require.True(t, json.Valid(line), "%s: %s", stats, line)
		}
	}
	return records
}

// open counts the findings that are neither flaky nor duplicates, by the text of their signatures.
func open(records []*folder.Record) map[string]int {
	out := map[string]int{}
	for _, f := range records {
		if !f.Flaky && f.Status == folder.StatusOpen {
			out[f.Signature.Text]++
		}
	}
	return out
}

// A campaign that is killed at many moments finds what one finds that is left alone: nothing is lost, nothing is there
// twice, the store is sound. With SMTLARK_DEEP it takes ten minutes, with a kill about every 20 s.
func TestKilledCampaign(t *testing.T) {
	dir := fakeProject(t, "planted.star", plantedCampaign)
	args := []string{"run", "planted.star", "--seed", "3", "-q", "--workers", "2", "--cases", "60"}
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	events := func(round int) int { return 3 + 2*round }
	if os.Getenv("SMTLARK_DEEP") != "" {
		args = []string{"run", "planted.star", "--seed", "3", "-q", "--workers", "2"}
		rounds, events = 30, func(int) int { return 20 } // it tells its progress every second
	}
	survived := killOften(t, dir, events, rounds, args...)
	intact(t, dir)
	if os.Getenv("SMTLARK_DEEP") != "" {
		end := smtlarkIn(dir, append(args, "--for", "5s")...)
		out, _ := end.CombinedOutput()
		require.Equal(t, command.ExitFindings, end.ProcessState.ExitCode(), string(out))
		records := intact(t, dir)
		kinds := map[string]int{}
		for _, f := range records {
			if !f.Flaky && f.Status == folder.StatusOpen {
				kinds[f.Verdict.Kind]++
			}
		}
		require.Equal(t, map[string]int{"known-answer": 6, "crash": 6}, kinds)
		return
	}
	require.Greater(t, survived, 1, "it was killed at least twice")
	end := smtlarkIn(dir, args...)
	out, _ := end.CombinedOutput()
	require.Equal(t, command.ExitFindings, end.ProcessState.ExitCode(), string(out))
	records := intact(t, dir)
	for _, f := range records {
		require.FileExists(t, filepath.Join(f.Path, "finding.json"))
	}

	whole := t.TempDir()
	cmd := smtlarkIn(dir, append(args, "--out", whole)...)
	out, _ = cmd.CombinedOutput()
	require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode(), string(out))
	left := intact(t, whole)
	require.Equal(t, open(left), open(records))
	require.Equal(t, seen(left), seen(records), "every verdict is counted once")
}

// seen adds up how often all findings were seen.
func seen(records []*folder.Record) (n int) {
	for _, f := range records {
		if f.Status != folder.StatusDup { // its verdicts are counted at the other one, too
			n += f.Count
		}
	}
	return n
}

// Campaigns that run at the same time in one folder count what each of them sees.
func TestTwoCampaignsInAFolder(t *testing.T) {
	t.Parallel()
	dir := fakeProject(t, "planted.star", plantedCampaign)
	want := 0
	var both []*exec.Cmd
	for _, seed := range []string{"3", "4"} {
		alone := t.TempDir()
		cmd := smtlarkIn(dir, "run", "planted.star", "--seed", seed, "-q", "--workers", "1", "--cases", "40", "--out", alone)
		out, _ := cmd.CombinedOutput()
		require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode(), string(out))
		want += seen(intact(t, alone))
		both = append(both, smtlarkIn(dir, "run", "planted.star", "--seed", seed, "-q", "--workers", "1", "--cases", "40"))
	}
	for _, cmd := range both {
		require.NoError(t, cmd.Start())
	}
	for _, cmd := range both {
		_ = cmd.Wait()
		require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode())
	}
	require.Equal(t, want, seen(intact(t, dir)))
}

// A disk that fills up ends a campaign with exit code 74. Stored data remains, the store is intact, and with free space
// the same command continues and finds the rest. The disk is a file size limit here: the database may not grow beyond
// it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("prlimit"); err != nil {
		t.Skip("no prlimit")
	}
	dir := fakeProject(t, "planted.star", plantedCampaign)
	args := []string{"run", "planted.star", "--seed", "3", "--cases", "60", "-q", "--workers", "2"}
	full := 0
	sizes := []int{130, 200, 280, 360}
	if testing.Short() {
		sizes = sizes[1:2]
	}
	for _, kib := range sizes {
		inner := smtlarkIn(dir, args...)
		cmd := exec.Command("prlimit", append([]string{fmt.Sprintf("--fsize=%d", kib<<10)}, inner.Args...)...)
		cmd.Dir, cmd.Env = inner.Dir, inner.Env
		out, _ := cmd.CombinedOutput()
		code := cmd.ProcessState.ExitCode()
		require.Contains(t, []int{command.ExitDisk, command.ExitFindings}, code, string(out))
		if code == command.ExitDisk {
			full++
		}
		intact(t, dir)
	}
	require.Positive(t, full, "the limit was never met")
	end := smtlarkIn(dir, args...)
	out, _ := end.CombinedOutput()
	require.Equal(t, command.ExitFindings, end.ProcessState.ExitCode(), string(out))
	records := intact(t, dir)
	whole := t.TempDir()
	cmd := smtlarkIn(dir, append(args, "--out", whole)...)
	out, _ = cmd.CombinedOutput()
	require.Equal(t, command.ExitFindings, cmd.ProcessState.ExitCode(), string(out))
	require.Equal(t, untraced(open(intact(t, whole))), untraced(open(records)))
}

// untraced counts findings without the functions in which a process died: where the disk was full, it could not be
// traced.
func untraced(counts map[string]int) map[string]int {
	out := map[string]int{}
	for text, n := range counts {
		cause, _, _ := strings.Cut(text, "SIGSEGV")
		out[cause] += n
	}
	return out
}

// storedFindings returns the findings of a folder by number, and those that never reproduced.
func storedFindings(t *testing.T, out string) (findings, flaky []*folder.Record) {
	t.Helper()
	r, err := store.OpenReader(out)
	require.NoError(t, err)
	all, err := r.Findings()
	require.NoError(t, errors.Join(err, r.Close()))
	require.Empty(t, r.Broken())
	for _, f := range all {
		if f.Flaky {
			flaky = append(flaky, f)
		} else {
			findings = append(findings, f)
		}
	}
	return findings, flaky
}
