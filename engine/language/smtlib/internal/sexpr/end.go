package sexpr

// End returns the length of the S-expression in parentheses at the start of a text, 0 when it does not end, and a
// negative number when it has BackslashBeforeBar. Parentheses in strings, quoted symbols and comments do not count.
func End(text []byte) int {
	var e EndFinder
	return e.Find(text)
}

// EndFinder looks for the end of an S-expression in parentheses in a text that comes in pieces. The zero value is
// before the first piece.
type EndFinder struct {
	depth     int
	quote     byte
	backslash bool // was the byte before, in a quoted symbol
	comment   bool
}

// Find looks at the next piece, and returns how much of it belongs to the expression; 0 when that does not end in it,
// and -n when the n-th byte is a BackslashBeforeBar's bar. Parentheses in strings, quoted symbols and comments do not
// count.
func (e *EndFinder) Find(piece []byte) int {
	for i, c := range piece {
		switch {
		case e.comment:
			e.comment = c != '\n'
		case e.quote != 0:
			if c == '|' && e.backslash {
				return -i - 1
			}
			e.backslash = c == '\\' && e.quote == '|'
			if c == e.quote {
				e.quote = 0
			}
		case c == '"' || c == '|':
			e.quote = c
		case c == ';':
			e.comment = true
		case c == '(':
			e.depth++
		case c == ')':
			if e.depth--; e.depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// Moved returns the error as it is in a text of which the present one is a part that begins at a place.
func (e *Error) Moved(at Pos) *Error {
	out := *e
	if e.Line == 1 {
		out.Col += at.Col - 1
	}
	out.Line += at.Line - 1
	return &out
}
