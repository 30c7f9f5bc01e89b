package process

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/fakesolver"
	"github.com/smtlark/smtlark/internal/leaktest"
	"github.com/smtlark/smtlark/solvers"
)

func TestMain(m *testing.M) {
	fakesolver.MaybeRun()
	leaktest.Main(m)
}

// fake makes a target over this test binary as a fake solver with the given arguments.
func fake(t testing.TB, opt TargetOptions, change func(*solvers.Profile), args ...string) solvers.Target {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &solvers.Profile{
		Name:    "fake",
		Program: solvers.Program{Binaries: []string{self}, Version: `version (\S+)`, Modes: []string{"fresh", "reset", "incremental"}, Env: []string{fakesolver.EnvRun + "=1"}},
		Dialect: solvers.Dialect{ContinuesAfterError: true, HasReset: true, MultilineTokens: true},
		Replies: solvers.Replies{ExitCodes: map[string]string{"10": "ok"}},
	}
	if change != nil {
		change(p)
	}
	found := solvers.Discover([]*solvers.Profile{p}, nil)
	require.Len(t, found, 1)
	require.Empty(t, found[0].Unusable)
	require.Equal(t, "fake-1.2.3", found[0].Name)
	opt.Args = append(opt.Args, args...)
	target := New(found[0], opt)
	t.Cleanup(func() { require.NoError(t, target.Close()) })
	return target
}

// good is a query that a fake solver answers with unsat.
func good() *solvers.Query {
	return commands("(set-logic QF_LIA)", "(declare-const x Int)", "(assert (> x 3))", "(set-info :status unsat)", "(check-sat)")
}

// faulty has a fault at its only check-sat.
func faulty(fault string) *solvers.Query {
	return commands("(set-logic QF_LIA)", "(declare-const x Int)", "(assert (> x 3))", "(set-info :status sat)", "(set-info :fault "+fault+")", "(check-sat)")
}

var testLimits = solvers.Limits{Wall: 20 * time.Second, Memory: 1 << 30, Output: 1 << 20}

