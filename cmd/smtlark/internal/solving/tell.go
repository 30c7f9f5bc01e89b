package solving

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// tell writes events that the client does not see to standard error.
func (s *solving) tell(v frontend.Event) {
	text := fmt.Sprintf("%s: %s: %s", v.Member, v.Kind, v.Message)
	if v.Kind == frontend.Contradiction {
		s.wrong++
	}
	switch {
	case s.out != "" && v.Script != nil:
		text += s.keepQuestion(v.Member+": "+v.Message, v.Script, v.Crashed)
	case v.Kind == frontend.Contradiction:
		text += s.keepCase(&v)
	}
	s.warn(text)
}

// keepQuestion keeps a question for a finding, and says where.
func (s *solving) keepQuestion(about string, script *smtlib.Script, crashed bool) string {
	path, err := s.kept.keep("; "+display.Line(about)+"\n", script.Text(), crashed, s.campaignFile)
	switch {
	case err != nil:
		return "; the question could not be kept: " + err.Error()
	case path == "":
		return ""
	}
	return "; the question is in " + path
}

func (s *solving) warn(text string) {
	fmt.Fprintf(s.env.Stderr, "%s %s\n", command.Yellow("smtlark solve:"), display.Line(text))
}

// keepCase writes the question of a contradiction as a file, and says where.
func (s *solving) keepCase(v *frontend.Event) string {
	folder := s.cases
	if folder == "" {
		folder = "smtlark-cases"
	}
	text := "; " + display.Line(v.Member+": "+v.Message) + "\n" + v.Script.Text()
	sum := sha256.Sum256([]byte(text))
	path := filepath.Join(folder, "contradiction-"+hex.EncodeToString(sum[:8])+".smt2")
	err := os.MkdirAll(folder, 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		return "; the question could not be kept: " + err.Error()
	}
	return "; the question is in " + path
}

// compareStatus reports an answer that differs from the :status in the file.
func (s *solving) compareStatus(where string, f *frontend.FrontEnd, r frontend.Result, status smtlib.Answer) {
	if status.Decided() && r.Answer.Decided() && r.Answer != status {
		s.wrong++
		text := fmt.Sprintf("%s: %s says %s, but :status is %s", where, r.By, r.Answer, status)
		if question := f.Question(); s.out != "" && question != nil {
			last := len(question.Commands) - 1
			info := smtlib.Command{Kind: smtlib.CmdSetInfo, Name: ":status", Text: status.String()}
			question.Commands = slices.Insert(question.Commands, last, info)
			text += s.keepQuestion(text, question, false)
		}
		s.warn(text)
	}
	if r.Answer == smtlib.Unknown && r.Reason != "" && r.Reason != "incomplete" {
		s.warn(fmt.Sprintf("%s: unknown: %s", where, r.Reason))
	}
}

// printStats prints what each solver did.
func (s *solving) printStats(f *frontend.FrontEnd) {
	if !s.stats {
		return
	}
	w := tabwriter.NewWriter(s.env.Stderr, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SOLVER\tASKED\tWON\tFAILED\tREPLACED\tTIME")
	for _, m := range f.Stats() {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%v\n", display.Line(m.Name), m.Asked, m.Won, m.Failed, m.Replaced, m.Time.Round(time.Millisecond))
	}
	_ = w.Flush()
}
