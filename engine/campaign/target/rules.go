package target

import (
	"slices"

	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
)

// RulesOf returns what targets do not take of what is made, and the excluding lines of their profiles that are about
// walks and not about terms.
func RulesOf(targets []*Solver) (all gen.Rules, aboutWalks []string) {
	return rulesOf(targets, (*Solver).Excluded)
}

// AcceptanceOf returns what is known of the scripts that targets take together: of what they lack, and not of what walks avoid.
// Profiles that say nothing of it decline nothing.
func AcceptanceOf(targets []*Solver) *acceptance.Rules {
	known := slices.DeleteFunc(Plain(targets), func(s *Solver) bool { return s.Found.Profile.APIExclude == nil })
	if len(known) == 0 {
		return acceptance.New(gen.Rules{}, nil)
	}
	return acceptance.New(rulesOf(known, (*Solver).Lacks))
}

// rulesOf returns the same with the lines that count of each target.
func rulesOf(targets []*Solver, lines func(*Solver) []string) (all gen.Rules, aboutWalks []string) {
	var rules []gen.Rules
	for _, s := range targets {
		p := s.Found.Profile
		r := gen.Rules{Kinds: []string{p.Name}, Theories: p.Theories, Conflicts: p.APIConflicts}
		for _, line := range lines(s) {
			if api.AboutWalks(line) {
				aboutWalks = append(aboutWalks, line)
			} else {
				r.Exclude = append(r.Exclude, line)
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
