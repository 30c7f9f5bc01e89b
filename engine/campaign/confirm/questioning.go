package confirm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/solvers"
)

// questioning asks the targets of a verdict about cases: whether it shows there, and whether the right answer is still
// known.
type questioning struct {
	w          *Confirmer
	ctx        context.Context
	orig       *testcase.Case // that the verdict was found with
	verdict    *oracle.Verdict
	truth      *claim.Truth // the known facts about the case as it was found
	oracles    []oracle.Oracle
	targets    []*replica
	ahead      finding.Sequence // what comes ahead of a case now
	lim        solvers.Limits
	repeats    driver.Repeats
	tests      int
	asks       bool            // run the case as it is, without added questions
	references *references     // nil until an answer has to be confirmed
	confirmed  confirmation    // of the latest case that showed it
	said       *oracle.Verdict // the oracle's verdict on the latest case that showed it
	comparing  comparing       // of verdicts about a case and its seed
}

// confirmation has the solvers that confirmed that the right answer of a case is unchanged, and their runs.
type confirmation struct {
	by   []string
	runs []*solvers.Run
}

// sayModels checks whether the case shows its verdict without the model queries that the campaign's oracles add. If so,
// it is reduced in that form, so that the result can be replayed from its file. See repeater.byItself.
func (q *questioning) sayModels() {
	if !q.w.models || q.verdict.Kind == oracle.KindInvalidModel {
		return
	}
	q.asks = true
	q.asks, _ = q.runOnce(q.orig, false)
}

// queryFor returns the query for a case.
func (q *questioning) queryFor(c *testcase.Case) *solvers.Query {
	if q.asks {
		return c.Query()
	}
	return q.w.queryFor(c)
}

// measureRuns is the number of runs of a case before it is reduced.
const measureRuns = 3

// measureReliability runs the case a few times, and returns its latest runs that show its verdict. If it does not show
// in every run, candidates are run more often, see driver.Repeats.
func (q *questioning) measureReliability() (details []finding.Run, shows bool) {
	shown := 0
	longest := time.Duration(0)
	for range measureRuns {
		begun := time.Now()
		if ok, runs := q.runOnce(q.orig, false); ok {
			shown++
			details = q.runsToReport(runs)
		}
		if q.ctx.Err() != nil {
			return details, shown > 0
		}
		longest = max(longest, time.Since(begun))
	}
	q.lim = limitsFor(q.verdict, q.w.reduceLimits(longest))
	q.repeats.Measured(shown, measureRuns)
	return details, shown > 0
}

// lowerLimit lowers the limit of runs: smaller cases should not take much longer than the case that they are made of.
// longest is the longest run of that case.
func (q *questioning) lowerLimit(longest time.Duration) {
	if targetsOf(q.verdict) == nil {
		return // it may be about time
	}
	if limit := 3*longest + time.Second; q.lim.Wall == 0 || limit < q.lim.Wall {
		q.lim.Wall = limit
	}
}

// testCase runs a case until it shows the verdict. again says that it did before, and that its right answer is known.
func (q *questioning) testCase(c *testcase.Case, again bool) (ok bool, runs []*solvers.Run) {
	q.tests++
	q.w.ledger.Say(fmt.Sprintf("%d tests", q.tests))
	q.repeats.Until(func() bool {
		ok, runs = q.runOnce(c, again)
		return ok || q.ctx.Err() != nil
	})
	return ok, runs
}

// try is testCase for a new case. It returns the outcome to report, which is empty if the case does not show the
// verdict.
func (q *questioning) try(c *testcase.Case) *wire.Outcome {
	ok, runs := q.testCase(c, false)
	if !ok {
		return &wire.Outcome{}
	}
	out := &wire.Outcome{Shows: true, Details: q.runsToReport(runs), Said: q.said, ConfirmedBy: q.confirmed.by}
	for _, r := range runs {
		out.Longest = max(out.Longest, r.Wall)
	}
	return out
}

// runOnce runs a case on all targets.
func (q *questioning) runOnce(c *testcase.Case, again bool) (bool, []*solvers.Run) {
	runs := make([]*solvers.Run, len(q.targets))
	for i, t := range q.targets {
		run := *t.run.Run(q.ctx, q.queryFor(c), q.lim)
		run.Target = t.orig.Name()
		runs[i] = &run
		if t.run.Mode() != solvers.Fresh {
			t.close() // no candidate may depend on the one before it
		}
	}
	verdicts, err := Judge(q.oracles, c, runs)
	if err != nil {
		return false, nil
	}
	i := slices.IndexFunc(verdicts, func(v oracle.Verdict) bool {
		return triage.Same(q.verdict, &v) && (q.verdict.Relation != "" || again || q.keepsTruth(c, &v))
	})
	if i < 0 {
		return false, runs
	}
	if q.verdict.Relation != "" && !q.keepsRelation(c, &verdicts[i]) {
		return false, runs
	}
	q.said = &verdicts[i]
	return true, runs
}

// keepsTruth reports whether the right answer of a smaller case is still known for sure: by the witness, because it
// asserts no more than the original, or because a reference solver confirms it.
func (q *questioning) keepsTruth(c *testcase.Case, v *oracle.Verdict) bool {
	q.confirmed = confirmation{}
	var list []claim.Claim // that have to be confirmed
	for _, k := range claim.Of(c, v) {
		switch {
		case k.Proven():
			if k.Want == smtlib.Unsat {
				q.confirmed.by = []string{claim.Evaluator}
			}
		case v.IsWrongAnswer() && k.Want == smtlib.Sat && k.Witness == nil && q.truth.AssertsNoMore(k.Script, k.Check):
		case k.Want == smtlib.Sat && k.Witness != nil:
			return false // the case would come with an assignment that shows nothing
		default:
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		return true
	}
	if q.references == nil {
		q.references = q.w.chooseReferences(q.ctx, q.verdict, claim.Of(q.orig, q.verdict))
	}
	said, ok := q.references.confirmClaims(q.ctx, list)
	q.confirmed.by, q.confirmed.runs = append(q.confirmed.by, said.by...), said.runs
	return ok
}

// runsToReport are the runs of a case with those of the reference solvers that confirmed its answer.
func (q *questioning) runsToReport(runs []*solvers.Run) []finding.Run {
	return finding.RunsOf(slices.Concat(runs, q.confirmed.runs))
}

// setSequence gives the targets another sequence.
func (q *questioning) setSequence(s finding.Sequence) {
	q.ahead = s
	for _, t := range q.targets {
		if p, ok := t.run.(*primed); ok {
			p.before, p.repeat = queriesOf(s.Before), s.Repeat
		}
	}
}

// neededTargets returns the targets that the predicate runs: the fewest that can show the verdict; nil means all.
func neededTargets(v *oracle.Verdict) []string {
	switch {
	case len(v.Targets) == 0:
		return nil
	case v.Kind == oracle.KindDisagreement:
		return []string{v.Targets[0], v.Against[0]}
	case v.Kind == oracle.KindInvalidReply:
		return append(v.Targets[:1:1], v.Against...)
	case v.Kind == oracle.KindCrash, v.IsWrongReply(), v.IsWrongAnswer():
		return v.Targets[:1]
	}
	return nil
}
