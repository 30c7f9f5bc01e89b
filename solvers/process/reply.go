package process

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// framer cuts a stream of output into segments at the markers. It does not trust the solver: a marker counts only as a
// whole line (or at the end of an incomplete one), and only when it is the next one expected.
type framer struct {
	prefix string
	next   int    // number of the marker that is due
	want   int    // number of markers
	buf    []byte // output not yet cut
	looked int    // how much of buf was searched for line ends
	broken string // how the framing was violated, "" if it was not
}

func (f *framer) beginRun(prefix string, want int) {
	f.prefix, f.next, f.want, f.looked, f.broken = prefix, 0, want, 0, ""
	f.buf = f.buf[:0]
}

// cutAtMarker returns the output before the marker that is due and true, once that marker has come. The bytes stay
// valid until the next call.
func (f *framer) cutAtMarker() ([]byte, bool) {
	for {
		i := bytes.IndexByte(f.buf[f.looked:], '\n')
		if i < 0 {
			return nil, false
		}
		start, end := f.looked, f.looked+i
		f.looked = end + 1
		rest, number, ok := f.parseMarker(f.buf[start:end])
		if !ok {
			continue
		}
		if number != f.next {
			f.broken = "marker " + strconv.Itoa(number) + " came when " + strconv.Itoa(f.next) + " was due"
			return nil, false
		}
		f.next++
		out := f.buf[:start+rest]
		f.buf, f.looked = f.buf[f.looked:], 0
		return out, true
	}
}

// parseMarker recognises a marker at the end of a line; rest is the length of the text before it.
func (f *framer) parseMarker(line []byte) (rest, number int, ok bool) {
	line = bytes.TrimRight(line, "\r ")
	at := bytes.LastIndex(line, []byte(f.prefix))
	if at < 0 {
		return 0, 0, false
	}
	digits := line[at+len(f.prefix):]
	if at > 0 && line[at-1] == '"' {
		if len(digits) < 2 || digits[len(digits)-1] != '"' {
			return 0, 0, false
		}
		at, digits = at-1, digits[:len(digits)-1]
	}
	number, err := strconv.Atoi(string(digits))
	if err != nil || bytes.Contains(line[:at], []byte("echo")) {
		return 0, 0, false // quoted in a message about our own input
	}
	return at, number, true
}

// reader interprets the output of segments into a Run.
type reader struct {
	run     *solvers.Run
	profile *solvers.Profile
	talks   bool            // the target has arguments of its own, which may make it print more
	errs    strings.Builder // error replies and lines that are no replies, the evidence for Classify
	class   solvers.Class   // of the first error in the problem, Invalid if there was none
	message string
	voided  bool // a command that is part of the problem was rejected
	// bareError is set if a command that is part of the problem had a bare error as its reply.
	bareError bool
	garbage   string // the output that was not a valid reply, "" if there was none
	beside    string // the first line of output other than replies, of a target with its own arguments
	last      smtlib.Answer
	ended     bool // the process ended within the segment that is read
	// endedInValue is set if the process ended when only the reply to the last get- command was missing.
	endedInValue bool
}

// readSegment reads the complete output of one segment. A settings segment may be refused without harm; after an error
// in the problem, later answers are discarded, because they answer another problem.
func (r *reader) readSegment(s *segment, out []byte) {
	if s.kind == value {
		r.takeValue(s, string(bytes.TrimSpace(out)))
		return
	}
	answered, strays := false, 0
	for len(out) > 0 {
		var item string
		item, out = nextItem(out)
		switch {
		case item == "" || item == "success":
		case strings.HasPrefix(item, "(error"):
			r.takeError(s, item)
		case item == "unsupported":
			r.takeUnsupported(s)
		case item == solvers.BareError:
			r.takeBareError(s)
		default:
			a, isAnswer := smtlib.ParseAnswer(item)
			switch {
			case isAnswer && s.kind == check && !answered:
				answered = true
				r.takeAnswer(s, a)
			case item == "timeout" && s.kind == check && !answered:
				answered = true
				r.setClass(solvers.Timeout, "timeout")
			case item[0] == '(' && s.kind == check, r.isBesideReplies(item):
				// statistics or the like
			default:
				strays++
				r.takeStray(item)
			}
		}
	}
	if s.kind == check && strays > 0 {
		r.run.Answers[s.slot] = smtlib.None // an answer with other output beside it does not count
	}
	if s.kind == check && !answered && r.class == solvers.Invalid && !r.bareError && !r.ended {
		r.takeStray("no answer to check-sat")
	}
}

