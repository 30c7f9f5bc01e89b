package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/confirm"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// makeCases makes and runs the cases of an order.
func (w *worker) makeCases(ctx context.Context, o *wire.MakeCases) error {
	n := o.From
	w.avoid = o.Avoid
	w.setWeights(o.Weights, o.Epoch)
	for ; n < o.To && !w.stop.Load() && ctx.Err() == nil; n++ {
		if err := w.out.Announce(n); err != nil {
			return err
		}
		w.running.begin(n)
		r, runs := w.runCase(ctx, n, o.Detail)
		w.running.end()
		w.printsEnd(fmt.Sprintf("case %d", n))
		if r == nil { // cut in the middle
			break
		}
		w.cases++
		var err error
		if result, ok := r.(*wire.CaseResult); ok && plain(result) {
			err = w.out.Result(result, w.spread(runs))
		} else {
			err = w.out.Line(r, false)
		}
		if err != nil {
			return err
		}
	}
	return w.out.Line(&wire.RangeDone{Job: o.Job, Next: n, Spending: w.spent(), Broken: w.newlyBroken(), Coverage: w.newlyCovered(), Cells: w.cells.Take(), Tally: w.tally.Take()}, true)
}

// plain reports whether nothing is to be said of a case but what its runs came to, as of nearly all.
func plain(r *wire.CaseResult) bool {
	return r.Verdicts == nil && r.Details == nil && r.Suppressed == nil && r.Hazard == nil
}

// runCase makes case n, runs it and judges it. It returns nil when ctx ended before all was done.
func (w *worker) runCase(ctx context.Context, n uint64, detail bool) (out wire.Report, runs []*solvers.Run) {
	defer func() {
		if v := recover(); v != nil {
			out, runs = &wire.CaseFailed{N: n, Fault: campaign.FaultInternal, Text: finding.Clip(campaign.PanicError(v).Error(), finding.MaxOutput)}, nil
		}
	}()
	begun := time.Now()
	c, err := w.make(ctx, n)
	making := time.Since(begun)
	if err != nil {
		return w.notMade(ctx, n, err), nil
	}
	w.complete(c, n)
	if err := w.another(c, n); err != nil {
		return w.notMade(ctx, n, err), nil
	}
	if why := w.distrusts(c); why != "" {
		return w.notMade(ctx, n, &campaign.SkipError{Reason: why, By: c.Origin.Technique}), nil
	}
	r := &wire.CaseResult{N: n, Make: making.Microseconds()}
	if w.hash {
		r.Hash = c.Hash()
	}
	w.yield(r, c)
	w.tally.Add(c, w.cases)
	r.Features = w.features(c)
	q := confirm.Question(c, w.models)
	r.Repeat = w.repeats.seen(q)
	runs = w.ask(ctx, c, q)
	w.past.add(q, runs)
	if ctx.Err() != nil {
		return nil, nil
	}
	if w.plan.Claims != nil {
		w.cover.Add(c, runs)
	}
	w.cells.Add(c, runs)
	oracles := w.plan.Oracles
	skip, ranAway := w.runaways(c, runs)
	if skip {
		oracles = slices.DeleteFunc(slices.Clone(oracles), func(o oracle.Oracle) bool { return o.Name() == oracle.KindRunaway })
	}
	verdicts, err := confirm.Judge(oracles, c, runs)
	if err != nil {
		return w.notJudged(ctx, c, err), nil
	}
	if verdicts, err = w.suppress(r, c, verdicts); err != nil {
		return w.notJudged(ctx, c, err), nil
	}
	if detail {
		r.Details = finding.RunsOf(runs)
	}
	w.sign(r, c, runs, verdicts)
	r.Hazard = w.hazard(n, c, verdicts, ranAway)
	if !plain(r) {
		r.Runs = string(metrics.AppendRunCodes(nil, w.spread(runs)))
	}
	return r, runs
}

// distrusts says why a case is skipped whose known answers rest on a wrong label; "" if they do not.
func (w *worker) distrusts(c *testcase.Case) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.distrust.Skips(c)
}