func TestFaultsInEveryMode(t *testing.T) {
	type want struct {
		class   solvers.Class
		answer  smtlib.Answer
		message string
	}
	short := testLimits
	short.Wall = 300 * time.Millisecond
	small := testLimits
	small.Memory = 512 << 20
	cases := []struct {
		fault string
		lim   solvers.Limits
		all   want  // in every mode
		fresh *want // where a process a case makes a difference
	}{
		{"wrong", testLimits, want{solvers.OK, smtlib.Unsat, ""}, nil},
		{"unknown", testLimits, want{solvers.OK, smtlib.Unknown, ""}, nil},
		{"two-answers", testLimits, want{solvers.Garbage, smtlib.None, "unsat"}, &want{solvers.Garbage, smtlib.Sat, "unsat"}},
		{"garbage", testLimits, want{solvers.Garbage, smtlib.None, "#<pointer>"}, nil},
		{"partial", testLimits, want{solvers.OK, smtlib.Sat, ""}, nil},
		{"half", testLimits, want{solvers.SolverError, smtlib.None, "sa"}, nil},
		{"silent", testLimits, want{solvers.Garbage, smtlib.None, "no answer"}, &want{solvers.Garbage, smtlib.None, "ended without"}},
		{"late", testLimits, want{solvers.Garbage, smtlib.None, "no answer"}, &want{solvers.Garbage, smtlib.None, "ended without"}},
		{"success", testLimits, want{solvers.OK, smtlib.Sat, ""}, nil},
		{"segv", testLimits, want{solvers.Crash, smtlib.None, "SIGSEGV"}, nil},
		{"abort", testLimits, want{solvers.Assertion, smtlib.None, "fakesolver: solver.cpp:123: int check(): Assertion `x == 0x*' failed."}, nil},
		{"abort-after", testLimits, want{solvers.Crash, smtlib.Sat, "SIGABRT"}, nil},
		{"fatal", testLimits, want{solvers.Assertion, smtlib.None, "Fatal failure within int f() at f.cpp:12 Check failure x == y"}, nil},
		{"exit0", testLimits, want{solvers.Garbage, smtlib.None, "ended without"}, nil},
		{"exit3", testLimits, want{solvers.SolverError, smtlib.None, "exit code 3"}, nil},
		{"exit139", testLimits, want{solvers.Crash, smtlib.None, "exit code 139"}, nil},
		{"kill", testLimits, want{solvers.Killed, smtlib.None, "SIGKILL"}, nil},
		{"hang", short, want{solvers.Timeout, smtlib.None, "killed after 300ms"}, nil},
		{"deaf", short, want{solvers.Timeout, smtlib.None, "killed after 300ms"}, nil},
		{"flood", testLimits, want{solvers.OutputLimit, smtlib.None, "bytes of output"}, nil},
		{"flood-stderr", testLimits, want{solvers.OutputLimit, smtlib.None, "bytes of output on stderr"}, nil},
		{"close", short, want{solvers.Garbage, smtlib.None, "closed its output"}, &want{solvers.Timeout, smtlib.None, "killed"}},
		{"grandchild", testLimits, want{solvers.SolverError, smtlib.None, "exit code 1"}, nil},
		{"escaped", testLimits, want{solvers.SolverError, smtlib.None, "exit code 1"}, nil},
		{"memory", small, want{solvers.OutOfMemory, smtlib.None, "memory"}, nil},
		{"memory-segv", small, want{solvers.OutOfMemory, smtlib.None, "SIGSEGV"}, nil},
		{"unsupported", testLimits, want{solvers.Unsupported, smtlib.None, "unsupported"}, &want{solvers.Garbage, smtlib.None, "ended"}},
		{"parse-error", testLimits, want{solvers.ParseError, smtlib.None, "Parse Error"}, nil},
		{"refusal", testLimits, want{solvers.Refusal, smtlib.None, "not enabled"}, nil},
		{"bare-error", testLimits, want{solvers.Unsupported, smtlib.None, "operator f is not supported"}, nil},
		{"marker-wrong", testLimits, want{solvers.Garbage, smtlib.None, "marker"}, &want{solvers.OK, smtlib.Sat, ""}},
		{"marker-missing", testLimits, want{solvers.Garbage, smtlib.None, "marker"}, &want{solvers.OK, smtlib.Sat, ""}},
		{"marker-double", testLimits, want{solvers.Garbage, smtlib.Sat, ""}, &want{solvers.OK, smtlib.Sat, ""}},
		{"marker-early", testLimits, want{solvers.Garbage, smtlib.Sat, ""}, &want{solvers.OK, smtlib.Sat, ""}},
		{"reset-segv", testLimits, want{solvers.Crash, smtlib.Sat, "SIGSEGV"}, &want{solvers.OK, smtlib.Sat, ""}},
	}
	for _, m := range solvers.Modes() {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			target := fake(t, TargetOptions{Mode: m, Limits: testLimits}, nil)
			for _, c := range cases {
				if c.fault == "memory-segv" && system.RaceDetector {
					continue // the race detector takes the memory without touching it
				}
				w := c.all
				if m == solvers.Fresh && c.fresh != nil {
					w = *c.fresh
				}
				lim := c.lim
				if w.class != solvers.Timeout && lim == short { // faults other than timeouts get the longer limit
					lim = testLimits
				}
				run := target.Run(context.Background(), faulty(c.fault), lim)
				require.Equal(t, w.class, run.Class, "%s: %+v", c.fault, run)
				require.Equal(t, []smtlib.Answer{w.answer}, run.Answers, "%s: %+v", c.fault, run)
				require.Contains(t, run.Message, w.message, c.fault)
				require.Equal(t, run.Class == solvers.Crash || run.Class == solvers.Assertion, run.Class.IsBug())
				require.LessOrEqual(t, len(run.Stdout)+len(run.Stderr), 2<<20)

				run = target.Run(context.Background(), good(), testLimits)
				require.Equal(t, solvers.OK, run.Class, "after %s: %+v", c.fault, run)
				require.Equal(t, []smtlib.Answer{smtlib.Unsat}, run.Answers, "after %s", c.fault)
			}
		})
	}
}

