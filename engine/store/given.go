package store

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// given returns the text of a case as a target gets it: without tactics where its solver has none, without the status where
// the solver would compare its answer with it. A solver that is given the file must be able to read it.
func given(text string, t *finding.Target) string {
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

// caseText returns the text of a case file: as the target that is wrong was given it.
func caseText(f *finding.Finding, script string) string {
	t, ok := targetNamed(f, first(f.Verdict.Targets))
	if !ok {
		return script
	}
	return given(script, &t)
}

// beforeFile is the name of a case that the process needs to have had before.
func beforeFile(i int) string { return fmt.Sprintf("before-%d.smt2", i+1) }

// smallestText returns the script of the smallest case as it was made.
func smallestText(f *finding.Finding) string { return smallestWire(f).Script }

// given is the text that a target is fed: with options before it, push and pop around it, get-model in it, other cases before
// it. plain is true where that is just the file of the smallest case.
func (c *command) given(f *finding.Finding) (text string, plain bool) {
	script := smallestText(f)
	body := given(script, &c.target)
	plain = body == caseText(f, script) && c.run.Preamble == ""
	if f.Verdict.Kind == oracle.KindInvalidModel {
		if parsed, err := smtlib.Parse(caseFile, []byte(body), smt.NewArena()); err == nil {
			body, plain = solvers.FromScript(parsed).WithModel().Text(), false
		}
	}
	mark := ""
	if f.Len() > 0 {
		mark = fmt.Sprintf("(echo %q)\n", caseMark)
	}
	var ahead []string
	for _, earlier := range f.Before {
		ahead = append(ahead, given(earlier, &c.target))
	}
	for range f.Repeat {
		ahead = append(ahead, body)
	}
	switch c.run.Mode {
	case string(solvers.Incremental):
		head, rest := splitSettings(body)
		if len(ahead) > 0 { // the process was given those of its first case
			head, _ = splitSettings(ahead[0])
		}
		var b strings.Builder
		b.WriteString(c.run.Preamble + head)
		for _, earlier := range ahead {
			_, inner := splitSettings(earlier)
			b.WriteString("(push 1)\n" + ended(inner) + "(pop 1)\n")
		}
		b.WriteString(mark + "(push 1)\n" + ended(rest) + "(pop 1)\n")
		return b.String(), false
	case string(solvers.Reset):
		var b strings.Builder
		for _, earlier := range ahead {
			b.WriteString(c.run.Preamble + ended(earlier) + "(reset)\n")
			plain = false
		}
		b.WriteString(c.run.Preamble + mark + ended(body))
		if f.Verdict.Kind == oracle.KindCrash { // it may die of the reset after the case
			b.WriteString("(reset)\n")
			plain = false
		}
		return b.String(), plain
	}
	return c.run.Preamble + body, plain
}

// answersBefore counts the answers of the recorded run that come before that of a check-sat of the case: not each check-sat
// has one.
func (c *command) answersBefore(check int) int {
	n := 0
	for i := range max(0, check) {
		if i >= len(c.run.Answers) || c.run.Answers[i] != smtlib.None.String() {
			n++
		}
	}
	return n
}

func ended(s string) string { return strings.TrimRight(s, "\n") + "\n" }
