package confirm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/solvers"
)

// replica is a target with a process of its own, in the place of a target of the campaign.
type replica struct {
	orig, run solvers.Target
}

// close ends the replica's processes. A replica that is the target itself starts anew with its next run.
func (r *replica) close() { _ = r.run.Close() }

// instances makes new processes of the targets of a plan, and asks them and its oracles about cases.
type instances struct {
	plan   *campaign.Plan
	models bool             // oracles want models, so each case is asked for them
	ahead  finding.Sequence // what replicas are given ahead of each run
}

// queryFor returns the query for a case.
func (w *instances) queryFor(c *testcase.Case) *solvers.Query { return Question(c, w.models) }

// replicasIn returns targets for the given mode; mode "" means that of each target. names nil means all targets. Those
// that cannot be had in that mode are left out.
func (w *instances) replicasIn(names []string, mode solvers.Mode) []*replica {
	var out []*replica
	for _, t := range w.plan.Targets {
		if names != nil && !slices.Contains(names, t.Name()) {
			continue
		}
		want := mode
		if want == "" {
			want = t.Mode()
		}
		r := &replica{orig: t}
		var err error
		changer, ok := t.(campaign.ModeChanger)
		switch {
		case w.plan.InMode != nil:
			r.run, err = w.plan.InMode(t, want)
		case ok:
			r.run, err = changer.InMode(want)
		default:
			err = fmt.Errorf("%s has one mode only", t.Name())
		}
		if err != nil || r.run == nil {
			if want != t.Mode() {
				continue
			}
			r.run = t
		}
		r.run = withSequence(r.run, w.ahead)
		out = append(out, r)
	}
	if w.plan.Modes != nil { // in the order in which oracles see runs
		first := func(r *replica) int { return w.plan.Modes.First(slices.Index(w.plan.Targets, r.orig)) }
		slices.SortStableFunc(out, func(a, b *replica) int { return cmp.Compare(first(a), first(b)) })
	}
	return out
}

// targetIn returns a target of the plan, with processes of its own, in the mode of a finding; nil when there is none.
func (w *instances) targetIn(name, mode string) solvers.Target {
	for _, r := range w.replicasIn([]string{name}, modeNamed(mode)) {
		return r.run
	}
	return nil
}

// rightTargets returns targets by name, each in mode fresh where it has that.
func (w *instances) rightTargets(names []string) []*replica {
	var out []*replica
	for _, n := range names {
		rs := w.replicasIn([]string{n}, solvers.Fresh)
		if len(rs) == 0 {
			rs = w.replicasIn([]string{n}, "")
		}
		out = append(out, rs...)
	}
	return out
}

// wrongSolver is the solver that a verdict is about; nil when that is not known.
func (w *instances) wrongSolver(v *oracle.Verdict) *solvers.Solver {
	for _, t := range w.plan.Targets {
		if slices.Contains(v.Targets, t.Name()) {
			return t.Solver()
		}
	}
	return nil
}

func closeReplicas(rs []*replica) {
	for _, r := range rs {
		r.close()
	}
}

// askReplicas runs a query on new processes; the runs bear the names of the campaign's targets.
func askReplicas(ctx context.Context, rs []*replica, q *solvers.Query, lim solvers.Limits) []*solvers.Run {
	runs := make([]*solvers.Run, len(rs))
	for i, r := range rs {
		run := *r.run.Run(ctx, q, lim)
		run.Target = r.orig.Name()
		runs[i] = &run
		r.close()
	}
	return runs
}

// runOthers runs a case on the targets that are not among the given runs, each in a new process in mode fresh: for the
// table of a finding. Targets that come to the same command line are asked once.
func (w *instances) runOthers(ctx context.Context, c *testcase.Case, have []finding.Run) []finding.Run {
	same := func(a, b *finding.Run) bool {
		return a.Solver == b.Solver && a.Mode == b.Mode && a.Preamble == b.Preamble && len(a.Argv) == len(b.Argv) &&
			(len(a.Argv) == 0 || slices.Equal(a.Argv[:len(a.Argv)-1], b.Argv[:len(b.Argv)-1]))
	}
	var out []finding.Run
	q := w.queryFor(c)
	for _, r := range w.replicasIn(nil, solvers.Fresh) {
		if w.plan.Modes.IsFurther(slices.Index(w.plan.Targets, r.orig)) { // in mode fresh it is the same
			continue
		}
		s := r.orig.Solver()
		if slices.ContainsFunc(have, func(h finding.Run) bool { return h.Target == r.orig.Name() }) || s != nil && s.Profile != nil && s.Profile.Declines(q) != "" {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		info := finding.RunOf(askReplicas(ctx, []*replica{r}, q, w.plan.Limits)[0])
		known := func(h finding.Run) bool { return same(&h, &info) }
		if ctx.Err() == nil && !slices.ContainsFunc(have, known) && !slices.ContainsFunc(out, known) {
			out = append(out, info)
		}
	}
	return out
}

// sameVerdict returns the verdict of the oracles that is the same as v; nil if there is none.
func (w *instances) sameVerdict(oracles []oracle.Oracle, c *testcase.Case, runs []*solvers.Run, v *oracle.Verdict) *oracle.Verdict {
	verdicts, _ := Judge(oracles, c, runs)
	i := slices.IndexFunc(verdicts, func(x oracle.Verdict) bool { return triage.Same(v, &x) })
	if i < 0 {
		return nil
	}
	return &verdicts[i]
}

// repetitionLimits returns the limits of repeated runs: twice the time, because the machine may be busier than before,
// and the time of a new process includes loading its program or library.
func (w *instances) repetitionLimits(rs []*replica) solvers.Limits {
	lim := w.plan.Limits
	if lim.Wall == 0 {
		for _, r := range rs {
			lim.Wall = max(lim.Wall, solvers.LimitsOf(r.orig).Wall)
		}
	}
	lim.Wall, lim.CPU = 2*lim.Wall, 2*lim.CPU
	return lim
}

// reduceLimits derives the limits for runs of a reduction from the time of the confirmed runs: candidates that need
// much longer are not worth waiting for.
func (w *instances) reduceLimits(wall time.Duration) solvers.Limits {
	lim := w.plan.Limits
	if limit := max(2*time.Second, 4*wall); lim.Wall == 0 || limit < lim.Wall {
		lim.Wall = limit
	}
	return lim
}

// inOneMode returns names; if there are none, it returns the targets that an oracle may look at for a verdict. Of a
// target that is asked in several modes it takes one mode, as in the case of the verdict: that of the wrong target, if
// it has that mode. A result of nil means all targets.
func (w *instances) inOneMode(names []string, v *oracle.Verdict) []string {
	if names != nil || w.plan.Modes == nil || len(v.Targets) == 0 {
		return names
	}
	mode := solvers.Mode("")
	for _, t := range w.plan.Targets {
		if t.Name() == v.Targets[0] {
			mode = t.Mode()
		}
	}
	names = slices.Concat(v.Targets, v.Against)
	for i, t := range w.plan.Targets {
		ways := w.plan.Modes.Others(i)
		if w.plan.Modes.IsFurther(i) || slices.ContainsFunc(ways, func(j int) bool { return slices.Contains(names, w.plan.Targets[j].Name()) }) {
			continue
		}
		name := t.Name()
		for _, j := range ways {
			if w.plan.Targets[j].Mode() == mode {
				name = w.plan.Targets[j].Name()
			}
		}
		names = append(names, name)
	}
	return names
}
