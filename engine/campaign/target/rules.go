package target

import (
	"slices"

	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/solvers/rule"
)

// RulesOf returns the features that targets exclude from generated cases, and the missing features that concern walks.
func RulesOf(targets []*Solver) (all gen.Exclusions, aboutWalks []rule.Lack) {
	return rulesOf(targets, (*Solver).Excluded)
}

// AcceptanceOf returns the rules for scripts that all targets accept. They cover features that targets lack, not those
// that walks merely avoid. Targets whose profiles exclude nothing are ignored.
func AcceptanceOf(targets []*Solver) *acceptance.Rules {
	known := slices.DeleteFunc(Plain(targets), func(s *Solver) bool { return s.Found.Profile.APIExclude == nil })
	if len(known) == 0 {
		return acceptance.New(gen.Exclusions{}, nil)
	}
	return acceptance.New(rulesOf(known, (*Solver).Lacks))
}

// rulesOf implements RulesOf and AcceptanceOf; lacks returns the features to exclude for one target.
func rulesOf(targets []*Solver, lacks func(*Solver) []rule.Lack) (all gen.Exclusions, aboutWalks []rule.Lack) {
	var rules []gen.Exclusions
	for _, s := range targets {
		p := s.Found.Profile
		r := gen.Exclusions{Kinds: []string{p.Name}, Theories: p.Theories, Conflicts: p.APIConflicts, Logics: p.Logics}
		for _, l := range lacks(s) {
			if l.AboutWalks() {
				aboutWalks = append(aboutWalks, l)
			} else {
				r.Exclude = append(r.Exclude, l)
			}
		}
		rules = append(rules, r)
	}
	all = gen.Together(rules...)
	if len(targets) == 0 {
		all.Kinds = []string{"any"}
	}
	return all, aboutWalks
}
