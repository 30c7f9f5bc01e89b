package corpus

import (
	"bytes"
	"strings"
)

// headInfo finds logic and status of a script without parsing it: the texts of its first (set-logic …) and its last
// (set-info :status …) before the first check-sat, outside of comments, strings and quoted symbols. A missing one is
// returned as "".
func headInfo(text []byte) (logic, status string) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ';':
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				return logic, status
			}
			i += n
		case '"', '|':
			n := bytes.IndexByte(text[i+1:], text[i])
			if n < 0 {
				return logic, status
			}
			i += n + 1
		case '(':
			switch rest := text[i+1:]; {
			case bytes.HasPrefix(rest, []byte("set-logic")) && logic == "":
				logic = word(rest, 1)
			case bytes.HasPrefix(rest, []byte("set-info")) && word(rest, 1) == ":status":
				status = word(rest, 2)
			case bytes.HasPrefix(rest, []byte("check-sat")):
				return logic, status
			}
		}
	}
	return logic, status
}

// word returns word n of a command without comments, counted from 0.
func word(text []byte, n int) string {
	end := bytes.IndexByte(text, ')')
	if end < 0 {
		return ""
	}
	f := strings.Fields(string(text[:end]))
	if n >= len(f) {
		return ""
	}
	return f[n]
}
