package process

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process that starts takes no folder for an old one that another process is about to lock.
func TestFoldersBeingMadeAreNotSwept(t *testing.T) {
	parent := t.TempDir()
	stop := make(chan struct{})
	var sweepers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					removeOrphanedFolders(parent)
				}
			}
		})
	}
	for range 300 {
		f, err := newFolder(parent)
		require.NoError(t, err)
		require.FileExists(t, filepath.Join(f.Dir, lockFile))
		require.NoError(t, f.Close())
	}
	close(stop)
	sweepers.Wait()
}
