package process

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/solvers"
)

// caseFile is the name of the file a fresh process reads.
const caseFile = "case.smt2"

// runFresh writes the case to a file and starts a process for it. If the case has at most one answer, followed by at
// most one value, the file is exactly the case. Otherwise markers between its commands keep the replies apart.
func (t *processTarget) runFresh(ctx context.Context, run *solvers.Run, q *solvers.Query, f *facts,
	lim solvers.Limits) {
	p := t.solver.Profile
	pre := t.preambleOf(q)
	if !p.ContinuesAfterError { // the solver would stop at the error of an inapplicable command
		whole := run.Values
		applicable, places := q.Applicable()
		q, run.Values = applicable, make([]string, len(places))
		defer func() {
			run.Values = solvers.SpreadValues(whole, run.Values, places)
		}()
	}
	// Markers are commands too, and a finding that does not need them is more convincing, so they are left out where
	// possible.
	framed := !needsNoMarkers(q)
	var text []byte
	var lines []kind
	if framed {
		t.plan.beginPlan(q)
		t.plan.addPreamble(pre)
		t.plan.addCommands(q, 0, false)
		text = t.plan.text
	} else {
		text, lines = plainText(pre, q, p)
	}
	run.Preamble = joinLines(pre)
	path := filepath.Join(t.folder.Dir, caseFile)
	run.Argv = slices.Concat([]string{t.solver.Path}, t.args, p.FreshArgs)
	// Without their option, some solvers refuse push and pop; with it, others leave out most of their preprocessing.
	if f.incremental {
		run.Argv = append(run.Argv, p.IncrementalArgs...)
	}
	if f.synthesis {
		run.Argv = append(run.Argv, p.SynthesisArgs...)
	}
	run.Argv = append(run.Argv, path)
	if err := t.cases.write(path, text); err != nil {
		run.Class, run.Message = solvers.StartFailure, err.Error()
		return
	}
	if q.Counts {
		t.counter.Begin()
	}
	begun := time.Now()
	dir := t.folder.Dir
	if t.opt.Dir != "" {
		dir = t.opt.Dir
	}
	c, err := t.startIn(ctx, dir, run.Argv, false, lim)
	if err != nil {
		run.Class, run.Message = solvers.StartFailure, err.Error()
		return
	}
	defer c.killAndClose()
	out := readToEnd(ctx, c, lim, ownMemoryLimit(t.solver.MemoryLimit()))
	run.Wall = time.Since(begun)
	if q.Counts {
		run.Coverage = t.counter.End()
	}
	run.Stderr = c.errs.textSinceBegin()
	r := &reader{run: run, profile: p, talks: len(t.opt.Args) > 0}
	complete := false
	if framed {
		complete = r.readFramed(&t.frame, &t.plan.plan, out)
	} else {
		run.Stdout = string(out)
		complete = r.readPlain(out, lines, q)
	}
	settleEndedRun(r, c, lim, complete)
}

// caseWriter writes one case after the other into a file. The file stays open and is overwritten: making a new one each
// time costs a fifth of starting a process, and when a file that was truncated to nothing is closed, ext4 writes it to
// the disk, which takes milliseconds.
type caseWriter struct {
	file *os.File
	info os.FileInfo // of the file
}

// write replaces the contents of the file at path by text.
func (w *caseWriter) write(path string, text []byte) error {
	there, err := os.Lstat(path)
	// A solver may have replaced the file.
	if w.file == nil || err != nil || !os.SameFile(there, w.info) || there.Mode() != w.info.Mode() {
		w.close()
		_ = os.Remove(path)
		if w.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return err
		}
		if w.info, err = w.file.Stat(); err != nil {
			return err
		}
		there = w.info
	}
	if there.Size() > int64(len(text)) {
		if err := w.file.Truncate(int64(len(text))); err != nil {
			return err
		}
	}
	_, err = w.file.WriteAt(text, 0)
	return err
}

// close closes the file.
func (w *caseWriter) close() {
	if w.file != nil {
		_ = w.file.Close()
	}
	*w = caseWriter{}
}

// needsNoMarkers reports whether replies can be told apart without markers.
func needsNoMarkers(q *solvers.Query) bool {
	answers, values := 0, 0
	for i := range q.Commands {
		switch c := &q.Commands[i]; c.Reply {
		case solvers.NoReply:
			if headOf(c.Text) == "exit" {
				return answers == 1
			}
			if head := headOf(c.Text); !standard[head] && !isSetting(head) {
				return false
			}
		case solvers.AnswerReply:
			if answers++; values > 0 {
				return false
			}
		case solvers.ValueReply:
			values++
		}
	}
	return answers == 1 && values <= 1
}

// plainText returns the file without markers, and for each of its lines the kind of command that the line belongs to.
func plainText(pre []string, q *solvers.Query, p *solvers.Profile) ([]byte, []kind) {
	var text []byte
	var lines []kind
	add := func(s string, reply solvers.ReplyKind) {
		k := problem
		switch head := headOf(s); {
		case reply == solvers.AnswerReply:
			k = check
		case reply == solvers.ValueReply:
			k = value
		case isSetting(head):
			k = settings
		}
		text = append(append(text, s...), '\n')
		for range strings.Count(s, "\n") + 1 {
			lines = append(lines, k)
		}
	}
	for _, s := range pre {
		add(s, solvers.NoReply)
	}
	for i := range q.Commands {
		c := &q.Commands[i]
		if leftOut(headOf(c.Text), c.Text, p, false) {
			continue
		}
		add(c.Text, c.Reply)
		if headOf(c.Text) == "reset" && !p.ResetKeepsOptions {
			for _, s := range askingOptions(q, p) {
				add(s, solvers.NoReply)
			}
		}
	}
	return text, lines
}

func joinLines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}
