package sexpr

// End returns the length of the S-expression in parentheses at the start of a text, 0 when it does not end. Parentheses in
// strings, quoted symbols and comments do not count.
func End(text []byte) int {
	depth := 0
	var quote byte
	comment := false
	for i, c := range text {
		switch {
		case comment:
			comment = c != '\n'
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '|':
			quote = c
		case c == ';':
			comment = true
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
