package process

import (
	"time"

	"golang.org/x/sys/windows"
)

// capturePause is the longest time between two looks at a pipe.
const capturePause = 20 * time.Millisecond

// readUntilEnd reads until the end of the pipe, a deadline, or close. It polls instead of blocking in a read, so that
// no data is in transit between the pipe and the capture when readRest looks.
func (c *capture) readUntilEnd() {
	for pause := time.Millisecond; !c.readAvailable(); pause = min(2*pause, capturePause) {
		time.Sleep(pause)
	}
}

// readRest reads the data that the pipe holds now.
func (c *capture) readRest() { c.readAvailable() }

// readAvailable reads the available data; true means the end of the pipe.
func (c *capture) readAvailable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.ended && c.raw != nil {
		var ready uint32
		var err error
		if closed := c.raw.Control(func(fd uintptr) {
			ready, err = availableBytes(windows.Handle(fd))
		}); closed != nil || err != nil {
			c.ended = true
			break
		}
		if ready == 0 {
			return !c.deadline.IsZero() && time.Now().After(c.deadline)
		}
		n, err := c.file.Read(c.block[:min(int(ready), len(c.block))])
		c.ended = err != nil
		c.keepBytes(n)
	}
	return true
}
