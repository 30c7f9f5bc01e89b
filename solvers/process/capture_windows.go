package process

import (
	"time"

	"golang.org/x/sys/windows"
)

// capturePause is the longest time between two looks at a pipe.
const capturePause = 20 * time.Millisecond

// run reads until the end of the pipe, a deadline, or close. It looks now and then, instead of waiting in a read, so that
// nothing is on its way between the pipe and the capture when drain looks.
func (c *capture) run() {
	for pause := time.Millisecond; !c.pull(); pause = min(2*pause, capturePause) {
		time.Sleep(pause)
	}
}

// drain takes in what the pipe holds now.
func (c *capture) drain() { c.pull() }

// pull takes what is there; true means that no more will come.
func (c *capture) pull() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.ended && c.raw != nil {
		var ready uint32
		var err error
		if closed := c.raw.Control(func(fd uintptr) { ready, err = available(windows.Handle(fd)) }); closed != nil || err != nil {
			c.ended = true
			break
		}
		if ready == 0 {
			return !c.deadline.IsZero() && time.Now().After(c.deadline)
		}
		n, err := c.file.Read(c.block[:min(int(ready), len(c.block))])
		c.ended = err != nil
		c.take(n)
	}
	return true
}
