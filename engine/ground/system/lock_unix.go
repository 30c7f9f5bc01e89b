//go:build linux || darwin

package system

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes an exclusive lock on an open file. The lock ends when the file is closed, at the latest when the process
// ends. If another process has the lock, Lock waits for it if wait is set, and returns false otherwise.
func Lock(f *os.File, wait bool) (bool, error) {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}
