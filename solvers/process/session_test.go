package process

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/fakesolver"
	"github.com/smtlark/smtlark/internal/processtest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// pids returns the processes a target keeps.
func pids(t solvers.Target) []int {
	var all []int
	for _, s := range t.(*processTarget).lasting.pool {
		all = append(all, s.child.process.pid)
	}
	return all
}

func ask(t testing.TB, target solvers.Target, lines ...string) *solvers.Run {
	t.Helper()
	run := target.Run(context.Background(), commands(lines...), testLimits)
	require.Equal(t, solvers.OK, run.Class, "%+v", run)
	return run
}

// Cases that would disturb those after them, in a shared process.
func TestCasesDoNotDisturbEachOther(t *testing.T) {
	everyMode(t, func(t *testing.T, target solvers.Target) {
		plain := func() {
			t.Helper()
			run := ask(t, target, "(set-logic QF_LIA)", "(declare-fun x () Int)", "(assert (= x 1))", "(check-sat)")
			require.Equal(t, []smtlib.Answer{smtlib.Sat}, run.Answers)
		}
		plain()
		run := ask(t, target, "(set-logic QF_LIA)", "(declare-fun x () Bool)", "(push 1)", "(push 2)", "(assert (and x (not x)))", "(check-sat)")
		require.Equal(t, smtlib.Unsat, run.Answer())
		plain()
		run = ask(t, target, "(set-logic QF_LIA)", "(declare-fun x () Int)", "(assert (> x 3))", "(check-sat)", "(reset)",
			"(set-logic QF_LRA)", "(declare-fun x () Real)", "(assert (and (> x 0.0) (< x 0.0)))", "(check-sat)")
		require.Equal(t, []smtlib.Answer{smtlib.Sat, smtlib.Unsat}, run.Answers)
		plain()
		run = ask(t, target, "(set-option :global-declarations true)", "(set-logic QF_LIA)", "(push 1)", "(declare-fun x () Bool)", "(assert x)", "(check-sat)", "(pop 1)")
		require.Equal(t, smtlib.Sat, run.Answer())
		plain()
		run = ask(t, target, "(set-logic QF_LIA)", "(declare-fun x () Int)", "(assert false)", "(check-sat)", "(exit)", "(check-sat)")
		require.Equal(t, []smtlib.Answer{smtlib.Unsat, smtlib.None}, run.Answers)
		plain()
		ask(t, target, "(set-logic ALL)", "(declare-datatypes ((x 0)) (((a) (b))))", "(declare-const y x)", "(define-fun z () x a)", "(assert (= y z))", "(check-sat)")
		plain()
		run = target.Run(context.Background(), commands("(set-logic QF_LIA)", "(push 1)", "(pop 2)", "(assert false)", "(check-sat)"), testLimits)
		require.NotEqual(t, solvers.OK, run.Class)
		require.Equal(t, smtlib.None, run.Answer(), "the pop was rejected")
		plain()
	})
}

// The quoted symbol with a line break that cvc5 1.0.3 cannot read from a pipe.
func TestSymbolsThatSpanLines(t *testing.T) {
	everyMode(t, func(t *testing.T, target solvers.Target) {
		run := ask(t, target, "(set-info :source |\na \"quoted\" text\n|)", "(set-logic QF_UF)", "(declare-const |a\nb| Bool)", "(assert |a\nb|)", "(check-sat)")
		require.Equal(t, smtlib.Sat, run.Answer())
	})
}

func TestStatusIsNotShownToSolversThatCheckIt(t *testing.T) {
	everyMode(t, func(t *testing.T, target solvers.Target) {
		run := ask(t, target, "(set-info :status unsat)", "(set-logic QF_UF)", "(declare-const a Bool)", "(assert a)", "(check-sat)")
		require.Equal(t, smtlib.Sat, run.Answer())
	})
}

func TestOutputIsNotRedirected(t *testing.T) {
	everyMode(t, func(t *testing.T, target solvers.Target) {
		file := t.TempDir() + "/out"
		run := ask(t, target, `(set-option :regular-output-channel "`+file+`")`, `(set-option :diagnostic-output-channel "`+file+`")`, "(set-logic QF_UF)", "(check-sat)")
		require.Equal(t, smtlib.Sat, run.Answer())
		require.NoFileExists(t, file)
	})
}

