package process

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// A target's folder is locked as long as its process lives, so that what a killed process left behind can be told from
// what is in use, even where process numbers mean nothing (containers that share a folder for temporary files).
const (
	folderPattern = "smtlark-target-*"
	lockFile      = "lock"
)

// newFolder makes and locks a folder for temporary files below parent, os.TempDir() if that is empty. Closing the
// file ends the lock.
func newFolder(parent string) (dir string, lock *os.File, err error) {
	if parent == "" {
		parent = os.TempDir()
	}
	if parent, err = filepath.Abs(parent); err != nil {
		return "", nil, err
	}
	sweepOnce(parent)
	if dir, err = os.MkdirTemp(parent, folderPattern); err != nil {
		return "", nil, err
	}
	if lock, err = lockFolder(dir, os.O_CREATE); err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, lock, nil
}

// lockFolder takes the lock of a folder, and fails when another process has it.
func lockFolder(dir string, create int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|create, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, os.NewSyscallError("flock", err)
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
	left, err := filepath.Glob(filepath.Join(escapePattern(parent), folderPattern))
	if err != nil {
		return
	}
	for _, dir := range left {
		if lock, err := lockFolder(dir, 0); err == nil {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}

// escapePattern makes a path match itself only.
func escapePattern(path string) string {
	var out []byte
	for i := range len(path) {
		if c := path[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}
