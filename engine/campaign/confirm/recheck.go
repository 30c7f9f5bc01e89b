package confirm

import (
	"context"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// recheckStored looks at a finding of the store again: with every version of its solver that the campaign has.
func (w *Confirmer) recheckStored(ctx context.Context, o *wire.Recheck) error {
	r := &wire.Rechecked{Job: o.Job}
	c, err := o.Case.Case(nil)
	if err != nil {
		r.Error = fmt.Sprintf("smtlark cannot read back the case it printed: %v", err)
		return w.endJob(r, &r.Spending)
	}
	f := &finding.Finding{SignedVerdict: finding.SignedVerdict{Verdict: *o.Verdict}, Plan: o.Plan, Reproduction: finding.Reproduction{Mode: o.Mode}}
	err = campaign.Protect(func() {
		plan := w.plan.Info()
		var against solvers.Target
		if finding.NeedsBoth(f) {
			for _, t := range plan.SameKind(f, o.Verdict.Against) {
				if against = w.targetIn(t.Name, o.Mode); against != nil {
					break
				}
			}
			if against == nil {
				return
			}
		}
		for _, t := range plan.SameKind(f, o.Verdict.Targets) {
			if ctx.Err() != nil {
				return
			}
			target := w.targetIn(t.Name, o.Mode)
			if target == nil {
				continue
			}
			p := reproductionOf(o.Verdict, c, target, against)
			if p == nil {
				r.Blind = true
				return
			}
			p.Sequence = o.Sequence
			info := w.replayStored(ctx, p, o.Times)
			if info.Reproduced > 0 && r.Stack == nil {
				there := *o.Verdict
				there.Targets = []string{t.Name}
				r.Stack = w.stackOf(ctx, c, &there, modeNamed(o.Mode), o.Sequence)
			}
			if ctx.Err() != nil || info.Tries == 0 || sayNothing(info.Runs) {
				continue
			}
			if info.Refuted != "" { // no solver has repaired anything
				r.Error = info.Refuted
				continue
			}
			r.Checks = append(r.Checks, finding.Check{Target: t.Name, Kind: t.Kind, Version: t.Version, Hits: info.Reproduced, Tries: info.Tries, Outcome: info.Runs[0].Outcome})
		}
	})
	if err != nil {
		r.Error = err.Error()
	}
	return w.endJob(r, &r.Spending)
}

// sayNothing reports whether the runs say nothing: a solver that did not start, or was killed, has repaired nothing.
func sayNothing(runs []finding.Run) bool {
	return len(runs) == 0 || slices.ContainsFunc(runs, func(r finding.Run) bool {
		return r.Class == solvers.StartFailure || r.Class == solvers.Killed || r.Class == solvers.Cancelled
	})
}

// reproductionOf says how a verdict is seen again on a target; nil when only its oracle could tell.
func reproductionOf(v *oracle.Verdict, c *testcase.Case, target, against solvers.Target) *campaign.Reproduction {
	p := &campaign.Reproduction{Case: c, Target: target, Check: max(0, v.Check)}
	if n := c.Script.CheckSats(); p.Check >= n {
		p.Check = max(0, n-1)
	}
	switch v.Kind {
	case oracle.KindCrash:
		p.Class, p.AnyFault = v.Class, true
	case oracle.KindInvalidModel:
		p.Oracle = oracle.Model()
	case oracle.KindKnownAnswer, oracle.KindAssumedAnswer:
		p.Want = v.Want
	case oracle.KindDisagreement:
		p.Got, p.Want, p.Against = v.Got, v.Want, against
	default:
		return nil
	}
	if p.Class == solvers.Invalid && p.Oracle == nil && p.Want == smtlib.None {
		return nil
	}
	return p
}
