package process

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// readFramed reads the output of a process whose input had markers; it returns false if the output ends before the last
// marker.
func (r *reader) readFramed(f *framer, p *plan, out []byte) bool {
	f.beginRun(p.prefix, len(p.segments))
	f.buf = append(f.buf, out...)
	var shown []byte
	defer func() { r.run.Stdout = string(shown) }()
	for i := range p.segments {
		part, ok := f.cutAtMarker()
		if !ok {
			if f.broken != "" {
				r.takeStray(f.broken)
			}
			shown = append(shown, f.buf...)
			r.readPartial(&p.segments[i], f.buf, i == lastReply(p))
			return false
		}
		shown = append(shown, part...)
		r.readSegment(&p.segments[i], part)
	}
	shown = append(shown, f.buf...)
	for rest := f.buf; len(rest) > 0; {
		var item string
		if item, rest = nextItem(rest); item != "" && item != "success" && !r.isBesideReplies(item) {
			r.takeStray(item)
		}
	}
	return true
}

// lastReply returns the number of the last segment that expects a reply, or -1 if none does.
func lastReply(p *plan) int {
	for i := len(p.segments) - 1; i >= 0; i-- {
		if k := p.segments[i].kind; k == check || k == value {
			return i
		}
	}
	return -1
}

// readPartial reads the part of a segment that a process wrote before it ended: complete lines are taken as replies.
func (r *reader) readPartial(s *segment, out []byte, isLast bool) {
	cut := strings.LastIndexByte(string(out), '\n') + 1
	if tail := strings.TrimSpace(string(out[cut:])); tail != "" && !r.isPieceOfReply(s, out, tail) {
		r.errs.WriteString(tail)
		r.errs.WriteByte('\n')
	}
	if s.kind == value {
		text := strings.TrimSpace(string(out[:cut]))
		if text != "" {
			r.run.Values[s.slot] = text
		}
		if strings.HasPrefix(text, "(error") || text == "" {
			r.errs.WriteString(text)
			r.errs.WriteByte('\n')
		}
		r.endedInValue = isLast
		return
	}
	r.ended = true
	r.readSegment(s, out[:cut])
}

// isPieceOfReply reports whether the last line belongs to the value that the process was writing when it ended, and is
// not a message. Where the output stops is chance, and treating the line as a message would turn one cause into many.
func (r *reader) isPieceOfReply(s *segment, out []byte, line string) bool {
	out = bytes.TrimSpace(out)
	if s.kind != value || !bytes.HasPrefix(out, []byte("(")) || bytes.HasPrefix(out, []byte("(error")) {
		return false
	}
	if end := smtlib.SExprEnd(out); end > 0 && end < len(out) {
		return false // the value was complete
	}
	return !r.saysHowItEnded(line)
}

// saysHowItEnded reports whether a text that may be part of a reply is a message about the end of the process.
func (r *reader) saysHowItEnded(text string) bool {
	c, _ := r.profile.Classify(solvers.Evidence{Errors: text})
	return c.IsBug() || c == solvers.OutOfMemory || c == solvers.Timeout
}

var position = pattern.Lazy(`line:? (\d+),? column|[:>](\d+)[.:]\d+`)

// readPlain reads the output of a process whose input was the plain case without markers: one answer, and perhaps a
// value.
func (r *reader) readPlain(out []byte, lines []kind, q *solvers.Query) bool {
	check := segment{kind: check, slot: 0}
	for len(out) > 0 {
		item, rest := nextItem(out)
		if item == "" || r.profile.Ignored(item) {
			out = rest
			continue
		}
		at := kindAt(item, lines)
		if isAnswer(item) || item == "timeout" {
			r.readSegment(&check, []byte(item))
			r.readAfterAnswer(rest, lines)
			r.endedInValue = true
			return len(r.run.Values) == 0 || r.run.Values[0] != "" || !isValueWanted(q, r.last) || r.profile.ModelEquations &&
				asksModel(q)
		}
		switch {
		case strings.HasPrefix(item, "(error") && at == settings:
			r.readSegment(&segment{kind: settings, slot: -1}, []byte(item))
		case item == "unsupported" || item == "success":
			r.readSegment(&segment{kind: settings, slot: -1}, []byte(item)) // all other commands are standard ones
		case strings.HasPrefix(item, "(error"):
			r.readSegment(&segment{kind: problem, slot: -1}, []byte(item))
		case r.isBesideReplies(item):
		default:
			r.takeStray(item)
		}
		out = rest
	}
	return false
}

// asksModel reports whether the value of a query is a model.
func asksModel(q *solvers.Query) bool {
	return slices.ContainsFunc(q.Commands, func(c solvers.PrintedCommand) bool {
		return c.Reply == solvers.ValueReply && headOf(c.Text) == "get-model"
	})
}

// isValueWanted reports whether the value of a query is asked for after the given answer.
func isValueWanted(q *solvers.Query, last smtlib.Answer) bool {
	for i := range q.Commands {
		if c := &q.Commands[i]; c.Reply == solvers.ValueReply {
			return c.When == smtlib.None || c.When == last
		}
	}
	return false
}

// readAfterAnswer reads what follows the answer: the value, if one was asked for, or complaints.
func (r *reader) readAfterAnswer(out []byte, lines []kind) {
	for len(out) > 0 {
		item, rest := nextItem(out)
		if item == "" || r.profile.Ignored(item) {
			out = rest
			continue
		}
		if r.profile.ModelEquations && strings.HasPrefix(item, "(=") || strings.HasPrefix(item, "(assume ") {
			item, rest = strings.TrimSpace(string(out)), nil // equations, or the steps of a proof in Alethe, up to the end
		}
		switch at := kindAt(item, lines); {
		case len(r.run.Values) == 1 && r.run.Values[0] == "" && item != "success" && at != problem:
			r.takeValue(&segment{kind: value, slot: 0}, item)
		case strings.HasPrefix(item, "(error") || item == "success":
			r.readSegment(&segment{kind: problem, slot: -1}, []byte(item))
		case r.isBesideReplies(item):
		default:
			r.takeStray(item)
		}
		out = rest
	}
}

func isAnswer(item string) bool { return item == "sat" || item == "unsat" || item == "unknown" }

// kindAt returns the kind of the line that an error names, ending when it names none.
func kindAt(item string, lines []kind) kind {
	if !strings.HasPrefix(item, "(error") {
		return ending
	}
	m := position().FindStringSubmatch(item)
	if m == nil {
		return ending
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if err != nil || n < 1 || n > len(lines) {
		return ending
	}
	return lines[n-1]
}