func TestFramingFaultsInFramedFile(t *testing.T) {
	target := fake(t, TargetOptions{Limits: testLimits}, nil)
	for _, fault := range []string{"marker-wrong", "marker-missing", "marker-double", "marker-early", "late", "silent", "two-answers"} {
		q := faulty(fault)
		q.Commands = append(q.Commands, commands("(set-info :status unsat)", "(check-sat)", "(get-info :name)").Commands...)
		run := target.Run(context.Background(), q, testLimits)
		require.Equal(t, solvers.Garbage, run.Class, "%s: %+v", fault, run)
		require.NotEqual(t, smtlib.Unsat, run.Answers[0], fault)
		require.NotEqual(t, smtlib.Sat, run.Answers[1], "%s: the late answer must not count for the second check", fault)
	}
}

func TestStartFaults(t *testing.T) {
	for _, m := range solvers.Modes() {
		t.Run(string(m), func(t *testing.T) {
			target := fake(t, TargetOptions{Mode: m, Limits: testLimits}, nil, "--fault=slow-start")
			run := target.Run(context.Background(), good(), testLimits)
			require.Equal(t, solvers.OK, run.Class, "%+v", run)

			target = fake(t, TargetOptions{Mode: m, Limits: testLimits}, nil, "--fault=die-at-start")
			run = target.Run(context.Background(), good(), testLimits)
			require.Contains(t, run.Message, "cannot find my library")
			require.Equal(t, 127, run.ExitCode)
			want := solvers.StartFailure
			if m == solvers.Fresh { // where the end of the start cannot be seen
				want = solvers.SolverError
			}
			require.Equal(t, want, run.Class, "%+v", run)

			target = fake(t, TargetOptions{Mode: m, Limits: testLimits}, nil, "--fault=segv-at-start")
			require.Equal(t, solvers.Crash, target.Run(context.Background(), good(), testLimits).Class)

			target = fake(t, TargetOptions{Mode: m, Limits: testLimits, StartTimeout: 300 * time.Millisecond}, nil, "--fault=mute")
			lim := testLimits
			lim.Wall = 300 * time.Millisecond
			run = target.Run(context.Background(), good(), lim)
			if want = solvers.StartFailure; m == solvers.Fresh {
				want = solvers.Timeout
			}
			require.Equal(t, want, run.Class, "%+v", run)
		})
	}
}

func TestProgramThatCannotBeStarted(t *testing.T) {
	p := &solvers.Profile{Name: "gone", Program: solvers.Program{Binaries: []string{"gone"}, Modes: []string{"fresh", "reset"}}}
	for _, m := range []solvers.Mode{solvers.Fresh, solvers.Reset, solvers.Incremental} {
		target := New(&solvers.Solver{Profile: p, Name: "gone-1", Path: "/nowhere/gone", Exec: []string{"/nowhere/gone"}}, TargetOptions{Mode: m})
		run := target.Run(context.Background(), good(), testLimits)
		require.Equal(t, solvers.StartFailure, run.Class)
		require.Equal(t, []smtlib.Answer{smtlib.None}, run.Answers)
		if m == solvers.Incremental {
			require.Contains(t, run.Message, "no mode incremental")
		} else {
			require.Contains(t, run.Message, "no such file")
		}
		require.NoError(t, target.Close())
	}
}

func TestCPULimit(t *testing.T) {
	for _, m := range solvers.Modes() {
		target := fake(t, TargetOptions{Mode: m, Limits: testLimits}, nil)
		lim := testLimits
		lim.CPU = 300 * time.Millisecond
		run := target.Run(context.Background(), faulty("spin"), lim)
		require.Equal(t, solvers.Timeout, run.Class, "%s: %+v", m, run)
		require.Greater(t, run.CPU, 300*time.Millisecond)
		require.Contains(t, run.Message, "of CPU time")
	}
}

