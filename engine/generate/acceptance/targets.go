package acceptance

import (
	"slices"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Targets has the known facts about the scripts that the targets of a case take.
type Targets struct {
	// Facts are the answers of the targets about themselves that the rules follow: a case that was chosen by them
	// depends on these.
	Facts []*testcase.Answer

	rules []*Rules
	seeds map[string]string // by their keys: why they are declined, "" for those that are not
}

// OfTargets returns what some targets take: a script counts as declined where each of the rules declines it.
func OfTargets(facts []*testcase.Answer, rules ...*Rules) *Targets {
	return &Targets{Facts: facts, rules: rules, seeds: map[string]string{}}
}

// Declines says why the targets do not take a case, not even in another logic (Fit); "" where nothing is known to be in
// the way.
func (t *Targets) Declines(c *testcase.Case) (why string) {
	if t == nil {
		return ""
	}
	for _, r := range t.rules {
		if why = r.Declines(r.Fit(c.Script)); why == "" {
			return ""
		}
	}
	return why
}

// Fit returns the script of a case, in another logic where none of the targets takes it as it is and one does so.
func (t *Targets) Fit(c *testcase.Case) *smtlib.Script {
	// Nearly all scripts are in a logic that nobody refuses: to hold these against all rules would be in vain.
	if t == nil || !slices.ContainsFunc(t.rules, func(r *Rules) bool { return r.refusesLogic(c.Script) }) {
		return c.Script
	}
	for _, r := range t.rules {
		if r.Declines(c.Script) == "" {
			return c.Script
		}
	}
	for _, r := range t.rules {
		if s := r.Fit(c.Script); s != c.Script && r.Declines(s) == "" {
			return s
		}
	}
	return c.Script
}

// DeclinesSeed is Declines of a seed, remembered by the key of the seed.
func (t *Targets) DeclinesSeed(key string, c *testcase.Case) string {
	why, known := t.seeds[key]
	if !known {
		why = t.Declines(c)
		t.seeds[key] = why
	}
	return why
}
