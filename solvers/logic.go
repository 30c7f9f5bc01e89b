package solvers

import (
	"slices"

	"github.com/smtlark/smtlark/engine/logic"
)

// Takes reports whether the profile's theories cover a logic. It is true for logics that cannot be told from their
// name: whether a solver takes those, it says itself.
func (p *Profile) Takes(name string) bool {
	features, known := logic.Parse(name)
	return !known || len(p.Theories) == 0 || p.hasTheoriesOf(features)
}

// hasTheoriesOf reports whether the profile lists the theories of all these features.
func (p *Profile) hasTheoriesOf(features logic.Features) bool {
	for _, t := range features.Theories() {
		if !slices.Contains(p.Theories, t) {
			return false
		}
	}
	return true
}

// Declines says why the solver need not be asked: the profile's theories do not cover the logic or, where the name of
// the logic does not tell (ALL, or none), the sort of a declared symbol. It is "" when the solver has to say itself.
func (p *Profile) Declines(q *Query) string {
	if !p.Takes(q.Logic) {
		return "it does not take the logic " + q.Logic
	}
	if _, known := logic.Parse(q.Logic); known || q.Script == nil || len(p.Theories) == 0 {
		return ""
	}
	a := q.Script.Arena
	for i := range q.Script.Commands {
		for _, f := range q.Script.Commands[i].Symbols {
			info := a.SymbolInfo(f)
			for _, s := range append(slices.Clip(info.Params), info.Result) {
				if !p.hasTheoriesOf(logic.OfSort(a, s) &^ logic.Functions) { // every solver reads sorts of the user's own
					return "it has no sort " + a.SortString(s)
				}
			}
		}
	}
	return ""
}
