package process

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers/confine"
)

// smtlark holds a lock on each target's folder while it runs. Folders left by a killed process can thus be told from
// folders in use, even if process numbers mean nothing (containers that share a folder for temporary files).
const (
	folderPattern = "smtlark-target-*"
	lockFile      = "lock"
)

// Folder is a locked folder for temporary files, with a starter for processes that may write there and nowhere else.
type Folder struct {
	Dir     string
	lock    *os.File // closing it ends the lock
	starter *confine.Starter
}

// NewFolder makes a folder below parent; "" is os.TempDir().
func NewFolder(parent string) (*Folder, error) {
	f, err := newFolder(parent)
	if err == nil {
		f.starter = confine.NewStarter(f.Dir)
	}
	return f, err
}

// newFolder makes a folder without a starter.
func newFolder(parent string) (*Folder, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	parent, err := filepath.Abs(parent)
	if err != nil {
		return nil, err
	}
	sweepOnce(parent)
	for tries := 0; ; tries++ {
		dir, err := os.MkdirTemp(parent, folderPattern)
		if err != nil {
			return nil, err
		}
		lock, err := lockFolder(dir, os.O_CREATE)
		if err == nil && !isLockOf(lock, dir) {
			lock.Close()
			err = os.ErrNotExist
		}
		if err == nil {
			return &Folder{Dir: dir, lock: lock, starter: confine.Free()}, nil
		}
		os.RemoveAll(dir)
		if tries == maxSwept {
			return nil, err
		}
	}
}

// maxSwept bounds how often a folder is made again because another process took it for an abandoned one: a folder
// exists for a moment before its lock is taken.
const maxSwept = 100

// isLockOf reports whether lock is the file that is now the lock file of the folder.
func isLockOf(lock *os.File, dir string) bool {
	mine, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(filepath.Join(dir, lockFile))
	return err == nil && os.SameFile(mine, there)
}

// Close removes the folder. Processes started in it must have ended.
func (f *Folder) Close() error {
	f.starter.Close()
	f.lock.Close() // Windows removes no open file
	return os.RemoveAll(f.Dir)
}

// lockFolder takes the lock of a folder, and fails when another process has it.
func lockFolder(dir string, create int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|create, 0o600)
	if err != nil {
		return nil, err
	}
	ok, err := system.Lock(f, false)
	if err == nil && !ok {
		err = fmt.Errorf("%s is in use", dir)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

var (
	swept   = map[string]bool{}
	sweptMu sync.Mutex
)

// sweepOnce removes the folders below parent whose owners are gone. A folder without a lock file is left alone: its
// owner may be about to make one.
func sweepOnce(parent string) {
	sweptMu.Lock()
	defer sweptMu.Unlock()
	if swept[parent] {
		return
	}
	swept[parent] = true
	removeOrphanedFolders(parent)
}

// removeOrphanedFolders removes the folders below parent whose owners are gone.
func removeOrphanedFolders(parent string) {
	left, err := filepath.Glob(filepath.Join(system.Pattern(parent), folderPattern))
	if err != nil {
		return
	}
	for _, dir := range left {
		if lock, err := lockFolder(dir, 0); err == nil {
			// The lock file goes while it is locked: its maker, who may be waiting for the lock, then sees that it is gone.
			os.Remove(lock.Name())
			lock.Close() // Windows removes no open file
			os.RemoveAll(dir)
		}
	}
}
