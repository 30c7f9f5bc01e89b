package finding

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// CaseMark is the echo that separates the case itself from the cases ahead in a process's output.
const CaseMark = "smtlark: the case itself"

// Input is everything that a process is given when a finding is shown with the solver's program alone, in one file.
type Input struct {
	Mode     solvers.Mode
	Preamble string   // options of the target
	Ahead    []string // cases that the process is given before, as the target gets them
	Case     string   // the case, as the target gets it
	Reset    bool     // in mode reset, another (reset) follows the case: that one may crash the process
}

// Text returns the input. plain is true where that is just the case.
func (in *Input) Text() (text string, plain bool) {
	mark := ""
	if len(in.Ahead) > 0 {
		mark = fmt.Sprintf("(echo %q)\n", CaseMark)
	}
	var b strings.Builder
	switch in.Mode {
	case solvers.Incremental:
		head, rest := splitSettings(in.Case)
		if len(in.Ahead) > 0 { // the process was given those of its first case
			head, _ = splitSettings(in.Ahead[0])
		}
		b.WriteString(in.Preamble + head)
		for _, earlier := range in.Ahead {
			_, inner := splitSettings(earlier)
			b.WriteString("(push 1)\n" + EndedLine(inner) + "(pop 1)\n")
		}
		b.WriteString(mark + "(push 1)\n" + EndedLine(rest) + "(pop 1)\n")
		return b.String(), false
	case solvers.Reset:
		for _, earlier := range in.Ahead {
			b.WriteString(in.Preamble + EndedLine(earlier) + "(reset)\n")
		}
		b.WriteString(in.Preamble + mark + EndedLine(in.Case))
		if in.Reset {
			b.WriteString("(reset)\n")
		}
		return b.String(), in.Preamble == "" && len(in.Ahead) == 0 && !in.Reset
	}
	return in.Preamble + in.Case, in.Preamble == ""
}

// Given returns the text of a case as a target gets it: without tactics where its solver has none, without the status
// where the solver would compare its answer with it. A solver that is given the file must be able to read it.
func (t *Target) Given(text string) string {
	tactics := t.CheckSatUsing || t.Kind == "z3"
	if (tactics || !strings.Contains(text, "(check-sat-using")) && (!t.ChecksStatus || !strings.Contains(text, ":status")) {
		return text
	}
	script, err := smtlib.Parse("case", []byte(text), smt.NewArena())
	if err != nil {
		return text
	}
	q := solvers.FromScript(script)
	if !tactics {
		q = q.WithoutTactics()
	}
	var b strings.Builder
	for i := range q.Commands {
		c := q.Commands[i].Text
		if t.ChecksStatus && strings.HasPrefix(c, "(set-info") && strings.Contains(c, ":status") {
			continue
		}
		b.WriteString(c)
		b.WriteByte('\n')
	}
	return b.String()
}

// splitSettings parts a script after its leading set-logic, set-option and set-info commands.
func splitSettings(text string) (head, body string) {
	script, err := smtlib.Parse("case", []byte(text), smt.NewArena())
	if err != nil {
		return "", text
	}
	end := 0
	for i := range script.Commands {
		c := &script.Commands[i]
		if !c.Kind.IsSetting() {
			break
		}
		end = len(text)
		if i+1 < len(script.Commands) {
			end = script.Commands[i+1].Pos.Offset
		}
	}
	return text[:end], text[end:]
}

// EndedLine returns a text with one line end after it.
func EndedLine(s string) string { return strings.TrimRight(s, "\n") + "\n" }