func (r *reader) takeAnswer(s *segment, a smtlib.Answer) {
	r.last = a
	if !r.voided {
		r.run.Answers[s.slot] = a
	}
}

func (r *reader) takeValue(s *segment, text string) {
	for {
		rest, ok := strings.CutPrefix(text, "success\n")
		if !ok {
			break
		}
		text = strings.TrimSpace(rest)
	}
	r.run.Values[s.slot] = text
	if strings.HasPrefix(text, "(error") {
		if r.saysHowItEnded(text) {
			r.setClass(r.profile.Classify(solvers.Evidence{Errors: text}))
		}
	}
}

// takeError takes an error reply to a command other than a get- command.
func (r *reader) takeError(s *segment, item string) {
	r.errs.WriteString(item)
	r.errs.WriteByte('\n')
	c, m := r.profile.Classify(solvers.Evidence{Errors: item})
	switch {
	case s.kind == settings && !c.IsBug():
		r.noteSetting(c.String() + ": " + m)
	case s.kind == ending && !c.IsBug():
		r.noteSetting("after the case: " + m)
	default:
		r.voided = r.voided || s.kind != ending
		r.setClass(c, m)
	}
}

// takeBareError leaves the class of a problem with a bare error to the end of the run, when all of stderr is available.
func (r *reader) takeBareError(s *segment) {
	if s.kind == settings || s.kind == ending {
		r.noteSetting(solvers.BareError)
		return
	}
	r.errs.WriteString(solvers.BareError + "\n")
	r.voided = true
	r.bareError = true
}

func (r *reader) takeUnsupported(s *segment) {
	if s.kind == settings || s.kind == ending {
		r.noteSetting("unsupported setting")
		return
	}
	r.voided = true
	r.setClass(solvers.Unsupported, "unsupported")
}

// setClass keeps the first class, except that a bug outranks a class that is not a bug.
func (r *reader) setClass(c solvers.Class, m string) {
	if r.class == solvers.Invalid || c.IsBug() && !r.class.IsBug() {
		r.class, r.message = c, m
	}
}

func (r *reader) noteSetting(m string) {
	if r.message == "" && r.class == solvers.Invalid {
		r.message = m
	}
}

// isBesideReplies reports whether a line is harmless output rather than a reply: statistics, a line that the profile
// ignores, or, for a target with arguments of its own, anything but an answer. Output of the last kind may still
// explain a death.
func (r *reader) isBesideReplies(item string) bool {
	switch {
	case strings.HasPrefix(item, "(:"), r.profile.Ignored(item):
		return true
	case !r.talks || isAnswer(item):
		return false
	}
	if r.beside == "" {
		r.beside = solvers.Normalize(item)
	}
	r.errs.WriteString(item)
	r.errs.WriteByte('\n')
	return true
}

func (r *reader) takeStray(item string) {
	if r.garbage == "" {
		r.garbage = solvers.Normalize(item)
	}
	r.errs.WriteString(item)
	r.errs.WriteByte('\n')
}

// nextItem splits the first reply off some output: a line, or an S-expression. Error replies end at the first line
// end behind `")`, because solvers do not escape the quotes inside of them.
func nextItem(out []byte) (item string, rest []byte) {
	out = bytes.TrimLeft(out, " \t\r\n")
	switch {
	case len(out) == 0:
		return "", nil
	case out[0] == ';':
		_, rest, _ = bytes.Cut(out, []byte("\n"))
		return "", rest
	case bytes.HasPrefix(out, []byte("(error")):
		return cutError(out)
	case out[0] == '(':
		if n := smtlib.SExprEnd(out); n > 0 {
			return string(out[:n]), out[n:]
		}
		return string(bytes.TrimSpace(out)), nil
	}
	line, rest, _ := bytes.Cut(out, []byte("\n"))
	return string(bytes.TrimRight(line, " \t\r")), rest
}

func cutError(out []byte) (string, []byte) {
	for at := 0; at < len(out); {
		i := bytes.Index(out[at:], []byte("\")"))
		if i < 0 {
			break
		}
		at += i + 2
		if tail := bytes.TrimLeft(out[at:], " \t\r"); len(tail) == 0 || tail[0] == '\n' {
			return string(out[:at]), tail
		}
	}
	if n := smtlib.SExprEnd(out); n > 0 {
		return string(out[:n]), out[n:]
	}
	return string(bytes.TrimSpace(out)), nil
}
