package member

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The least recently used entries of a too large cache are removed, except those that may be in use.
func TestTrim(t *testing.T) {
	cache, now := t.TempDir(), time.Now()
	for i, folder := range []string{objectFolder, campaignFolder, solverFolder} {
		for k := range 3 {
			dir := filepath.Join(cache, folder, fmt.Sprint(k))
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), make([]byte, 1000), 0o600))
			used := now.Add(-time.Duration(3*k+i) * 4 * time.Minute) // 0, 4, 8 minutes ago, and so on
			require.NoError(t, os.Chtimes(dir, used, used))
		}
	}
	left := func() (out []string) {
		found, err := filepath.Glob(filepath.Join(cache, "*", "*"))
		require.NoError(t, err)
		for _, path := range found {
			rel, err := filepath.Rel(cache, path)
			require.NoError(t, err)
			out = append(out, filepath.ToSlash(rel))
		}
		return out
	}
	require.NoError(t, trim(cache, 9000, now))
	require.Len(t, left(), 9)
	require.NoError(t, trim(cache, 6500, now))
	require.Equal(t, []string{"campaigns/0", "campaigns/1", "objects/0", "objects/1", "solvers/0", "solvers/1"}, left())
	require.NoError(t, trim(cache, 0, now))
	require.Equal(t, []string{"campaigns/0", "objects/0", "solvers/0"}, left())
	require.NoError(t, trim(filepath.Join(cache, "none"), 0, now))
}
