package api

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// maxNested bounds actions that are made of actions.
const maxNested = 16

// Perform does an action of the machine by its name, as a transition would. It makes the action a part of another one.
func (w *Walk) Perform(name string) (Outcome, error) {
	a := w.Cfg.Machine.Actions[name]
	if a == nil {
		return Never, fmt.Errorf("there is no action %q", name)
	}
	if w.conflicts(name) || w.Cfg.Lacks(rule.Action.Of(name)) {
		return NotDone, nil
	}
	if w.nested++; w.nested > maxNested {
		return Never, fmt.Errorf("%d actions inside each other", w.nested)
	}
	out := w.doAction(a)
	w.nested--
	return out, nil
}

// Push opens n assertion levels; false where a variable is open, or there are too many levels.
func (w *Walk) Push(n int) bool {
	if w.Level()+n > maxLevels || w.Gen.DB.Level() > 0 {
		return false
	}
	w.Command(smtlib.Command{Kind: smtlib.CmdPush, N: n})
	w.stack.Push(n)
	w.Gen.Push(n)
	w.Changed()
	return true
}

// Pop closes n assertion levels; false where there are fewer, or a variable is open.
func (w *Walk) Pop(n int) bool {
	if n > w.Level() || w.Gen.DB.Level() > 0 {
		return false
	}
	w.pop(n)
	return true
}

// Assert asserts a formula of the walk, whatever its truth in the walk's assignment. If the formula does not hold
// there, or is not known to hold, nothing is known about the answers until its level is closed, unless a refuted core
// is asserted.
func (w *Walk) Assert(t smt.Term) {
	if holds, known := w.Gen.Ev.Holds(t); !holds || !known {
		w.stack.Add(unsettled)
	}
	w.assert(t)
}

// Check asks for the answer, under assumptions if there are any.
func (w *Walk) Check(assumptions []smt.Term) {
	expected := w.Answer()
	for _, t := range assumptions {
		w.Gen.DB.Use(t)
		if holds, known := w.Gen.Ev.Holds(t); expected == smtlib.Sat && !(holds && known) {
			expected = smtlib.None
		}
	}
	w.checkFor(assumptions, expected)
}

// Checks is the number of check-sats so far.
func (w *Walk) Checks() int { return w.checks }

// CheckAgain repeats check-sat number at, counted from 0. The same assertions hold, so the solver must not give the
// opposite answer. It returns an error if the problem has changed since.
func (w *Walk) CheckAgain(at int) error {
	s := w.Trace().Script("")
	n := s.CheckSats()
	if at < 0 || at >= n {
		return fmt.Errorf("there is no check-sat %d: the walk has %d so far", at, n)
	}
	if !solvers.SameAsserted(s, at, n) { // at n: the assertions now
		return fmt.Errorf("the answer need not be that of check-sat %d: other formulas were asserted and assumed there", at)
	}
	w.Check(nil)
	w.calls[len(w.calls)-1].Same = true
	return nil
}

// hasModel reports whether the solver may be asked about a model: models are enabled, the latest answer may be sat, and
// the problem has not changed since.
func (w *Walk) hasModel() bool {
	return w.options["produce-models"] == "true" && w.last.Checked && !w.last.Spent && w.last.Answer != smtlib.Unsat
}

// GetValue asks for the values of terms; false where the solver has no model.
func (w *Walk) GetValue(terms []smt.Term) bool {
	if !w.hasModel() {
		return false
	}
	c := smtlib.Command{Kind: smtlib.CmdGetValue, Terms: terms}
	if w.branch == smtlib.None { // outside of the states that assume an answer
		w.branch = smtlib.Sat
		defer func() { w.branch = smtlib.None }()
	}
	w.Command(c)
	return true
}

// setOption sets an option, and notes it.
func (w *Walk) setOption(name, value string) {
	w.options[name] = value
	w.Command(smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":" + name, Text: value})
}
