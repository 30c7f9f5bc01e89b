package campaign_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtlark/smtlark/internal/processtest"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// collect runs a campaign and returns each case's hash, failing if a case is counted twice.
func collect(t *testing.T, cfg coordinator.Config) (map[uint64]string, *metrics.Stats, error) {
	t.Helper()
	seen := map[uint64]string{}
	also := cfg.OnCase
	cfg.OnCase = func(n uint64, hash string) {
		if also != nil {
			also(n, hash)
		}
		if seen[n] != "" || hash == "" {
			t.Errorf("case %d counted twice, or without a hash", n)
		}
		seen[n] = hash
	}
	st, err := coordinator.Run(context.Background(), cfg)
	return seen, st, err
}

// numbers checks that exactly the cases 0..n-1 are there, but for some.
func numbers(t *testing.T, seen map[uint64]string, n uint64, but ...uint64) {
	t.Helper()
	missing := map[uint64]bool{}
	for _, b := range but {
		missing[b] = true
	}
	for i := range n {
		require.Equal(t, !missing[i], seen[i] != "", "case %d", i)
	}
	require.Len(t, seen, int(n)-len(but))
}

func TestSameCasesWithAnyNumberOfWorkers(t *testing.T) {
	cfg := config(t, 600, nil)
	cfg.Workers = 1
	one, st, err := collect(t, cfg)
	require.NoError(t, err)
	numbers(t, one, 600)
	require.EqualValues(t, 600, st.Cases)
	cfg.Workers = 8
	eight, _, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, one, eight)
	cfg.Options.Seed = 8
	other, _, err := collect(t, cfg)
	require.NoError(t, err)
	require.NotEqual(t, one, other, "another seed must give other cases")
}

func TestKilledWorkerLosesNothing(t *testing.T) {
	cfg := config(t, 400, map[string]string{"kill": "5,77,78,300"})
	seen, st, err := collect(t, cfg)
	require.NoError(t, err)
	numbers(t, seen, 400)
	require.EqualValues(t, 400, st.Cases)
	require.Equal(t, 4, st.Workers.Restarts)
	require.Contains(t, st.Workers.Deaths[0], "SIGKILL")
	require.Zero(t, st.Killed)
	for i := range st.Targets {
		require.EqualValues(t, 400, st.Targets[i].Runs, "no run may be lost or counted twice")
	}
}

// deathLog notes the cases with which workers died.
type deathLog struct {
	memLog
	deaths int
	cases  []uint64
}

func (l *deathLog) Event(name string, fields map[string]any) error {
	if name == "worker-death" {
		l.deaths++
		if n, ok := fields["case"].(uint64); ok {
			l.cases = append(l.cases, n)
		}
	}
	return l.memLog.Event(name, fields)
}

// The oldest worker is killed from outside, each time that another 450 cases are done: whatever it is at then. The next
// one is not killed before the case of the last one is done, since a case that kills two workers is left out.
func TestKilledFromOutside(t *testing.T) {
	cfg := config(t, 3000, nil)
	cfg.Watchdog = time.Hour // on a machine that has much else to do, a case may take seconds
	log := &deathLog{}
	cfg.Log = log
	done, kills := map[uint64]bool{}, 0
	cfg.OnCase = func(n uint64, _ string) {
		done[n] = true
		if kills == 6 || len(done) < 450*(kills+1) || log.deaths < kills || slices.ContainsFunc(log.cases, func(n uint64) bool { return !done[n] }) {
			return
		}
		workers := workersOf(t, os.Getpid())
		require.NotEmpty(t, workers)
		require.NoError(t, processtest.KillProcess(slices.Min(workers)))
		kills++
	}
	seen, st, err := collect(t, cfg)
	require.NoError(t, err)
	numbers(t, seen, 3000)
	require.EqualValues(t, 3000, st.Targets[0].Runs)
	require.Positive(t, kills)
	require.Positive(t, st.Workers.Restarts)
}

