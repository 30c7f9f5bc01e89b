//go:build linux || darwin

package system

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// SharedNumber is a number in memory that a process shares with one that it starts. The last value that the other
// process stored can be read after it ends, however it ended.
type SharedNumber struct{ memory []byte }

// NewSharedNumber makes a number, and the file that the other process opens it by.
func NewSharedNumber() (*SharedNumber, *os.File, error) {
	file, err := anonymousFile()
	if err != nil {
		return nil, nil, err
	}
	if err := file.Truncate(int64(os.Getpagesize())); err != nil {
		file.Close()
		return nil, nil, err
	}
	number, err := OpenSharedNumber(file)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return number, file, nil
}

// OpenSharedNumber opens the number of a file that another process made; the file is not needed afterwards.
func OpenSharedNumber(file *os.File) (*SharedNumber, error) {
	if info, err := file.Stat(); err != nil {
		return nil, err
	} else if info.Size() < int64(os.Getpagesize()) { // a look behind the end of a file is a fault of the bus
		return nil, fmt.Errorf("%s is no shared memory", file.Name())
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return &SharedNumber{memory}, nil
}

// Value is the number itself, until Close.
func (s *SharedNumber) Value() *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&s.memory[0])) // memory begins at the start of a page
}

// Close gives the memory back.
func (s *SharedNumber) Close() error { return unix.Munmap(s.memory) }
