package solvers

import (
	"slices"

	"github.com/smtlark/smtlark/solvers/rule"
)

// Lacks returns what the profile's api_exclude says of the solver.
func (s *Solver) Lacks() []rule.Lack { return s.lacksOf(s.Profile.APIExclude) }

// Avoids returns what api_avoid says of the solver, and what it does not document.
func (s *Solver) Avoids() []rule.Lack {
	return slices.Concat(s.lacksOf(s.Profile.APIAvoid), s.Profile.ContractRules())
}

// lacksOf returns what the rules of a profile that count for the solver say it lacks.
func (s *Solver) lacksOf(rules []rule.VersionedLack) (out []rule.Lack) {
	for _, r := range rules {
		if r.Hold(s.Version, s.Library != "") {
			out = append(out, r.Lack)
		}
	}
	return out
}

// Outlives returns the texts of commands whose effect outlives (pop 1), if pop is set, or else (reset).
func (s *Solver) Outlives(pop bool) (texts []string) {
	lines := s.Profile.OutlivesReset
	if pop {
		lines = s.Profile.OutlivesPop
	}
	for _, line := range lines {
		if text, bounds := rule.CutBounds(line); bounds.Hold(s.Version, s.Library != "") {
			texts = append(texts, text)
		}
	}
	return texts
}
