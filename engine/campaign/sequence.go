package campaign

import (
	"context"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// A persistent process may fail because of the cases it had before. A worker remembers the latest of them, a verdict that
// does not show with its case alone is tried with them, and then as few of them are kept as show it.
const (
	maxBefore      = 64      // cases remembered
	maxBeforeBytes = 1 << 20 // their texts together
	sequenceTests  = 150     // of making the list shorter
	sequenceTime   = 3 * time.Minute
)

// past remembers the texts of the latest queries of a worker. They share nothing with the arena of a case.
type past struct {
	queries []*solvers.Query // their commands only: terms and traces would be much to keep and to collect
	bytes   []int
	total   int
}

func (p *past) add(q *solvers.Query) {
	n := 0
	for i := range q.Commands {
		n += len(q.Commands[i].Text) + 1
	}
	p.queries, p.bytes, p.total = append(p.queries, &solvers.Query{Commands: q.Commands}), append(p.bytes, n), p.total+n
	for len(p.queries) > maxBefore || p.total > maxBeforeBytes {
		p.total -= p.bytes[0]
		p.queries, p.bytes = slices.Delete(p.queries, 0, 1), slices.Delete(p.bytes, 0, 1)
	}
}

// texts returns the remembered cases but the latest, the oldest first.
func (p *past) texts() []string {
	var out []string
	for _, q := range p.queries[:max(0, len(p.queries)-1)] {
		out = append(out, q.Text())
	}
	return out
}

// lives reports whether any target of the verdicts keeps its process from case to case.
func (w *worker) lives(verdicts []oracle.Verdict) bool {
	return slices.ContainsFunc(w.plan.Targets, func(t solvers.Target) bool {
		return t.Mode() != solvers.Fresh && slices.ContainsFunc(verdicts, func(v oracle.Verdict) bool { return slices.Contains(v.Targets, t.Name()) })
	})
}

// primed is a target whose process is given some cases before each of its runs. It is closed after each of them.
type primed struct {
	solvers.Target
	before []*solvers.Query
}

// prime returns the target with the cases before; the target itself when there are none, or when it has a process a case
// anyway.
func prime(t solvers.Target, before []string) solvers.Target {
	if len(before) == 0 || t.Mode() == solvers.Fresh {
		return t
	}
	p := &primed{Target: t}
	for _, text := range before {
		if script, err := smtlib.Parse("before", []byte(text), smt.NewArena()); err == nil {
			p.before = append(p.before, solvers.FromScript(script))
		}
	}
	return p
}

// Run implements solvers.Target.
func (p *primed) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	_ = p.Close() // a process of its own
	for _, b := range p.before {
		if ctx.Err() != nil {
			break
		}
		p.Target.Run(ctx, b, lim)
	}
	return p.Target.Run(ctx, q, lim)
}

// tryBefore repeats a case after those that its process had had before it, and keeps as few of them as show the verdict.
func (w *worker) tryBefore(ctx context.Context, c *testcase.Case, o *order, r *report) bool {
	ctx, cancel := context.WithTimeout(ctx, sequenceTime)
	defer cancel()
	names := o.Verdict.Targets
	if o.Verdict.Kind != oracle.KindCrash {
		names = involved(o.Verdict)
	}
	attempt := func(before []string, times int) (hit bool, got *report) {
		w.before = before
		defer func() { w.before = nil }()
		rs := w.replicas(names, "")
		got = &report{}
		again := *o
		again.Times = times
		return w.tryMode(ctx, c, &again, "", rs, got), got
	}
	ok, got := attempt(o.Before, o.Times)
	if !ok {
		r.Tries += got.Tries
		return false
	}
	times := 1
	if got.Hits < got.Tries { // it does not show each time
		times = o.Times
	}
	tests := 0
	r.Before = shorten(o.Before, func(list []string) bool {
		if tests++; tests > sequenceTests || ctx.Err() != nil {
			return false
		}
		hit, again := attempt(list, times)
		if hit {
			got = again
		}
		return hit
	})
	if hit, again := attempt(r.Before, o.Times); hit { // how reliable it is in the end
		got = again
	}
	r.Hits, r.Tries, r.Mode, r.Details, r.Verdicts = got.Hits, got.Tries, ownMode, got.Details, got.Verdicts
	return true
}

// shorten returns a short part of a list of which test holds; it holds of the list. It drops ever smaller pieces, those at
// the beginning first (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002).
func shorten(list []string, test func([]string) bool) []string {
	for size := max(1, len(list)/2); size >= 1 && len(list) > 0; size /= 2 {
		for i := 0; i < len(list); {
			rest := slices.Concat(list[:i], list[min(len(list), i+size):])
			if test(rest) {
				list = rest
			} else {
				i += size
			}
		}
	}
	return list
}
