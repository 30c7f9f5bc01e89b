//go:build linux || darwin

package system

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes an exclusive lock on an open file, which ends when the file is closed, with the process at the latest. It
// waits for another process that has the lock, or else returns false.
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
