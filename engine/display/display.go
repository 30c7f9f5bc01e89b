// Package display makes text from solvers, seeds and campaign files safe to show, one function for each medium. HTML and XML
// are escaped by their writers; what they write goes through Text first.
package display

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text makes control characters, those that change the direction of writing or are invisible, and bytes that are no text
// visible as escapes. Line ends and tabs stay.
func Text(s string) string {
	if !strings.ContainsFunc(s, unsafe) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unsafe(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line is Text on one line: blanks, tabs and line ends become one blank each time.
func Line(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// Cut shortens a text to n bytes, with an ellipsis where it did.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}

func unsafe(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r) ||
		unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r >= 0xFFFE && r <= 0xFFFF
}

// Markdown writes text on one line so that Markdown, also in the cell of a table, and HTML find nothing to interpret in it:
// no link, no image, no name that gets a notification, no heading.
func Markdown(s string) string {
	s = Line(s)
	var b strings.Builder
	for i, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@':
			b.WriteString("&#64;")
		case '_', '#':
			if i > 0 && wordBefore(s[:i]) && wordAfter(s[i+1:]) { // as in QF_LIA
				b.WriteRune(r)
				continue
			}
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\\', '`', '*', '[', ']', '|', '~', '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(b.String(), "://", ":&#47;/") // no links but ours
}

func wordBefore(s string) bool { r, _ := utf8.DecodeLastRuneInString(s); return wordRune(r) }

func wordAfter(s string) bool { r, _ := utf8.DecodeRuneInString(s); return wordRune(r) }

func wordRune(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// MarkdownCode writes text as code in Markdown, on one line.
func MarkdownCode(s string) string {
	s = Line(s)
	fence := strings.Repeat("`", longestRun(s)+1)
	s = strings.ReplaceAll(s, "|", `\|`)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// MarkdownFence returns a fence longer than any run of backquotes in the text.
func MarkdownFence(text string) string { return strings.Repeat("`", max(3, longestRun(text)+1)) }

// longestRun is the length of the longest run of backquotes.
func longestRun(text string) int {
	longest, n := 0, 0
	for _, r := range text {
		if r != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}
