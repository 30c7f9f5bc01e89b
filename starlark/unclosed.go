package script

import (
	"strings"

	"go.starlark.net/syntax"
)

// unclosedBracket returns the innermost bracket that is open at a place and was opened on an earlier line, with its
// position. A syntax error at the place is then usually due to a missing closing bracket. 0 means none.
func unclosedBracket(text string, at syntax.Position) (sign byte, pos syntax.Position) {
	type open struct {
		sign      byte
		line, col int32
	}
	var stack []open
	line, col := int32(1), int32(1)
	for i := 0; i < len(text) && (line < at.Line || line == at.Line && col < at.Col); {
		step := 1
		switch c := text[i]; c {
		case '(', '[', '{':
			stack = append(stack, open{c, line, col})
		case ')', ']', '}':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case '#':
			step = endOfLine(text[i:])
		case '"', '\'':
			step = stringLength(text[i:])
		}
		for _, c := range text[i:min(i+step, len(text))] {
			if col++; c == '\n' {
				line, col = line+1, 1
			}
		}
		i += step
	}
	if n := len(stack); n > 0 && stack[n-1].line < at.Line {
		top := stack[n-1]
		return top.sign, syntax.MakePosition(nil, top.line, top.col)
	}
	return 0, pos
}

func endOfLine(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// stringLength returns the length of the string literal that a text begins with.
func stringLength(text string) int {
	quote := text[:1]
	if strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\n' && len(quote) == 1:
			return i
		}
	}
	return len(text)
}
