package process

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"unsafe"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// kind is the kind of a segment of a plan. It decides how the segment's replies are read.
type kind uint8

const (
	settings kind = iota // set-logic, set-option, set-info: a refusal does not change the problem
	problem              // all other commands without reply
	check                // commands without reply, then one that is answered
	value                // one get- command
	ending               // reset or pop after the case
)

// segment is a piece of a case between two markers.
type segment struct {
	kind    kind
	slot    int           // index into Run.Answers (check) or Run.Values (value), else -1
	when    smtlib.Answer // see solvers.PrintedCommand.When
	end     int           // offset in plan.text behind its marker command
	unknown bool          // holds a command smtlark does not know
}

// plan is the text for one case with its markers.
type plan struct {
	text     []byte
	prefix   string
	segments []segment
	answers  int // number of check segments so far
	values   int // number of value segments so far
}

// facts has the properties of a query that the driver must know before it is sent.
type facts struct {
	leading int    // number of commands before the first that is no setting
	options string // the texts of set-option
	key     string // the texts of set-logic and set-option, and anything else that binds a case to a process
	// incremental reports whether the query needs Profile.IncrementalArgs: it uses push, pop or assumptions, or a part
	// of the problem follows a check-sat.
	incremental bool
	synthesis   bool   // has functions to synthesise
	depth       int    // push levels left open at the end
	unsafe      string // why it must not share a process with other cases between push and pop; "" if it may
	multiline   bool   // has a quoted symbol or string that spans lines, outside of set-info
}

// surveyQuery reads a query once. It looks only at the beginnings of the commands' texts, since nothing is parsed on
// the way to a pipe. For the bindings of libraries, settingsOf in solvers/native does the same with parsed commands.
// The two are separate because commands have different forms, and because the results differ: after a pop, a library
// keeps sorts, datatypes and recursive functions, while a program forgets them.
func surveyQuery(q *solvers.Query, p *solvers.Profile) facts {
	var f facts
	var options, key strings.Builder
	leading, depth, checks := true, 0, 0
	for i := range q.Commands {
		c := &q.Commands[i]
		head := headOf(c.Text)
		if leading = leading && isSetting(head); leading {
			f.leading++
		}
		if head == "set-option" && p.HoldsBackCommand(c.Text) {
			continue
		}
		switch head {
		case "set-option":
			options.WriteString(c.Text)
			key.WriteString(c.Text)
			if !leading {
				f.unsafe = "sets an option in the middle"
			} else if strings.Contains(c.Text, ":global-declarations") {
				// Global declarations survive the pop, and the next case would declare the same names again.
				f.unsafe = "makes declarations global"
			}
		case "set-logic":
			key.WriteString(c.Text)
			if !leading {
				f.unsafe = "sets the logic in the middle"
			}
		case "check-sat-assuming": // Boolector and CVC4 need the arguments even for one
			f.incremental = true
		case "push":
			f.incremental = true
			depth += levelsOf(c.Text)
		case "pop":
			f.incremental = true
			if depth -= levelsOf(c.Text); depth < 0 {
				f.unsafe, depth = "pops more than it pushed", 0
			}
		case "reset", "reset-assertions":
			f.incremental = f.incremental || head == "reset-assertions"
			f.unsafe, depth = "contains "+head, 0
		case "synth-fun":
			f.synthesis = true
		case "declare-rel", "declare-var", "rule", "query":
			f.unsafe = "contains " + head // z3's fixed points do not follow push and pop
		}
		switch {
		case c.Reply == solvers.AnswerReply:
			checks++
		case checks > 0 && c.Reply == solvers.NoReply && !isSetting(head) && head != "exit": // the problem goes on to change
			f.incremental = true
		}
		if head != "set-info" && strings.IndexByte(c.Text, '\n') >= 0 && spansLines(c.Text) {
			f.multiline = true
		}
		if head == "exit" {
			break
		}
	}
	f.depth, f.options, f.key = depth, options.String(), key.String()
	f.incremental = f.incremental || checks > 1
	return f
}

func isSetting(head string) bool {
	return head == "set-logic" || head == "set-option" || head == "set-info"
}

// headOf returns the first symbol of a command, "" if there is none.
func headOf(text string) string {
	i := 0
	for i < len(text) && (text[i] == '(' || text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	start := i
	if i < len(text) && (text[i] == ';' || text[i] == '|') { // as a user may write it
		return solvers.CommandName(text)
	}
	for i < len(text) && text[i] != ' ' && text[i] != ')' && text[i] != '(' && text[i] > ' ' {
		i++
	}
	return text[start:i]
}

// levelsOf reads the numeral of push and pop; without one it is 1.
func levelsOf(text string) int {
	digits := strings.TrimFunc(strings.TrimPrefix(strings.TrimLeft(text, "( \t\r\n"), headOf(text)), func(r rune) bool {
		return r < '0' || r > '9'
	})
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 1
	}
	return n
}

