package meta

import (
	"errors"
	"io"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Writer is a session that writes each call as a command of SMT-LIB, and then makes it on another session. Without one its
// answers are unknown.
type Writer struct {
	relay
	w     io.Writer
	p     smtlib.Printer
	s     solvers.Session // nil: nobody is asked
	close io.Closer       // of w; nil: it is the caller's
}

// NewWriter returns a session that writes to w.
func NewWriter(a *smt.Arena, w io.Writer) *Writer {
	s := &Writer{w: w}
	s.relay = relay{a, s.write}
	return s
}

func (s *Writer) write(c *smtlib.Command) (smtlib.Answer, string, error) {
	_, err := s.w.Write(append(s.p.Command(nil, s.a, c), '\n'))
	if err != nil || s.s == nil {
		return smtlib.Unknown, "", err
	}
	return on(s.s, c)
}

// MakeSort implements solvers.TermMaker; SMT-LIB has no word for it.
func (s *Writer) MakeSort(x smt.Sort) error {
	if m, ok := s.s.(solvers.TermMaker); ok {
		return m.MakeSort(x)
	}
	return nil
}

// MakeTerm implements solvers.TermMaker; SMT-LIB has no word for it.
func (s *Writer) MakeTerm(t smt.Term) error {
	if m, ok := s.s.(solvers.TermMaker); ok {
		return m.MakeTerm(t)
	}
	return nil
}

// Seed implements solvers.Seeded.
func (s *Writer) Seed(n uint64) {
	if x, ok := s.s.(solvers.Seeded); ok {
		x.Seed(n)
	}
}

// Measure implements solvers.Measured.
func (s *Writer) Measure(r *solvers.Run) {
	if m, ok := s.s.(solvers.Measured); ok {
		m.Measure(r)
	}
}

// Close closes the session that it writes for, and the file.
func (s *Writer) Close() error { return closeBoth(s.s, s.close) }

func closeBoth(s solvers.Session, w io.Closer) error {
	var errs []error
	if s != nil {
		errs = append(errs, s.Close())
	}
	if w != nil {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// Tee is a session that writes each call as a line of a trace ahead of making it, so that a death leaves what led to it.
type Tee struct {
	relay
	s solvers.Session
	t *solvers.TraceWriter
	w io.Writer

	close io.Closer // of w; nil: it is the caller's
}

// NewTee returns a session that forwards to s and writes to w. The notes are the head of the trace.
func NewTee(s solvers.Session, w io.Writer, notes ...string) (*Tee, error) {
	x := &Tee{s: s, t: solvers.NewTraceWriter(s.Arena()), w: w}
	x.relay = relay{s.Arena(), x.forward}
	_, err := w.Write(x.t.Head(notes))
	return x, err
}

func (x *Tee) forward(c *smtlib.Command) (smtlib.Answer, string, error) {
	call := solvers.CommandCall(*c)
	if _, err := x.w.Write(x.t.Call(&call)); err != nil {
		return smtlib.None, "", err
	}
	return on(x.s, c)
}

// MakeSort implements solvers.TermMaker.
func (x *Tee) MakeSort(s smt.Sort) error {
	return x.make(solvers.Call{Kind: solvers.CallMakeSort, Sort: s}, func(m solvers.TermMaker) error { return m.MakeSort(s) })
}

// MakeTerm implements solvers.TermMaker.
func (x *Tee) MakeTerm(t smt.Term) error {
	return x.make(solvers.Call{Kind: solvers.CallMakeTerm, Term: t}, func(m solvers.TermMaker) error { return m.MakeTerm(t) })
}

func (x *Tee) make(c solvers.Call, f func(solvers.TermMaker) error) error {
	if _, err := x.w.Write(x.t.Call(&c)); err != nil {
		return err
	}
	if m, ok := x.s.(solvers.TermMaker); ok {
		return f(m)
	}
	return nil
}

// Seed implements solvers.Seeded.
func (x *Tee) Seed(n uint64) {
	if s, ok := x.s.(solvers.Seeded); ok {
		s.Seed(n)
	}
}

// Measure implements solvers.Measured.
func (x *Tee) Measure(r *solvers.Run) {
	if m, ok := x.s.(solvers.Measured); ok {
		m.Measure(r)
	}
}

// Close implements solvers.Session.
func (x *Tee) Close() error { return closeBoth(x.s, x.close) }
