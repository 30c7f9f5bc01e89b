package worker

import (
	"context"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
)

// productOf is the product that case n is made for; "" where all targets are asked about each case.
func (w *worker) productOf(n uint64) string {
	if w.plan.Roster == nil {
		return ""
	}
	return w.plan.Roster.Turn(w.opts.Seed, n).Product
}

// make makes case n without what is avoided. Techniques that cannot do without it skip the cases that have it.
func (w *worker) make(ctx context.Context, n uint64) (*testcase.Case, error) {
	var avoided []string
	if len(w.avoid) > 0 {
		avoided = hazard.Avoided(w.avoid, w.productOf(n), w.opts.Seed, n)
	}
	if a, ok := w.plan.Technique.(campaign.Avoider); ok {
		a.SetAvoided(avoided)
	}
	c, err := w.plan.Technique.Make(ctx, n, w.base.Split(n))
	if err != nil || len(avoided) == 0 {
		return c, err
	}
	for _, name := range triage.Operators(c.Script) {
		if slices.Contains(avoided, name) {
			return nil, &campaign.SkipError{Reason: "it has " + name + ", of which the target is known to die", By: c.Origin.Technique}
		}
	}
	return c, nil
}

// hazard returns what is noted of a case, for later ones to do without what makes targets die; nil for nothing. A target that runs away does not come back, either.
func (w *worker) hazard(n uint64, c *testcase.Case, verdicts []oracle.Verdict, ranAway bool) *hazard.Case {
	if a, ok := w.plan.Technique.(campaign.Avoider); w.weights == nil && !(ok && a.Generates()) {
		return nil
	}
	died := ranAway || slices.ContainsFunc(verdicts, func(v oracle.Verdict) bool { return v.Class.IsBug() || v.Kind == oracle.KindRunaway })
	if !died && !hazard.Sampled(n) {
		return nil
	}
	return &hazard.Case{For: w.productOf(n), Operators: triage.Operators(c.Script), Died: died}
}
