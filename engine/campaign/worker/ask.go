package worker

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// asker asks the targets about cases.
type asker struct {
	plan   *campaign.Plan
	ledger *account.Ledger
	seed   uint64
	cases  uint64   // number of finished cases
	down   []outage // by target
	paces  []pace   // by target
	runs   []*solvers.Run
	asked  []int    // the targets of runs
	passed []string // names of the references that do not accept the latest case
	modes  []uint32 // weights of the modes that targets take turns in; nil: ask in all modes
}

func newAsker(plan *campaign.Plan, ledger *account.Ledger, seed uint64) *asker {
	return &asker{plan: plan, ledger: ledger, seed: seed, down: make([]outage, len(plan.Targets)), paces: make([]pace, len(plan.Targets))}
}

// outage counts the failed starts of a target. A target that never started is dropped after metrics.MaxDown failures in
// a row, since each try may take the whole time limit of a start; the summary says so. A target that has started before
// is tried again, each time after a pause of twice as many cases.
type outage struct {
	failed  int    // consecutive failed starts
	started bool   // it has started at least once
	again   uint64 // number of the case for the next try
	pause   uint64 // number of cases between the last try and the next
}

// firstRetry is the number of cases to skip before retrying a target that failed to start.
const firstRetry = 64

// isDown reports whether to skip the target for case n.
func (o *outage) isDown(n uint64) bool {
	return o.failed >= metrics.MaxDown && (!o.started || n < o.again)
}

// note records whether the target started for case n.
func (o *outage) note(n uint64, class solvers.Class) {
	if class != solvers.StartFailure {
		*o = outage{started: true}
		return
	}
	if o.failed++; o.failed >= metrics.MaxDown {
		o.pause = max(firstRetry, 2*o.pause)
		o.again = n + o.pause
	}
}

// ask runs the case on all targets, or on those whose turn it is. The runs are in the order of the targets; those of
// one target in its several modes are adjacent.
func (q *asker) ask(ctx context.Context, c *testcase.Case, query *solvers.Query) []*solvers.Run {
	q.runs, q.asked, q.passed = q.runs[:0], q.asked[:0], q.passed[:0]
	part := q.modeOf(c.Origin.Number)
	run := func(i int) (first *solvers.Run) {
		for _, way := range q.plan.Modes.Ways(i, part, func(i int) bool { return q.accepts(i, c, query) }) {
			r := q.askOne(ctx, way, c, query)
			at, _ := slices.BinarySearchFunc(q.asked, way, func(a, b int) int {
				return cmp.Or(cmp.Compare(q.plan.Modes.First(a), q.plan.Modes.First(b)), cmp.Compare(a, b))
			})
			q.runs, q.asked = slices.Insert(q.runs, at, r), slices.Insert(q.asked, at, way)
			first = cmp.Or(first, r)
		}
		return first
	}
	if q.plan.Roster != nil {
		q.plan.Roster.Turn(q.seed, c.Origin.Number).Ask(c, func(i int) bool { return q.takes(i, c, query) }, run)
		return q.runs
	}
	for i := range q.plan.Targets {
		if !q.plan.Modes.IsFurther(i) {
			run(i)
		}
	}
	return q.runs
}

// modeOf returns the index of the plan's mode whose turn is case n, or -1 for all modes.
func (q *asker) modeOf(n uint64) int {
	parts := q.plan.Modes.Parts()
	if q.modes == nil || len(parts) == 0 {
		return -1
	}
	return mixture.ModeOf(parts, q.modes, q.seed, n)
}

// accepts reports whether target i accepts the case, by the known facts about it.
func (q *asker) accepts(i int, c *testcase.Case, query *solvers.Query) bool {
	s := q.plan.Targets[i].Solver()
	return (s == nil || s.Profile == nil || s.Profile.Declines(query) == "") && (q.plan.Takes == nil || q.plan.Takes(i, c))
}

// takes reports whether reference i accepts the case, by the known facts about it. A reference that does not is added
// to q.passed.
func (q *asker) takes(i int, c *testcase.Case, query *solvers.Query) bool {
	if q.accepts(i, c, query) {
		return true
	}
	q.passed = append(q.passed, q.plan.Targets[i].Name())
	return false
}

// askOne runs the case on target i.
func (q *asker) askOne(ctx context.Context, i int, c *testcase.Case, query *solvers.Query) *solvers.Run {
	t := q.plan.Targets[i]
	if q.down[i].isDown(q.cases) {
		return notRun(t, query, solvers.StartFailure, "not tried: it could not be started several times in a row")
	}
	if s := t.Solver(); s != nil && s.Profile != nil {
		if why := s.Profile.Declines(query); why != "" {
			return notRun(t, query, solvers.Unsupported, "not asked: "+why)
		}
	}
	q.ledger.Say(t.Name())
	lim := q.limits(i, c.Origin.Seeds)
	r, paced := t.Run(ctx, query, lim), lim.Wall != q.whole(i).Wall && !q.paces[i].longer
	if paced && r.Starved() {
		if longer := q.paces[i].secondTry(r.Wall); longer > 0 {
			r = t.Run(ctx, query, within(q.whole(i), longer))
		}
	}
	q.paces[i].add(r.Wall, r.CPU)
	q.paces[i].note(c.Origin.Seeds, r.Class == solvers.Timeout)
	q.down[i].note(q.cases, r.Class)
	return r
}

// spread returns the runs of the latest case by target, nil for those that were not asked.
func (q *asker) spread(runs []*solvers.Run) []*solvers.Run {
	if len(runs) == len(q.plan.Targets) && slices.IsSorted(q.asked) {
		return runs
	}
	all := make([]*solvers.Run, len(q.plan.Targets))
	for k, i := range q.asked {
		all[i] = runs[k]
	}
	return all
}

// limits returns the limits of the next run of target i, with a case of these seeds.
func (q *asker) limits(i int, seeds []string) solvers.Limits {
	lim := q.whole(i)
	if q.plan.FullTimeout {
		return lim
	}
	if longer := q.paces[i].patience(q.cases%patientEvery == 0); longer > 0 {
		return within(lim, longer)
	}
	if q.plan.Targets[i].Mode() == solvers.Native {
		lim.Budget = q.paces[i].budget()
	}
	return within(lim, q.paces[i].limitOf(seeds))
}

// whole returns the limits that the campaign or target i itself gives a run.
func (q *asker) whole(i int) solvers.Limits {
	lim := q.plan.Limits
	lim.Wall = cmp.Or(lim.Wall, solvers.LimitsOf(q.plan.Targets[i]).Wall)
	return lim
}

// within returns the limits with the wall time reduced to at most wall.
func within(lim solvers.Limits, wall time.Duration) solvers.Limits {
	if lim.Wall == 0 || wall < lim.Wall {
		lim.Wall = wall
	}
	return lim
}

// notRun returns a run for a target that was not asked, with the reason.
func notRun(t solvers.Target, q *solvers.Query, class solvers.Class, why string) *solvers.Run {
	r := &solvers.Run{Target: t.Name(), Mode: t.Mode(), Class: class, ExitCode: -1, Message: why}
	if s := t.Solver(); s != nil {
		r.Solver, r.Version = s.Name, s.Version
	}
	r.Answers = make([]smtlib.Answer, q.Count(solvers.AnswerReply))
	return r
}
