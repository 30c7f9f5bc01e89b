//go:build linux || darwin

package system

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// AwaitNoReader waits until a pipe, socket or terminal that is open for writing has no reader any more. It does not
// return for other files, and returns false if the system cannot tell. It occupies a thread until the process ends.
func AwaitNoReader(f *os.File) bool {
	asked := []unix.PollFd{{Fd: int32(f.Fd())}}
	for {
		n, err := unix.Poll(asked, -1)
		switch {
		case errors.Is(err, unix.EINTR) || err == nil && n == 0:
		case err != nil:
			return false
		default:
			return asked[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
}
