//go:build linux

package process_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/fakesolver"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/coverage"
	"github.com/smtlark/smtlark/solvers/process"
)

// countingSolver is a solver that counts its edges.
func countingSolver(t *testing.T) *solvers.Solver {
	path := fakesolver.Counting(t)
	p := &solvers.Profile{Name: "counting", Program: solvers.Program{Binaries: []string{path}, Modes: []string{"fresh", "reset", "incremental"}}, Dialect: solvers.Dialect{HasReset: true, ContinuesAfterError: true}}
	return &solvers.Solver{Profile: p, Name: "counting", Path: path, Exec: []string{path}}
}

func questionOf(counts bool, commands ...string) *solvers.Query {
	q := &solvers.Query{Counts: counts}
	for _, c := range append(commands, "(check-sat)") {
		reply := solvers.NoReply
		if c == "(check-sat)" {
			reply = solvers.AnswerReply
		}
		q.Commands = append(q.Commands, solvers.PrintedCommand{Text: c, Reply: reply})
	}
	return q
}

// segments returns the numbers of the shared memory that a process has made and that is still there.
func segments(t *testing.T, pid int) (numbers []string) {
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Skip("there is no /proc/sysvipc")
	}
	const number, creator = 1, 4
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > creator && f[creator] == strconv.Itoa(pid) {
			numbers = append(numbers, f[number])
		}
	}
	return numbers
}

// TestEdgesOfCases: in every mode a case has its own edges, whatever ran before it in the same process; a case that
// kills its process has the edges until then.
func TestEdgesOfCases(t *testing.T) {
	s := countingSolver(t)
	for _, mode := range []solvers.Mode{solvers.Fresh, solvers.Reset, solvers.Incremental} {
		t.Run(string(mode), func(t *testing.T) {
			target := process.New(s, process.TargetOptions{Mode: mode})
			defer target.Close()
			edges, err := target.(solvers.Counter).Counts(context.Background())
			require.NoError(t, err)
			require.Equal(t, 1<<16, edges)
			var known coverage.Seen
			run := func(commands ...string) *solvers.Run {
				r := target.Run(context.Background(), questionOf(true, commands...), solvers.Limits{})
				require.NotNil(t, r.Coverage, r.Message)
				return r
			}
			start := 0
			if mode == solvers.Fresh {
				start = 1
			}
			first := run("(assert (f x y))")
			require.Equal(t, solvers.OK, first.Class, first.Message)
			require.Equal(t, start+3, first.Coverage.Edges())
			require.Len(t, first.Coverage.Beyond(&known), start+3)
			known.Add(first.Coverage.Beyond(&known))
			again := run("(assert (f x y))")
			require.Equal(t, start+3, again.Coverage.Edges())
			require.Empty(t, again.Coverage.Beyond(&known))
			more := run("(assert (f x x))", "(assert (g x))")
			require.Equal(t, start+3, more.Coverage.Edges())
			require.Len(t, more.Coverage.Beyond(&known), 2, "g, and x three times")
			dies := run("(assert (h z))", "(die)")
			require.Equal(t, solvers.Crash, dies.Class)
			require.Equal(t, start+3, dies.Coverage.Edges(), "h, z, and the death")
			require.Equal(t, start+3, run("(assert (f x y))").Coverage.Edges())
			require.Nil(t, target.Run(context.Background(), questionOf(false, "(assert x)"), solvers.Limits{}).Coverage, "nobody asks")
		})
	}
}

func TestProgramsThatDoNotCount(t *testing.T) {
	s := countingSolver(t)
	off := false
	target := process.New(s, process.TargetOptions{Coverage: &off})
	defer target.Close()
	r := target.Run(context.Background(), questionOf(true, "(assert x)"), solvers.Limits{})
	require.Equal(t, solvers.OK, r.Class, r.Message)
	require.Nil(t, r.Coverage)
	require.True(t, coverage.Instrumented(s.Files()))
	require.False(t, coverage.Instrumented([]string{"/bin/sh", "/nowhere"}))
	self, err := os.Executable()
	require.NoError(t, err)
	require.False(t, coverage.Instrumented([]string{self}), "a program that reads coverage")
}

// TestNothingIsLeft: the shared memory is gone when the target is closed, and when its process is killed.
func TestNothingIsLeft(t *testing.T) {
	s := countingSolver(t)
	target := process.New(s, process.TargetOptions{Mode: solvers.Reset})
	r := target.Run(context.Background(), questionOf(true, "(assert x)"), solvers.Limits{})
	require.NotNil(t, r.Coverage)
	there := segments(t, os.Getpid())
	if os.Getenv(killedEnv) != "" {
		fmt.Printf("%d segments\n", len(there))
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
	require.Len(t, there, 1)
	require.NoError(t, target.Close())
	require.Empty(t, segments(t, os.Getpid()))

	cmd := exec.Command(os.Args[0], "-test.run=^TestNothingIsLeft$")
	cmd.Env = append(os.Environ(), killedEnv+"=1", "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	require.ErrorContains(t, err, "killed", "%s", out)
	require.Contains(t, string(out), "1 segments")
	require.Eventually(t, func() bool { return len(segments(t, cmd.Process.Pid)) == 0 }, time.Minute, 10*time.Millisecond)
}

// killedEnv asks a process of TestNothingIsLeft to end without a chance to clean up.
const killedEnv = "SMTLARK_TEST_KILLED"

// TestModules: the numbers that a running program has given to its edges are read in its memory.
func TestModules(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the program lays out its edges on x86-64 only")
	}
	s := countingSolver(t)
	target := process.New(s, process.TargetOptions{Mode: solvers.Reset})
	defer target.Close()
	_, err := target.(solvers.Counter).Modules(context.Background())
	require.ErrorContains(t, err, "has numbered its edges")
	s.Path = fakesolver.Counting(t, "-DSITES", "-g")
	s.Exec = []string{s.Path}
	sites := process.New(s, process.TargetOptions{Mode: solvers.Fresh})
	defer sites.Close()
	modules, err := sites.(solvers.Counter).Modules(context.Background())
	require.NoError(t, err)
	require.Equal(t, []coverage.Module{{Path: s.Path, First: 100, Count: 5}}, modules)
}