func TestNothingIsDueAfterExit(t *testing.T) {
	for _, m := range solvers.Modes() {
		target := fake(t, TargetOptions{Mode: m}, nil)
		run := ask(t, target, "(assert true)", "(exit)", "(check-sat)")
		require.Equal(t, []smtlib.Answer{smtlib.None}, run.Answers)
		run = ask(t, target, "(check-sat)", "(exit)")
		require.Equal(t, []smtlib.Answer{smtlib.Sat}, run.Answers)
	}
}

func TestOptionsThatOutliveReset(t *testing.T) {
	target := fake(t, TargetOptions{Mode: solvers.Reset}, func(p *solvers.Profile) { p.ResetKeepsOptions = true })
	ask(t, target, "(check-sat)")
	first := pids(target)
	ask(t, target, "(set-option :a 1)", "(check-sat)")
	require.Len(t, pids(target), 2, "another process for other options")
	ask(t, target, "(check-sat)")
	require.Equal(t, first[0], pids(target)[1], "the first process serves again")

	target = fake(t, TargetOptions{Mode: solvers.Reset}, nil)
	ask(t, target, "(check-sat)")
	ask(t, target, "(set-option :a 1)", "(check-sat)")
	require.Len(t, pids(target), 1)
	ask(t, target, "(check-sat)", "(check-sat)")
	require.Len(t, pids(target), 1, "several checks need no other arguments")

	target = fake(t, TargetOptions{Mode: solvers.Reset}, func(p *solvers.Profile) { p.IncrementalArgs = []string{"--incremental"} })
	ask(t, target, "(check-sat)")
	ask(t, target, "(check-sat)", "(check-sat)")
	require.Len(t, pids(target), 2, "several checks need other arguments")
}

// Cases of many logics keep their processes, as many as all targets together may have.
func TestIdleProcessesAreShared(t *testing.T) {
	opt := TargetOptions{Mode: solvers.Incremental, Processes: 2}
	first, second := fake(t, opt, nil), fake(t, opt, nil)
	logics := func(target solvers.Target, n int) (kept []int) {
		for i := range n {
			ask(t, target, fmt.Sprintf("(set-logic L%d)", i), "(check-sat)")
		}
		return pids(target)
	}
	kept := logics(first, 6)
	require.Len(t, kept, 6)
	require.ElementsMatch(t, kept, logics(first, 6), "none is started anew")
	logics(second, maxShared)
	require.Len(t, pids(first), 6)
	require.Len(t, pids(second), maxShared-2, "the first one has four of those that are shared")
	require.NoError(t, first.Close())
	logics(second, 2*maxShared)
	kept = pids(second)
	require.Len(t, kept, maxShared+2)
	ask(t, second, fmt.Sprintf("(set-logic L%d)", maxShared-2), "(check-sat)")
	require.ElementsMatch(t, kept, pids(second), "it was used most recently")
	ask(t, second, fmt.Sprintf("(set-logic L%d)", maxShared-3), "(check-sat)")
	require.NotSubset(t, kept, pids(second), "the least recently used one was replaced")
	require.Len(t, pids(second), maxShared+2)
	require.NoError(t, second.Close())
	require.Zero(t, sharedProcesses.Load())
}

// Cases that have a process of their own leave no room for more idle ones.
func TestIsolatedProcessesTakeNoShare(t *testing.T) {
	target := fake(t, TargetOptions{Mode: solvers.Incremental, Processes: 2}, nil)
	for i := range 3 * maxShared {
		ask(t, target, fmt.Sprintf("(set-logic L%d)", i), "(check-sat)")
		ask(t, target, "(check-sat)", "(reset)", "(check-sat)")
	}
	require.Len(t, pids(target), maxShared+2)
	require.NoError(t, target.Close())
	require.Zero(t, sharedProcesses.Load())
}

