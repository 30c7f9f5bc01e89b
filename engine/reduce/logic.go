package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"
)

// smallerLogic replaces the logic of the case, if it needs one, by the smallest one that allows its terms. A small
// logic says more about the cause, and developers close reports about scripts that their logic does not allow. A case
// whose logic allows too little gets a wider one, if it still shows the property there.
func smallerLogic(s *search) {
	at := slices.IndexFunc(s.Current().Commands, func(c smtlib.Command) bool { return c.Kind == smtlib.CmdSetLogic })
	if at < 0 {
		return
	}
	need := needsOf(s.Arena, s.Current().Commands)
	name := func() string { return s.Current().Commands[at].Text }
	renamed := func(is driver.Change, names ...string) bool {
		var list []proposal
		for _, to := range names {
			if to == name() || !logic.Allows(to, need) {
				continue
			}
			list = append(list, proposal{Make: func() *state {
				c := s.Current().Commands[at]
				c.Text = to
				return s.ReplacedCommand(at, c)
			}, Is: is})
		}
		return s.FirstOf(list) >= 0
	}
	if !logic.Allows(name(), need) {
		renamed(driver.Reprinted, logic.Smallest(need), logic.Fit(name(), need), "ALL")
	}
	for renamed(driver.Cosmetic, logic.Smaller(name())...) {
	}
}

// needsOf returns the logic features that commands need.
func needsOf(a *smt.Arena, commands []smtlib.Command) (need logic.Features) {
	var terms []smt.Term
	for i := range commands {
		c := &commands[i]
		terms = append(terms, c.Terms...)
		need |= logic.OfDeclared(a, c.Symbols, c.Sorts)
	}
	return need | logic.OfTerms(a, terms)
}
