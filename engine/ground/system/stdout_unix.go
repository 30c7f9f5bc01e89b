//go:build linux || darwin

package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// TakeStdout returns a separate file for the standard output. Anything written to standard output afterwards, even by a
// C library, goes to standard error.
func TakeStdout() (*os.File, error) {
	out, err := Duplicate(os.Stdout)
	if err != nil {
		return nil, err
	}
	if err := duplicate(int(os.Stderr.Fd()), 1); err != nil {
		out.Close()
		return nil, os.NewSyscallError("dup", err)
	}
	return out, nil
}

// Duplicate duplicates an open file; children do not inherit the duplicate.
func Duplicate(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// PrintTo sends standard output and standard error to a file.
func PrintTo(f *os.File) error {
	for _, fd := range []int{2, 1} {
		if err := duplicate(int(f.Fd()), fd); err != nil {
			return os.NewSyscallError("dup", err)
		}
	}
	return nil
}