// Workers end when their coordinator does, even those in the middle of a case that never ends.
func TestWorkersEndWithTheirCoordinator(t *testing.T) {
	for _, set := range []string{"slow=1", "hang=0"} {
		exe, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), coordinatorEnv+"="+set)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "begun\n", line)
		workers := workersOf(t, cmd.Process.Pid)
		require.Len(t, workers, 3)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		for _, pid := range workers {
			require.Eventually(t, func() bool {
				text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
				return err != nil || strings.Contains(string(text), ") Z ")
			}, time.Minute, 20*time.Millisecond, "worker %d of %s", pid, set)
		}
	}
}

// workersOf lists the child processes of a process that are workers.
func workersOf(t *testing.T, parent int) []int {
	names, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	var out []int
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if fields[1] == strconv.Itoa(parent) && fields[0] != "Z" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); strings.Contains(string(env), workerEnv+"=1") {
				out = append(out, pid)
			}
		}
	}
	return out
}

func TestCaseThatKillsItsWorkerIsSkipped(t *testing.T) {
	for fault, want := range map[string]string{
		"exit": "exit 3", "hang": "no sign of life", "garbage": "a report that cannot be read", "lie": "which was not announced", "flood": "a line of more than|a report that cannot be read", // the worker goes on to say what it spends
		"grow": "of memory",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, 60, map[string]string{fault: "17"})
			cfg.WorkerMemory = 300 << 20
			if fault == "garbage" || fault == "lie" || fault == "flood" { // it goes on to other cases until it is killed
				cfg.Env = append(cfg.Env, everyCaseEnv+"=1")
			}
			cfg.Watchdog = 5 * time.Second // more than any other case takes, also beside other work
			if fault != "hang" {
				cfg.Watchdog = time.Minute
			}
			seen, st, err := collect(t, cfg)
			require.NoError(t, err)
			numbers(t, seen, 60, 17)
			require.EqualValues(t, 1, st.Killed)
			require.EqualValues(t, 17, st.KilledList[0].Number)
			require.Regexp(t, want, st.KilledList[0].Reason)
			require.Equal(t, 2, st.Workers.Restarts)
			require.EqualValues(t, 59, st.Targets[0].Runs)
		})
	}
}

func TestSolversOfADeadWorkerAreEnded(t *testing.T) {
	cfg := config(t, 40, map[string]string{"child": "9"})
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 1, st.Workers.Restarts)
	text, err := os.ReadFile(filepath.Join(cfg.Options.Set["mark"], "pid"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	require.False(t, processtest.Exists(pid), "the solver must be dead and reaped")
}

func TestLoadErrors(t *testing.T) {
	for load, want := range map[string]struct {
		fault campaign.Blame
		text  string
	}{
		"error":    {campaign.FaultScript, "bad.star:3:1"},
		"nosolver": {campaign.FaultSolver, "no usable solver"},
		"die":      {campaign.FaultInternal, "exit 3"},
		"panic":    {campaign.FaultInternal, "internal error"},
		"hang":     {campaign.FaultInternal, "no sign of life"},
	} {
		t.Run(load, func(t *testing.T) {
			cfg := config(t, 10, map[string]string{"load": load})
			cfg.LoadTime = 300 * time.Millisecond
			if load != "hang" {
				cfg.LoadTime = time.Minute
			}
			_, st, err := collect(t, cfg)
			require.Nil(t, st)
			var le *campaign.LoadError
			require.ErrorAs(t, err, &le)
			require.Equal(t, want.fault, le.Fault)
			require.ErrorContains(t, err, want.text)
			require.Equal(t, 1, strings.Count(err.Error(), want.text), "said once, not once a worker")
		})
	}
}

func TestErrorWhileMakingACase(t *testing.T) {
	cfg := config(t, 1000, map[string]string{"error": "18"})
	_, st, err := collect(t, cfg)
	var le *campaign.LoadError
	require.ErrorAs(t, err, &le)
	require.Equal(t, campaign.FaultScript, le.Fault)
	require.ErrorContains(t, err, "boom")
	require.ErrorContains(t, err, "case 18, seed 0x7; replay: smtlark run fake.star --seed 0x7 --case 18")
	require.EqualValues(t, 1, st.Errors)

	cfg = config(t, 100, map[string]string{"error": "18,20"})
	cfg.KeepGoing = true
	seen, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.EqualValues(t, 2, st.Errors)
	require.Len(t, st.ErrorList, 1, "the same error is listed once")
	numbers(t, seen, 100, 18, 20)
}

// TestCaseOverBudget: a case that takes too much ends a campaign at its start, where the campaign file is the likely
// cause, and is counted behind a hundred that went well.
func TestCaseOverBudget(t *testing.T) {
	cfg := config(t, 1000, map[string]string{"greedy": "18"})
	_, _, err := collect(t, cfg)
	require.ErrorContains(t, err, "over budget")
	cfg = config(t, 300, map[string]string{"greedy": "200,220"})
	seen, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.EqualValues(t, 2, st.Errors)
	numbers(t, seen, 300, 200, 220)
}

func TestPanicIsCountedAndTheCampaignGoesOn(t *testing.T) {
	cfg := config(t, 100, map[string]string{"panic": "4"})
	seen, st, err := collect(t, cfg)
	require.NoError(t, err)
	numbers(t, seen, 100, 4)
	require.EqualValues(t, 1, st.Internal)
	require.Contains(t, st.ErrorList[0], "fake_test.go", "with a stack")
	require.Zero(t, st.Workers.Restarts)
}

func TestSkipsAreCountedByReason(t *testing.T) {
	cfg := config(t, 100, map[string]string{"skip": "4"})
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.EqualValues(t, 75, st.Cases)
	require.Equal(t, map[string]uint64{"not this one": 25}, st.SkippedBy)
}

func TestStopByTechnique(t *testing.T) {
	cfg := config(t, 0, map[string]string{"stop": "30"})
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, "the campaign file: enough", st.StopReason)
}

