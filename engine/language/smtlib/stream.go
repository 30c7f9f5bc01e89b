package smtlib

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// Stream splits the input of a reader into the texts of commands. It returns each as soon as its last parenthesis has
// arrived, for clients that wait for the reply to a command before they send the next one. It is not safe for
// concurrent use.
type Stream struct {
	from  io.Reader
	limit int
	buf   []byte // text read but not yet returned
	ended error  // the error at which the reader ended
	at    Pos    // of buf[0]

	// skipping says that the rest of the line is skipped: a comment, or the text after a command whose end is unknown.
	skipping bool
}

// NewStream returns a stream over a reader. A command that is longer than limit bytes is an error.
func NewStream(from io.Reader, limit int) *Stream {
	return &Stream{from: from, limit: limit, at: Pos{Line: 1, Col: 1}}
}

// Next returns the text of the next command, which is valid until the next call, and the position where it begins. If
// the input has something other than a command, or a command that does not end or is too long, the error is an *Error
// that says so, and the next call continues after it. At the end of the text the error is io.EOF; other errors are the
// reader's.
func (s *Stream) Next() (text []byte, at Pos, err error) {
	if err := s.skipBlanks(); err != nil {
		return nil, s.at, err
	}
	if s.at.Offset == 0 && s.hasMark() {
		s.consume(len(sexpr.ByteOrderMark))
		s.at.Col = 1
		return s.Next()
	}
	if s.buf[0] != '(' {
		return nil, s.at, s.strayToken()
	}
	var end sexpr.EndFinder
	looked := 0
	for {
		switch n := end.Find(s.buf[looked:]); {
		case n > 0:
			n += looked
			text, at = s.buf[:n:n], s.at
			s.consume(n)
			return text, at, nil
		case n < 0:
			err := &Error{Line: s.at.Line, Col: s.at.Col, Msg: sexpr.BackslashBeforeBar}
			s.consume(looked - n)
			s.skipping = true
			return nil, s.at, err
		}
		if looked = len(s.buf); looked > s.limit {
			return nil, s.at, s.skipLong(&end)
		}
		if !s.readMore() {
			err := &Error{Line: s.at.Line, Col: s.at.Col, Msg: "this ( has no )"}
			s.consume(len(s.buf))
			return nil, s.at, err
		}
	}
}

// hasMark reports whether a byte-order mark is next.
func (s *Stream) hasMark() bool {
	mark := sexpr.ByteOrderMark
	for len(s.buf) < len(mark) && bytes.HasPrefix(mark, s.buf) && s.readMore() {
	}
	return bytes.HasPrefix(s.buf, mark)
}

// readMore reads the available input, at least one byte, and reports whether it succeeded.
func (s *Stream) readMore() bool {
	for s.ended == nil {
		s.buf = slices.Grow(s.buf, 4096)
		n, err := s.from.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf, s.ended = s.buf[:len(s.buf)+n], err
		if n > 0 {
			return true
		}
	}
	return false
}

// consume hands out the first n bytes.
func (s *Stream) consume(n int) {
	gone := s.buf[:n]
	if i := bytes.LastIndexByte(gone, '\n'); i >= 0 {
		s.at.Line += bytes.Count(gone, []byte{'\n'})
		s.at.Col = n - i
	} else {
		s.at.Col += n
	}
	s.at.Offset += n
	s.buf = s.buf[n:]
}

// skipBlanks skips blanks and comments.
func (s *Stream) skipBlanks() error {
	for {
		i := 0
		for ; i < len(s.buf); i++ {
			c := s.buf[i]
			if s.skipping {
				s.skipping = c != '\n'
				continue
			}
			if c == ';' {
				s.skipping = true
			} else if sexpr.Class[c] != sexpr.Blank {
				break
			}
		}
		left := i < len(s.buf)
		s.consume(i)
		if left {
			return nil
		}
		if !s.readMore() {
			return s.ended
		}
	}
}

// strayToken skips a token in place of a command, up to a blank or a parenthesis, and returns an error about it.
func (s *Stream) strayToken() error {
	const shown = 40
	err := &Error{Line: s.at.Line, Col: s.at.Col}
	n := 0
	if s.buf[0] == ')' {
		n = 1
	}
	for n == 0 {
		n = bytes.IndexAny(s.buf, " \t\r\n\f\v()")
		if n < 0 && (len(s.buf) > s.limit || !s.readMore()) {
			n = len(s.buf)
		}
		n = max(n, 0)
	}
	err.Msg = fmt.Sprintf("expected a command, found %q", s.buf[:min(n, shown)])
	s.consume(n)
	return err
}

// skipLong skips the rest of a command that is too long, without keeping it.
func (s *Stream) skipLong(end *sexpr.EndFinder) error {
	err := &Error{Line: s.at.Line, Col: s.at.Col, Msg: fmt.Sprintf("this command has more than %d bytes", s.limit)}
	for {
		s.consume(len(s.buf))
		s.buf = nil // the buffer has grown too large to keep
		if !s.readMore() {
			return err
		}
		switch n := end.Find(s.buf); {
		case n > 0:
			s.consume(n)
			return err
		case n < 0:
			s.consume(-n)
			s.skipping = true
			return err
		}
	}
}
