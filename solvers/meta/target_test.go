package meta_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/meta"
)

// opened is a target with sessions that are given.
type opened struct {
	name string
	open func(a *smt.Arena) (solvers.Session, error)
}

func (o *opened) Name() string { return o.name }
func (o *opened) Solver() *solvers.Solver {
	return &solvers.Solver{Name: o.name, Profile: &solvers.Profile{Name: o.name}}
}
func (o *opened) Mode() solvers.Mode { return solvers.Reset }
func (o *opened) Close() error       { return nil }
func (o *opened) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	return solvers.RunLive(ctx, o, q, lim, nil)
}
func (o *opened) Open(_ context.Context, a *smt.Arena, _ solvers.Limits) (solvers.Session, error) {
	return o.open(a)
}
func (o *opened) Limits() solvers.Limits { return solvers.Limits{Output: 7} }

func query(t *testing.T, text string) *solvers.Query {
	t.Helper()
	script, err := smtlib.Parse("s", []byte(text), smt.NewArena())
	require.NoError(t, err)
	q := solvers.FromScript(script)
	q.Trace = solvers.TraceOf(script)
	q.Trace.Calls = append(q.Trace.Calls, solvers.Call{Kind: solvers.CallDelete})
	return q
}

// TestTargetsHaveSessions: what targets may have, those made of them have, too; a session that is closed twice, by its
// trace and in the end, is closed.
func TestTargetsHaveSessions(t *testing.T) {
	dir := t.TempDir()
	var f *fake
	inner := &opened{"inner", func(a *smt.Arena) (solvers.Session, error) {
		f = newFake(a, smtlib.Sat, smtlib.Unsat)
		return f, nil
	}}
	for kind, target := range map[string]solvers.Target{
		"writer": meta.NewWriterTarget("w", inner, &meta.Files{Dir: dir, Pattern: "w-{hash}.smt2"}),
		"tee":    meta.NewTeeTarget("t", inner, &meta.Files{Dir: dir, Pattern: "t.trace"}),
		"cross":  meta.NewCrossTarget("c", inner.Solver(), solvers.Reset, inner),
	} {
		require.Equal(t, int64(7), target.(interface{ Limits() solvers.Limits }).Limits().Output, kind)
		run := solvers.RunLive(context.Background(), target, query(t, problem), solvers.Limits{}, nil)
		require.Equal(t, solvers.OK, run.Class, "%s: %s", kind, run.Message)
		require.Equal(t, []smtlib.Answer{smtlib.Sat, smtlib.Unsat}, run.Answers, kind)
		require.Equal(t, []string{"produce-models=true"}, f.options, kind)
		require.NotZero(t, f.closed, kind)
	}
	for glob, want := range map[string]string{"w-*.smt2": "(assert (> x 3))\n(check-sat)", "t-*.trace": "check-sat"} {
		files, err := filepath.Glob(filepath.Join(dir, glob))
		require.NoError(t, err)
		require.Len(t, files, 1)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.Contains(t, string(text), want)
	}
}

// sessionless is a target without sessions.
type sessionless struct{ solvers.Target }

// TestNoSessions: what cannot be opened says whose fault it is, and in which words.
func TestNoSessions(t *testing.T) {
	plain := sessionless{&opened{name: "plain"}}
	for kind, target := range map[string]solvers.Target{
		"tee":   meta.NewTeeTarget("t", plain, &meta.Files{Dir: t.TempDir(), Pattern: "t.trace"}),
		"cross": meta.NewCrossTarget("c", plain.Solver(), solvers.Reset, plain),
	} {
		run := solvers.RunLive(context.Background(), target, query(t, problem), solvers.Limits{}, nil)
		require.Equal(t, solvers.Unsupported, run.Class, kind)
		require.True(t, strings.Contains(run.Message, "plain") && strings.Contains(run.Message, "live"), "%s: %s", kind, run.Message)
	}
}
