package acceptance

import (
	"slices"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Targets has the known facts about which scripts the targets of a case accept.
type Targets struct {
	// Facts are the answers of the targets about themselves that the rules follow: a case that was chosen by the rules
	// depends on these answers.
	Facts []*testcase.Answer

	rules []*Rules
	seeds map[string]string // by their keys: why they are declined, "" for those that are not
}

// OfTargets returns the Targets for some rules: a script is declined only if each of the rules declines it.
func OfTargets(facts []*testcase.Answer, rules ...*Rules) *Targets {
	return &Targets{Facts: facts, rules: rules, seeds: map[string]string{}}
}

// Declines returns why the targets do not accept a case, even in another logic (Fit); "" if no reason is known.
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

// Fit returns the script of a case. If none of the targets accepts the script as it is, but one accepts it in another
// logic, the result has that logic.
func (t *Targets) Fit(c *testcase.Case) *smtlib.Script {
	// Nearly all scripts are in a logic that no target refuses; checking them against all rules would be wasted work.
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
