//go:build unix

package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// Replace runs this program anew in the place of this process, with the same arguments: everything that it was doing
// ends in that moment. It returns only when that is not possible.
func Replace() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return unix.Exec(exe, os.Args, os.Environ())
}
