package process

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// capture reads a pipe as data arrives and keeps the beginning. It reads under its lock, so that readRest returns only
// when everything that was in the pipe has been read.
type capture struct {
	file  *os.File
	raw   syscall.RawConn
	over  func() // called once a run, when more than limit bytes came
	mu    sync.Mutex
	buf   []byte
	total int64 // bytes since beginRun
	limit int64
	ended bool
	block [4096]byte

	deadline time.Time // of readUntilEnd, zero for none
}

func newCapture(f *os.File, limit int64, over func()) *capture {
	raw, err := f.SyscallConn()
	if err != nil {
		raw = nil // the file is closed: nothing to read
	}
	return &capture{file: f, raw: raw, over: over, limit: limit}
}

// keepBytes adds the first n bytes of the block; the lock is held.
func (c *capture) keepBytes(n int) {
	before := c.total
	c.total += int64(n)
	if room := c.limit - int64(len(c.buf)); room > 0 {
		c.buf = append(c.buf, c.block[:min(int64(n), room)]...)
	}
	if before <= c.limit && c.total > c.limit {
		c.mu.Unlock()
		c.over()
		c.mu.Lock()
	}
}

// beginRun drops the text read so far and sets the output limit for the next run.
func (c *capture) beginRun(limit int64) {
	c.readRest()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf, c.total, c.limit = c.buf[:0], 0, limit
}

// textSinceBegin returns the text kept since beginRun.
func (c *capture) textSinceBegin() string {
	c.readRest()
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.buf)
}

func (c *capture) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// setDeadline sets the time at which readUntilEnd gives up.
func (c *capture) setDeadline(t time.Time) {
	_ = c.file.SetReadDeadline(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
}

func (c *capture) close() { c.file.Close() }
