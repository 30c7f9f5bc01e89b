package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// anonymousFile opens a file that has no name.
func anonymousFile() (*os.File, error) {
	const name = "smtlark"
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
