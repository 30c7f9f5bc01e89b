package property_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/property"
	"github.com/smtlark/smtlark/solvers"
)

// library is a target of mode native whose process goes on between runs: it fails for a text with "bad", and, from the
// third run of a process on, for each with "late". Limits are kept.
type library struct {
	starts, runs int // processes, and runs of the present one
	limits       []solvers.Limits
}

func (l *library) Name() string            { return "library" }
func (l *library) Solver() *solvers.Solver { return nil }
func (l *library) Mode() solvers.Mode      { return solvers.Native }
func (l *library) Close() error            { l.runs = 0; return nil }

func (l *library) Run(_ context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	if l.runs++; l.runs == 1 {
		l.starts++
	}
	l.limits = append(l.limits, lim)
	run := &solvers.Run{Class: solvers.OK, CPU: 20 * time.Millisecond}
	if text := q.Text(); strings.Contains(text, "bad") || strings.Contains(text, "late") && l.runs > 2 {
		run.Class, l.runs = solvers.Crash, 0
	}
	return run
}

func caseOf(t *testing.T, text string) *testcase.Case {
	t.Helper()
	s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return &testcase.Case{Script: s}
}

// TestRunnerKeepsLibraries checks that a process is reused after a candidate that shows nothing. A candidate that shows
// the bug in a used process is asked about in a new one, and counts only if it shows the bug there.
func TestRunnerKeepsLibraries(t *testing.T) {
	l := &library{}
	crash := property.Func("crash", func(_ *testcase.Case, runs []*solvers.Run) bool { return runs[0].Class == solvers.Crash })
	r := property.NewRunner(crash, [][]solvers.Target{{l}}, 10*time.Second)
	ask := func(name string) bool {
		return r.Ask(context.Background(), driver.Detach(caseOf(t, "(declare-const "+name+" Bool)(assert "+name+")(check-sat)"))).Holds
	}
	shown, _ := r.Measure(context.Background(), driver.Detach(caseOf(t, "(declare-const bad Bool)(assert bad)(check-sat)")), 3)
	require.Equal(t, []int{3, 3}, []int{shown, l.starts}, "each in a new process")
	for i, tc := range []struct {
		name   string
		holds  bool
		starts int
	}{
		{"bad", true, 4}, {"fine", false, 5}, {"fine", false, 5}, {"bad", true, 6}, {"bad", true, 7}, {"late", false, 8}, {"late", false, 8}, {"late", false, 9}, {"fine", false, 9},
	} {
		require.Equal(t, tc.holds, ask(tc.name), i)
		require.Equal(t, tc.starts, l.starts, i)
	}
	last := l.limits[len(l.limits)-1]
	require.Less(t, last.CPU, time.Second, "CPU time is that of the runs so far")
	require.Equal(t, 10*time.Second, last.Wall)
}
