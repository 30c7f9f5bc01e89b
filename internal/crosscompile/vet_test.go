package crosscompile

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOtherSystems vets everything, tests too, as it is built for the other systems of docs/systems.md. The first time compiles
// all packages for them; afterwards they come from Go's cache.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for other systems")
	}
	for _, system := range [][2]string{{"darwin", "arm64"}, {"windows", "amd64"}} {
		t.Run(system[0], func(t *testing.T) {
			cmd := exec.Command("go", "vet", "./...")
			cmd.Dir = filepath.Join("..", "..")
			cmd.Env = append(os.Environ(), "GOOS="+system[0], "GOARCH="+system[1], "CGO_ENABLED=0")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}
