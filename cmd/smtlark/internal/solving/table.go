package solving

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/results/report"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// row is the result for one file.
type row struct {
	File    string   `json:"file"`
	Answers []string `json:"answers"`          // to each check-sat
	Status  []string `json:"status,omitempty"` // expected answers according to the file; none if it states none
	Reasons []string `json:"reasons,omitempty"`
	By      string   `json:"by,omitempty"` // who gave the latest answer
	Seconds float64  `json:"seconds"`
	Refused int      `json:"refused,omitempty"` // commands that were refused
	Wrong   bool     `json:"wrong,omitempty"`   // an answer contradicts the status, or another answer
	Error   string   `json:"error,omitempty"`   // the first reply of a refused command, or why the file was not read
}

// table solves files and prints a table of their answers.
func (s *solving) table(ctx context.Context, files []string) int {
	var rows []row
	code := command.ExitOK
	w := tabwriter.NewWriter(s.env.Stdout, 0, 0, 2, ' ', 0)
	for _, path := range files {
		if ctx.Err() != nil {
			break
		}
		r := s.row(ctx, path)
		rows = append(rows, r)
		switch {
		case r.Wrong:
			code = command.ExitFindings
		case (r.Error != "" || r.Refused > 0) && code == command.ExitOK:
			code = command.ExitScript
		}
	}
	if err := s.write(w, rows); err != nil {
		return s.env.Fail(command.ExitDisk, "solve", err)
	}
	return code
}

// row solves one file.
func (s *solving) row(ctx context.Context, path string) (r row) {
	r.File, r.Answers = path, []string{}
	begun := time.Now()
	defer func() { r.Seconds = time.Since(begun).Seconds() }()
	in, err := command.OpenProblem(path)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	defer in.Close()
	f, err := s.newSolver(smt.NewArena(), eval.NewAllowance(eval.FileSteps))
	if err != nil {
		r.Error = err.Error()
		return r
	}
	defer f.Close()
	var replies firstError
	quiet := *s.env
	quiet.Stdout = &replies
	before := s.wrong
	d := s.newDialogue(f, in, &quiet)
	any := false
	d.Checked = func(at smtlib.Pos, x frontend.Result, status smtlib.Answer, _ time.Duration) {
		s.compareStatus(fmt.Sprintf("%s:%d", path, at.Line), f, x, status)
		r.Answers, r.Status, r.By = append(r.Answers, x.Answer.String()), append(r.Status, status.String()), x.By
		any = any || status != smtlib.None
		if x.Answer == smtlib.Unknown {
			r.Reasons = append(r.Reasons, x.Reason)
		}
	}
	if err := s.run(ctx, f, d); err != nil {
		r.Error = err.Error()
	}
	if !any {
		r.Status = nil
	}
	r.Refused, r.Wrong = d.Errors(), s.wrong > before
	if r.Error == "" {
		r.Error = replies.text
	}
	s.printStats(f)
	return r
}

// firstError is a writer that keeps the first error reply written to it.
type firstError struct{ text string }

func (w *firstError) Write(p []byte) (int, error) {
	if i := strings.Index(string(p), `(error "`); w.text == "" && i >= 0 {
		line, _, _ := strings.Cut(string(p[i:]), "\n")
		w.text = strings.TrimSuffix(strings.TrimPrefix(line, `(error "`), `")`)
	}
	return len(p), nil
}

// write writes the rows as they are asked for.
func (s *solving) write(w *tabwriter.Writer, rows []row) error {
	if s.junit != "" {
		if err := writeJUnit(s.junit, rows); err != nil {
			return err
		}
	}
	if s.json {
		enc := json.NewEncoder(s.env.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	}
	fmt.Fprintln(w, "FILE\tANSWER\tSTATUS\tTIME\tREMARK")
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%.3f s\t%s\n", display.Line(r.File), brief(r.Answers), brief(r.Status), r.Seconds, display.Line(r.remark()))
	}
	return w.Flush()
}

// brief spells answers; of many only the first ones.
func brief(answers []string) string {
	const shown = 4
	switch {
	case len(answers) == 0:
		return "-"
	case len(answers) > shown:
		return fmt.Sprintf("%s ... (%d)", strings.Join(answers[:shown], " "), len(answers))
	}
	return strings.Join(answers, " ")
}

// remark returns a comment on a row, "" for none.
func (r *row) remark() string {
	var out []string
	if r.Wrong {
		out = append(out, "contradiction")
	}
	if r.Error != "" {
		out = append(out, r.Error)
	}
	for _, reason := range r.Reasons {
		if len(out) < 3 {
			out = append(out, reason)
		}
	}
	return strings.Join(out, "; ")
}

// writeJUnit writes the rows for build servers: a file with a wrong answer or a refused command has failed, one without
// an answer is skipped.
func writeJUnit(path string, rows []row) error {
	var cases []report.TestCase
	for i := range rows {
		r := &rows[i]
		c := report.TestCase{Name: r.File, Class: "solve", Seconds: r.Seconds}
		switch {
		case r.Wrong || r.Error != "":
			c.Failure = r.remark()
		case len(r.Reasons) > 0:
			c.Skipped = r.remark()
		}
		cases = append(cases, c)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	err = report.JUnitOf(io.Writer(file), "smtlark solve", cases)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
