package meta

import (
	"io"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// Writer is a session that writes each call as a command of SMT-LIB, and then makes it on another session. Without one its
// answers are unknown.
type Writer struct {
	relay
	w io.Writer
	p smtlib.Printer
}

// NewWriter returns a session that writes to w.
func NewWriter(a *smt.Arena, w io.Writer) *Writer {
	s := &Writer{w: w}
	s.relay = relay{a: a, do: s.writeCall}
	return s
}

// NewWriterFor returns a session that writes to w and then asks s.
func NewWriterFor(s solvers.Session, w io.Writer) *Writer {
	x := NewWriter(s.Arena(), w)
	x.below = []solvers.Session{s}
	return x
}

// writeCall writes what SMT-LIB has words for; making a sort or a term, or taking terms over, is nothing of that.
func (s *Writer) writeCall(c *solvers.Call, on making) (reply, error) {
	if c.Kind == solvers.CallCommand {
		if _, err := s.w.Write(append(s.p.Command(nil, s.a, &c.Command), '\n')); err != nil {
			return reply{}, err
		}
	}
	if len(s.below) == 0 {
		return reply{answer: smtlib.Unknown}, nil
	}
	return on(s.below[0])
}

// tee is a session that writes each call as a line of a trace ahead of making it, so that a death leaves what led to it.
type tee struct {
	relay
	t *tracetext.Writer
	w io.Writer
}

// NewTee returns a session that forwards to s and writes to w. The notes are the head of the trace.
func NewTee(s solvers.Session, w io.Writer, notes ...string) (*tee, error) {
	x := &tee{t: tracetext.NewWriter(s.Arena()), w: w}
	x.relay = relay{a: s.Arena(), below: []solvers.Session{s}, do: x.writeCall}
	_, err := w.Write(x.t.Head(notes))
	return x, err
}

// writeCall writes a call with the seed that it was given. The solver that terms are taken over from is in no trace of this
// one: they are made here.
func (x *tee) writeCall(c *solvers.Call, on making) (reply, error) {
	calls := []solvers.Call{*c}
	if c.Kind == solvers.CallTransfer {
		calls = calls[:0]
		for _, t := range c.Args {
			calls = append(calls, solvers.Call{Kind: solvers.CallMakeTerm, Term: t})
		}
	}
	for i := range calls {
		calls[i].Seed = x.seed
		if _, err := x.w.Write(x.t.Call(&calls[i])); err != nil {
			return reply{}, err
		}
	}
	return on(x.below[0])
}
