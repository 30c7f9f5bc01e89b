package native

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLibrariesOfWheelsAreRecognised: auditwheel puts the beginning of a hash into the name of a library that it
// copies.
func TestLibrariesOfWheelsAreRecognised(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("auditwheel is for Linux")
	}
	dir := t.TempDir()
	names := map[string]string{"z3": "libz3-0a1b2c3d.so", "cvc5": "libcvc5-558d13ae.so.1.4.2", "bitwuzla": "libbitwuzla-deadbeef.so.0",
		"boolector": "libboolector-01234567.so", "yices2": "libyices-abcdef01.so.2.6.5"}
	for _, name := range append([]string{"libcvc5parser-558d13ae.so.1.4.2", "libz3-debugging.so"}, names["z3"], names["cvc5"], names["bitwuzla"], names["boolector"], names["yices2"]) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	for kind, name := range names {
		require.Equal(t, []string{filepath.Join(dir, name)}, candidateLibraries(kind, []string{dir}), kind)
		require.Equal(t, []string{filepath.Join(dir, name)}, candidateLibraries(kind, []string{filepath.Join(dir, name)}), kind)
	}
}
