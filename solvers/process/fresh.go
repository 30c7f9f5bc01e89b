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

// runFresh writes the case to a file and starts a process for it. With at most one answer, followed by at most one
// value, the file is exactly the case; else markers between its commands keep the replies apart.
func (t *processTarget) runFresh(ctx context.Context, run *solvers.Run, q *solvers.Query, f *facts, lim solvers.Limits) {
	p := t.solver.Profile
	pre := t.preambleOf(q)
	if !p.ContinuesAfterError { // what does not apply would be its last command
		whole := run.Values
		applicable, places := q.Applicable()
		q, run.Values = applicable, make([]string, len(places))
		defer func() {
			for i, at := range places {
				whole[at] = run.Values[i]
			}
			run.Values = whole
		}()
	}
	// Markers are commands too, and a finding that needs no others is easier to believe: they are left out where
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
	run.Argv = append(run.Argv, path)
	// A new file each time: ext4 writes one that was truncated to the disk when it is closed, which takes milliseconds.
	_ = os.Remove(path)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		run.Class, run.Message = solvers.StartFailure, err.Error()
		return
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
	out := readToEnd(ctx, c, lim, ownMemoryLimit(p.MemoryLimit))
	run.Wall = time.Since(begun)
	run.Stderr = c.errs.textSinceBegin()
	r := &reader{run: run, profile: p}
	complete := false
	if framed {
		complete = r.readFramed(&t.frame, &t.plan.plan, out)
	} else {
		run.Stdout = string(out)
		complete = r.readPlain(out, lines, q)
	}
	settleEndedRun(r, c, lim, complete)
}

// needsNoMarkers says whether replies can be told apart without markers.
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

// plainText returns the file without markers, and for each of its lines what kind of command it belongs to.
func plainText(pre []string, q *solvers.Query, p *solvers.Profile) ([]byte, []kind) {
	var text []byte
	var lines []kind
	add := func(s string, reply solvers.Reply) {
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
