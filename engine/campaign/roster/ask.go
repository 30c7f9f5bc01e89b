package roster

import (
	"slices"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// MadeFor lists the members that must all support the case, in ascending order: those that are always asked.
func (t rosterTurn) MadeFor() []int {
	if !t.Compared {
		return t.For
	}
	return slices.Sorted(slices.Values(slices.Concat(t.For, t.References)))
}

// Ask asks who takes part about a case; run asks a member. A reference that does not support the case, according to
// takes, is skipped, and the next one is asked instead: the case was not made for it.
func (t rosterTurn) Ask(c *testcase.Case, takes func(i int) bool, run func(i int) *solvers.Run) {
	var open []int // check-sats that a member decided, and about which nothing is known
	for _, i := range t.For {
		open = append(open, undetermined(c, run(i))...)
	}
	if t.Compared {
		for _, i := range t.References {
			if takes(i) {
				run(i)
			}
		}
		return
	}
	if c.LiveTrace() != nil { // of operators that a reference need not have
		return
	}
	for _, i := range t.References {
		if len(open) == 0 {
			return
		}
		if !takes(i) {
			continue
		}
		decided := undetermined(c, run(i))
		open = slices.DeleteFunc(open, func(check int) bool { return slices.Contains(decided, check) })
	}
}

// undetermined returns the check-sats that a run decided and whose answers are not known.
func undetermined(c *testcase.Case, r *solvers.Run) (checks []int) {
	for i, a := range r.Answers {
		if a.Decided() && (i >= len(c.Expect) || c.Expect[i] == smtlib.None) {
			checks = append(checks, i)
		}
	}
	return checks
}
