//go:build linux || darwin

package driver

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// MapMemory returns memory outside of Go's heap.
func MapMemory(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("native: no memory for %d bytes of arguments: %v", n, err))
	}
	return b
}

func unmapMemory(b []byte) { _ = syscall.Munmap(b) }

// mapFile maps the first n bytes of a file, for reading and writing.
func mapFile(f *os.File, n int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

// ProcessCPU is the CPU time of this process.
func ProcessCPU() time.Duration { return clockTime(unix.CLOCK_PROCESS_CPUTIME_ID) }

// threadCPU is the CPU time of the present thread.
func threadCPU() time.Duration { return clockTime(unix.CLOCK_THREAD_CPUTIME_ID) }

func clockTime(id int32) time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(id, &ts)
	return time.Duration(ts.Nano())
}

// Become replaces this process.
func Become(argv []string) error {
	if err := syscall.Exec(argv[0], argv, os.Environ()); err != nil {
		return fmt.Errorf("starting %s: %w", argv[0], err)
	}
	return nil
}
