//go:build linux

package process_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/fakesolver"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// TestSanitizers checks that a build with AddressSanitizer runs under a memory limit, that leaks are not findings, and
// that an error is identified by its place.
func TestSanitizers(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	probe := filepath.Join(t.TempDir(), "probe.c")
	require.NoError(t, os.WriteFile(probe, []byte("int main (void) { return 0; }\n"), 0o600))
	if err := exec.Command(compiler, "-fsanitize=address,undefined", "-o", probe+".out", probe).Run(); err != nil {
		t.Skip("the C compiler has no sanitizers")
	}
	s := countingSolver(t)
	require.Equal(t, s.Profile.MemoryLimit, s.MemoryLimit())
	require.Empty(t, s.Environ())
	s.Path = fakesolver.Counting(t, "-fsanitize=address,undefined", "-DLEAK", "-g")
	s.Exec = []string{s.Path}
	require.Equal(t, "resident", s.MemoryLimit())
	t.Setenv("UBSAN_OPTIONS", "silence_unsigned_overflow=1")
	require.Equal(t, []string{"ASAN_OPTIONS=detect_leaks=0", "UBSAN_OPTIONS=print_stacktrace=1:silence_unsigned_overflow=1"}, s.Environ())
	for _, mode := range []solvers.Mode{solvers.Fresh, solvers.Reset} {
		target := process.New(s, process.TargetOptions{Mode: mode})
		r := target.Run(context.Background(), questionOf(false, "(assert x)"), solvers.Limits{Memory: 512 << 20})
		require.Equal(t, solvers.OK, r.Class, "%s: %s %s", mode, r.Message, r.Stderr)
		require.Zero(t, max(0, r.ExitCode))
		r = target.Run(context.Background(), questionOf(false, "(die)"), solvers.Limits{Memory: 512 << 20})
		require.Equal(t, solvers.Crash, r.Class, r.Message)
		require.Contains(t, r.Stderr, "heap-buffer-overflow")
		require.Contains(t, r.Stderr, " in main ", "the place, from the stack")
		require.NoError(t, target.Close())
	}
	s.Profile.Env = []string{"ASAN_OPTIONS=detect_leaks=1"}
	require.Equal(t, "ASAN_OPTIONS=detect_leaks=1", s.Environ()[0], "what a profile says holds")
	require.Len(t, s.Environ(), 2)
}