func TestProcessIsReplacedAfterMaxRuns(t *testing.T) {
	for _, m := range []solvers.Mode{solvers.Reset, solvers.Incremental} {
		target := fake(t, TargetOptions{Mode: m, MaxRuns: 3}, nil)
		var seen []int
		for range 7 {
			ask(t, target, "(check-sat)")
			seen = append(seen, pids(target)[0])
		}
		require.Equal(t, []bool{true, true, false, true, true, false},
			[]bool{seen[0] == seen[1], seen[1] == seen[2], seen[2] == seen[3], seen[3] == seen[4], seen[4] == seen[5], seen[5] == seen[6]})
	}
}

func TestProcessKilledFromOutside(t *testing.T) {
	for _, m := range []solvers.Mode{solvers.Reset, solvers.Incremental} {
		target := fake(t, TargetOptions{Mode: m}, nil)
		ask(t, target, "(check-sat)")
		for range 20 { // whether it is noticed before the case is sent or after
			require.NoError(t, processtest.KillProcess(pids(target)[0]))
			ask(t, target, "(check-sat)")
		}
	}
}

func TestModelIsAskedForOnlyAfterSat(t *testing.T) {
	for _, m := range solvers.Modes() {
		target := fake(t, TargetOptions{Mode: m}, nil)
		q := commands("(declare-const x Int)", "(set-info :status unsat)", "(check-sat)").WithModel()
		require.True(t, q.Models)
		run := target.Run(context.Background(), q, testLimits)
		require.Equal(t, solvers.OK, run.Class, "%+v", run)
		if m == solvers.Fresh {
			require.Contains(t, run.Values[0], "model is not available")
		} else {
			require.Equal(t, []string{""}, run.Values)
		}
		q = commands("(declare-const x Int)", "(set-info :status sat)", "(check-sat)", "(set-info :status unsat)", "(check-sat)", "(set-info :status sat)", "(check-sat)").WithModel()
		run = target.Run(context.Background(), q, testLimits)
		require.Equal(t, solvers.OK, run.Class, "%+v", run)
		require.Equal(t, []smtlib.Answer{smtlib.Sat, smtlib.Unsat, smtlib.Sat}, run.Answers)
		require.Contains(t, run.Values[0], "define-fun x")
		require.Contains(t, run.Values[2], "define-fun x")
		require.Equal(t, "(set-option :produce-models true)\n", run.Preamble)
	}
}

func TestSilenceInsteadOfAModel(t *testing.T) {
	for _, m := range solvers.Modes() {
		target := fake(t, TargetOptions{Mode: m}, nil, "--silent-model")
		run := target.Run(context.Background(), commands("(set-info :status unsat)", "(check-sat)").WithModel(), testLimits)
		require.Equal(t, solvers.OK, run.Class, "%+v", run)
		require.Equal(t, smtlib.Unsat, run.Answer())
		run = target.Run(context.Background(), commands("(set-info :status unsat)", "(check-sat)", "(get-model)"), testLimits)
		require.Equal(t, []string{""}, run.Values)
	}
}

// State that survives (reset) or (pop) must not affect the next case.
func TestProcessIsReplacedAfterWhatOutlivesACase(t *testing.T) {
	for _, m := range []solvers.Mode{solvers.Reset, solvers.Incremental} {
		target := fake(t, TargetOptions{Mode: m}, func(p *solvers.Profile) {
			p.OutlivesReset, p.OutlivesPop = []string{":named"}, []string{"(define-sort"}
		})
		ask(t, target, "(assert (! true :named a))", "(check-sat)")
		require.Equal(t, m == solvers.Incremental, len(pids(target)) == 1)
		ask(t, target, "(define-sort a () Int)", "(check-sat)")
		require.Equal(t, m == solvers.Reset, len(pids(target)) == 1)
	}
}

