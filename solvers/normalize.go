package solvers

import (
	"strings"
	"unicode/utf8"

	"github.com/smtlark/smtlark/engine/ground/pattern"
)

// maxMessage bounds a normalised message, in bytes.
const maxMessage = 400

var (
	hexNumber    = pattern.Lazy(`0[xX][0-9a-fA-F]{4,}`)
	processID    = pattern.Lazy(`==\d+==|\b(pid|PID|process|thread T|tid)[ =:]*\d+`)
	lineColumn   = pattern.Lazy(`line:? \d+,? (column|position):? \d+|((?:<stdin>|<shell>|[^\s:()"]*\.smt2)):\d+([.:]\d+)?`)
	folderOfPath = pattern.Lazy(`(^|[\s"'` + "`" + `(=:,])\.{0,2}/(?:[\w.+@~-]+/)*([\w.+@-]+)`)
	marker       = pattern.Lazy(`smtlark-[0-9a-f]+-\d+`)
	blanks       = pattern.Lazy(`\s+`)
)

// Normalize brings a message into a form that is the same for every run with the same cause: positions in the input,
// addresses, process numbers and folders become fixed text, the wrapping (error "...") goes, white space is collapsed,
// and at most 400 bytes are kept. Line numbers in the solver's own sources stay: they tell assertions apart.
func Normalize(message string) string {
	m := strings.TrimSpace(message)
	if rest, ok := strings.CutPrefix(m, `(error "`); ok {
		m = strings.TrimSuffix(strings.TrimSuffix(rest, ")"), `"`)
	}
	if len(m) > 8*maxMessage {
		m = m[:8*maxMessage]
	}
	m = strings.ToValidUTF8(m, "?")
	m = marker().ReplaceAllString(m, "smtlark")
	m = hexNumber().ReplaceAllString(m, "0x*")
	m = processID().ReplaceAllStringFunc(m, func(s string) string { return strings.TrimRight(s, "0123456789=") + "*" })
	m = lineColumn().ReplaceAllString(m, "input:*")
	m = folderOfPath().ReplaceAllString(m, "$1$2")
	m = blanks().ReplaceAllString(m, " ")
	m = strings.TrimSpace(m)
	if len(m) > maxMessage {
		cut := maxMessage
		for cut > 0 && !utf8.RuneStart(m[cut]) {
			cut--
		}
		m = m[:cut]
	}
	return m
}
