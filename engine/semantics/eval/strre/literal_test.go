package strre

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// ParseLiteral reads an SMT-LIB string literal with its quotes. Two quotes inside
// stand for one; the escape sequences are those of Unescape.
func ParseLiteral(token string) ([]rune, error) {
	if len(token) < 2 || token[0] != '"' || token[len(token)-1] != '"' {
		return nil, fmt.Errorf("strre: %s is no string literal: it must stand between double quotes", strconv.Quote(token))
	}
	body := token[1 : len(token)-1]
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		if body[i] == '"' {
			if i++; i == len(body) || body[i] != '"' {
				return nil, fmt.Errorf("strre: string literal %s: a double quote at byte %d must be doubled", strconv.Quote(token), i)
			}
		}
		out = append(out, body[i])
	}
	return Unescape(string(out))
}

// Unescape reads the contents of a string literal. The escape sequences are
// \ud₃d₂d₁d₀ and \u{d₀} to \u{d₄d₃d₂d₁d₀} with hexadecimal digits, d₄ at most 2;
// any other backslash stands for itself (SMT-LIB 2.7, theory UnicodeStrings).
// Characters beyond ASCII, which the standard leaves to escape sequences, are
// read as UTF-8.
func Unescape(body string) ([]rune, error) {
	out := make([]rune, 0, len(body))
	for i := 0; i < len(body); {
		if body[i] == '\\' {
			if c, size := escape(body[i:]); size > 0 {
				out = append(out, c)
				i += size
				continue
			}
		}
		c, size := utf8.DecodeRuneInString(body[i:])
		if c == utf8.RuneError && size == 1 {
			return nil, fmt.Errorf("strre: string literal: byte %d (0x%02x) is not UTF-8; write \\u{...}", i, body[i])
		}
		if c > maxChar {
			return nil, fmt.Errorf("strre: string literal: the character U+%X at byte %d is above U+%X, the largest of the theory", c, i, maxChar)
		}
		out = append(out, c)
		i += size
	}
	return out, nil
}

// escape reads an escape sequence at the start of s; size is 0 if there is none.
func escape(s string) (c rune, size int) {
	if len(s) < 4 || s[1] != 'u' {
		return 0, 0
	}
	digits, end := 4, 6
	if s[2] == '{' {
		digits = 0
		for 3+digits < len(s) && hexDigit(s[3+digits]) >= 0 {
			digits++
		}
		if digits < 1 || digits > 5 || 3+digits >= len(s) || s[3+digits] != '}' {
			return 0, 0
		}
		end = 4 + digits
	} else if len(s) < end {
		return 0, 0
	}
	start := end - digits
	if s[2] == '{' {
		start--
	}
	for _, d := range []byte(s[start : start+digits]) {
		v := hexDigit(d)
		if v < 0 {
			return 0, 0
		}
		c = c<<4 | v
	}
	if c > maxChar {
		return 0, 0
	}
	return c, end
}

func hexDigit(b byte) rune {
	switch {
	case '0' <= b && b <= '9':
		return rune(b - '0')
	case 'a' <= b && b <= 'f':
		return rune(b-'a') + 10
	case 'A' <= b && b <= 'F':
		return rune(b-'A') + 10
	}
	return -1
}

// AppendLiteral appends s as an SMT-LIB string literal of printable ASCII
// characters. A backslash is always escaped, so that no solver takes it for the
// start of one of its own escape sequences.
func AppendLiteral(dst []byte, s []rune) []byte {
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"':
			dst = append(dst, `""`...)
		case c == '\\' || c < 0x20 || c > 0x7e:
			dst = append(dst, `\u{`...)
			dst = strconv.AppendInt(dst, int64(c), 16)
			dst = append(dst, '}')
		default:
			dst = append(dst, byte(c))
		}
	}
	return append(dst, '"')
}

// Literal returns s as AppendLiteral writes it.
func Literal(s []rune) string { return string(AppendLiteral(nil, s)) }

// valid says whether all elements are code points of the theory.
func valid(s []rune) bool {
	for _, c := range s {
		if c < 0 || c > maxChar {
			return false
		}
	}
	return true
}
