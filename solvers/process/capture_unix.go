//go:build linux || darwin

package process

import (
	"errors"
	"syscall"
)

// readUntilEnd reads until the end of the pipe, a deadline, or close.
func (c *capture) readUntilEnd() {
	if c.raw != nil {
		_ = c.raw.Read(c.readAvailable)
	}
}

// readAvailable reads the available data; true means the end of the pipe.
func (c *capture) readAvailable(fd uintptr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.ended {
		n, err := syscall.Read(int(fd), c.block[:])
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN):
			return false
		case err != nil || n == 0:
			c.ended = true
		default:
			c.keepBytes(n)
		}
	}
	return true
}

// readRest reads the data that the pipe holds now.
func (c *capture) readRest() {
	if c.raw != nil {
		_ = c.raw.Control(func(fd uintptr) { c.readAvailable(fd) })
	}
}