// notMade reports why there is no result for case n; nil when it was cut.
func (w *worker) notMade(ctx context.Context, n uint64, err error) wire.Report {
	var skip *campaign.SkipError
	var stop *campaign.StopError
	var fault *campaign.LoadError
	switch {
	case errors.As(err, &skip):
		return &wire.CaseSkipped{N: n, Reason: finding.Clip(skip.Reason, 200), Technique: skip.By}
	case errors.Is(err, campaign.ErrSkip):
		return &wire.CaseSkipped{N: n}
	case errors.As(err, &stop):
		return &wire.CaseStopped{N: n, Reason: finding.Clip(stop.Reason, 1000)}
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Canceled)):
		return nil
	}
	r := &wire.CaseFailed{N: n, Fault: campaign.FaultScript, Text: finding.Clip(err.Error(), finding.MaxOutput)}
	if errors.As(err, &fault) {
		r.Fault = fault.Fault
	}
	return r
}

// notJudged reports an error of an oracle about a case; nil when it was cut. The command that makes the case again says which case it
// is, where answers of solvers decide about that.
func (w *worker) notJudged(ctx context.Context, c *testcase.Case, err error) wire.Report {
	out := w.notMade(ctx, c.Origin.Number, err)
	if r, ok := out.(*wire.CaseFailed); ok && len(c.Origin.Answers) > 0 {
		c.Origin.Identity = c.Identity()
		r.Expect = c.Origin.ExpectFlag()
	}
	return out
}

// complete fills what every case of the campaign has.
func (w *worker) complete(c *testcase.Case, n uint64) {
	c.Origin.Campaign, c.Origin.Seed, c.Origin.Number = w.plan.Name, w.opts.Seed, n
	if c.Origin.Technique == "" {
		c.Origin.Technique = w.plan.Technique.Name()
	}
	c.Origin.Weights, c.Origin.Avoid = w.weights, w.avoid
}

// another returns the error that a case is not the one that the user expects; nil if it is.
func (w *worker) another(c *testcase.Case, n uint64) error {
	if w.opts.Expect == "" {
		if a := c.Origin.Answers.Contradicts(w.opts.Recorded); a != nil {
			return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("case %d of seed 0x%x is a finding here that was made with another %s; --answers FILE takes the answers that were recorded, answers.json in the folder of the finding; --expect %s takes the case as it is made here and now", n, w.opts.Seed, a, c.Identity())}
		}
		if w.opts.Asked && len(w.opts.Recorded) == 0 {
			if on := c.Origin.Answers.RestsOn(); on != "" {
				return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("case %d of seed 0x%x rests on %s: other solvers make another case of it, so say which one is meant. --expect %s is the one that is made here and now; a finding names its own in README.md, and --answers FILE takes the answers that were recorded with it (answers.json in its folder)", n, w.opts.Seed, on, c.Identity())}
			}
		}
		return nil
	}
	if why := c.Differs(w.opts.Expect); why != "" {
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("case %d of seed 0x%x is not the case that was recorded (its identity is %s here): %s", n, w.opts.Seed, c.Identity(), why)}
	}
	return nil
}

// A target that could not be started so often in a row is tried with every 64th case only.
const (
	downEvery = 64
)

// ask runs the case on all targets, or on those whose turn it is. The runs are in the order of the targets.
func (w *worker) ask(ctx context.Context, c *testcase.Case, q *solvers.Query) []*solvers.Run {
	w.runs, w.asked = w.runs[:0], w.asked[:0]
	run := func(i int) *solvers.Run {
		r := w.askOne(ctx, i, q)
		at, _ := slices.BinarySearch(w.asked, i)
		w.runs, w.asked = slices.Insert(w.runs, at, r), slices.Insert(w.asked, at, i)
		return r
	}
	if w.plan.Roster != nil {
		w.plan.Roster.Turn(w.opts.Seed, c.Origin.Number).Ask(c, run)
		return w.runs
	}
	for i := range w.plan.Targets {
		run(i)
	}
	return w.runs
}

