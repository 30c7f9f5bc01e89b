package worker

import (
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/solvers"
)

// signer classifies verdicts: it computes their signatures, drops those that the campaign file suppresses, and decides
// which cases the coordinator needs.
type signer struct {
	plan   *campaign.Plan
	info   triage.Info
	models bool // every case is asked for models
	known  *knowledge
	past   past // the earlier cases of the processes
}

func newSigner(plan *campaign.Plan, known *knowledge, models bool) *signer {
	g := &signer{plan: plan, known: known, models: models, info: triage.Info{Solvers: map[string]triage.TargetInfo{}}}
	for _, t := range plan.Targets {
		if s := t.Solver(); s != nil {
			g.info.Solvers[t.Name()] = triage.TargetInfo{Name: s.Name, Version: s.Version}
		}
	}
	return g
}

// sign adds the verdicts to the report. If any verdict is new, it also adds the case and its runs.
func (g *signer) sign(r *wire.CaseResult, c *testcase.Case, runs []*solvers.Run, verdicts []oracle.Verdict) {
	if len(verdicts) == 0 {
		return
	}
	g.info.Logic, g.info.Outputs, g.info.Reduces = c.Script.Logic(), outputs(runs), g.plan.Reducer != nil
	var operators []string
	isNew := false
	for i := range verdicts {
		v := &verdicts[i]
		v.Summary, v.Detail = finding.Clip(campaign.OneLine(v.Summary), 2000), finding.Clip(v.Detail, finding.MaxOutput)
		s := finding.SignedVerdict{Verdict: *v, Signature: triage.Of(v, g.info), Slug: triage.Slug(v, g.info), Logic: g.info.Logic, Scripted: g.plan.Scripted(v, c.LiveTrace().HasCustom())}
		if s.Signature.Vague {
			if operators == nil {
				operators = triage.Operators(c.Script)
				if g.models { // every case asks for a model
					operators = slices.Compact(slices.Sorted(slices.Values(append(operators, "(get-model)"))))
				}
			}
			s.Operators = operators
		}
		isNew = g.known.wanted(&s) || isNew
		r.Verdicts = append(r.Verdicts, s)
	}
	if isNew {
		if g.lives(verdicts) {
			r.Ahead.Before = g.past.texts(verdicts)
		}
		c.Origin.Identity = c.Identity()
		r.Case, r.Details = c.Wire(), finding.RunsOf(runs)
	}
}

// suppress removes the verdicts that the campaign file suppresses, and counts them by the name of the suppression.
func (g *signer) suppress(r *wire.CaseResult, c *testcase.Case, verdicts []oracle.Verdict) ([]oracle.Verdict, error) {
	if len(g.plan.Suppress) == 0 || len(verdicts) == 0 {
		return verdicts, nil
	}
	var kept []oracle.Verdict
	for i := range verdicts {
		by := ""
		for _, s := range g.plan.Suppress {
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

// outputs returns the standard error and output of crashed targets.
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

// lives reports whether any target of the verdicts uses one process for several cases.
func (g *signer) lives(verdicts []oracle.Verdict) bool {
	return slices.ContainsFunc(g.plan.Targets, func(t solvers.Target) bool {
		return t.Mode() != solvers.Fresh && slices.ContainsFunc(verdicts, func(v oracle.Verdict) bool { return slices.Contains(v.Targets, t.Name()) })
	})
}

// Making sure of a runaway takes seconds of CPU time. Once there is a finding, similar cases need not be asked about
// again. Cases with all operators of the reduced finding are taken for more of the same, and so are all cases while the
// finding is being reduced. Exceptions are the first, second, fourth, eighth, ... of them.

// runaways checks known findings for a case whose runs ran out of time or memory. skip means that the case need not be
// examined again, same that it has all operators of a reduced finding.
func (g *signer) runaways(c *testcase.Case, runs []*solvers.Run) (skip, same bool) {
	g.info.Logic, g.info.Reduces = c.Script.Logic(), g.plan.Reducer != nil
	var operators []string
	for _, r := range runs {
		if r.Class != solvers.Timeout && r.Class != solvers.OutOfMemory {
			continue
		}
		v := &oracle.Verdict{Oracle: oracle.KindRunaway, Kind: oracle.KindRunaway, Target: r.Target, Targets: []string{r.Target}}
		if operators == nil {
			operators = triage.Operators(c.Script)
		}
		ask, has := g.known.knownRunaway(triage.Of(v, g.info).Key, operators)
		if ask {
			return false, has
		}
		skip, same = true, same || has
	}
	return skip, same
}
