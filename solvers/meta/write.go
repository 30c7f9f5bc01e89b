package meta

import (
	"context"
	"io"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// Recorder is a session that writes each call as a command of SMT-LIB, and then makes it on another session. Without
// such a session, its answers are unknown, and it has no values.
type Recorder struct {
	below
	w io.Writer
	p smtlib.Printer
}

// NewWriter returns a session that writes to w.
func NewWriter(a *smt.Arena, w io.Writer) *Recorder { return &Recorder{below: below{a: a}, w: w} }

// NewWriterFor returns a session that writes to w and then asks s.
func NewWriterFor(s solvers.Session, w io.Writer) *Recorder {
	x := NewWriter(s.Arena(), w)
	x.sessions = []solvers.Session{s}
	return x
}

// Call implements solvers.Caller. Calls that make or take over sorts and terms are not written, since SMT-LIB has no
// commands for them.
func (s *Recorder) Call(ctx context.Context, c *solvers.Call) (solvers.Reply, error) {
	if c.Kind == solvers.CallCommand {
		if err := s.write(append(c.Before[:len(c.Before):len(c.Before)], c.Command)); err != nil {
			return solvers.Reply{}, err
		}
	}
	if len(s.sessions) > 0 {
		return s.sessions[0].Call(ctx, s.callFor(0, c))
	}
	if c.Kind == solvers.CallCommand && c.Command.Kind == smtlib.CmdGetValue {
		return solvers.Reply{}, solvers.ErrUnsupported("get-value")
	}
	return solvers.Reply{Answer: smtlib.Unknown}, nil
}

// write writes commands, one a line.
func (s *Recorder) write(commands []smtlib.Command) error {
	var text []byte
	for i := range commands {
		if !solvers.SaysNothing(&commands[i]) {
			text = append(s.p.Command(text, s.a, &commands[i]), '\n')
		}
	}
	_, err := s.w.Write(text)
	return err
}

// tee is a session that writes each call as a line of a trace before making it, so that the trace is complete if the
// solver dies.
type tee struct {
	below
	t *tracetext.Writer
	w io.Writer
}

// NewTee returns a session that forwards to s and writes to w. The notes are the head of the trace.
func NewTee(s solvers.Session, w io.Writer, notes ...string) (*tee, error) {
	x := &tee{below: below{a: s.Arena(), sessions: []solvers.Session{s}}, t: tracetext.NewWriter(s.Arena()), w: w}
	_, err := w.Write(x.t.Head(notes))
	return x, err
}

// Call implements solvers.Caller. The trace does not include the solver that terms are taken over from, so it makes
// these terms instead.
func (x *tee) Call(ctx context.Context, c *solvers.Call) (solvers.Reply, error) {
	var lines []solvers.Call
	for i := range c.Before {
		lines = append(lines, solvers.CommandCall(c.Before[i]))
	}
	if c.Kind == solvers.CallTransfer {
		for _, t := range c.Args {
			lines = append(lines, solvers.Call{Kind: solvers.CallMakeTerm, Term: t})
		}
	} else {
		lines = append(lines, *c)
	}
	for i := range lines {
		line := &lines[i]
		if line.Kind == solvers.CallCommand && solvers.SaysNothing(&line.Command) {
			continue
		}
		line.Seed = c.Seed
		if _, err := x.w.Write(x.t.Call(line)); err != nil {
			return solvers.Reply{}, err
		}
	}
	return x.sessions[0].Call(ctx, x.callFor(0, c))
}
