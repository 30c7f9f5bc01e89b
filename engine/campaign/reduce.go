package campaign

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
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
	tries   int  // how often a case is run before it counts as not showing the verdict
	asks    bool // the case itself asks for models
	misses  int  // cases in a row that did not show it

	best     *testcase.Wire
	bestRuns []RunInfo
	bestSaid *oracle.Verdict // what the oracle said of it
	said     *oracle.Verdict // and of the latest case that showed it
	bestSize int
	earlier  []smaller // what was the best before
	flaky    int       // cases given up since they did not show the verdict when they were run again
	sent     time.Time // when the coordinator was told last
}

// smaller is a case on the way.
type smaller struct {
	c    *testcase.Wire
	runs []RunInfo
	said *oracle.Verdict
	size int
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
	r.Tests, r.Bytes, r.Case, r.Details, r.Verdicts = d.tests, d.bestSize, d.best, d.bestRuns, d.saidOfBest()
	var out *LoadError
	switch {
	case err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		if ctx.Err() != nil {
			r.Text = "stopped at its time limit"
		}
		if d.flaky > 0 {
			r.Text = strings.TrimPrefix(fmt.Sprintf("%s; smaller cases that did not show it again, and were given up: %d", r.Text, d.flaky), "; ")
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
	d.sayModels()
	if !d.measure() {
		return errors.New("it did not reproduce when the reduction began")
	}
	d.judged[d.key(d.orig)] = true
	d.bestSize = len(d.orig.Text())
	min, err := d.w.plan.Reducer.Reduce(d.ctx, d.orig, d.fails)
	another := d.best == nil || min != nil && (min.LiveTrace() != nil || d.best.Script != string(min.Text()))
	if err == nil && min != nil && min != d.orig && d.judged[d.key(min)] && another {
		d.accept(min, d.bestRuns)
	}
	if d.ctx.Err() == nil {
		d.recheck()
	}
	return err
}

// sayModels puts the questions about models that the campaign's oracles add to every case into a trace that a solver
// dies of, so that it says all that is needed. Where it is not about these, they go again.
func (d *reduction) sayModels() {
	t := d.orig.LiveTrace()
	if t == nil || d.verdict.Kind != oracle.KindCrash || !d.w.models {
		return
	}
	all := testcase.FromTrace(d.orig.Script.Name, &solvers.Trace{Arena: t.Arena, Calls: d.orig.Query().WithModel().Calls(), Notes: t.Notes})
	all.Expect, all.Witness, all.Origin = d.orig.Expect, d.orig.Witness, d.orig.Origin
	d.asks = true
	if ok, _ := d.once(all, false); !ok {
		d.asks = false
		return
	}
	d.orig = all
}

// query is what targets are asked about a case.
func (d *reduction) query(c *testcase.Case) *solvers.Query {
	if d.asks {
		return c.Query()
	}
	return d.w.query(c)
}

// measureRuns is how often the case is run before it is reduced.
const measureRuns = 3

// measure runs the case a few times. If its verdict does not always show, candidates are run until the chance to miss
// one that shows it as often is below 2 %, but not more than 20 times.
func (d *reduction) measure() bool {
	shown := 0
	longest := time.Duration(0)
	for range measureRuns {
		begun := time.Now()
		if ok, runs := d.once(d.orig, false); ok {
			shown++
			d.bestRuns = runInfos(runs)
		}
		if d.ctx.Err() != nil {
			return shown > 0
		}
		longest = max(longest, time.Since(begun))
	}
	d.lim = d.w.reduceLimits(longest)
	d.tries = 1
	if shown > 0 && shown < measureRuns {
		miss := 1 - float64(shown)/measureRuns
		d.tries = min(20, int(math.Ceil(math.Log(0.02)/math.Log(miss))))
	}
	return shown > 0
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
	case oracle.KindExpectation:
		if t := d.orig.LiveTrace(); t.Several() && strings.HasSuffix(v.Message, " "+smtlib.Unsat.String()) {
			return nil, errors.New("nothing can tell that a further solver of a smaller case would still have to say unsat")
		}
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
	ok, runs := d.test(c, false)
	if d.ctx.Err() != nil {
		return false // a cancelled run says nothing
	}
	d.judged[key] = ok
	switch {
	case !ok:
		if d.misses++; d.misses%recheckEvery == 0 {
			d.recheck()
		}
	case len(c.Text()) < d.bestSize:
		d.misses = 0
		d.accept(c, runInfos(runs))
		d.hurry(runs)
	default:
		d.misses = 0
	}
	return ok
}

// recheckEvery is after how many cases in a row that did not show the verdict the best one is run again.
const recheckEvery = 64

// recheck runs the best case again. Where it no longer shows the verdict it was accepted by chance, and the best one
// before it takes its place.
func (d *reduction) recheck() {
	for d.best != nil {
		c, err := d.best.Case(nil)
		if err != nil {
			return // what is reported is read back by others, who say so
		}
		ok, _ := d.test(c, true)
		if ok {
			d.bestSaid = d.said
		}
		if ok || d.ctx.Err() != nil {
			return
		}
		d.flaky++
		if len(d.earlier) == 0 {
			d.best, d.bestRuns, d.bestSaid, d.bestSize = d.orig.Wire(), nil, nil, len(d.orig.Text())
			return
		}
		last := d.earlier[len(d.earlier)-1]
		d.earlier = d.earlier[:len(d.earlier)-1]
		d.best, d.bestRuns, d.bestSaid, d.bestSize = last.c, last.runs, last.said, last.size
	}
}

// hurry lowers the limit of runs: smaller cases should not take much longer than the one they are made of.
func (d *reduction) hurry(runs []*solvers.Run) {
	if involved(d.verdict) == nil {
		return // it may be about time
	}
	longest := time.Duration(0)
	for _, r := range runs {
		longest = max(longest, r.Wall)
	}
	if limit := 3*longest + time.Second; d.lim.Wall == 0 || limit < d.lim.Wall {
		d.lim.Wall = limit
	}
}

// test runs a case until it shows the verdict. again says that it did before, and that its right answer is known.
func (d *reduction) test(c *testcase.Case, again bool) (ok bool, runs []*solvers.Run) {
	d.tests++
	for range d.tries {
		if ok, runs = d.once(c, again); ok || d.ctx.Err() != nil {
			break
		}
	}
	return ok, runs
}

// once runs a case on all targets.
func (d *reduction) once(c *testcase.Case, again bool) (bool, []*solvers.Run) {
	runs := make([]*solvers.Run, len(d.targets))
	for i, t := range d.targets {
		run := *t.run.Run(d.ctx, d.query(c), d.lim)
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
	i := slices.IndexFunc(verdicts, func(v oracle.Verdict) bool {
		return triage.Same(d.verdict, &v) && (again && len(d.targets) == 1 || d.keepsTruth(c, &v, runs))
	})
	if i < 0 {
		return false, runs
	}
	d.said = &verdicts[i]
	return true, runs
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

// maxEarlier bounds how many cases before the best one are remembered.
const maxEarlier = 32

// accept remembers the smallest case so far and tells the coordinator, of big cases a few times a second only.
func (d *reduction) accept(c *testcase.Case, runs []RunInfo) {
	if d.best != nil {
		if len(d.earlier) == maxEarlier {
			d.earlier = append(d.earlier[:0], d.earlier[1:]...)
		}
		d.earlier = append(d.earlier, smaller{d.best, d.bestRuns, d.bestSaid, d.bestSize})
	}
	d.best, d.bestRuns, d.bestSaid, d.bestSize = c.Wire(), runs, d.said, len(c.Text())
	if c == d.orig || d.bestSize > 64<<10 && time.Since(d.sent) < 200*time.Millisecond {
		return
	}
	d.sent = time.Now()
	_ = d.w.out.line(&report{Type: reportBest, Job: d.job, Case: d.best, Details: runs, Bytes: d.bestSize, Tests: d.tests,
		Verdicts: d.saidOfBest()}, true)
}

// saidOfBest is what the oracle said of the best case: its values, models and cores are others than those of the original.
func (d *reduction) saidOfBest() []SignedVerdict {
	if d.bestSaid == nil {
		return nil
	}
	return []SignedVerdict{{Verdict: *d.bestSaid}}
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
