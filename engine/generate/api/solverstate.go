package api

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// solverState is the state of the solver as far as it is known.
type solverState struct {
	levels  []int // number of assertions by assertion level, from level 0
	refuted []int // assertion levels that hold a refuted core
	// unsettled are assertion levels with a formula that is not known to hold in the walk's assignment.
	unsettled []int
	options   map[string]string
	logic     string
	used      map[smt.Term]bool // terms that were asserted, or their negations
	named     []int             // assertion levels of assertions that have a name
	last      lastAnswer
	checks    int
	inputs    int
}

// lastAnswer is what the latest check-sat was.
type lastAnswer struct {
	Answer   smtlib.Answer // as expected; None: not known, or there was none since the problem changed
	Checked  bool
	Assumed  bool
	Assuming []smt.Term
	Spent    bool // a question since then has taken its model away
}

// Level is the number of assertion levels that are open.
func (w *solverState) Level() int { return len(w.levels) - 1 }

// Asserted is the number of assertions.
func (w *solverState) Asserted() int {
	n := 0
	for _, k := range w.levels {
		n += k
	}
	return n
}

// Changed notes that the problem is another one than that of the latest check-sat.
func (w *solverState) Changed() { w.last = lastAnswer{} }

// Option returns the value of an option that was set, "" if it was not.
func (w *solverState) Option(name string) string { return w.options[name] }

// Last returns what the latest check-sat was.
func (w *solverState) Last() lastAnswer { return w.last }

// Logic returns the logic of the walk.
func (w *solverState) Logic() string { return w.logic }

// Inputs is the number of constants and functions declared so far.
func (w *solverState) Inputs() int { return w.inputs }

// closeLevels closes the last n assertion levels.
func (w *solverState) closeLevels(n int) {
	w.levels = w.levels[:len(w.levels)-n]
	closed := func(level int) bool { return level >= len(w.levels) }
	w.refuted = slices.DeleteFunc(w.refuted, closed)
	w.unsettled = slices.DeleteFunc(w.unsettled, closed)
	w.named = slices.DeleteFunc(w.named, closed)
	w.Changed()
}

// forgetAssertions drops all assertions and declarations.
func (w *solverState) forgetAssertions() {
	w.levels, w.refuted, w.unsettled, w.named, w.inputs = []int{0}, nil, nil, nil, 0
	w.Changed()
}
