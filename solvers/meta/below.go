package meta

import (
	"errors"
	"io"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
)

// below holds the sessions to which a meta session forwards its calls.
type below struct {
	a        *smt.Arena
	sessions []solvers.Session
	file     io.Closer // to be closed with the sessions; it may be nil
	closed   bool
}

// Arena implements solvers.Caller.
func (b *below) Arena() *smt.Arena { return b.a }

func (b *below) sessionsBelow() []solvers.Session { return b.sessions }

// callFor returns the call for the session of a number. If it takes terms over from a meta session with equally many
// sessions, the source becomes the session of the same number there.
func (b *below) callFor(number int, c *solvers.Call) *solvers.Call {
	other, ok := c.Source.(interface{ sessionsBelow() []solvers.Session })
	if !ok || len(other.sessionsBelow()) != len(b.sessions) {
		return c
	}
	own := *c
	own.Source = other.sessionsBelow()[number]
	return &own
}

// Close closes the sessions below, and the file once. The run is that of the first session.
func (b *below) Close() (*solvers.Run, error) {
	runs, err := b.closeAll()
	if len(runs) == 0 {
		return nil, err
	}
	return runs[0], err
}

// closeAll closes the sessions below, and the file once.
func (b *below) closeAll() (runs []*solvers.Run, err error) {
	var errs []error
	for _, s := range b.sessions {
		run, err := s.Close()
		runs, errs = append(runs, run), append(errs, err)
	}
	if b.file != nil && !b.closed {
		errs = append(errs, b.file.Close())
	}
	b.closed = true
	return runs, errors.Join(errs...)
}
