package lineup

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/roster"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Members returns all who take part, those that are tested before the references, and says when each is asked; nil:
// always.
func Members(tested, references []*target.Solver, takeTurns bool) ([]*target.Solver, *roster.Roster) {
	all := slices.Concat(tested, references)
	if len(references) == 0 && !takeTurns {
		return all, nil
	}
	var members []roster.Member
	for i, v := range all {
		m := roster.Member{Kind: v.Found.Profile.Name, Product: v.Product(), Reference: i >= len(tested)}
		if c := v.Found.Profile.ConfigurationOf(v.Opt.Args, v.Opt.SMTOptions); c != nil {
			m.Configuration = c.Name
		}
		members = append(members, m)
	}
	return all, roster.New(members, takeTurns)
}

// Groups returns the groups of targets that cases are made for: one each where they take turns, else all together.
func Groups(tested []*target.Solver, takeTurns bool) (groups [][]*target.Solver) {
	if !takeTurns {
		return [][]*target.Solver{tested}
	}
	for _, v := range tested {
		groups = append(groups, []*target.Solver{v})
	}
	return groups
}

// InEveryMode returns the members in the further modes that they have, for members whose mode was not chosen, and
// records which of the results are one member. They must follow all members. The first tested members are no
// references, which are asked in their own modes.
func InEveryMode(ctx context.Context, all []*target.Solver, tested int) (further []*target.Solver, modes *roster.Modes) {
	groups := map[int][]int{}
	named := map[string]bool{}
	for _, v := range all {
		named[v.Name()] = true
	}
	mode := func(i int) solvers.Mode {
		if i < len(all) {
			return all[i].Opt.Mode
		}
		return further[i-len(all)].Opt.Mode
	}
	for i, v := range all[:tested] {
		if v.Further == nil {
			continue
		}
		groups[i] = []int{i}
		for _, way := range v.Further(ctx) {
			if named[way.Name()] { // it is a target of its own
				continue
			}
			named[way.Name()] = true
			groups[i] = append(groups[i], len(all)+len(further))
			further = append(further, way)
		}
	}
	return further, roster.NewModes(groups, mode)
}

// Audience names the targets that the cases of a technique are made for, and chooses the seeds and cases that these
// take. It belongs to one goroutine.
type Audience struct {
	members []*target.Solver
	roster  *roster.Roster // nil: cases are for all members
	seeds   *corpus.Corpus // nil: none
	of      map[string]*corpus.Corpus
	takes   map[string]*acceptance.Targets
}

// NewAudience returns the audience of all members, or of those whose turn it is.
func NewAudience(members []*target.Solver, turns *roster.Roster, seeds *corpus.Corpus) *Audience {
	return &Audience{members: members, roster: turns, seeds: seeds, of: map[string]*corpus.Corpus{}, takes: map[string]*acceptance.Targets{}}
}

// TakesTurns reports whether cases are for some of the members only.
func (a *Audience) TakesTurns() bool { return a.roster != nil }

// At returns the targets whose common ground case n of a campaign keeps to, those of them that it is made for, and the
// seeds that they accept; nil seeds means all. References that are compared with the rest count only if there are seeds
// that all accept.
func (a *Audience) At(seed, n uint64) (targets, madeFor []*target.Solver, seeds *corpus.Corpus) {
	if a.roster == nil {
		return a.members, a.members, nil
	}
	turn := a.roster.Turn(seed, n)
	key := ""
	for _, i := range turn.MadeFor() {
		targets = append(targets, a.members[i])
		key += " " + strconv.Itoa(i)
	}
	key += " for"
	for _, i := range turn.For {
		madeFor = append(madeFor, a.members[i])
		key += " " + strconv.Itoa(i)
	}
	if a.seeds == nil {
		return targets, madeFor, nil
	}
	if a.of[key] == nil {
		a.of[key] = cmp.Or(a.seeds.For(profilesOf(targets)), a.seeds.For(profilesOf(madeFor)), a.seeds)
	}
	return targets, madeFor, a.of[key]
}

func profilesOf(targets []*target.Solver) []*solvers.Profile {
	profiles := make([]*solvers.Profile, len(targets))
	for i, s := range targets {
		profiles[i] = s.Found.Profile
	}
	return profiles
}

// Takers returns a function that reports whether a member accepts a case, by the known facts about features that it
// lacks.
func Takers(members []*target.Solver) func(member int, c *testcase.Case) bool {
	rules := make([]*acceptance.Rules, len(members))
	return func(i int, c *testcase.Case) bool {
		if rules[i] == nil {
			rules[i] = target.AcceptanceOf(members[i : i+1])
		}
		return rules[i].Declines(c.Script) == ""
	}
}

// Accepted returns the rules about scripts that are accepted by the targets that a case is made for. If all targets are
// asked about each case, it is enough that one accepts it. Targets that take turns are ways of asking one product, and
// all of them must accept it.
func (a *Audience) Accepted(targets []*target.Solver) *acceptance.Targets {
	var key strings.Builder
	for _, s := range targets {
		key.WriteString(s.Name() + "\x00")
	}
	known := a.takes[key.String()]
	if known == nil {
		var rules []*acceptance.Rules
		if a.roster != nil {
			rules = append(rules, target.AcceptanceOf(targets))
		} else {
			for _, s := range targets {
				rules = append(rules, target.AcceptanceOf([]*target.Solver{s}))
			}
		}
		known = acceptance.OfTargets(target.FactsOf(targets), rules...)
		a.takes[key.String()] = known
	}
	return known
}

// mostTries bounds how often a case is made until the targets take it, by the known facts about them.
const mostTries = 8

// MakeTaken makes a case from seeds until the targets take it and it has none of the shapes that are avoided, each time
// with other random numbers. A declined case is worth nothing to the targets, but a campaign without any cases would be
// worse, so the last try counts in any case. once makes a case.
func MakeTaken(accepted *acceptance.Targets, avoided []rule.Lack, r *rng.Source, once func(r *rng.Source) (*testcase.Case, error)) (*testcase.Case, error) {
	again := r.SplitString("again")
	for tries := uint64(1); ; tries++ {
		c, err := once(r)
		last := tries == mostTries
		var skip *campaign.SkipError
		switch {
		case err != nil && (tries == 1 || last || !errors.As(err, &skip)):
			return nil, err
		case err == nil && (last || len(c.Origin.Seeds) == 0 || c.LiveTrace() != nil):
			return c, nil
		case err == nil && accepted.Declines(c) == "":
			if _, has := acceptance.FirstOf(avoided, c.Script); !has {
				return c, nil
			}
		}
		r = again.Split(tries)
	}
}
