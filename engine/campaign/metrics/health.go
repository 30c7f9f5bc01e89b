package metrics

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/solvers"
)

// enoughRuns is the number of runs before anything is said about a target's or a mutator's health.
const enoughRuns = 100

// enoughSkipped is the number of skips in a row, without any case, from which something is wrong with the technique.
const enoughSkipped = 20

// Shares from which something is worth a warning.
const (
	manyRejected = 0.05 // ill-formed cases
	manyGarbage  = 0.05 // replies that are none
	mostRuns     = 0.5
	fewAsked     = 0.05 // of the runs of a target: fewer and it starves
	fewDecided   = 0.05 // of the check-sats
	mostTime     = 0.6  // of all targets' time
	mostCases    = 0.9
)

// warnings collects them.
type warnings []string

func (w *warnings) add(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

// Warnings returns what somebody who watches the campaign should know, and what to do about it.
func (s *Stats) Warnings() []string {
	var out warnings
	wall := 0.0
	for i := range s.Targets {
		wall += s.Targets[i].Wall
	}
	for i := range s.Targets {
		s.Targets[i].addWarnings(&out)
		if t := &s.Targets[i]; len(s.Targets) > 2 && t.Asked >= enoughRuns && t.Wall > mostTime*wall {
			out.add("%s takes %.0f %% of the time of all targets, and the others wait for it; try --timeout, or leave it out", t.Name, 100*t.Wall/wall)
		}
	}
	if s.Cases == 0 && s.Skipped >= enoughSkipped {
		out.add("no case was made: all %d were skipped; the summary counts the reasons", s.Skipped)
	} else if all := s.Cases + s.Skipped; all >= enoughRuns && float64(s.Skipped) > mostCases*float64(all) {
		out.add("%.0f %% of the cases are skipped; the summary counts the reasons", 100*float64(s.Skipped)/float64(all))
	}
	for i := range s.Techniques {
		s.Techniques[i].addWarnings(&out, "technique")
	}
	for i := range s.Steps {
		m := &s.Steps[i]
		if !slices.ContainsFunc(s.Techniques, func(t TechniqueStats) bool { return t.Cases == m.Cases && t.Repeats == m.Repeats }) { // the technique is not just this mutator
			m.addWarnings(&out, "mutator")
		}
	}
	if s.Findings.Ungrouped > 0 {
		out.add("%d verdicts were left alone: there are more than %d different ones; set oracle.bug(..., group = ...)", s.Findings.Ungrouped, MaxGroups)
	}
	if n := len(s.MislabelledSeeds); n > 0 {
		out.add("seeds with another answer than their label says: %d, the first is %s", n, s.MislabelledSeeds[0])
	}
	if n := s.Findings.Refuted; n > 0 && len(s.MislabelledSeeds) == 0 {
		out.add("%d answers that cases were said to have are wrong; they are no findings", n)
	}
	if s.Killed > 0 {
		out.add("%d cases killed their worker twice", s.Killed)
	}
	if s.Internal > 0 {
		out.add("%d internal errors of smtlark", s.Internal)
	}
	return out
}

// addWarnings adds warnings about problems with a target.
func (t *TargetStats) addWarnings(out *warnings) {
	share := func(n uint64) float64 { return float64(n) / float64(max(1, t.Runs)) }
	if n := t.Count(solvers.StartFailure); n >= MaxDown && share(n) > mostRuns {
		out.add("%s cannot be started (%d of %d runs); see `smtlark solvers`", t.Name, n, t.Runs)
		return
	}
	if t.Runs < enoughRuns {
		return
	}
	if n := t.Count(solvers.ParseError); share(n) > manyRejected {
		out.add("%s rejects %.0f %% of the cases as ill-formed", t.Name, 100*share(n))
	}
	switch n := t.Count(solvers.Unsupported, solvers.Refusal); {
	case t.Asked > 0 && share(t.Asked) < fewAsked, t.Asked == 0 && t.Wall == 0 && share(n) == 1:
		out.add("%s starves: it takes the logic of %d of %d cases only", t.Name, t.Asked, t.Runs)
		return
	case share(n) > mostRuns:
		out.add("%s declines %.0f %% of the cases: logic or operators it does not support", t.Name, 100*share(n))
	}
	if n := t.Count(solvers.Timeout); share(n) > mostRuns {
		out.add("%s times out on %.0f %% of the cases", t.Name, 100*share(n))
	}
	if n := t.Count(solvers.Garbage, solvers.OutputLimit); share(n) > manyGarbage {
		out.add("%s writes what is no SMT-LIB reply in %.0f %% of the runs", t.Name, 100*share(n))
	}
	declines := share(t.Count(solvers.Unsupported, solvers.Refusal)) > mostRuns
	switch {
	case declines: // its answers to the few other cases say nothing
	case t.Sat+t.Unsat == 0 && t.Unknown > 0:
		out.add("%s answers nothing but unknown", t.Name)
	case t.Checks >= enoughRuns && t.Decided < fewDecided:
		out.add("%s decides %.1f %% of the check-sats only", t.Name, 100*t.Decided)
	}
}
