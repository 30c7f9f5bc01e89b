package process

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// inputFile is the name of the file that a process of RunInput reads.
const inputFile = "input.smt2"

// RunInput implements solvers.InputRunner.
func (t *processTarget) RunInput(ctx context.Context, q *solvers.Query, text, from string,
	lim solvers.Limits) *solvers.Run {
	run := t.newRun(q)
	lim = lim.Or(t.opt.Limits)
	fail := func(class solvers.Class, message string) *solvers.Run {
		run.Class, run.Message = class, message
		return run
	}
	if t.broken != "" {
		return fail(solvers.StartFailure, t.broken)
	}
	if ctx.Err() != nil {
		return fail(solvers.Cancelled, ctx.Err().Error())
	}
	if err := t.openFolder(); err != nil {
		return fail(solvers.StartFailure, err.Error())
	}
	p := t.solver.Profile
	text = p.TextWithoutFiles(text)
	f := surveyQuery(q, p)
	file := t.opt.Mode == solvers.Fresh
	run.Argv = slices.Concat([]string{t.solver.Path}, t.args)
	switch {
	case file:
		run.Argv = append(run.Argv, p.FreshArgs...)
	default:
		run.Argv = append(run.Argv, p.SessionArgs...)
	}
	if f.incremental || t.opt.Mode == solvers.Incremental {
		run.Argv = append(run.Argv, p.IncrementalArgs...)
	}
	if file && f.synthesis {
		run.Argv = append(run.Argv, p.SynthesisArgs...)
	}
	if file {
		path := filepath.Join(t.folder.Dir, inputFile)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fail(solvers.StartFailure, err.Error())
		}
		run.Argv = append(run.Argv, path)
	}
	begun := time.Now()
	c, err := t.start(ctx, run.Argv, !file, lim)
	if err != nil {
		return fail(solvers.StartFailure, err.Error())
	}
	// The input is written in a goroutine: a solver that replies while it reads may fill its output pipe, and both
	// sides would wait for each other.
	written := make(chan struct{})
	go func() {
		defer close(written)
		if !file {
			_, _ = c.stdin.Write([]byte(text)) // what it does not read shows in what it does
			_ = c.stdin.Close()
		}
	}()
	out := readToEnd(ctx, c, lim, ownMemoryLimit(t.solver.MemoryLimit()))
	run.Wall = time.Since(begun)
	run.Stderr = c.errs.textSinceBegin()
	run.Stdout = string(out)
	r := &reader{run: run, profile: p}
	complete := r.readUnmarked(out, from)
	settleEndedRun(r, c, lim, complete)
	// The process is killed first: it may never read the rest, and the writer would wait forever.
	c.killAndClose()
	<-written
	return run
}

// readUnmarked reads output without markers: answers in their order, and errors. If from is given, reading starts after
// the line that contains it. It reports whether all answers have come.
func (r *reader) readUnmarked(out []byte, from string) bool {
	if from != "" {
		at := bytes.Index(out, []byte(from))
		if at < 0 {
			return false
		}
		_, out, _ = bytes.Cut(out[at:], []byte("\n"))
	}
	answers := 0
	for len(out) > 0 {
		var item string
		item, out = nextItem(out)
		switch a, isAnswer := smtlib.ParseAnswer(item); {
		case item == "" || item == "success":
		case isAnswer && answers < len(r.run.Answers):
			r.run.Answers[answers] = a
			answers++
		case item[0] == '(' && !strings.HasPrefix(item, "(error") && !r.saysHowItEnded(item): // a value, perhaps truncated
		default:
			r.errs.WriteString(item + "\n")
		}
	}
	return answers == len(r.run.Answers)
}
