package fakesolver

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed testdata/counting.c
var counting []byte

// CountingSource returns the C source of Counting.
func CountingSource() []byte { return counting }

// Counting compiles a solver that counts edges as one does which AFL++ has instrumented, with the C compiler's
// arguments, such as -DEDGES=500000, and returns its path. It skips the test where there is no C compiler.
func Counting(t testing.TB, arguments ...string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler to build a program that counts its edges")
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "counting.c"), filepath.Join(dir, "counting")
	if err := os.WriteFile(source, counting, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, append(arguments, "-O1", "-o", program, source)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
