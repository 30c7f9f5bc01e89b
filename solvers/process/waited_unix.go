//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// waitedPipe is our end of a pipe that one goroutine reads until a time. It waits in the kernel: Go's poller, which
// does not know the pipe, would wake a thread for each reply that comes, though another thread has read it already.
type waitedPipe struct {
	file *os.File // blocking
}

// readBefore reads what is there, or waits for it until a time, when it returns os.ErrDeadlineExceeded.
func (p *waitedPipe) readBefore(block []byte, until time.Time) (int, error) {
	asked := []unix.PollFd{{Fd: int32(p.file.Fd()), Events: unix.POLLIN}}
	for {
		left := time.Until(until)
		ready, err := unix.Poll(asked, int(max(0, left+time.Millisecond-1)/time.Millisecond))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, os.NewSyscallError("poll", err)
		case ready > 0: // also at its end
			return p.file.Read(block)
		case left <= 0:
			return 0, os.ErrDeadlineExceeded
		}
	}
}
