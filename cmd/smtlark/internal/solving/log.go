package solving

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
)

// run runs a dialogue, and keeps a log of it where one is asked for.
func (s *solving) run(ctx context.Context, f *frontend.FrontEnd, d *dialogue.Dialogue) error {
	if s.log == "" {
		return d.Run(ctx)
	}
	l, err := openQueryLog(s.log)
	if err != nil {
		return err
	}
	told := d.Checked
	d.Began = l.Command
	d.Checked = func(at smtlib.Pos, r frontend.Result, status smtlib.Answer, took time.Duration) {
		st := f.Stack()
		l.Answered(&loggedAnswer{Answer: r.Answer.String(), Reason: r.Reason, By: r.By, Seconds: took.Seconds(), Logic: st.Logic(),
			Assertions: len(st.Assertions()), Levels: st.Levels()})
		told(at, r, status, took)
	}
	err = d.Run(ctx)
	if closed := l.Close(); err == nil && closed != nil {
		err = fmt.Errorf("the log is not complete: %w", closed)
	}
	return err
}

// readLog reads the log that is to be replayed.
func (s *solving) readLog() ([]*loggedSession, error) {
	file, err := os.Open(s.replay)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sessions, err := readQueryLog(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.replay, err)
	}
	return sessions, nil
}

// then returns the answers that the log has, one for each check; nil for a question that was never answered.
func then(x *loggedSession) (out []*loggedAnswer) {
	for i := range x.Lines {
		switch line := &x.Lines[i]; {
		case line.Answer != nil && len(out) > 0:
			out[len(out)-1] = line.Answer
		case asksWhether(line.Command):
			out = append(out, nil)
		}
	}
	return out
}

// asksWhether reports whether a command is one of those that are answered by sat, unsat or unknown.
func asksWhether(command string) bool {
	head, _, _ := strings.Cut(strings.TrimLeft(command, "( \t\r\n"), ")")
	words := strings.Fields(head)
	return len(words) > 0 && slices.Contains([]string{"check-sat", "check-sat-assuming", "check-sat-using"}, words[0])
}

// replayLog asks the questions of a log again, and prints the old and the new answers.
func (s *solving) replayLog(ctx context.Context) int {
	sessions, err := s.readLog()
	if err != nil {
		return s.env.Fail(command.ExitScript, "solve", err)
	}
	w := tabwriter.NewWriter(s.env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "QUESTION\tTHEN\tTIME\tBY\tNOW\tTIME\tBY\tREMARK")
	number := 0
	for _, x := range sessions {
		answers := then(x)
		first := number
		f, err := s.newSolver(smt.NewArena(), nil)
		if err != nil {
			return s.env.Fail(command.ExitUsage, "solve", err)
		}
		d := dialogue.New(f, commandsOf(x), io.Discard)
		d.Checked = func(_ smtlib.Pos, r frontend.Result, _ smtlib.Answer, took time.Duration) {
			before := &loggedAnswer{Answer: "-"}
			if at := number - first; at < len(answers) && answers[at] != nil {
				before = answers[at]
			}
			number++
			remark := r.Reason
			if known, _ := smtlib.ParseAnswer(before.Answer); known.Decided() && r.Answer.Decided() && known != r.Answer {
				s.wrong++
				remark = "contradiction"
			}
			fmt.Fprintf(w, "%d\t%s\t%.3f s\t%s\t%s\t%.3f s\t%s\t%s\n", number, before.Answer, before.Seconds, display.Line(cmp.Or(before.By, "-")), r.Answer,
				took.Seconds(), display.Line(cmp.Or(r.By, "-")), display.Line(remark))
		}
		err = d.Run(ctx)
		s.printStats(f)
		_ = f.Close()
		if err != nil {
			return s.env.Fail(command.ExitDisk, "solve", err)
		}
		number = first + len(answers) // those that came to nothing count, too
	}
	if err := w.Flush(); err != nil {
		return s.env.Fail(command.ExitDisk, "solve", err)
	}
	if s.wrong > 0 {
		return command.ExitFindings
	}
	return command.ExitOK
}

// commandsOf returns the commands of a session as a text.
func commandsOf(x *loggedSession) io.Reader {
	var b strings.Builder
	for i := range x.Lines {
		if text := x.Lines[i].Command; text != "" {
			b.WriteString(text + "\n")
		}
	}
	return strings.NewReader(b.String())
}

// extractQuestion prints one question of a log as a file of its own.
func (s *solving) extractQuestion() int {
	sessions, err := s.readLog()
	if err != nil {
		return s.env.Fail(command.ExitScript, "solve", err)
	}
	wanted, err := strconv.Atoi(s.extract)
	if s.extract == "slowest" {
		wanted, err = slowest(sessions), nil
	}
	total := 0
	for _, x := range sessions {
		n := len(then(x))
		if err == nil && wanted > total && wanted <= total+n {
			fmt.Fprint(s.env.Stdout, questionText(x, wanted-total))
			return command.ExitOK
		}
		total += n
	}
	return s.env.UsageError("solve", "--extract: the log has questions 1 to %d; %q is none of them, nor is it slowest", total, s.extract)
}

// slowest returns the number of the question that took longest; one without an answer took longer than all that have
// one.
func slowest(sessions []*loggedSession) (number int) {
	n, most := 0, -1.0
	for _, x := range sessions {
		for _, a := range then(x) {
			n++
			switch {
			case a == nil:
				return n
			case a.Seconds > most:
				number, most = n, a.Seconds
			}
		}
	}
	return number
}

// questionText returns a question of a session with all that is in force there, as a script without levels.
func questionText(x *loggedSession, number int) string {
	a := smt.NewArena()
	scope, st := smtlib.NewScope(a), frontend.NewStack(a)
	defer scope.Close()
	for i := range x.Lines {
		text := x.Lines[i].Command
		if text == "" {
			continue
		}
		c, _, err := scope.Command([]byte(text), smtlib.Pos{Line: 1, Col: 1})
		if err != nil {
			continue // it was understood when it was logged, and then taken back
		}
		if asksWhether(text) {
			if number--; number == 0 {
				return st.Script(c.Terms).Text()
			}
			continue
		}
		if solvers.ReplyTo(c.Kind, c.Name) != solvers.ValueReply {
			_ = st.Add(&c)
		}
	}
	return ""
}
