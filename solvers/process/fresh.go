package process

import (
	"context"
	"errors"
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
func (t *target) runFresh(ctx context.Context, run *solvers.Run, q *solvers.Query, f *facts, lim solvers.Limits) {
	p := t.solver.Profile
	pre := t.preamble(q)
	framed := !plain(q)
	var text []byte
	var lines []kind
	if framed {
		t.plan.begin(q)
		t.plan.lines(pre)
		t.plan.commands(q, 0, false)
		text = t.plan.text
	} else {
		text, lines = plainText(pre, q, p)
	}
	run.Preamble = joinLines(pre)
	path := filepath.Join(t.dir, caseFile)
	run.Argv = slices.Concat(t.args, p.FreshArgs)
	if f.incremental {
		run.Argv = append(run.Argv, p.IncrementalArgs...)
	}
	run.Argv = append(run.Argv, path)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		run.Class, run.Message = solvers.StartFailure, err.Error()
		return
	}
	begun := time.Now()
	c, err := start(run.Argv, t.env, t.dir, false, lim, p.MemoryLimit)
	if err != nil {
		run.Class, run.Message = solvers.StartFailure, err.Error()
		return
	}
	defer c.close()
	c.errs.begin(lim.Output)
	out := collect(ctx, c, begun, lim, p.MemoryLimit == "resident")
	run.Wall = time.Since(begun)
	run.Stderr = c.errs.text()
	r := &reader{run: run, profile: p}
	complete := false
	if framed {
		complete = r.framed(&t.frame, &t.plan.plan, out)
	} else {
		run.Stdout = string(out)
		complete = r.plain(out, lines)
	}
	finish(r, c, lim, complete)
}

// plain says whether replies can be told apart without markers.
func plain(q *solvers.Query) bool {
	answers, values := 0, 0
	for i := range q.Commands {
		switch c := &q.Commands[i]; c.Reply {
		case solvers.NoReply:
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
		if headOf(c.Text) == "set-info" && leftOut(c.Text, p, false) {
			continue
		}
		add(c.Text, c.Reply)
	}
	return text, lines
}

func joinLines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

// collect reads the output of a process until its end, and kills it at a limit.
func collect(ctx context.Context, c *child, begun time.Time, lim solvers.Limits, resident bool) []byte {
	stop := context.AfterFunc(ctx, func() { c.kill(solvers.Cancelled) })
	defer stop()
	out := make([]byte, 0, 4096)
	tick := newTicker(c, begun.Add(lim.Wall), 10*time.Millisecond, resident, lim)
	for {
		out = slices.Grow(out, 4096)
		n, err := c.stdout.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if n > 0 {
			c.samplePeak()
		}
		if int64(len(out))+c.errs.size() > lim.Output {
			c.kill(solvers.OutputLimit)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && !c.isDead() {
			tick.expired()
			continue
		}
		if err != nil {
			break
		}
	}
	// Its output has ended, but it may still run.
	for !c.isDead() {
		timer := time.NewTimer(time.Until(tick.next()))
		select {
		case <-c.done:
		case <-timer.C:
			tick.expired()
		}
		timer.Stop()
	}
	return out[:min(int64(len(out)), lim.Output)]
}

// ticker looks at a running process now and then, and ends it when its time is over.
type ticker struct {
	child    *child
	end      time.Time
	resident bool
	lim      solvers.Limits
	step     time.Duration
	at       time.Time
}

func newTicker(c *child, end time.Time, step time.Duration, resident bool, lim solvers.Limits) *ticker {
	t := &ticker{child: c, end: end, resident: resident, lim: lim, step: step}
	t.arm()
	return t
}

func (t *ticker) next() time.Time { return t.at }

// arm sets the time of the next look: after the first step, then in longer ones up to 100 ms.
func (t *ticker) arm() {
	t.at = time.Now().Add(t.step)
	t.step = min(2*t.step, 100*time.Millisecond)
	if t.at.After(t.end) {
		t.at = t.end
	}
	t.child.readUntil(t.at)
}

// expired is called when the time set by arm has come.
func (t *ticker) expired() {
	c := t.child
	peak := c.samplePeak()
	switch {
	case !time.Now().Before(t.end):
		c.kill(solvers.Timeout)
		t.end = time.Now().Add(time.Hour) // only the end of the process counts now
	case t.resident && peak > t.lim.Memory:
		c.kill(solvers.OutOfMemory)
	}
	t.arm()
}
