package commands

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/script"
)

// SmallerLogic gives the case a logic with fewer theories, where it needs one: that says more about the cause.
func SmallerLogic(s *script.Search) {
	at := slices.IndexFunc(s.Current().Commands, func(c smtlib.Command) bool { return c.Kind == smtlib.CmdSetLogic })
	for again := at >= 0; again; {
		var list []script.Proposal
		for _, name := range logic.Smaller(s.Current().Commands[at].Text) {
			list = append(list, script.Proposal{Make: func() *script.State {
				c := s.Current().Commands[at]
				c.Text = name
				return s.ReplacedCommand(at, c)
			}, Is: driver.Cosmetic})
		}
		again = s.FirstOf(list) >= 0
	}
}
