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

// Find looks at the next piece, and returns how much of it belongs to the expression; 0 when the expression does not
// end in it, and -n when the n-th byte is the bar of a BackslashBeforeBar. Parentheses in strings, quoted symbols and
// comments do not count.
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

// Moved returns the error with its position in a longer text, in which the current text begins at position at.
func (e *Error) Moved(at Pos) *Error {
	out := *e
	if e.Line == 1 {
		out.Col += at.Col - 1
	}
	out.Line += at.Line - 1
	return &out
}
