package folder

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// caseText returns the text of a case file: as the target that is wrong was given it.
func caseText(f *finding.Finding, script string) string {
	t, ok := targetNamed(f, firstOrEmpty(f.Verdict.Targets))
	if !ok {
		return script
	}
	return t.Given(script)
}

// beforeFile is the name of a case that the process needs to have had before.
func beforeFile(i int) string { return fmt.Sprintf("before-%d.smt2", i+1) }

// smallestText returns the script of the smallest case as it was made.
func smallestText(f *finding.Finding) string { return smallestWire(f).Script }

// inputGiven is the text that a target is fed: with options before it, push and pop around it, get-model in it, other
// cases before it. plain is true where that is just the file of the smallest case.
func (c *command) inputGiven(f *finding.Finding) (text string, plain bool) {
	script := smallestText(f)
	body := c.target.Given(script)
	in := finding.Input{Mode: solvers.Mode(c.run.Mode), Preamble: c.run.Preamble, Reset: f.Verdict.Kind == oracle.KindCrash}
	asIs := body == caseText(f, script)
	if f.Verdict.Kind == oracle.KindInvalidModel {
		if parsed, err := smtlib.Parse(caseFile, []byte(body), smt.NewArena()); err == nil {
			body, asIs = solvers.FromScript(parsed).WithModel().Text(), false
		}
	}
	for _, earlier := range f.Before {
		in.Ahead = append(in.Ahead, c.target.Given(earlier))
	}
	for range f.Repeat {
		in.Ahead = append(in.Ahead, body)
	}
	in.Case = body
	text, plain = in.Text()
	return text, plain && asIs
}

// answersBefore counts the answers of the recorded run that come before that of a check-sat of the case: not each
// check-sat has one.
func (c *command) answersBefore(check int) int {
	n := 0
	for i := range max(0, check) {
		if i >= len(c.run.Answers) || c.run.Answers[i] != smtlib.None.String() {
			n++
		}
	}
	return n
}
