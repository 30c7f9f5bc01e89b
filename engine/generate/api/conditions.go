package api

import (
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/solvers/rule"
)

// The conditions that machines are made of. They are compiled, since a walk looks at some of them in each of its steps.

// SortsMade holds where there are sorts beside Bool, or where the theories of the walk have no other.
func SortsMade(r *Walk) bool { return len(r.Gen.DB.Sorts()) > 1 || r.Gen.OnlyCore() }

// InputsMade holds where a constant or a function is declared.
func InputsMade(r *Walk) bool { return r.inputs > 0 }

// TermsMade holds where there are terms beside true and false.
func TermsMade(r *Walk) bool { return r.Gen.DB.Len() > 2 || r.inputs > 0 }

// HasTerms is the condition that there are terms of a sort, which is named by its text.
func HasTerms(sort string) Cond {
	return func(r *Walk) bool { return r.Gen.DB.HasNamed(sort) }
}

// HasTheories is the condition that the walk makes terms of some theories, which are named as in the operator table.
func HasTheories(names ...string) Cond {
	return func(r *Walk) bool {
		for _, name := range names {
			if !r.Gen.On[name] {
				return false
			}
		}
		return true
	}
}

// SomethingAsserted holds where there is an assertion.
func SomethingAsserted(r *Walk) bool { return r.Asserted() > 0 }

// LevelsOpen holds where push has opened an assertion level.
func LevelsOpen(r *Walk) bool { return r.Level() > 0 }

// Asked holds after the first check-sat.
func Asked(r *Walk) bool { return r.checks > 0 }

// Assumed holds where the latest check-sat was asked under assumptions, and the problem is still the same.
func Assumed(r *Walk) bool { return r.last.Assumed }

// ModelKept holds where the solver still has the model behind its latest answer: no question since then has taken it
// away.
func ModelKept(r *Walk) bool { return !r.last.Spent }

// hasModels holds where the targets have models of all that was declared.
func (w *Walk) hasModels() bool {
	var kinds []string
	for _, l := range w.Cfg.Gen.Rules.Exclude {
		if l.Kind == rule.Sort && l.With == "get-model" {
			kinds = append(kinds, l.Of)
		}
	}
	if kinds == nil {
		return true
	}
	declared := w.Trace().Script("")
	return !scope.DeclareKind(declared.Arena, declared.Commands, kinds)
}

// SecondSolverOpen holds where there is a second solver instance.
func SecondSolverOpen(r *Walk) bool { return r.second.open }

// MayBe is the condition that, by the known facts about the problem, the latest check-sat may have had this answer.
func MayBe(answer smtlib.Answer) Cond {
	impossible := smtlib.None
	switch answer {
	case smtlib.Sat:
		impossible = smtlib.Unsat
	case smtlib.Unsat:
		impossible = smtlib.Sat
	default:
		return func(*Walk) bool { return true }
	}
	return func(r *Walk) bool { return r.last.Answer != impossible }
}

// OptionIs is the condition that an option was set to a value.
func OptionIs(name, value string) Cond {
	return func(r *Walk) bool { return r.options[name] == value }
}

// AtMost is the condition that a count is not above a bound.
func AtMost(count func(r *Walk) int, bound int) Cond {
	return func(r *Walk) bool { return count(r) <= bound }
}

// All is the condition that all of some conditions hold.
func All(conditions ...Cond) Cond {
	return func(r *Walk) bool {
		for _, c := range conditions {
			if !c(r) {
				return false
			}
		}
		return true
	}
}

// Any is the condition that one of some conditions holds.
func Any(conditions ...Cond) Cond {
	return func(r *Walk) bool {
		for _, c := range conditions {
			if c(r) {
				return true
			}
		}
		return false
	}
}

// Not is the condition that another one does not hold.
func Not(c Cond) Cond { return func(r *Walk) bool { return !c(r) } }
