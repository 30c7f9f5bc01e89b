package reduce

import "github.com/smtlark/smtlark/engine/smtlib"

// Weight is the measure that reduction lowers: commands, terms (each counted once), declared names and the size of
// literals.
func Weight(script *smtlib.Script) int {
	s := &session{a: script.Arena}
	return s.weigh(script.Commands)
}