// For programs that reserve memory beyond all limits, as with sanitizers, the limit applies to resident memory.
func TestResidentMemoryLimit(t *testing.T) {
	lim := testLimits
	lim.Memory = 200 << 20
	for _, m := range solvers.Modes() {
		target := fake(t, TargetOptions{Mode: m, Limits: testLimits}, func(p *solvers.Profile) { p.MemoryLimit = "resident" })
		run := target.Run(context.Background(), faulty("memory"), lim)
		require.Equal(t, solvers.OutOfMemory, run.Class, "%s: %+v", m, run)
		require.Equal(t, "killed at 209715200 bytes of memory", run.Message)
		require.Greater(t, run.PeakMemory, int64(200<<20))
	}
}

func TestFoldersOfTheDeadAreRemoved(t *testing.T) {
	parent := t.TempDir()
	live, err := newFolder(parent)
	require.NoError(t, err)
	defer live.Close()
	dead, err := newFolder(parent)
	require.NoError(t, err)
	dead.lock.Close()
	unborn := filepath.Join(parent, "smtlark-target-1")
	require.NoError(t, os.Mkdir(unborn, 0o700))
	other := filepath.Join(parent, "smtlark-x")
	require.NoError(t, os.Mkdir(other, 0o700))

	delete(swept, parent) // as another process would find it
	sweepOnce(parent)
	require.DirExists(t, live.Dir)
	require.DirExists(t, unborn)
	require.DirExists(t, other)
	require.NoDirExists(t, dead.Dir)
}

func TestErrorsThatEndTheProcess(t *testing.T) {
	for _, m := range solvers.Modes() {
		for _, arg := range []string{"--errors=stderr", "--errors=stop"} {
			target := fake(t, TargetOptions{Mode: m, Limits: testLimits}, func(p *solvers.Profile) { p.ContinuesAfterError = false }, arg, "--quoted")
			run := target.Run(context.Background(), commands("(set-logic QF_LIA)", "(pop 1)", "(check-sat)"), testLimits)
			if m == solvers.Incremental { // a case that pops too much runs by itself
				require.Equal(t, []smtlib.Answer{smtlib.None}, run.Answers)
			}
			require.NotEqual(t, solvers.OK, run.Class, "%s %s: %+v", m, arg, run)
			require.False(t, run.Class.IsBug())
			require.Contains(t, run.Message, "pop without push", "%s %s: %+v", m, arg, run)

			// A model that is asked for in vain ends the process, but everything was answered.
			run = target.Run(context.Background(), commands("(set-info :status unsat)", "(check-sat)", "(get-model)"), testLimits)
			require.Equal(t, solvers.OK, run.Class, "%s %s: %+v", m, arg, run)
			require.Equal(t, []smtlib.Answer{smtlib.Unsat}, run.Answers)
		}
	}
}

func TestCancelStopsARun(t *testing.T) {
	for _, m := range solvers.Modes() {
		target := fake(t, TargetOptions{Mode: m, Limits: testLimits}, nil)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			time.Sleep(100 * time.Millisecond)
			cancel()
		}()
		run := target.Run(ctx, faulty("hang"), testLimits)
		require.Equal(t, solvers.Cancelled, run.Class, "%+v", run)
		require.Equal(t, solvers.Cancelled, target.Run(ctx, good(), testLimits).Class)
		require.Equal(t, solvers.OK, target.Run(context.Background(), good(), testLimits).Class)
	}
}

func TestNoLeaks(t *testing.T) {
	for _, m := range solvers.Modes() {
		target := fake(t, TargetOptions{Mode: m, Limits: testLimits}, nil)
		for _, fault := range []string{"segv", "grandchild", "hang", "wrong"} {
			lim := testLimits
			lim.Wall = 200 * time.Millisecond
			target.Run(context.Background(), faulty(fault), lim)
		}
		dir := target.(*processTarget).folder.Dir
		require.DirExists(t, dir)
		require.NoError(t, target.Close())
		require.NoDirExists(t, dir)
	}
	children, err := os.ReadFile("/proc/self/task/" + "self" + "/children")
	if err == nil {
		require.Empty(t, strings.TrimSpace(string(children)))
	}
}