// spansLines reports whether a quoted symbol or a string literal of the command contains a line break.
func spansLines(text string) bool {
	var quote byte
	comment := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case comment:
			comment = c != '\n'
		case quote != 0:
			if c == quote {
				quote = 0
			} else if c == '\n' {
				return true
			}
		case c == '|' || c == '"':
			quote = c
		case c == ';':
			comment = true
		}
	}
	return false
}

// standard are the commands without reply that every solver is expected to know.
var standard = map[string]bool{
	"assert": true, "declare-const": true, "declare-datatype": true, "declare-datatypes": true, "declare-fun": true,
	"declare-sort": true, "declare-sort-parameter": true, "define-const": true, "define-fun": true, "define-fun-rec": true,
	"define-funs-rec": true,
	"define-sort":     true, "push": true, "pop": true, "reset": true, "reset-assertions": true, "exit": true,
}

// planner collects segments.
type planner struct {
	plan
	profile *solvers.Profile
	open    bool
	current segment
}

// beginPlan starts a plan, reusing the buffers of the last one. The marker's prefix depends on the text of the query,
// so that no query can contain its own markers.
func (b *planner) beginPlan(q *solvers.Query) {
	sum := uint32(0)
	for i := range q.Commands {
		text := q.Commands[i].Text
		sum = crc32.Update(sum, castagnoli, unsafe.Slice(unsafe.StringData(text), len(text))) // only read
	}
	b.text, b.segments = b.text[:0], b.segments[:0]
	b.answers, b.values, b.open = 0, 0, false
	b.prefix = fmt.Sprintf("smtlark-%08x-", sum)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// addCommand appends a command, closing the open segment where the kind of reply changes.
func (b *planner) addCommand(c *solvers.PrintedCommand) {
	head := headOf(c.Text)
	switch c.Reply {
	case solvers.AnswerReply:
		b.openSegment(check, c.When)
		b.addLine(c.Text)
		b.current.slot = b.answers
		b.answers++
		b.closeSegment()
	case solvers.ValueReply:
		b.closeSegment()
		b.openSegment(value, c.When)
		b.addLine(c.Text)
		b.current.slot = b.values
		b.values++
		b.closeSegment()
	default:
		if isSetting(head) {
			b.openSegment(settings, c.When)
		} else {
			b.openSegment(problem, c.When)
			b.current.unknown = b.current.unknown || !standard[head]
		}
		b.addLine(c.Text)
	}
}

// openSegment makes sure that the open segment is of the given kind. A check also takes over an open problem segment.
func (b *planner) openSegment(k kind, when smtlib.Answer) {
	if b.open && b.current.when == when && (b.current.kind == k || b.current.kind == problem && k == check) {
		b.current.kind = k
		return
	}
	b.closeSegment()
	b.open, b.current = true, segment{kind: k, slot: -1, when: when}
}

// addPreamble appends commands without reply that come before a case.
func (b *planner) addPreamble(commands []string) {
	for _, text := range commands {
		b.addCommand(&solvers.PrintedCommand{Text: text})
	}
}

func (b *planner) addLine(text string) {
	b.text = append(b.text, text...)
	b.text = append(b.text, '\n')
}

// closeSegment ends the open segment with its marker.
func (b *planner) closeSegment() {
	if !b.open {
		return
	}
	b.text = append(b.text, `(echo "`...)
	b.text = append(b.text, b.prefix...)
	b.text = strconv.AppendInt(b.text, int64(len(b.segments)), 10)
	b.text = append(b.text, "\")\n"...)
	b.current.end = len(b.text)
	b.segments = append(b.segments, b.current)
	b.open = false
}

// addCommands appends the commands of a query from number from on, except those that must not be sent: commands after
// exit, options that redirect the output or concern files, the status if the solver checks it, and, on a pipe, set-info
// commands that the solver cannot read from one.
func (b *planner) addCommands(q *solvers.Query, from int, pipe bool) {
	for i := from; i < len(q.Commands); i++ {
		c := &q.Commands[i]
		if c.Text == "" {
			continue
		}
		head := headOf(c.Text)
		if head == "exit" {
			break
		}
		if leftOut(head, c.Text, b.profile, pipe) {
			continue
		}
		b.addCommand(c)
		if head == "reset" && !b.profile.ResetKeepsOptions { // the case itself does not set these options again
			b.addPreamble(askingOptions(q, b.profile))
		}
	}
	b.closeSegment()
}

// leftOut reports whether a command must not be sent.
func leftOut(head, text string, p *solvers.Profile, pipe bool) bool {
	switch head {
	case "set-option":
		return p.HoldsBackCommand(text)
	case "get-proof":
		return p.ProofsUnasked
	case "set-info":
	default:
		return false
	}
	if p.ChecksStatus && strings.Contains(text, ":status") {
		return true
	}
	return pipe && !p.MultilineTokens && strings.IndexByte(text, '\n') >= 0 && spansLines(text)
}
