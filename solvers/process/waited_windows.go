package process

import (
	"os"
	"time"
)

// waitedPipe is our end of a pipe that one goroutine reads until a time.
type waitedPipe struct {
	file *os.File // has deadlines
}

// readBefore reads available data, or waits for some. It returns os.ErrDeadlineExceeded if none arrives before the time
// until.
func (p *waitedPipe) readBefore(block []byte, until time.Time) (int, error) {
	if err := p.file.SetReadDeadline(until); err != nil {
		return 0, err
	}
	return p.file.Read(block)
}
