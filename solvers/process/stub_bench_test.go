package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

// BenchmarkFresh starts a program that answers at once, so it measures the overhead of smtlark and the kernel.
func BenchmarkFresh(b *testing.B) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		b.Skip("there is no C compiler")
	}
	dir := b.TempDir()
	source, program := filepath.Join(dir, "stub.c"), filepath.Join(dir, "stub")
	require.NoError(b, os.WriteFile(source, []byte("#include <stdio.h>\nint main(void) { puts(\"sat\"); return 0; }\n"), 0o600))
	out, err := exec.Command(compiler, "-O1", "-static", "-o", program, source).CombinedOutput()
	require.NoError(b, err, "%s", out)
	target := New(&solvers.Solver{Name: "stub", Path: program, Profile: z3Profile()}, TargetOptions{})
	defer target.Close()
	bench(b, target, sized(2_000))
}
