//go:build unix

package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// Replace replaces this process by a new run of the program with the same arguments: everything that it was doing ends
// at that moment. It returns only when that is not possible.
func Replace() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return unix.Exec(exe, os.Args, os.Environ())
}