func TestFindings(t *testing.T) {
	cfg := config(t, 200, map[string]string{"wrong": "10", "reduce": "yes"})
	store := cfg.Store.(*memStore)
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 1, st.Findings.New)
	require.EqualValues(t, 20, st.Findings.Verdicts)
	require.EqualValues(t, 19, st.Findings.Duplicates)
	require.Len(t, store.saved, 1)
	for _, f := range store.final() {
		require.Equal(t, []string{"bad-2.0/reset"}, f.Verdict.Targets)
		require.Equal(t, smtlib.Unsat, f.Verdict.Got)
		require.Equal(t, smtlib.Sat, f.Verdict.Want)
		require.Equal(t, "fresh", f.Mode)
		require.Equal(t, 3, f.Hits)
		require.Equal(t, 3, f.Tries)
		require.Equal(t, 20, f.Count)
		require.Len(t, f.Examples, 20)
		require.NotNil(t, f.Min)
		require.Equal(t, 1, strings.Count(f.Min.Script, "(assert"), f.Min.Script)
		require.Less(t, len(f.Min.Script), len(f.Case.Script))
		require.Equal(t, []string{"sat"}, f.Min.Expect)
		require.NotEmpty(t, f.MinRuns)
		require.Empty(t, f.Reduced.Reason)
		require.Equal(t, "QF_LIA", f.Logic)
	}
}

func TestCrashesAreGroupedByMessage(t *testing.T) {
	cfg := config(t, 120, map[string]string{"crash": "2"})
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 3, st.Findings.New, "three messages")
	for _, f := range cfg.Store.(*memStore).saved {
		require.Len(t, f.Confirm, 2, "the table has the target that is right, too")
		require.Equal(t, "bad-2.0/reset", f.Confirm[0].Target)
	}
	require.EqualValues(t, 57, st.Findings.Duplicates)
}

// The verdict shows in the target's own mode only.
func TestConfirmedInItsOwnMode(t *testing.T) {
	cfg := config(t, 20, map[string]string{"wronghere": "10", "reduce": "yes"})
	store := cfg.Store.(*memStore)
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 1, st.Findings.New)
	for _, f := range store.final() {
		require.Equal(t, "own", f.Mode)
		require.NotNil(t, f.Min)
	}
}

func TestFlakyIsKeptApart(t *testing.T) {
	cfg := config(t, 300, map[string]string{"once": "3"})
	store := cfg.Store.(*memStore)
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Zero(t, st.Findings.New)
	require.Equal(t, 1, st.Findings.Flaky)
	require.Len(t, store.saved, 1)
	require.True(t, store.saved[0].Flaky)
	require.Zero(t, store.saved[0].Hits)
	require.GreaterOrEqual(t, store.saved[0].Tries, 3, "alone, and after the cases that came before it")
}

