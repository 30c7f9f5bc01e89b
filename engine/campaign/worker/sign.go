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

// signer says what verdicts are: their signatures, which of them the campaign file knows, and what the coordinator
// wants to see.
type signer struct {
	plan   *campaign.Plan
	info   triage.Info
	models bool // every case is asked for models
	known  *knowledge
	past   past // the cases that the processes had before
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

// sign adds the verdicts to the report; the case and its runs come along if any of them is not known yet.
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
				if g.models { // which every case is asked for
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

// suppress takes out the verdicts that the campaign file knows, and counts them by the name of what knows them.
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

// lives reports whether any target of the verdicts keeps its process from case to case.
func (g *signer) lives(verdicts []oracle.Verdict) bool {
	return slices.ContainsFunc(g.plan.Targets, func(t solvers.Target) bool {
		return t.Mode() != solvers.Fresh && slices.ContainsFunc(verdicts, func(v oracle.Verdict) bool { return slices.Contains(v.Targets, t.Name()) })
	})
}

// Making sure of a runaway takes seconds of CPU time. Once there is a finding, similar cases need not be asked about
// again. Cases with all operators of the reduced finding are taken for more of the same, and so are all cases while the
// finding is being reduced. Exceptions are the first, second, fourth, eighth, ... of them.

// runaways says what is known of a case whose runs ran out of time or memory. skip: nobody need ask about it again.
// same: it has all operators of a reduced finding.
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
