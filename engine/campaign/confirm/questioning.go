package confirm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/claim"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// questioning asks the targets of a verdict about cases: whether it shows there, and whether the right answer is still known.
type questioning struct {
	w       *Confirmer
	ctx     context.Context
	orig    *testcase.Case // that the verdict was found with
	verdict *oracle.Verdict
	truth   *claim.Truth // what is known of the case as it was found
	oracles []oracle.Oracle
	targets []*replica
	ahead   finding.Sequence // what comes ahead of a case now
	lim     solvers.Limits
	repeats driver.Repeats
	tests   int
	asks    bool            // targets are asked what the case says, no more
	jury    *jury           // nil until somebody has to vouch
	vouched vouched         // for the latest case that showed it
	said    *oracle.Verdict // what the oracle said of the latest case that showed it
}

// vouched is who said that the right answer of a case is what it was, and how.
type vouched struct {
	by   []string
	runs []*solvers.Run
}

// sayModels finds out whether the case shows its verdict when it is asked as it is, without the questions about models that
// the oracles of the campaign add: then it is reduced so, and what is left replays from its file. See worker.byItself.
func (q *questioning) sayModels() {
	if !q.w.models || q.verdict.Kind == oracle.KindInvalidModel {
		return
	}
	q.asks = true
	q.asks, _ = q.once(q.orig, false)
}

// query is what targets are asked about a case.
func (q *questioning) query(c *testcase.Case) *solvers.Query {
	if q.asks {
		return c.Query()
	}
	return q.w.query(c)
}

// measureRuns is how often the case is run before it is reduced.
const measureRuns = 3

// measure runs the case a few times, and returns its latest runs that show its verdict. If that does not always show, candidates
// are run more often, see driver.Retries.
func (q *questioning) measure() (details []finding.Run, shows bool) {
	shown := 0
	longest := time.Duration(0)
	for range measureRuns {
		begun := time.Now()
		if ok, runs := q.once(q.orig, false); ok {
			shown++
			details = q.infos(runs)
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

// hurry lowers the limit of runs: smaller cases should not take much longer than the one they are made of.
func (q *questioning) hurry(runs []*solvers.Run) {
	if TargetsOf(q.verdict) == nil {
		return // it may be about time
	}
	longest := time.Duration(0)
	for _, r := range runs {
		longest = max(longest, r.Wall)
	}
	if limit := 3*longest + time.Second; q.lim.Wall == 0 || limit < q.lim.Wall {
		q.lim.Wall = limit
	}
}

// test runs a case until it shows the verdict. again says that it did before, and that its right answer is known.
func (q *questioning) test(c *testcase.Case, again bool) (ok bool, runs []*solvers.Run) {
	q.tests++
	q.w.ledger.Say(fmt.Sprintf("%d tests", q.tests))
	q.repeats.Until(func() bool {
		ok, runs = q.once(c, again)
		return ok || q.ctx.Err() != nil
	})
	return ok, runs
}

// once runs a case on all targets.
func (q *questioning) once(c *testcase.Case, again bool) (bool, []*solvers.Run) {
	runs := make([]*solvers.Run, len(q.targets))
	for i, t := range q.targets {
		run := *t.run.Run(q.ctx, q.query(c), q.lim)
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
		return triage.Same(q.verdict, &v) && (again || q.keepsTruth(c, &v))
	})
	if i < 0 {
		return false, runs
	}
	q.said = &verdicts[i]
	return true, runs
}

// keepsTruth reports whether the right answer of a smaller case is still known for sure: by the witness, because it asserts
// no more than the original, or because somebody vouches for it.
func (q *questioning) keepsTruth(c *testcase.Case, v *oracle.Verdict) bool {
	q.vouched = vouched{}
	var list []claim.Claim // that somebody has to vouch for
	for _, k := range claim.Of(c, v) {
		switch {
		case k.Proven():
			if k.Want == smtlib.Unsat {
				q.vouched.by = []string{claim.Evaluator}
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
	if q.jury == nil {
		q.jury = q.w.seat(q.ctx, q.verdict, claim.Of(q.orig, q.verdict))
	}
	said, ok := q.jury.vouch(q.ctx, list)
	q.vouched.by, q.vouched.runs = append(q.vouched.by, said.by...), said.runs
	return ok
}

// infos are the runs of a case with those of who vouched for it.
func (q *questioning) infos(runs []*solvers.Run) []finding.Run {
	return finding.RunsOf(slices.Concat(runs, q.vouched.runs))
}

// prime gives the targets another sequence.
func (q *questioning) prime(s finding.Sequence) {
	q.ahead = s
	for _, t := range q.targets {
		if p, ok := t.run.(*primed); ok {
			p.before, p.repeat = queriesOf(s.Before), s.Repeat
		}
	}
}

// needed returns the targets that the predicate runs: the fewest that can show the verdict; nil means all.
func needed(v *oracle.Verdict) []string {
	switch {
	case len(v.Targets) == 0:
		return nil
	case v.Kind == oracle.KindDisagreement:
		return []string{v.Targets[0], v.Against[0]}
	case v.Kind == oracle.KindCrash, v.Kind == oracle.KindInvalidModel, v.IsWrongAnswer():
		return v.Targets[:1]
	}
	return nil
}