// What shows in every other run only is reduced as far as what always shows.
func TestReductionOfWhatShowsSometimes(t *testing.T) {
	cfg := config(t, 60, map[string]string{"sometimes": "10", "reduce": "yes"})
	store := cfg.Store.(*memStore)
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 1, st.Findings.New)
	for _, f := range store.final() {
		require.NotNil(t, f.Min, "%s", f.Reduced.Reason)
		require.Equal(t, 1, strings.Count(f.Min.Script, "(assert"), f.Min.Script)
		require.Empty(t, f.Reduced.Reason)
	}
}

// A smaller case that showed the verdict by chance is given up for the one before it.
func TestReductionGoesBack(t *testing.T) {
	cfg := config(t, 60, map[string]string{"chance": "10", "reduce": "yes"})
	store := cfg.Store.(*memStore)
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 1, st.Findings.New)
	for _, f := range store.final() {
		require.NotNil(t, f.Min, "%s", f.Reduced.Reason)
		require.Equal(t, 2, strings.Count(f.Min.Script, "(assert"), f.Min.Script)
		require.Equal(t, "smaller cases that did not show it again, and were given up: 1", f.Reduced.Reason)
		require.NotEmpty(t, f.MinRuns)
	}
}

// The verdict needs a process that has had another case before: the finding is the sequence, with as few cases as
// possible.
func TestSequenceOfCases(t *testing.T) {
	cfg := config(t, 60, map[string]string{"flaky": "20", "reduce": "yes"})
	store := cfg.Store.(*memStore)
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Zero(t, st.Findings.Flaky)
	require.Equal(t, 1, st.Findings.New)
	for _, f := range store.final() {
		require.Equal(t, "own", f.Mode)
		require.Equal(t, f.Tries, f.Hits)
		require.Equal(t, 1, f.Len(), "%+v", f.Sequence)
		require.NotNil(t, f.Min, "%s", f.Reduced.Reason)
		require.Equal(t, 1, strings.Count(f.Min.Script, "(assert"), f.Min.Script)
	}
}

// It must have been another case: the finding is the two, each as small as it gets.
func TestSequenceOfOtherCases(t *testing.T) {
	cfg := config(t, 60, map[string]string{"after": "20", "reduce": "yes"})
	cfg.Workers = 1 // so that case 17 comes before case 20 in the same process
	store := cfg.Store.(*memStore)
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Zero(t, st.Findings.Flaky)
	require.Equal(t, 1, st.Findings.New)
	for _, f := range store.final() {
		require.Equal(t, "own", f.Mode)
		require.Equal(t, f.Tries, f.Hits)
		require.NotNil(t, f.Min, "%s", f.Reduced.Reason)
		require.Equal(t, 1, strings.Count(f.Min.Script, "(assert"), f.Min.Script)
		require.Len(t, f.Before, 1)
		require.Zero(t, f.Repeat)
		require.Equal(t, 1, strings.Count(f.Before[0], "(assert"), "a case that comes before is reduced like any other: %s", f.Before[0])
		require.Regexp(t, `\(= x \d*7\)`, f.Before[0])
		require.True(t, f.Reduced.Sequence)
		require.Empty(t, f.Reduced.Reason)
	}
}

