package tracetext

import (
	"iter"
	"strings"
)

// Lines reads the lines of a trace, ours or Murxla's: calls, each followed by the line with its results.
type Lines struct {
	// Number is that of the latest line, from 1.
	Number int
	rest   string
}

// NewLines returns a reader of a text.
func NewLines(text []byte) *Lines { return &Lines{rest: string(text)} }

// All returns the lines that are not empty, without blanks around them, each with the ids that its return line says; ""
// where there is no such line, as after a death.
func (l *Lines) All() iter.Seq2[string, string] {
	return func(yield func(line, returned string) bool) {
		for next := 1; l.rest != ""; next++ {
			l.Number = next
			var line, returned string
			line, l.rest, _ = strings.Cut(l.rest, "\n")
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			behind, after, _ := strings.Cut(l.rest, "\n")
			ids, isReturn := strings.CutPrefix(strings.TrimSpace(behind), "return") // Murxla indents it
			if isReturn && (ids == "" || ids[0] == ' ') {
				returned, l.rest = ids, after
				next++
			}
			if !yield(line, returned) {
				return
			}
		}
	}
}
