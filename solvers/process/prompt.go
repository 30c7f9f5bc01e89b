package process

import (
	"os"
	"syscall"
	"time"
)

const (
	// promptWait is the time for which a read waits for output that arrives at once. For that time the garbage
	// collector may have to wait for this thread, and one processor does nothing else.
	promptWait = time.Millisecond
	// A late read costs more than a prompt one saves, because Go's monitor thread meanwhile looks for work every 20
	// microseconds. So a late read weighs as much as lateWeight others, and a pipe whose late reads reach promptLimit
	// is read as any other, except for one read in a while. A solver that answers at once and then takes milliseconds
	// for its reset is late in every second read.
	lateWeight  = 4
	promptLimit = 8 * lateWeight
	promptEvery = 64
)

// PromptReader reads a pipe whose other end usually answers within a millisecond. Go's poller would park the goroutine
// and wake it again through other threads, which costs more than a small case does. A read of a PromptReader first
// waits in the kernel for a moment, without involving any other thread. A PromptReader is for one goroutine.
type PromptReader struct {
	file   *os.File
	raw    syscall.RawConn // nil: only ordinary reads are possible
	late   int             // weight of late reads; each prompt read reduces it by one
	passed int             // reads that did not try since the limit was reached
}

// NewPromptReader makes a reader of a pipe.
func NewPromptReader(f *os.File) *PromptReader {
	raw, err := f.SyscallConn()
	if err != nil {
		raw = nil // the file is closed: reads of it say so
	}
	return &PromptReader{file: f, raw: raw}
}

// Read implements io.Reader.
func (p *PromptReader) Read(block []byte) (int, error) {
	if n := p.ReadPrompt(block); n > 0 {
		return n, nil
	}
	return p.file.Read(block)
}

// ReadPrompt reads data that is available or arrives within promptWait. Otherwise it returns 0, and the caller must use
// an ordinary read, which tells an end or error from late data.
func (p *PromptReader) ReadPrompt(block []byte) int {
	if p.raw == nil || len(block) == 0 {
		return 0
	}
	if p.late >= promptLimit {
		if p.passed++; p.passed%promptEvery != 0 {
			return 0
		}
	}
	n := 0
	_ = p.raw.Control(func(fd uintptr) { n = readWithin(fd, block, promptWait) })
	if n > 0 {
		p.late = max(0, p.late-1)
	} else {
		p.late = min(promptLimit, p.late+lateWeight)
	}
	return n
}
