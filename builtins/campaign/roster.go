package campaign

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/builtins/manager"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/acceptance"
	"github.com/smtlark/smtlark/engine/campaign/roster"
	"github.com/smtlark/smtlark/solvers"
)

// product is what the program and the library of one build of a solver have in common; a solver made of others is one of its own.
func product(s *solving.Solver) string {
	if s.Members != nil {
		return s.Name()
	}
	return strings.TrimSuffix(s.Found.Profile.Name+"-"+s.Found.Version, "-")
}

// members returns all who take part, those that are tested before the references, and says when each is asked; nil: always.
func (s *Spec) members() ([]*solving.Solver, *roster.Roster) {
	all := slices.Concat(s.Targets, s.References)
	if len(s.References) == 0 && !s.TakeTurns {
		return all, nil
	}
	var members []roster.Member
	for i, v := range all {
		m := roster.Member{Kind: v.Found.Profile.Name, Product: product(v), Reference: i >= len(s.Targets)}
		if c := v.Found.Profile.ConfigurationOf(v.Opt.Args, v.Opt.SMTOptions); c != nil {
			m.Configuration = c.Name
		}
		members = append(members, m)
	}
	return all, roster.New(members, s.TakeTurns)
}

// makersOf returns the groups of targets that cases are made for: one each where they take turns, else all together.
func (s *Spec) makersOf() (groups [][]*solving.Solver) {
	if !s.TakeTurns {
		return [][]*solving.Solver{s.Targets}
	}
	for _, v := range s.Targets {
		groups = append(groups, []*solving.Solver{v})
	}
	return groups
}

// turns is who the cases of a technique are for, and the seeds that these take.
type turns struct {
	members []*solving.Solver
	roster  *roster.Roster // nil: cases are for all members
	seeds   *value.Corpus  // nil: none
	of      map[string]*value.Corpus
	takes   map[string]*acceptance.Targets
}

// accepted returns what the targets take that case n of a campaign is made for. Where all are asked about each case, one that takes it
// is enough.
func (t *turns) accepted(targets []*solving.Solver) *acceptance.Targets {
	var key strings.Builder
	for _, s := range targets {
		key.WriteString(s.Name() + "\x00")
	}
	known := t.takes[key.String()]
	if known == nil {
		var rules []*acceptance.Rules
		if t.roster != nil {
			rules = append(rules, manager.AcceptanceOf(targets))
		} else {
			for _, s := range targets {
				rules = append(rules, manager.AcceptanceOf([]*solving.Solver{s}))
			}
		}
		known = acceptance.OfTargets(solving.FactsOf(targets), rules...)
		t.takes[key.String()] = known
	}
	return known
}

// at returns who case n of a campaign is for, and the seeds that they take; nil seeds: all there are.
func (t *turns) at(seed, n uint64) (targets []*solving.Solver, seeds *value.Corpus) {
	key := ""
	for _, i := range t.roster.Turn(seed, n).MadeFor() {
		targets = append(targets, t.members[i])
		key += " " + strconv.Itoa(i)
	}
	if t.seeds == nil {
		return targets, nil
	}
	if t.of[key] == nil {
		profiles := make([]*solvers.Profile, len(targets))
		for i, s := range targets {
			profiles[i] = s.Found.Profile
		}
		t.of[key] = t.seeds.For(profiles)
	}
	return targets, t.of[key]
}
