package confirm

import (
	"context"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// targetsOf returns the targets that a verdict needs; nil means all.
func targetsOf(v *oracle.Verdict) []string {
	switch v.Kind {
	case oracle.KindCrash, oracle.KindKnownAnswer, oracle.KindAssumedAnswer, oracle.KindDisagreement, oracle.KindInvalidModel,
		oracle.KindInvalidValue, oracle.KindInvalidCore, oracle.KindInvalidReply, oracle.KindRunaway, oracle.KindMetamorphic:
		return slices.Concat(v.Targets, v.Against)
	}
	return nil
}

// confirmVerdict repeats a verdict in new processes: first in mode fresh, as a user would run the solver, then in the
// modes of the campaign.
func (w *Confirmer) confirmVerdict(ctx context.Context, o *wire.Confirm) error {
	r := &wire.Confirmed{Job: o.Job}
	r.Tries = o.Times
	c, err := o.Case.Case(nil)
	if err != nil {
		r.Error = fmt.Sprintf("smtlark cannot read back the case it printed: %v", err)
		return w.endJob(r, &r.Spending)
	}
	err = campaign.Protect(func() {
		var compared claim.Ruling
		if r.Refuted, compared = w.compareWithSeed(ctx, c, o.Verdict); r.Refuted != nil || ctx.Err() != nil {
			return
		}
		if o.Verdict.Want != smtlib.Sat { // one that is refuted need not be seen again
			if r.Refuted, c = w.settleVerdict(ctx, c, o.Verdict); r.Refuted != nil || ctx.Err() != nil {
				return
			}
		}
		names := w.inOneMode(targetsOf(o.Verdict), o.Verdict)
		fresh := w.replicasIn(names, solvers.Fresh)
		hit := len(fresh) > 0 && w.tryMode(ctx, c, &o.Subject, solvers.Fresh, fresh, &r.Repetitions)
		if own := w.replicasIn(names, ""); !hit && ctx.Err() == nil && (len(fresh) == 0 || slices.ContainsFunc(own, notFresh)) {
			hit = w.tryMode(ctx, c, &o.Subject, "", own, &r.Repetitions)
			if !hit && ctx.Err() == nil && slices.ContainsFunc(own, native) {
				if below := belowPush(c); below != nil && w.tryMode(ctx, below, &o.Subject, "", w.replicasIn(names, ""), &r.Repetitions) {
					hit, c, r.Case = true, below, below.Wire()
				}
			}
			if !hit && ctx.Err() == nil && slices.ContainsFunc(own, notFresh) {
				hit = w.trySequences(ctx, c, &o.Subject, r)
			}
		}
		if !hit && ctx.Err() == nil {
			w.tryAtOnce(ctx, c, &o.Subject, r)
		}
		if o.Verdict.Want == smtlib.Sat && r.Hits > 0 && ctx.Err() == nil {
			refuted, known := w.settleVerdict(ctx, c, o.Verdict)
			if r.Refuted = refuted; refuted != nil {
				return
			}
			if known != c {
				c, r.Case = known, known.Wire()
			}
		}
		if r.Hits > 0 && ctx.Err() == nil {
			w.settleSides(ctx, c, r.Said)
		}
		if r.Said != nil && compared.Standing == claim.Proven {
			r.Said.SettleRelation(compared.By)
		}
		if r.Said != nil {
			r.Said.Settle(oracle.IsAssumed(c, o.Verdict.Want))
		}
		if r.Hits > 0 {
			r.Details = append(r.Details, w.runOthers(ctx, c, r.Details)...)
			mode := modeNamed(r.Mode)
			r.Stack = w.stackOf(ctx, c, o.Verdict, mode, r.Ahead)
			again := o.Subject
			again.Sequence = r.Ahead
			if v := r.Said; v != nil && v.Settled && triage.Same(o.Verdict, v) { // a model says whose bug it is
				again.Verdict = v
			}
			if own := w.byItself(ctx, c, &again, mode, &r.Repetitions); own != nil {
				c, r.Case = own, own.Wire()
			}
			r.Needs, r.Plain = w.neededOptions(ctx, c, &again, mode)
			if r.Modes = w.showsInModes(ctx, c, &again); w.plan.Reducer == nil { // else the reduced case is tried
				r.Upstream = w.tryForReport(ctx, c, &again)
			}
		}
	})
	if err != nil {
		r.Error = err.Error()
	}
	r.Cut = ctx.Err() != nil
	return w.endJob(r, &r.Spending)
}

// ownMode is the mode of a finding whose targets are used in the modes that the campaign gives them.
const ownMode = "own"

// modeNamed returns the mode of a finding; "" is that of the campaign.
func modeNamed(name string) solvers.Mode {
	if name == ownMode {
		return ""
	}
	return solvers.Mode(name)
}

func notFresh(r *replica) bool { return r.orig.Mode() != solvers.Fresh }

func native(r *replica) bool { return r.orig.Mode() == solvers.Native }

func answerAt(r *solvers.Run, i int) smtlib.Answer {
	if i < 0 || i >= len(r.Answers) {
		return smtlib.None
	}
	return r.Answers[i]
}

// limitsFor returns the limits under which a verdict has to show again. A runaway gets no more time than its oracle
// gives it.
func limitsFor(v *oracle.Verdict, lim solvers.Limits) solvers.Limits {
	if v.Kind == oracle.KindRunaway {
		return oracle.RunawayLimits.Or(lim)
	}
	return lim
}
