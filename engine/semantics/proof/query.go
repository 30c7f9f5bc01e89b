package proof

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// Query returns a script that declares the symbols of the terms and asserts the terms.
func Query(a *smt.Arena, name string, terms ...smt.Term) *smtlib.Script {
	s := &smtlib.Script{Arena: a, Name: name, Commands: []smtlib.Command{{Kind: smtlib.CmdSetLogic, Text: "ALL"}}}
	s.Commands = append(s.Commands, (&scope.Declared{}).Missing(a, terms)...)
	for _, t := range terms {
		s.Commands = append(s.Commands, smtlib.AssertCommand(t))
	}
	s.Commands = append(s.Commands, smtlib.Command{Kind: smtlib.CmdCheckSat})
	return s
}
