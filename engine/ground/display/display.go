// Package display makes text from solvers, seeds and campaign files safe to show, one function for each medium. The
// writers of HTML and XML do the escaping; they pass each text through Text first.
package display

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text makes control characters, those that change the direction of writing or are invisible, and bytes that are not
// valid text visible as escapes. Line ends and tabs stay.
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

// Line is Text on one line: each run of blanks, tabs and line ends becomes one blank.
func Line(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// LastLine returns the last nonblank line of a text, without surrounding blanks.
func LastLine(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
}

// JSON replaces unsafe characters in a JSON text by their escapes, which JSON readers decode to the same characters.
func JSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, unsafe) {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case !unsafe(r) || n == 1 && r == utf8.RuneError:
			out = append(out, text[i:i+n]...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}

// JSONWriter returns a writer that passes its input through JSON to w. Each write must have whole values.
func JSONWriter(w io.Writer) io.Writer { return jsonWriter{w} }

type jsonWriter struct{ to io.Writer }

func (w jsonWriter) Write(text []byte) (int, error) {
	if _, err := w.to.Write(JSON(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Quote writes a text as one word for sh. Where it has characters that are unsafe to show, printf makes them.
func Quote(s string) string {
	body := strings.TrimRight(s, "\n")
	ends := s[len(body):] // which a command in place of a word would lose
	if !strings.ContainsFunc(strings.ReplaceAll(body, "\n", "\r"), unsafe) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString(`"$(printf '`)
	for i, r := range body {
		switch {
		case r == '\'':
			b.WriteString(`\047`)
		case r == '-' && i == 0: // no option of printf
			b.WriteString(`\055`)
		case r == '%':
			b.WriteString("%%")
		case r == '\\':
			b.WriteString(`\\`)
		case r == utf8.RuneError && !strings.HasPrefix(body[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\%03o`, body[i])
		case unsafe(r) || r == '\n':
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString(`')"`)
	if ends != "" {
		b.WriteString("'" + ends + "'")
	}
	return b.String()
}

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

// Markdown writes text on one line so that Markdown, also in the cell of a table, and HTML find nothing to interpret in
// it: no link, no image, no name that gets a notification, no heading.
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

// Clip shortens a line to width columns, the last of which says that something is missing; 0 means any width.
func Clip(s string, width int) string {
	if width <= 0 || Columns(s) <= width {
		return s
	}
	const missing = "…"
	columns := Columns(missing)
	for i, r := range s {
		columns += Columns(string(r))
		if columns > width {
			return s[:i] + missing
		}
	}
	return s
}

// Columns is the number of columns that text takes on a terminal: two for wide characters of East Asian scripts and
// emoji, one for all others. Those that take none count as one, which errs on the safe side.
func Columns(s string) (n int) {
	for _, r := range s {
		n++
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd) {
			n++
		}
	}
	return n
}
