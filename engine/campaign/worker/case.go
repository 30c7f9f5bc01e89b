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
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// makeCases makes and runs the cases of an order.
func (w *worker) makeCases(ctx context.Context, o *wire.MakeCases) error {
	n := o.From
	w.maker.avoid = o.Avoid
	w.maker.setWeights(o.Weights, o.Epoch)
	w.asker.modes = o.Modes
	w.edges.begin(n, w.maker.growFrom(&w.grown, n))
	for ; n < o.To && !w.interrupts.stop.Load() && ctx.Err() == nil; n++ {
		if err := w.out.Announce(n); err != nil {
			return err
		}
		w.running.begin(n)
		r, runs := w.runCase(ctx, n, o.Detail)
		w.running.end()
		w.report.printsEnd(fmt.Sprintf("case %d", n))
		if r == nil { // the case was cut before it was done
			break
		}
		w.asker.cases++
		var err error
		if result, ok := r.(*wire.CaseResult); ok && result.IsPlain() {
			err = w.out.Result(result, w.asker.spread(runs))
		} else {
			_, skipped := r.(*wire.CaseSkipped)
			err = w.out.Line(r, !skipped) // send findings and errors at once
		}
		if err != nil {
			return err
		}
	}
	return w.out.Line(&wire.RangeDone{Job: o.Job, Next: n, Spending: w.report.spent(), Broken: w.newlyBroken(), Coverage: w.counts.newlyCovered(), Cells: w.counts.cells.Take(), Options: w.counts.options.Take(), Tally: w.counts.tally.Take(), Refused: w.counts.refused.Take()}, true)
}

// runCase makes case n, runs it and judges it. It returns nil when ctx ended before all was done.
func (w *worker) runCase(ctx context.Context, n uint64, detail bool) (out wire.Report, runs []*solvers.Run) {
	defer func() {
		// A bug of smtlark that affects one case must not end the campaign.
		if v := recover(); v != nil {
			out, runs = &wire.CaseFailed{N: n, Fault: campaign.FaultInternal, Text: finding.Clip(campaign.PanicError(v).Error(), finding.MaxOutput)}, nil
		}
	}()
	begun := time.Now()
	c, err := w.maker.make(ctx, n)
	making := time.Since(begun)
	if err != nil {
		return notMade(ctx, n, err), nil
	}
	w.maker.complete(c, n)
	if err := w.maker.checkIdentity(c, n); err != nil {
		return notMade(ctx, n, err), nil
	}
	if why := w.known.distrusts(c); why != "" {
		return notMade(ctx, n, &campaign.SkipError{Reason: why, By: c.Origin.Technique}), nil
	}
	r := &wire.CaseResult{N: n, Make: making.Microseconds()}
	if w.hash {
		r.Hash = c.Hash()
	}
	w.yield(r, c)
	w.counts.tally.Add(c, w.asker.cases)
	if w.maker.weights != nil {
		r.Features = w.maker.shapes.features(c)
	}
	q := confirm.Question(c, w.models)
	r.Repeat = w.counts.repeats.seen(q)
	q.Shares, q.Counts = true, w.edges.reads()
	runs = w.asker.ask(ctx, c, q)
	w.signer.past.add(q, runs)
	// Interrupted: the runs of the targets are incomplete, so none of them counts.
	if ctx.Err() != nil {
		return nil, nil
	}
	if w.plan.Claims != nil {
		w.counts.cover.Add(c, runs)
	}
	r.Took = w.edges.report(n, c, runs)
	w.counts.cells.Add(c, runs)
	w.counts.options.Add(c, runs)
	w.counts.refused.Add(c, runs, w.asker.passed)
	oracles := w.plan.Oracles
	skip, ranAway := w.signer.runaways(c, runs)
	if skip {
		oracles = slices.DeleteFunc(slices.Clone(oracles), func(o oracle.Oracle) bool { return o.Name() == oracle.KindRunaway })
	}
	verdicts, err := confirm.Judge(oracles, c, runs)
	if err != nil {
		return notJudged(ctx, c, err), nil
	}
	if verdicts, err = w.signer.suppress(r, c, verdicts); err != nil {
		return notJudged(ctx, c, err), nil
	}
	if detail {
		r.Details = finding.RunsOf(runs)
	}
	w.signer.sign(r, c, runs, verdicts)
	r.Hazard = w.maker.recordFailure(n, c, runs, verdicts, ranAway)
	if !r.IsPlain() {
		r.Runs = string(metrics.AppendRunCodes(nil, w.asker.spread(runs)))
	}
	w.edges.sent(n)
	return r, runs
}

// yield records in a report the technique and the steps that made the case. It omits the technique if it is that of the
// plan.
func (w *worker) yield(r *wire.CaseResult, c *testcase.Case) {
	if c.Origin.Technique != w.plan.Technique.Name() {
		r.Technique = c.Origin.Technique
	}
	r.Steps = metrics.StepNames(c.Origin.Steps)
}

// notMade returns the report that explains why case n has no result, or nil if the case was cut.
func notMade(ctx context.Context, n uint64, err error) wire.Report {
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
	r := &wire.CaseFailed{N: n, Fault: campaign.FaultScript, Text: finding.Clip(err.Error(), finding.MaxOutput), OverBudget: errors.Is(err, campaign.ErrOverBudget)}
	if errors.As(err, &fault) {
		r.Fault = fault.Fault
	}
	var other *otherCaseError
	if errors.As(err, &other) {
		r.Expect = other.origin.ExpectFlag()
	}
	return r
}

// notJudged returns the report about an oracle's error on a case, or nil if the case was cut. If answers of solvers
// decide which case it is, the command that makes the case again identifies it.
func notJudged(ctx context.Context, c *testcase.Case, err error) wire.Report {
	out := notMade(ctx, c.Origin.Number, err)
	if r, ok := out.(*wire.CaseFailed); ok && len(c.Origin.Answers) > 0 {
		c.Origin.Identity = c.Identity()
		r.Expect = c.Origin.ExpectFlag()
	}
	return out
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
			r = notMade(ctx, o.N, err)
			return
		}
		w.maker.growFrom(&w.grown, o.N)
		c, err := w.maker.make(ctx, o.N)
		if err != nil {
			r = notMade(ctx, o.N, err)
			return
		}
		// Shown is the case as targets would get it, with the description by which confirmation and other machines know
		// it.
		w.maker.complete(c, o.N)
		if err := w.maker.checkIdentity(c, o.N); err != nil {
			r = notMade(ctx, o.N, err)
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
