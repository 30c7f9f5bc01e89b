package crosscompile

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOtherSystems vets everything, tests too, as it is built for other systems than that of the tests. The first time
// compiles all packages for them; afterwards they come from Go's cache.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for other systems")
	}
	// go test must not take an old result for files that have changed: it looks at those that a test has opened.
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return filepath.SkipDir
		case filepath.Ext(path) == ".go":
			_, err = os.Stat(path)
		}
		return err
	}))
	for _, system := range [][2]string{{"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}} {
		t.Run(system[0], func(t *testing.T) {
			cmd := exec.Command("go", "vet", "./...")
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "GOOS="+system[0], "GOARCH="+system[1], "CGO_ENABLED=0")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}
