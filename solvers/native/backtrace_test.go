//go:build linux && (amd64 || arm64)

package native

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/backtrace"
	"github.com/smtlark/smtlark/solvers/process"
)

// functionsOf returns the functions of the library in a stack.
func functionsOf(s *backtrace.CallStack, library string) (out []string) {
	for i := range s.Frames {
		if s.Frames[i].Module == library {
			out = append(out, s.Frames[i].Function)
		}
	}
	return out
}

// TestBacktrace: a child that dies in a library, confined and with its limits, tells where, in every way of dying, and
// the same in the next process.
func TestBacktrace(t *testing.T) {
	s := buildBadLibrary(t)
	lim := solvers.Limits{Wall: 20 * time.Second, Memory: 400 << 20}
	run := func(t *testing.T, target solvers.Target) *backtrace.CallStack {
		script, err := smtlib.Parse("x", []byte(oneCheck), smt.NewArena())
		require.NoError(t, err)
		ctx, seen := backtrace.Observe(context.Background())
		target.Run(ctx, solvers.FromScript(script), lim)
		return seen.Stack()
	}
	for fault, want := range map[string]struct{ signal, function string }{
		"segv": {"SIGSEGV", "boolector_sat"}, "abort": {"SIGABRT", "boolector_sat"}, "thread": {"SIGSEGV", "crash_thread"}, "deep": {"SIGSEGV", "deep"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Setenv("FAULT", fault)
			target := New(s, process.TargetOptions{})
			stack := run(t, target)
			require.NoError(t, target.Close())
			require.NotNil(t, stack)
			require.Equal(t, want.signal, stack.Signal)
			require.Equal(t, want.function, functionsOf(stack, "libboolector.so")[0], stack.String())
			again := New(s, process.TargetOptions{})
			defer again.Close()
			next := run(t, again)
			if fault == "deep" { // at which instruction it meets the end of the stack depends on where the kernel has put that
				stack.Frames, next.Frames = stack.Frames[1:], next.Frames[1:]
			}
			require.Equal(t, stack.String(), next.String())
		})
	}
	t.Run("session", func(t *testing.T) {
		t.Setenv("FAULT", "segv")
		target := New(s, process.TargetOptions{})
		defer target.Close()
		ctx, seen := backtrace.Observe(context.Background())
		a := smt.NewArena()
		live, err := target.(solvers.Opener).Open(ctx, a, lim)
		require.NoError(t, err)
		_, err = solvers.Check(ctx, live)
		require.Error(t, err)
		_, _ = live.Close()
		require.Equal(t, "boolector_sat", functionsOf(seen.Stack(), "libboolector.so")[0])
	})
	t.Run("not observed", func(t *testing.T) {
		t.Setenv("FAULT", "second") // of which the first run goes well
		target := New(s, process.TargetOptions{})
		defer target.Close()
		require.Nil(t, run(t, target))
	})
}