// A flaky finding keeps the cases that its process had had, and histories that were replayed in vain are not replayed
// for ever.
func TestFlakyKeepsItsHistory(t *testing.T) {
	cfg := config(t, 40, map[string]string{"onceat": "31"})
	cfg.Workers = 1
	keeper := &memKeeper{}
	cfg.Store = keeper
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 1, st.Findings.Flaky)
	f := keeper.final()[1]
	require.Len(t, f.Before, int(f.Case.Origin.Number))
	require.Equal(t, 1, f.Tried)

	again := config(t, 80, map[string]string{"onceat": "62"})
	again.Workers, again.Store, again.Resume = 1, keeper, &keeper.progress
	_, st, err = collect(t, again)
	require.NoError(t, err)
	require.Equal(t, 1, st.Findings.Flaky)
	f = keeper.saved[1]
	require.EqualValues(t, 62, f.Case.Origin.Number)
	require.NotEmpty(t, f.Before)
	require.Equal(t, 2, f.Tried, "the second one counts with the first")

	cfg = config(t, 120, map[string]string{"onceat": "93"})
	cfg.Workers, cfg.Store, cfg.Resume = 1, keeper, &keeper.progress
	_, _, err = collect(t, cfg)
	require.NoError(t, err)
	f = keeper.saved[2]
	require.EqualValues(t, 93, f.Case.Origin.Number)
	require.Equal(t, 2, f.Tried, "tried in vain twice: not again")
	require.NotEmpty(t, f.Before)
}

func TestKnownFindingIsCountedOnly(t *testing.T) {
	cfg := config(t, 50, map[string]string{"wrong": "10"})
	first := cfg.Store.(*memStore)
	_, _, err := collect(t, cfg)
	require.NoError(t, err)
	second := &memStore{known: []*finding.Finding{{Known: true, Dir: "findings/0001", Number: 1, SignedVerdict: first.saved[0].SignedVerdict}}}
	cfg.Store = second
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Zero(t, st.Findings.New)
	require.Equal(t, 1, st.Findings.Known)
	require.Empty(t, second.saved)
	require.Equal(t, 5, second.updated[len(second.updated)-1].Count)
}

func TestReductionThatDiesOrHangsKeepsTheBest(t *testing.T) {
	for mode, why := range map[string]string{"die": "its worker died: exit 5", "hang": "its worker died: no sign of life"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, 1, map[string]string{"wrong": "1", "reduce": mode})
			cfg.Drain = 500 * time.Millisecond // of which a reduction gets ten times as much
			store := cfg.Store.(*memStore)
			_, st, err := collect(t, cfg)
			require.NoError(t, err)
			require.Equal(t, 1, st.Findings.New)
			for _, f := range store.final() {
				require.Contains(t, f.Reduced.Reason, "its worker died", why)
				require.NotNil(t, f.Min)
				require.Less(t, len(f.Min.Script), len(f.Case.Script))
			}
		})
	}
}

func TestUnwritableStoreEndsTheCampaignAndTellsTheFinding(t *testing.T) {
	cfg := config(t, 0, map[string]string{"wrong": "10"})
	cfg.Store = &memStore{fail: syscall.ENOSPC}
	var rescued []*finding.Finding
	cfg.Rescue = func(f *finding.Finding, err error) {
		require.ErrorIs(t, err, syscall.ENOSPC)
		rescued = append(rescued, f)
	}
	_, st, err := collect(t, cfg)
	var le *campaign.LoadError
	require.ErrorAs(t, err, &le)
	require.Equal(t, campaign.FaultDisk, le.Fault)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Len(t, rescued, 1)
	require.NotEmpty(t, rescued[0].Case.Script)
	require.NotNil(t, st)
}

type brokenLog struct{ memLog }

func (*brokenLog) Stats(*metrics.Stats) error { return errors.New("disk full") }

func TestUnwritableLog(t *testing.T) {
	cfg := config(t, 10, nil)
	cfg.Log = &brokenLog{}
	_, _, err := collect(t, cfg)
	var le *campaign.LoadError
	require.ErrorAs(t, err, &le)
	require.Equal(t, campaign.FaultDisk, le.Fault)
}

func TestStopConditions(t *testing.T) {
	cfg := config(t, 0, map[string]string{"crash": "2"})
	cfg.Stop = finding.Stop{Findings: 2}
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.GreaterOrEqual(t, st.Findings.New, 2)
	require.Contains(t, st.StopReason, "findings")

	cfg = config(t, 0, nil)
	cfg.Stop = finding.Stop{After: 300 * time.Millisecond}
	_, st, err = collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, "time is over", st.StopReason)

	cfg.Stop = finding.Stop{Quiet: 300 * time.Millisecond, After: time.Hour}
	_, st, err = collect(t, cfg)
	require.NoError(t, err)
	require.Contains(t, st.StopReason, "no new finding")
}