// askOne runs the case on target i.
func (w *worker) askOne(ctx context.Context, i int, q *solvers.Query) *solvers.Run {
	t := w.plan.Targets[i]
	if w.down[i] >= metrics.MaxDown && w.cases%downEvery != 0 {
		return notRun(t, q, solvers.StartFailure, "not tried: it could not be started several times in a row")
	}
	if s := t.Solver(); s != nil && s.Profile != nil {
		if why := s.Profile.Declines(q); why != "" {
			return notRun(t, q, solvers.Unsupported, "not asked: "+why)
		}
	}
	w.ledger.Say(t.Name())
	r := t.Run(ctx, q, w.limits(i))
	w.paces[i].add(r.Wall, r.CPU)
	if r.Class == solvers.StartFailure {
		w.down[i]++
	} else {
		w.down[i] = 0
	}
	return r
}

// spread returns the runs of the latest case by target, nil for those that were not asked.
func (w *worker) spread(runs []*solvers.Run) []*solvers.Run {
	if len(runs) == len(w.plan.Targets) {
		return runs
	}
	all := make([]*solvers.Run, len(w.plan.Targets))
	for k, i := range w.asked {
		all[i] = runs[k]
	}
	return all
}

// limits returns the limits of the next run of target i.
func (w *worker) limits(i int) solvers.Limits {
	lim := w.plan.Limits
	if w.plan.Patient {
		return lim
	}
	whole := lim.Wall
	if whole == 0 {
		whole = solvers.LimitsOf(w.plan.Targets[i]).Wall
	}
	within := func(l time.Duration) {
		if l != 0 && (whole == 0 || l < whole) {
			lim.Wall = l
		}
	}
	if longer := w.paces[i].patience(w.cases%patientEvery == 0); longer > 0 {
		within(longer)
		return lim
	}
	within(w.paces[i].limit())
	if w.plan.Targets[i].Mode() == solvers.Native {
		lim.Budget = w.paces[i].budget()
	}
	return lim
}

// notRun is the run of a target that was not asked, and why.
func notRun(t solvers.Target, q *solvers.Query, class solvers.Class, why string) *solvers.Run {
	r := &solvers.Run{Target: t.Name(), Mode: t.Mode(), Class: class, ExitCode: -1, Message: why}
	if s := t.Solver(); s != nil {
		r.Solver, r.Version = s.Name, s.Version
	}
	r.Answers = make([]smtlib.Answer, q.Count(solvers.AnswerReply))
	return r
}

// sign adds the verdicts to the report; the case and its runs come along if any of them is not known yet.
func (w *worker) sign(r *wire.CaseResult, c *testcase.Case, runs []*solvers.Run, verdicts []oracle.Verdict) {
	if len(verdicts) == 0 {
		return
	}
	w.info.Logic, w.info.Outputs, w.info.Reduces = c.Script.Logic(), outputs(runs), w.plan.Reducer != nil
	var operators []string
	isNew := false
	for i := range verdicts {
		v := &verdicts[i]
		v.Summary, v.Detail = finding.Clip(campaign.OneLine(v.Summary), 2000), finding.Clip(v.Detail, finding.MaxOutput)
		s := finding.SignedVerdict{Verdict: *v, Signature: triage.Of(v, w.info), Slug: triage.Slug(v, w.info), Logic: w.info.Logic, Scripted: w.plan.Scripted(v, c.LiveTrace().HasCustom())}
		if s.Signature.Vague {
			if operators == nil {
				operators = triage.Operators(c.Script)
				if w.models { // which every case is asked for
					operators = slices.Compact(slices.Sorted(slices.Values(append(operators, "(get-model)"))))
				}
			}
			s.Operators = operators
		}
		isNew = w.wanted(&s) || isNew
		r.Verdicts = append(r.Verdicts, s)
	}
	if isNew {
		if w.lives(verdicts) {
			r.Ahead.Before = w.past.texts(verdicts)
		}
		c.Origin.Identity = c.Identity()
		r.Case, r.Details = c.Wire(), finding.RunsOf(runs)
	}
}

