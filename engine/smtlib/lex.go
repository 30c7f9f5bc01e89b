package smtlib

import "bytes"

// Classes of bytes. The source buffer ends with a NUL byte that belongs to no token, so scanning needs no check for
// the end.
const (
	clBad byte = iota
	clBlank
	clSymbol
	clDigit
	clOpen
	clClose
	clQuote   // "
	clBar     // |
	clComment // ;
	clHash
	clColon
)

var class = func() (t [256]byte) {
	for _, c := range " \t\r\n\f\v" {
		t[c] = clBlank
	}
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz~!@$%^&*_-+=<>.?/" {
		t[c] = clSymbol
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = clDigit
	}
	t['('], t[')'], t['"'], t['|'], t[';'], t['#'], t[':'] = clOpen, clClose, clQuote, clBar, clComment, clHash, clColon
	return t
}()

// inSymbol tells which bytes continue a simple symbol, a keyword or a number.
var inSymbol = func() (t [256]bool) {
	for c := range t {
		t[c] = class[c] == clSymbol || class[c] == clDigit
	}
	return t
}()

// lexer walks over a text that ends with a NUL byte.
type lexer struct {
	file string
	src  []byte // with the NUL at its end
	pos  int
	err  *Error
	// cutShort says that the error is that the text ends.
	cutShort bool
}

// next skips blanks and comments and returns the class of the byte it stops at; clBad with p.pos at the NUL is the
// end of the text.
func (l *lexer) next() byte {
	src, i := l.src, l.pos
	for {
		c := class[src[i]]
		if c == clBlank {
			i++
			continue
		}
		if c == clComment {
			if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(src) - 1
			}
			continue
		}
		l.pos = i
		return c
	}
}

// atEnd reports whether the text is used up; next has been called.
func (l *lexer) atEnd() bool { return l.pos >= len(l.src)-1 }

// wordEnd returns the end of the symbol, keyword or number that begins at i.
func (l *lexer) wordEnd(i int) int {
	src := l.src
	i++
	for inSymbol[src[i]] {
		i++
	}
	return i
}

// quotedEnd returns the end of the quoted symbol that begins at i, behind its bar; -1 if it is not closed.
func (l *lexer) quotedEnd(i int) int {
	n := bytes.IndexByte(l.src[i+1:len(l.src)-1], '|')
	if n < 0 {
		return -1
	}
	return i + n + 2
}

// stringEnd returns the end of the string literal that begins at i, behind its quote; -1 if it is not closed.
func (l *lexer) stringEnd(i int) int {
	for {
		n := bytes.IndexByte(l.src[i+1:len(l.src)-1], '"')
		if n < 0 {
			return -1
		}
		i += n + 2
		if l.src[i] != '"' {
			return i
		}
	}
}

// tokenEnd returns the end of the atom that begins at p.pos, after next. It is -1, with the error set, if there is
// none.
func (l *lexer) tokenEnd() int {
	switch class[l.src[l.pos]] {
	case clSymbol, clDigit, clHash, clColon:
		return l.wordEnd(l.pos)
	case clBar:
		if e := l.quotedEnd(l.pos); e >= 0 {
			return e
		}
		l.fail(l.pos, "quoted symbol without closing |")
	case clQuote:
		if e := l.stringEnd(l.pos); e >= 0 {
			return e
		}
		l.fail(l.pos, `string without closing "`)
	default:
		l.unexpected("an atom")
	}
	return -1
}

// skip passes one S-expression, of any depth.
func (l *lexer) skip() bool {
	depth, start := 0, l.pos
	for {
		switch l.next() {
		case clOpen:
			depth++
			l.pos++
		case clClose:
			if depth == 0 {
				l.unexpected("an expression")
				return false
			}
			depth--
			l.pos++
		default:
			if depth > 0 && l.atEnd() {
				return l.fail(start, "this ( has no )")
			}
			e := l.tokenEnd()
			if e < 0 {
				return false
			}
			l.pos = e
		}
		if depth == 0 {
			return true
		}
	}
}

// fail sets the error, unless there is one, and returns false.
func (l *lexer) fail(off int, msg string) bool {
	if l.err == nil {
		l.err = l.errorAt(off, msg)
	}
	return false
}

// unexpected fails at the present place, saying what was wanted there.
func (l *lexer) unexpected(want string) bool {
	got := "the end of the text"
	if l.atEnd() {
		l.cutShort = true
	} else {
		c := l.src[l.pos]
		switch class[c] {
		case clOpen, clClose:
			got = "`" + string(c) + "`"
		case clBad:
			got = "the byte " + hexByte(c)
		default:
			e := l.pos + 1
			for e < len(l.src)-1 && e < l.pos+40 && inSymbol[l.src[e]] {
				e++
			}
			got = "`" + string(l.src[l.pos:e]) + "`"
		}
	}
	return l.fail(l.pos, "expected "+want+", found "+got)
}

func hexByte(c byte) string {
	const digits = "0123456789abcdef"
	return "0x" + string(digits[c>>4]) + string(digits[c&15])
}

// errorAt makes the error for a place.
func (l *lexer) errorAt(off int, msg string) *Error {
	text := l.src[:len(l.src)-1]
	off = min(off, len(text))
	start := bytes.LastIndexByte(text[:off], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
		end = start + n
	}
	return &Error{File: l.file, Line: bytes.Count(text[:off], []byte{'\n'}) + 1, Col: off - start + 1, Msg: msg,
		SourceLine: sourceLine(text[start:end])}
}

// sourceLine makes a line fit for a terminal: other control characters than blanks become one mark each, so that the
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
