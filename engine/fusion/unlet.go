package fusion

import "strings"

// unletter writes the text of a term without let: programs that replace symbols in the text's tree, as YinYang does, do not
// look into bindings.
type unletter struct {
	text string
	at   int
}

// expandTerm appends the term at the place reached, with symbols replaced as env says.
func (u *unletter) expandTerm(b []byte, env map[string]string) []byte {
	if u.text[u.at] != '(' {
		word := u.nextWord()
		if to, ok := env[word]; ok {
			word = to
		}
		return append(b, word...)
	}
	u.at++
	if strings.HasPrefix(u.text[u.at:], "let (") {
		return u.expandLet(b, env)
	}
	b = append(b, '(')
	for first := true; u.text[u.at] != ')'; first = false {
		if u.text[u.at] == ' ' {
			u.at++
		}
		if !first {
			b = append(b, ' ')
		}
		b = u.expandTerm(b, env)
	}
	u.at++
	return append(b, ')')
}

// expandLet appends the body of (let ((x t) ...) body), behind whose first bracket the place is.
func (u *unletter) expandLet(b []byte, env map[string]string) []byte {
	u.at += len("let (")
	inner := make(map[string]string, len(env)+1)
	for k, v := range env {
		inner[k] = v
	}
	for u.text[u.at] != ')' {
		for u.text[u.at] == ' ' || u.text[u.at] == '(' {
			u.at++
		}
		name := u.nextWord()
		u.at++
		inner[name] = string(u.expandTerm(nil, env))
		u.at++
	}
	u.at += len(") ")
	b = u.expandTerm(b, inner)
	u.at++
	return b
}

// nextWord returns the symbol or literal at the place reached, and goes behind it.
func (u *unletter) nextWord() string {
	from := u.at
	switch c := u.text[u.at]; c {
	case '|':
		u.at += 2 + strings.IndexByte(u.text[u.at+1:], '|')
	case '"':
		for u.at++; u.text[u.at] != '"' || strings.HasPrefix(u.text[u.at:], `""`); u.at++ {
			if u.text[u.at] == '"' {
				u.at++
			}
		}
		u.at++
	default:
		for u.at < len(u.text) && !strings.ContainsRune(" ()", rune(u.text[u.at])) {
			u.at++
		}
	}
	return u.text[from:u.at]
}
