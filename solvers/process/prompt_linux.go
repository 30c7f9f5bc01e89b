package process

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readWithin reads data that arrives on a descriptor within the time wait, and returns 0 if none does. Its system calls
// bypass Go's scheduler, which would otherwise hand off the processor and wake its monitor thread. A signal ends the
// wait, such as that of a garbage collection that waits for this thread.
func readWithin(fd uintptr, block []byte, wait time.Duration) int {
	asked := unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	limit := unix.NsecToTimespec(int64(wait))
	ready, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&asked)), 1,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if errno != 0 || ready == 0 || asked.Revents&unix.POLLIN == 0 {
		return 0
	}
	n, _, errno := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&block[0])), uintptr(len(block)))
	if errno != 0 {
		return 0
	}
	return int(n)
}
