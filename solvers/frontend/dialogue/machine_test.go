package dialogue_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/internal/fakesolver"
	"github.com/smtlark/smtlark/internal/leaktest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

func TestMain(m *testing.M) {
	fakesolver.MaybeRun()
	leaktest.Main(m)
}

// targetsOf makes targets of solvers of this machine.
func targetsOf(t testing.TB, names ...string) (out []solvers.Target) {
	t.Helper()
	for _, name := range names {
		s, err := script.Supply().Find(name, "")
		if err != nil && os.Getenv("CI") == "" {
			t.Skip(err)
		}
		require.NoError(t, err)
		x := process.New(s, process.TargetOptions{Mode: solvers.Incremental})
		t.Cleanup(func() { _ = x.Close() })
		out = append(out, x)
	}
	return out
}

// fakeTarget makes a target of the fake solver with these arguments.
func fakeTarget(t testing.TB, name string, args ...string) solvers.Target {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &solvers.Profile{
		Name:    "fake",
		Program: solvers.Program{Binaries: []string{self}, Version: `version (\S+)`, Modes: []string{"incremental"}, Env: []string{fakesolver.EnvRun + "=1"}},
		Dialect: solvers.Dialect{HasReset: true},
	}
	require.NoError(t, p.Validate())
	s := &solvers.Solver{Profile: p, Name: name, Path: self, Exec: []string{self}, Version: "1"}
	x := process.New(s, process.TargetOptions{Mode: solvers.Incremental, Args: args, Name: name})
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// talk gives a dialogue a text, and returns the replies.
func talk(t testing.TB, o frontend.Options, targets []solvers.Target, text string) string {
	t.Helper()
	s, err := frontend.New(smt.NewArena(), targets, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	var out bytes.Buffer
	require.NoError(t, dialogue.New(s, strings.NewReader(text), &out).Run(context.Background()))
	return out.String()
}

// childrenOf lists the processes that this one has started and that still run.
func childrenOf(t testing.TB) (pids []int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("processes are listed by /proc")
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		_, rest, _ := strings.Cut(string(text), ") ")
		var state string
		var parent int
		if n, _ := fmt.Sscan(rest, &state, &parent); n == 2 && parent == os.Getpid() && state != "Z" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestAskedAgainInVain: a solver that does not come to an answer when it is asked again is told apart from one that has
// no such command.
func TestAskedAgainInVain(t *testing.T) {
	const text = "(set-option :produce-models true)(check-sat)(declare-const y Int)(set-option :timeout 100)(get-value (y))"
	got := talk(t, frontend.Options{}, []solvers.Target{fakeTarget(t, "fake", "--answer=unknown", "--fault=hang@2")}, text)
	require.Equal(t, "unknown\n(error \"line 1 column 91: fake was asked again, and has no answer now: timeout\")\n", got)
}