// suppress takes out the verdicts that the campaign file knows, and counts them by the name of what knows them.
func (w *worker) suppress(r *wire.CaseResult, c *testcase.Case, verdicts []oracle.Verdict) ([]oracle.Verdict, error) {
	if len(w.plan.Suppress) == 0 || len(verdicts) == 0 {
		return verdicts, nil
	}
	var kept []oracle.Verdict
	for i := range verdicts {
		by := ""
		for _, s := range w.plan.Suppress {
			known, err := s.Suppresses(c, &verdicts[i])
			if err != nil {
				return nil, err
			}
			if known {
				by = s.Name()
				break
			}
		}
		if by == "" {
			kept = append(kept, verdicts[i])
		} else {
			r.Suppressed = append(r.Suppressed, by)
		}
	}
	return kept, nil
}

// outputs returns what crashed targets wrote.
func outputs(runs []*solvers.Run) map[string]string {
	var out map[string]string
	for _, r := range runs {
		if r.Class.IsBug() {
			if out == nil {
				out = map[string]string{}
			}
			out[r.Target] = finding.Clip(r.Stderr, finding.MaxOutput) + "\n" + finding.Clip(r.Stdout, finding.MaxOutput)
		}
	}
	return out
}

// wanted reports whether the coordinator wants to see the case of a verdict: see bucket. It marks those that are only sent
// to be sure.
func (w *worker) wanted(s *finding.SignedVerdict) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.known[s.Signature.Key]
	if k == nil {
		return true
	}
	if !s.Signature.Vague || !k.vague {
		return false
	}
	k.seen++
	if len(k.skeletons) == 0 {
		return k.seen <= wire.MaxCandidates
	}
	for _, skeleton := range k.skeletons {
		if triage.Within(skeleton, s.Operators) {
			s.Sampled = k.seen >= firstSample && k.seen&(k.seen-1) == 0 // powers of two
			return s.Sampled
		}
	}
	return true
}

// firstSample is the number of verdicts of a bucket after which the first one is looked at only to be sure.
const firstSample = 8

// knownGroup is what a worker knows of a signature.
type knownGroup struct {
	vague     bool
	skeletons [][]string
	seen      int
	ran       int // of cases that may be runaways like it
}

// show makes one case and returns it.
func (w *worker) show(ctx context.Context, o *wire.Show) error {
	if err := w.out.Announce(o.N); err != nil {
		return err
	}
	w.running.begin(o.N)
	defer w.running.end()
	var r wire.Report
	func() {
		defer func() {
			if v := recover(); v != nil {
				r = &wire.CaseFailed{N: o.N, Fault: campaign.FaultInternal, Text: finding.Clip(campaign.PanicError(v).Error(), finding.MaxOutput)}
			}
		}()
		var parts []finding.Part
		if m, ok := w.plan.Technique.(campaign.Mixture); ok {
			parts = m.Parts()
		}
		if err := mixture.NeedWeights(parts, &o.N, w.opts.Weights); err != nil {
			r = w.notMade(ctx, o.N, err)
			return
		}
		c, err := w.make(ctx, o.N)
		if err != nil {
			r = w.notMade(ctx, o.N, err)
			return
		}
		w.complete(c, o.N)
		if err := w.another(c, o.N); err != nil {
			r = w.notMade(ctx, o.N, err)
			return
		}
		c.Origin.Identity = c.Identity()
		r = &wire.Shown{N: o.N, Case: c.Wire()}
	}()
	if r == nil {
		r = &wire.CaseSkipped{N: o.N, Reason: "cut"}
	}
	if err := w.out.Line(r, true); err != nil {
		return err
	}
	return w.out.Line(&wire.RangeDone{Job: o.Job, Next: o.N + 1}, true)
}
