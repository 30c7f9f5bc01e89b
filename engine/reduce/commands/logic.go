package commands

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/script"
)

// SmallerLogic gives the case the smallest logic that allows what it has, where it needs one: that says more about the
// cause, and developers close a report about a script that its logic does not allow. A case whose logic allows too
// little gets a wider one, if it shows the property there.
func SmallerLogic(s *script.Search) {
	at := slices.IndexFunc(s.Current().Commands, func(c smtlib.Command) bool { return c.Kind == smtlib.CmdSetLogic })
	if at < 0 {
		return
	}
	need := needsOf(s.Arena, s.Current().Commands)
	name := func() string { return s.Current().Commands[at].Text }
	renamed := func(is driver.Kind, names ...string) bool {
		var list []script.Proposal
		for _, to := range names {
			if to == name() || !logic.Allows(to, need) {
				continue
			}
			list = append(list, script.Proposal{Make: func() *script.State {
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

// needsOf returns what commands need of their logic.
func needsOf(a *smt.Arena, commands []smtlib.Command) (need logic.Features) {
	var terms []smt.Term
	for i := range commands {
		c := &commands[i]
		terms = append(terms, c.Terms...)
		need |= logic.OfDeclared(a, c.Symbols, c.Sorts)
	}
	return need | logic.OfTerms(a, terms)
}
