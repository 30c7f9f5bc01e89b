package solvers

import (
	"maps"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Support says what the solver accepts: its theories, and the features of them that it lacks.
type Support struct {
	Theories     []string              `star:"theories" doc:"theories it decides or at least reads, named as in the operator table"`
	Logics       []string              `star:"logics" doc:"the only logics that it knows, such as [\"HORN\"]; by default those of its theories"`
	APIExclude   []rule.VersionedLack  `star:"api_exclude" of:"solver.lacks" doc:"features that API fuzzing leaves out because the solver lacks them: a list of solver.lacks(...)"`
	APIAvoid     []rule.VersionedLack  `star:"api_avoid" of:"solver.lacks" doc:"features that API fuzzing leaves out although the solver supports them, as a list of solver.lacks(...): they are known to be wrong, or mean something else. api_exclude lists what a solver lacks; before a campaign the solver is asked, and its answer takes precedence"`
	APIConflicts []rule.TheoryConflict `star:"api_conflicts" of:"solver.conflict" doc:"theories that API fuzzing does not combine: a list of solver.conflict(...)"`
}

func (s *Support) check() error {
	for _, name := range s.Theories {
		if !theoryNames()[name] {
			return fieldError("theories", "%q is no theory%s", name, spelling.HintOrAll(name,
				slices.Sorted(maps.Keys(theoryNames()))))
		}
	}
	for field, rules := range map[string][]rule.VersionedLack{"api_exclude": s.APIExclude, "api_avoid": s.APIAvoid} {
		for _, r := range rules {
			if r.Configuration != "" {
				return fieldError(field, "has %s, which is for configuration_exclude", r.Call())
			}
		}
	}
	return nil
}

// theoryNames are the theories of the operator table, and those without operators. Functions as values are HigherOrder
// (SMT-LIB 2.7 and cvc5) and ArrayFunctions (z3).
var theoryNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{"UF": true, "Datatypes": true, "Quantifiers": true, "HigherOrder": true,
		"ArrayFunctions": true}
	for _, op := range smt.Ops() {
		names[op.Theory] = true
	}
	return names
})

// Takes reports whether the solver takes a logic: its theories cover the logic, or, if Logics is set, the logic is
// listed there. It returns true if the theories of a logic cannot be derived from its name: the solver itself then
// accepts or refuses it.
func (s *Support) Takes(name string) bool {
	if len(s.Logics) > 0 {
		return slices.Contains(s.Logics, name)
	}
	features, known := logic.Parse(name)
	return !known || len(s.Theories) == 0 || s.hasTheoriesOf(features)
}

// hasTheoriesOf reports whether the solver has the theories of all these features.
func (s *Support) hasTheoriesOf(features logic.Features) bool {
	for _, t := range features.Theories() {
		if !slices.Contains(s.Theories, t) {
			return false
		}
	}
	return true
}

// Declines says why the solver need not be asked: its theories do not cover the logic or, if the name of the logic does
// not tell (ALL, or none), the sort of a declared symbol. It returns "" if the solver must be asked.
func (s *Support) Declines(q *Query) string {
	switch {
	case s.Takes(q.Logic):
	case q.Logic == "":
		return "it takes no script without a logic"
	default:
		return "it does not take the logic " + q.Logic
	}
	if _, known := logic.Parse(q.Logic); known || q.Script == nil || len(s.Theories) == 0 {
		return ""
	}
	a := q.Script.Arena
	for i := range q.Script.Commands {
		for _, f := range q.Script.Commands[i].Symbols {
			info := a.SymbolInfo(f)
			for _, sort := range append(slices.Clip(info.Params), info.Result) {
				if !s.hasTheoriesOf(logic.OfSort(a, sort) &^ logic.Functions) { // every solver accepts user-declared sorts
					return "it has no sort " + a.SortString(sort)
				}
			}
		}
	}
	return ""
}
