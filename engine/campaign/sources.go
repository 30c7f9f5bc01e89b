package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// ScriptedBy is an oracle that a campaign file defines.
type ScriptedBy interface{ OfCampaignFile() bool }

// scripted says what of a verdict is the campaign file's own.
func (w *worker) scripted(v *oracle.Verdict, custom bool) string {
	for _, o := range w.oraclesNamed(v.Oracle) {
		if by, ok := o.(ScriptedBy); ok && by.OfCampaignFile() {
			return finding.ScriptedOracle
		}
	}
	if custom {
		return finding.ScriptedActions
	}
	return ""
}

// replayVerdict repeats a reproduction that oracles of a campaign file judge.
func (w *worker) replayVerdict(ctx context.Context, p *Reproduction, times int) (finding.Replay, error) {
	info := finding.Replay{Target: p.Target.Name(), Want: fmt.Sprintf("%s, says the oracle %s", p.Verdict.Kind, p.Verdict.Oracle)}
	if p.Verdict.Message != "" {
		info.Want = fmt.Sprintf("%s: %s", p.Verdict.Kind, p.Verdict.Message)
	}
	var oracles []oracle.Oracle
	for _, o := range p.Oracles {
		if o.Name() == p.Verdict.Oracle {
			oracles = append(oracles, o)
		}
	}
	if len(oracles) == 0 {
		return info, fmt.Errorf("the campaign file has no oracle %q", p.Verdict.Oracle)
	}
	rs := make([]*replica, len(p.Targets))
	for i, t := range p.Targets {
		rs[i] = &replica{t, prime(t, p.Sequence)}
	}
	defer closeReplicas(rs)
	// A finding was found with the questions about models that the oracles of its campaign add, and was perhaps reduced
	// without them.
	queries := []*solvers.Query{p.Case.Query()}
	if oracle.NeedsModels(p.Oracles) {
		queries = append(queries, p.Case.Query().WithModel())
	}
	for range times {
		shown, first := false, []*solvers.Run(nil)
		for _, q := range queries {
			runs := askReplicas(ctx, rs, q, p.Limits.Or(w.plan.Limits))
			if ctx.Err() != nil {
				return info, nil
			}
			verdicts, err := w.judge(oracles, p.Case, runs)
			if err != nil {
				return info, err
			}
			if first == nil {
				first = runs
			}
			if shown = slices.ContainsFunc(verdicts, func(v oracle.Verdict) bool { return triage.Same(p.Verdict, &v) }); shown {
				first = runs
				break
			}
		}
		info.Tries++
		if shown {
			info.Reproduced++
		}
		if info.Runs == nil || shown && info.Reproduced == 1 {
			info.Runs = finding.RunsOf(first)
		}
	}
	return info, nil
}

// scriptFault turns an error of an oracle into one of the campaign file, unless it says whose it is.
func scriptFault(err error) error {
	var known *LoadError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &LoadError{FaultScript, err}
}
