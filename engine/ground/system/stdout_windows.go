package system

import (
	"os"

	"golang.org/x/sys/windows"
)

// TakeStdout returns a separate file for the standard output. Anything written to standard output afterwards goes to
// standard error.
func TakeStdout() (*os.File, error) {
	out := os.Stdout
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())); err != nil {
		return nil, os.NewSyscallError("SetStdHandle", err)
	}
	os.Stdout = os.Stderr
	return out, nil
}

// Duplicate duplicates an open file; children do not inherit the duplicate.
func Duplicate(f *os.File) (*os.File, error) {
	var h windows.Handle
	own := windows.CurrentProcess()
	if err := windows.DuplicateHandle(own, windows.Handle(f.Fd()), own, &h, 0, false, windows.DUPLICATE_SAME_ACCESS); err != nil {
		return nil, os.NewSyscallError("DuplicateHandle", err)
	}
	return os.NewFile(uintptr(h), f.Name()), nil
}

// PrintTo sends standard output and standard error to a file.
func PrintTo(f *os.File) error {
	for _, which := range []uint32{windows.STD_OUTPUT_HANDLE, windows.STD_ERROR_HANDLE} {
		if err := windows.SetStdHandle(which, windows.Handle(f.Fd())); err != nil {
			return os.NewSyscallError("SetStdHandle", err)
		}
	}
	os.Stdout, os.Stderr = f, f
	return nil
}
