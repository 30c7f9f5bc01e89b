package process

import (
	"os"
	"time"
)

// waitedPipe is our end of a pipe that one goroutine reads until a time.
type waitedPipe struct {
	file *os.File // has deadlines
}

// readBefore reads what is there, or waits for it until a time, when it returns os.ErrDeadlineExceeded.
func (p *waitedPipe) readBefore(block []byte, until time.Time) (int, error) {
	if err := p.file.SetReadDeadline(until); err != nil {
		return 0, err
	}
	return p.file.Read(block)
}
