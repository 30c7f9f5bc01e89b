package sexpr

import "bytes"

// The classes of bytes. The source buffer ends with a NUL byte that belongs to no token, so scanning needs no check for
// the end.
const (
	Bad byte = iota
	Blank
	Symbol
	Digit
	Open
	Close
	Quote   // "
	Bar     // |
	Comment // ;
	Hash
	Colon
)

// Class tells the class of each byte.
var Class = func() (t [256]byte) {
	for _, c := range " \t\r\n\f\v" {
		t[c] = Blank
	}
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz~!@$%^&*_-+=<>.?/" {
		t[c] = Symbol
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = Digit
	}
	t['('], t[')'], t['"'], t['|'], t[';'], t['#'], t[':'] = Open, Close, Quote, Bar, Comment, Hash, Colon
	return t
}()

// InSymbol tells which bytes continue a simple symbol, a keyword or a number.
var InSymbol = func() (t [256]bool) {
	for c := range t {
		t[c] = Class[c] == Symbol || Class[c] == Digit
	}
	return t
}()

// Lexer walks over a text and keeps the first error. Its reading methods report whether they succeeded.
type Lexer struct {
	File string // for messages
	Src  []byte // with a NUL at its end
	Pos  int    // of the byte that is read next
	Err  *Error
	// CutShort says that the error is that the text ends.
	CutShort bool

	last Pos // which Position was asked for, to count lines on from
}

// SetText gives the lexer a text to begin with. It copies the text into the memory of the previous one.
func (l *Lexer) SetText(file string, src []byte) {
	l.begin(file, append(append(l.Src[:0], src...), 0))
}

// TakeText gives the lexer a text together with its memory, including that behind its end. It does not copy the text if
// there is room for one more byte.
func (l *Lexer) TakeText(file string, src []byte) { l.begin(file, append(src, 0)) }

// ByteOrderMark is put before a text in UTF-8 by some editors. It is no part of it.
var ByteOrderMark = []byte("\uFEFF")

// begin begins with a text that has a NUL at its end.
func (l *Lexer) begin(file string, src []byte) {
	l.File, l.Src = file, src
	l.Pos, l.Err, l.CutShort = 0, nil, false
	l.last = Pos{Line: 1, Col: 1}
	if bytes.HasPrefix(src, ByteOrderMark) {
		l.Pos, l.last.Offset = len(ByteOrderMark), len(ByteOrderMark)
	}
}

// Next skips blanks and comments and returns the class of the byte it stops at; Bad with l.Pos at the NUL is the
// end of the text.
func (l *Lexer) Next() byte {
	src, i := l.Src, l.Pos
	for {
		c := Class[src[i]]
		if c == Blank {
			i++
			continue
		}
		if c == Comment {
			if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(src) - 1
			}
			continue
		}
		l.Pos = i
		return c
	}
}

// AtEnd reports whether the text is used up. Call Next before it.
func (l *Lexer) AtEnd() bool { return l.Pos >= len(l.Src)-1 }

// WordEnd returns the end of the symbol, keyword or number that begins at i.
func (l *Lexer) WordEnd(i int) int {
	src := l.Src
	i++
	for InSymbol[src[i]] {
		i++
	}
	return i
}

// BackslashBeforeBar describes the error in a quoted symbol such as |a\|: SMT-LIB 2.7 (section 3.1) has no backslash
// there, z3 reads the bar as part of the name, and bitwuzla as its end, so that they do not agree on where the command
// ends.
const BackslashBeforeBar = `a quoted symbol has no backslash before a bar: solvers do not agree on where it ends`

// QuotedEnd returns the end of the quoted symbol that begins at i, behind its bar; -1, with the error set, if it has
// none.
func (l *Lexer) QuotedEnd(i int) int {
	n := bytes.IndexByte(l.Src[i+1:len(l.Src)-1], '|')
	switch {
	case n < 0:
		l.Fail(i, "quoted symbol without closing |")
		return -1
	case l.Src[i+n] == '\\':
		l.Fail(i, BackslashBeforeBar)
		return -1
	}
	return i + n + 2
}

// StringEnd returns the end of the string literal that begins at i, behind its quote; -1 if it is not closed.
func (l *Lexer) StringEnd(i int) int {
	for {
		n := bytes.IndexByte(l.Src[i+1:len(l.Src)-1], '"')
		if n < 0 {
			return -1
		}
		i += n + 2
		if l.Src[i] != '"' {
			return i
		}
	}
}

// TokenEnd returns the end of the atom that begins at l.Pos, after Next. It is -1, with the error set, if there is
// none.
func (l *Lexer) TokenEnd() int {
	switch Class[l.Src[l.Pos]] {
	case Symbol, Digit, Hash, Colon:
		return l.WordEnd(l.Pos)
	case Bar:
		return l.QuotedEnd(l.Pos)
	case Quote:
		if e := l.StringEnd(l.Pos); e >= 0 {
			return e
		}
		l.Fail(l.Pos, `string without closing "`)
	default:
		l.Unexpected("an atom")
	}
	return -1
}

// Skip skips one S-expression of any depth.
func (l *Lexer) Skip() bool {
	depth, start := 0, l.Pos
	for {
		switch l.Next() {
		case Open:
			depth++
			l.Pos++
		case Close:
			if depth == 0 {
				l.Unexpected("an expression")
				return false
			}
			depth--
			l.Pos++
		default:
			if depth > 0 && l.AtEnd() {
				return l.Fail(start, "this ( has no )")
			}
			e := l.TokenEnd()
			if e < 0 {
				return false
			}
			l.Pos = e
		}
		if depth == 0 {
			return true
		}
	}
}

// Fail sets the error, unless there is one, and returns false.
func (l *Lexer) Fail(off int, msg string) bool {
	if l.Err == nil {
		l.Err = l.ErrorAt(off, msg)
	}
	return false
}

// Unexpected fails at the current position with a message that names the expected text.
func (l *Lexer) Unexpected(want string) bool {
	got := "the end of the text"
	if l.AtEnd() {
		l.CutShort = true
	} else {
		c := l.Src[l.Pos]
		switch Class[c] {
		case Open, Close:
			got = "`" + string(c) + "`"
		case Bad:
			got = "the byte " + hexByte(c)
		default:
			e := l.Pos + 1
			for e < len(l.Src)-1 && e < l.Pos+40 && InSymbol[l.Src[e]] {
				e++
			}
			got = "`" + string(l.Src[l.Pos:e]) + "`"
		}
	}
	return l.Fail(l.Pos, "expected "+want+", found "+got)
}

func hexByte(c byte) string {
	const digits = "0123456789abcdef"
	return "0x" + string(digits[c>>4]) + string(digits[c&15])
}

// Opening reads an opening parenthesis; what names the construct for error texts.
func (l *Lexer) Opening(what string) bool { return l.parenthesis(Open, what) }

// Closing reads a closing parenthesis; what names the construct for error texts.
func (l *Lexer) Closing(what string) bool { return l.parenthesis(Close, what) }

func (l *Lexer) parenthesis(class byte, what string) bool {
	if l.Next() != class {
		return l.Unexpected(what)
	}
	l.Pos++
	return true
}
