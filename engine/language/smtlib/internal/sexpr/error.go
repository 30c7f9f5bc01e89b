package sexpr

import (
	"bytes"
	"fmt"
	"strings"
)

// Pos is a place in a text: line and column count from 1, columns and the offset count bytes.
type Pos struct {
	Line, Col, Offset int
}

// Error describes an error in a text and its place. Its text is `file:line:col: message`, then the source line, then a
// caret under the place.
type Error struct {
	File       string
	Line, Col  int // from 1; columns count bytes
	Msg        string
	SourceLine string
}

// Error returns the three lines. Of a long source line it shows the part around the error.
func (e *Error) Error() string {
	const width, before = 160, 100
	line, col := e.SourceLine, max(e.Col-1, 0)
	if len(line) > width {
		if col > before {
			cut := col - before
			line, col = "…"+line[min(cut, len(line)):], before+1
		}
		if len(line) > width {
			line = line[:width] + "…"
		}
	}
	return fmt.Sprintf("%s:%d:%d: %s\n  %s\n  %s^", e.File, e.Line, e.Col, e.Msg, strings.ToValidUTF8(line, "?"), strings.Repeat(" ", col))
}

// ErrorAt makes the error for a place.
func (l *Lexer) ErrorAt(off int, msg string) *Error {
	text := l.Src[:len(l.Src)-1]
	off = min(off, len(text))
	start := bytes.LastIndexByte(text[:off], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
		end = start + n
	}
	return &Error{File: l.File, Line: bytes.Count(text[:off], []byte{'\n'}) + 1, Col: off - start + 1, Msg: msg,
		SourceLine: sourceLine(text[start:end])}
}

// sourceLine makes a line fit for a terminal: control characters other than blanks become one mark each, so that the
// caret stays in its column.
func sourceLine(line []byte) string {
	out := make([]byte, len(line))
	for i, c := range line {
		if c < ' ' || c == 0x7F {
			c = ' '
		}
		out[i] = c
	}
	return string(bytes.TrimRight(out, " "))
}

// Position turns an offset into line and column; it continues from the last position it computed, if that lies before.
func (l *Lexer) Position(off int) Pos {
	last := l.last
	if off < last.Offset {
		last = Pos{Line: 1, Col: 1}
	}
	between := l.Src[last.Offset:off]
	if i := bytes.LastIndexByte(between, '\n'); i >= 0 {
		last.Line += bytes.Count(between, newline)
		last.Col = len(between) - i
	} else {
		last.Col += len(between)
	}
	last.Offset = off
	l.last = last
	return last
}

var newline = []byte{'\n'}
