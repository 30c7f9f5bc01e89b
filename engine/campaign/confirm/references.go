package confirm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// The known answers of a case follow from its construction, but a smaller case was not constructed. A wrong unsat keeps
// its proof as long as the witness satisfies the rest. A wrong sat has no such proof, so each smaller case has to be
// confirmed: by the evaluator if possible, else by reference solvers. These are solvers that are right about the case
// as it was found: targets of the campaign that gave the right answer, and those of Plan.ReduceReferences.

// referenceSolver is one that was right about the case as it was found.
type referenceSolver struct {
	target solvers.Target
	limit  time.Duration // of a run
}

// displayName returns the name of the solver in reports.
func (v *referenceSolver) displayName() string {
	if s := v.target.Solver(); s != nil {
		return s.Name
	}
	return v.target.Name()
}

// references are the reference solvers of one reduction.
type references struct {
	lim     solvers.Limits
	all     []*referenceSolver
	trusted []*referenceSolver
	wrong   []string // who gives the wrong answer, too
}

const (
	firstLimit = 5 * time.Second // for the case as it was found
	maxTrusted = 2               // reference solvers that are asked about every case
	maxAsked   = 12              // that are asked about the case as it was found
)

// chooseReferences finds reference solvers for the case as it was found: those that are right about each of its claims.
// The targets of the campaign that gave the right answer come first, then other kinds of solvers than the one that is
// wrong, then other versions.
func (w *arbiter) chooseReferences(ctx context.Context, v *oracle.Verdict, list []claim.Claim) *references {
	j := w.possibleReferences(v)
	for i, x := range j.all {
		if len(j.trusted) == maxTrusted || i == maxAsked || ctx.Err() != nil {
			break
		}
		right, wall := true, time.Duration(0)
		for k := range list {
			run := x.askAbout(ctx, &list[k], j.lim)
			answer := smtlib.None
			if run != nil {
				answer, wall = answerAt(run, list[k].Check), max(wall, run.Wall)
			}
			if answer.Decided() && answer != list[k].Want {
				j.wrong = append(j.wrong, x.displayName())
			}
			if right = answer == list[k].Want; !right {
				break
			}
		}
		if right {
			// Smaller cases should not take it much longer, and there will be many of them.
			x.limit = time.Second + 3*wall
			j.trusted = append(j.trusted, x)
		}
	}
	return j
}

// possibleReferences lists the solvers that may be asked, in the order in which to ask them.
func (w *arbiter) possibleReferences(v *oracle.Verdict) *references {
	j := &references{lim: w.plan.Limits}
	for _, r := range w.rightTargets(v.Against) {
		j.all = append(j.all, &referenceSolver{target: r.run, limit: firstLimit})
	}
	if w.plan.ReduceReferences != nil {
		own := len(j.all)
		for _, t := range w.plan.ReduceReferences() {
			x := &referenceSolver{target: t, limit: firstLimit}
			if slices.ContainsFunc(j.all, func(y *referenceSolver) bool { return y.displayName() == x.displayName() }) {
				_ = t.Close()
				continue
			}
			j.all = append(j.all, x)
		}
		wrong := w.wrongSolver(v)
		// Other kinds of solvers first: a relative of the wrong one may share its mistake.
		slices.SortStableFunc(j.all[own:], func(a, b *referenceSolver) int {
			return kinship(a.target.Solver(), wrong) - kinship(b.target.Solver(), wrong)
		})
	}
	return j
}

// referencesNamed are those that another worker has found right about the case as it was found.
func (w *arbiter) referencesNamed(v *oracle.Verdict, trusted []wire.Reliable) *references {
	j := w.possibleReferences(v)
	for _, x := range j.all {
		if i := slices.IndexFunc(trusted, func(t wire.Reliable) bool { return t.Name == x.displayName() }); i >= 0 {
			x.limit = trusted[i].Limit
			j.trusted = append(j.trusted, x)
		}
	}
	return j
}

// kinship says how much a solver is like another one: 0 another kind, 1 another version, 2 the same.
func kinship(a, b *solvers.Solver) int {
	switch {
	case a == nil || b == nil || a.Profile == nil || b.Profile == nil || a.Profile.Name != b.Profile.Name:
		return 0
	case a.Version != b.Version:
		return 1
	}
	return 2
}

// askAbout asks the solver about a claim. It returns nil if the solver does not accept the logic or the features of the
// claim.
func (v *referenceSolver) askAbout(ctx context.Context, k *claim.Claim, lim solvers.Limits) *solvers.Run {
	q := k.Question()
	if s := v.target.Solver(); s != nil && s.Profile != nil && s.Profile.Declines(q) != "" {
		return nil
	}
	if lim.Wall == 0 || lim.Wall > v.limit {
		lim.Wall = v.limit
	}
	run := *v.target.Run(ctx, q, lim)
	if v.target.Mode() != solvers.Fresh {
		_ = v.target.Close() // starts anew
	}
	return &run
}

// confirmClaims asks for each claim whether it is right. At least one reference solver has to say so, and none may deny
// it.
func (j *references) confirmClaims(ctx context.Context, list []claim.Claim) (out confirmation, ok bool) {
	for i := range list {
		k := &list[i]
		right := false
		for _, x := range j.trusted {
			run := x.askAbout(ctx, k, j.lim)
			if run == nil {
				continue
			}
			switch answer := answerAt(run, k.Check); {
			case answer == k.Want:
				right = true
				if !slices.Contains(out.by, x.displayName()) {
					out.by = append(out.by, x.displayName())
				}
				if len(list) == 1 {
					out.runs = append(out.runs, run)
				}
			case answer.Decided():
				return confirmation{}, false
			}
		}
		if !right {
			return confirmation{}, false
		}
	}
	return out, true
}

// runOthers asks all reference solvers that are not among the given runs about the reduced case: for the table of a
// finding.
func (j *references) runOthers(ctx context.Context, c *testcase.Case, v *oracle.Verdict, have []finding.Run) (out []finding.Run) {
	if j == nil || !v.IsWrongAnswer() {
		return nil
	}
	lim := j.lim
	lim.Wall = 2 * time.Second
	for _, x := range j.all[:min(len(j.all), maxAsked)] {
		s := x.target.Solver()
		if ctx.Err() != nil || s == nil || slices.ContainsFunc(have, func(r finding.Run) bool { return r.Solver == s.Name && (r.Mode == string(solvers.Fresh)) }) {
			continue
		}
		if run := x.askAbout(ctx, &claim.Claim{Script: c.Script}, lim); run != nil {
			out = append(out, finding.RunOf(run))
		}
	}
	return out
}

func (j *references) closeAll() {
	if j == nil {
		return
	}
	for _, v := range j.all {
		_ = v.target.Close()
	}
}

// noReferenceError says why no reference solver confirms the answer.
func (j *references) noReferenceError() error {
	text := "no other solver gives the right answer, so nothing can tell that a smaller case is still unsat"
	if len(j.wrong) > 0 {
		text += "; the same answer comes from " + strings.Join(j.wrong, ", ")
	}
	return errors.New(text)
}
