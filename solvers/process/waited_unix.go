//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// waitedPipe is our end of a pipe that one goroutine reads until a deadline. The read waits in the kernel. Go's poller,
// with which the pipe is not registered, would wake a thread for each reply, although another thread has already read
// it.
type waitedPipe struct {
	file *os.File // blocking
}

// readBefore reads available data, or waits for some. It returns os.ErrDeadlineExceeded if none arrives before the time
// until.
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