func TestInterruptDrains(t *testing.T) {
	cfg := config(t, 0, map[string]string{"wrong": "50"})
	ctx, cancel := context.WithCancel(context.Background())
	cfg.Print = func(kind coordinator.Line, _ string) {
		if kind == coordinator.LineFinding {
			cancel()
		}
	}
	st, err := coordinator.Run(ctx, cfg)
	require.NoError(t, err)
	require.Equal(t, "interrupted", st.StopReason)
	require.Equal(t, metrics.StateDone, st.State)
	require.Equal(t, 1, st.Findings.New)
	require.Equal(t, st.Cases, st.Targets[0].Runs)
}

func TestOneCase(t *testing.T) {
	cfg := config(t, 0, map[string]string{"wrong": "10"})
	n := uint64(40)
	cfg.Case = &n
	var lines []string
	cfg.Print = func(kind coordinator.Line, text string) {
		if kind == coordinator.LineDetail {
			lines = append(lines, text)
		}
	}
	seen, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Len(t, seen, 1)
	require.EqualValues(t, 1, st.Cases)
	require.Equal(t, 1, st.Findings.New)
	require.Len(t, lines, 2)
	require.Contains(t, lines[1], "bad-2.0/reset\tunsat")
}

func TestHealth(t *testing.T) {
	for fault, want := range map[string]string{"parse": "rejects 50 % of the cases", "unknown": "nothing but unknown", "nostart": "cannot be started", "skip": ""} {
		cfg := config(t, 400, map[string]string{fault: "2"})
		_, st, err := collect(t, cfg)
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, st.Health)
		} else {
			require.Len(t, st.Health, 1)
			require.Contains(t, st.Health[0], want)
			require.Contains(t, st.Health[0], "bad-2.0")
		}
	}
}

func TestPrintOfTheCampaignFile(t *testing.T) {
	cfg := config(t, 30, map[string]string{"print": "9"})
	var lines []string
	cfg.Print = func(kind coordinator.Line, text string) {
		require.Equal(t, coordinator.LinePrint, kind)
		lines = append(lines, text)
	}
	_, _, err := collect(t, cfg)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"loading", "case 9 \x1b[31m"}, lines, "what is printed while loading is said once")
}

func TestBrokenSeeds(t *testing.T) {
	cfg := config(t, 100, map[string]string{"lazy": "25"})
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 3, st.Seeds)
	require.Equal(t, 12+4, st.BrokenSeeds, "those known at once and those met later, each once")
	require.Len(t, st.Broken, 16)
}

func TestShow(t *testing.T) {
	cfg := config(t, 0, map[string]string{"skip": "4", "error": "5"})
	w, err := coordinator.Show(context.Background(), cfg, 7)
	require.NoError(t, err)
	require.Contains(t, w.Script, "(= x 7)")
	require.Equal(t, []string{"sat"}, w.Expect)
	require.EqualValues(t, 7, w.Origin.Number)
	_, err = coordinator.Show(context.Background(), cfg, 8)
	require.ErrorIs(t, err, campaign.ErrSkip)
	_, err = coordinator.Show(context.Background(), cfg, 5)
	require.ErrorContains(t, err, "boom")
	_, err = coordinator.Reproduce(context.Background(), cfg, 1)
	require.ErrorContains(t, err, "is a campaign, there is nothing to reproduce")
}

func TestReproduce(t *testing.T) {
	cfg := config(t, 0, map[string]string{"reproduce": "yes", "wrong": "10"})
	rs, err := coordinator.Reproduce(context.Background(), cfg, 3)
	require.NoError(t, err)
	require.Len(t, rs, 1)
	require.Equal(t, 3, rs[0].Reproduced)
	require.Equal(t, "unsat where sat is right", rs[0].Want)
	require.Equal(t, "bad-2.0/reset", rs[0].Runs[0].Target)
	delete(cfg.Options.Set, "wrong")
	rs, err = coordinator.Reproduce(context.Background(), cfg, 3)
	require.NoError(t, err)
	require.Zero(t, rs[0].Reproduced)
	_, err = coordinator.Run(context.Background(), cfg)
	require.ErrorContains(t, err, "smtlark repro fake.star")
}