func TestOptionsAndLimitsOfTheSolver(t *testing.T) {
	target := fake(t, TargetOptions{
		SMTOptions: []rule.Setting{{Name: "seed", Value: "3"}}, Resources: 99, TimeLimit: time.Second, Args: []string{"--quoted"},
	}, func(p *solvers.Profile) {
		p.ResourceLimit, p.TimeLimit, p.Preamble = "(set-option :rlimit {n})", "--answer={ms}", []string{"(set-option :p 1)"}
	})
	require.Equal(t, "fake-1.2.3/fresh seed=3 --quoted", target.Name())
	run := target.Run(context.Background(), commands("(check-sat)"), testLimits)
	require.Equal(t, solvers.Garbage, run.Class, "1000 is no answer")
	require.Equal(t, "1000", run.Message)
	require.Equal(t, "(set-option :p 1)\n(set-option :seed 3)\n(set-option :rlimit 99)\n", run.Preamble)
	require.Equal(t, []string{target.Solver().Path, "--quoted", "--answer=1000"}, run.Argv[:3])
	require.Contains(t, run.Argv[3], caseFile)
}

// Much input, each piece of which is answered at once: neither side may wait for the other for ever.
func TestBigCaseWithBigOutput(t *testing.T) {
	var lines []string
	for i := range 20_000 {
		lines = append(lines, `(echo "`+strings.Repeat("x", 100)+strconv.Itoa(i)+`")`)
	}
	lines = append(lines, "(assert "+strings.Repeat("(not ", 300_000)+"true"+strings.Repeat(")", 300_000)+")", "(check-sat)")
	lim := testLimits
	lim.Output = 64 << 20
	for _, m := range solvers.Modes() {
		target := fake(t, TargetOptions{Mode: m}, nil)
		run := target.Run(context.Background(), commands(lines...), lim)
		require.Equal(t, solvers.OK, run.Class, "%s %s", m, run.Message)
		require.Equal(t, smtlib.Sat, run.Answer())
		require.True(t, strings.HasSuffix(run.Values[19_999], "x19999"))
		require.Equal(t, solvers.OutputLimit, target.Run(context.Background(), commands(lines...), testLimits).Class)
	}
}

// A case cannot fake its own markers.
func TestMarkersInTheCase(t *testing.T) {
	for _, m := range solvers.Modes() {
		target := fake(t, TargetOptions{Mode: m}, nil)
		run := ask(t, target, `(echo "smtlark-00000000-0")`, "(check-sat)", `(echo "unsat")`, `(echo "smtlark-00000000-2")`, "(check-sat)")
		require.Equal(t, []smtlib.Answer{smtlib.Sat, smtlib.Sat}, run.Answers)
		require.Equal(t, []string{"smtlark-00000000-0", "unsat", "smtlark-00000000-2"}, run.Values)
	}
}

// orphan is set in a copy of the test program that is going to be killed.
const orphan = "SMTLARK_TEST_ORPHAN"

func init() {
	mode := os.Getenv(orphan)
	if mode == "" || os.Getenv(fakesolver.EnvRun) == "1" {
		return
	}
	self, _ := os.Executable()
	p := &solvers.Profile{Name: "fake", Program: solvers.Program{Binaries: []string{}, Modes: []string{"fresh", "reset"}, Env: []string{fakesolver.EnvRun + "=1"}}, Dialect: solvers.Dialect{HasReset: true}}
	s := &solvers.Solver{Profile: p, Name: "fake", Path: self, Exec: []string{self}}
	target := New(s, TargetOptions{Mode: solvers.Mode(mode), TempDir: os.Getenv("SMTLARK_TEST_DIR"), Limits: solvers.Limits{Wall: time.Minute}})
	go target.Run(context.Background(), faulty("deaf"), solvers.Limits{})
	for {
		time.Sleep(20 * time.Millisecond)
		if children, _ := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid())).Output(); len(children) > 0 {
			fmt.Println(strings.Fields(string(children))[0])
			select {} // until it is killed
		}
	}
}

func TestChildrenDieWithTheirParent(t *testing.T) {
	if _, err := exec.LookPath("pgrep"); err != nil {
		t.Skip("no pgrep here")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, m := range []string{"fresh", "reset"} {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), orphan+"="+m, "SMTLARK_TEST_DIR="+t.TempDir())
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		require.NoError(t, err)
		require.True(t, processtest.Exists(pid), "the solver runs")
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		require.Eventually(t, func() bool {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(stat), ") Z ")
		}, time.Minute, 10*time.Millisecond, "%s: the solver outlived its parent", m)
	}
}
