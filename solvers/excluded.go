package solvers

import (
	"slices"

	"github.com/smtlark/smtlark/solvers/rule"
)

// Lacks returns the rules of the profile's api_exclude that apply to the solver.
func (s *Solver) Lacks() []rule.Lack { return s.lacksOf(s.Profile.APIExclude) }

// Avoids returns the rules of api_avoid that apply to the solver, and those for undocumented sorts of operators
// (ContractRules).
func (s *Solver) Avoids() []rule.Lack {
	return slices.Concat(s.lacksOf(s.Profile.APIAvoid), s.Profile.ContractRules())
}

// lacksOf returns the lacks of those rules that apply to the solver's version and interface.
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
