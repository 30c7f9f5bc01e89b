package api

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// solverState is the state of the solver as far as it is known.
type solverState struct {
	stack   smt.Stack[asserted]
	options map[string]string
	logic   string
	used    map[smt.Term]bool // terms that were asserted, or their negations
	last    lastAnswer
	checks  int
	inputs  int
}

// asserted is the kind of an item of the assertion stack.
type asserted uint8

const (
	assertedFormula asserted = iota
	namedFormula             // the next one has a name
	refutedCore              // the next ones are refuted together by construction
	unsettled                // the next one is not known to hold in the walk's assignment
)

// has reports whether the stack has an item of a kind.
func (w *solverState) has(kind asserted) bool { return slices.Contains(w.stack.Items(), kind) }

// lastAnswer is the result of the latest check-sat.
type lastAnswer struct {
	Answer   smtlib.Answer // as expected; None: not known, or there was none since the problem changed
	Checked  bool
	Assumed  bool
	Assuming []smt.Term
	Spent    bool // a question since then has taken its model away
}

// Level is the number of assertion levels that are open.
func (w *solverState) Level() int { return w.stack.Levels() }

// Asserted is the number of assertions.
func (w *solverState) Asserted() int {
	n := 0
	for _, kind := range w.stack.Items() {
		if kind == assertedFormula {
			n++
		}
	}
	return n
}

// Changed notes that the problem is another one than that of the latest check-sat.
func (w *solverState) Changed() { w.last = lastAnswer{} }

// Option returns the value of an option that was set, "" if it was not.
func (w *solverState) Option(name string) string { return w.options[name] }

// Last returns the result of the latest check-sat.
func (w *solverState) Last() lastAnswer { return w.last }

// Logic returns the logic of the walk.
func (w *solverState) Logic() string { return w.logic }

// Inputs is the number of constants and functions declared so far.
func (w *solverState) Inputs() int { return w.inputs }

// closeLevels closes the last n assertion levels.
func (w *solverState) closeLevels(n int) {
	w.stack.Pop(n)
	w.Changed()
}

// forgetAssertions drops all assertions and declarations.
func (w *solverState) forgetAssertions() {
	w.stack.Clear()
	w.inputs = 0
	w.Changed()
}
