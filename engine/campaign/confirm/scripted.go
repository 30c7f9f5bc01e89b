package confirm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// replayVerdict repeats a reproduction that oracles of a campaign file judge.
func (w *Confirmer) replayVerdict(ctx context.Context, p *campaign.Reproduction, times int) (finding.Replay, error) {
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
		rs[i] = &replica{t, withSequence(t, p.Sequence)}
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
			verdicts, err := Judge(oracles, p.Case, runs)
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
	var known *campaign.LoadError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &campaign.LoadError{Fault: campaign.FaultScript, Err: err}
}
