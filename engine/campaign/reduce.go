package campaign

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// reduction is one case being made smaller.
type reduction struct {
	w       *worker
	ctx     context.Context
	job     uint64
	orig    *testcase.Case
	verdict *oracle.Verdict
	oracles []oracle.Oracle
	targets []*replica
	lim     solvers.Limits
	judged  map[[32]byte]bool
	tests   int

	best     *testcase.Wire
	bestRuns []RunInfo
	bestSize int
	sent     time.Time // when the coordinator was told last
}

// reduce makes a case smaller while its verdict stays. Whatever happens, the smallest case seen is reported.
func (w *worker) reduce(job context.Context, o *order) error {
	ctx, cancel := context.WithTimeout(job, o.Budget)
	defer cancel()
	r := &report{Type: reportReduced, Job: o.Job}
	c, err := o.Case.Case(nil)
	if err != nil {
		r.Text = fmt.Sprintf("smtlark cannot read back the case it printed: %v", err)
		return w.out.line(r, true)
	}
	d := &reduction{w: w, ctx: ctx, job: o.Job, orig: c, verdict: o.Verdict, oracles: w.oraclesNamed(o.Verdict.Oracle), judged: map[[32]byte]bool{}}
	err = protect(func() { err = d.run(o) })
	r.Tests, r.Bytes, r.Case, r.Details = d.tests, d.bestSize, d.best, d.bestRuns
	var out *LoadError
	switch {
	case err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		if ctx.Err() != nil {
			r.Text = "stopped at its time limit"
		}
	case errors.As(err, &out):
		r.Fault, r.Text = out.Fault, err.Error()
	default:
		r.Text = err.Error()
	}
	closeReplicas(d.targets)
	if r.Case != nil {
		_ = protect(func() { // a table without the others is no reason to lose the case
			if small, err := r.Case.Case(nil); err == nil {
				r.Details = append(r.Details, w.others(job, small, r.Details)...)
			}
		})
	}
	return w.out.line(r, true)
}

func (d *reduction) run(o *order) error {
	names, err := d.needed()
	if err != nil {
		return err
	}
	mode := solvers.Mode(o.Mode)
	if o.Mode == "own" {
		mode = ""
	}
	if d.targets = d.w.replicas(names, mode); len(d.targets) == 0 {
		return errors.New("the targets of the verdict are gone")
	}
	d.lim = d.w.plan.Limits
	begun := time.Now()
	if !d.fails(d.orig) {
		return errors.New("it did not reproduce when the reduction began")
	}
	d.lim = d.w.reduceLimits(time.Since(begun))
	d.best, d.bestSize = nil, len(d.orig.Text())
	min, err := d.w.plan.Reducer.Reduce(d.ctx, d.orig, d.fails)
	if err == nil && min != nil && min != d.orig && d.judged[d.key(min)] {
		d.accept(min, d.bestRuns)
	}
	return err
}

// needed returns the targets that the predicate runs: the fewest that can show the verdict.
func (d *reduction) needed() ([]string, error) {
	v := d.verdict
	if len(v.Targets) == 0 {
		return nil, nil
	}
	switch v.Kind {
	case oracle.KindCrash, oracle.KindInvalidModel:
		return v.Targets[:1], nil
	case oracle.KindDisagreement:
		return []string{v.Targets[0], v.Against[0]}, nil
	case oracle.KindKnownAnswer:
		if len(v.Against) > 0 && (v.Want == smtlib.Unsat || d.orig.Witness == nil) {
			return []string{v.Targets[0], v.Against[0]}, nil
		}
		if v.Want == smtlib.Unsat {
			return nil, errors.New("no other target gives the right answer, so nothing can tell that a smaller case is still unsat")
		}
		return v.Targets[:1], nil
	}
	return nil, nil
}

// key is what a case is remembered by: its text and what is known about its answers.
func (d *reduction) key(c *testcase.Case) [32]byte {
	text := c.Text()
	for _, a := range c.Expect {
		text = append(text, answerLetters[a])
	}
	if t := c.LiveTrace(); t != nil {
		text = t.AppendTo(text)
	}
	return sha256.Sum256(text)
}

// fails is the predicate: the verdict is still there, and what is known about the answer still true.
func (d *reduction) fails(c *testcase.Case) bool {
	if d.ctx.Err() != nil {
		return false
	}
	key := d.key(c)
	if known, ok := d.judged[key]; ok {
		return known
	}
	ok, runs := d.test(c)
	if d.ctx.Err() != nil {
		return false // a cancelled run says nothing
	}
	d.judged[key] = ok
	if ok {
		if size := len(c.Text()); d.bestRuns == nil || size < d.bestSize {
			d.accept(c, runInfos(runs))
		}
	}
	return ok
}

func (d *reduction) test(c *testcase.Case) (bool, []*solvers.Run) {
	d.tests++
	runs := make([]*solvers.Run, len(d.targets))
	for i, t := range d.targets {
		run := *t.run.Run(d.ctx, d.w.query(c), d.lim)
		run.Target = t.orig.Name()
		runs[i] = &run
		if t.run.Mode() != solvers.Fresh {
			t.close() // no candidate may depend on the one before it
		}
	}
	verdicts, err := d.w.judge(d.oracles, c, runs)
	if err != nil {
		return false, nil
	}
	return slices.ContainsFunc(verdicts, func(v oracle.Verdict) bool {
		return triage.Same(d.verdict, &v) && d.keepsTruth(c, &v, runs)
	}), runs
}

// keepsTruth reports whether the right answer of a smaller case is still known for sure: by the witness, by another
// target, or because it asserts no more than the original.
func (d *reduction) keepsTruth(c *testcase.Case, v *oracle.Verdict, runs []*solvers.Run) bool {
	if v.Kind != oracle.KindKnownAnswer {
		return true
	}
	if len(d.targets) > 1 {
		return slices.ContainsFunc(runs, func(r *solvers.Run) bool {
			return r.Target == d.verdict.Against[0] && answerAt(r, v.Check) == v.Want
		})
	}
	if v.Want != smtlib.Sat {
		return c == d.orig
	}
	asserts := c.Script.AssertsAt(v.Check)
	if c.Witness != nil {
		return holdAll(c.Script.Arena, c.Witness, asserts)
	}
	before := d.orig.Script.AssertsAt(d.verdict.Check)
	return c.Script.Arena == d.orig.Script.Arena && !slices.ContainsFunc(asserts, func(t smt.Term) bool { return !slices.Contains(before, t) })
}

// holdAll reports whether all terms are known to be true in a model.
func holdAll(a *smt.Arena, m *eval.Model, terms []smt.Term) bool {
	ev := eval.New(a, m)
	return !slices.ContainsFunc(terms, func(t smt.Term) bool {
		value, known := ev.Holds(t)
		return !known || !value
	})
}

// accept remembers the smallest case so far and tells the coordinator, of big cases a few times a second only.
func (d *reduction) accept(c *testcase.Case, runs []RunInfo) {
	d.best, d.bestRuns, d.bestSize = c.Wire(), runs, len(c.Text())
	if c == d.orig || d.bestSize > 64<<10 && time.Since(d.sent) < 200*time.Millisecond {
		return
	}
	d.sent = time.Now()
	_ = d.w.out.line(&report{Type: reportBest, Job: d.job, Case: d.best, Details: runs, Bytes: d.bestSize, Tests: d.tests}, true)
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
