package eval

import (
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/smt"
)

// budget is what an evaluation may still cost.
type budget struct {
	Limits  Limits
	steps   int64
	held    int64 // words of large values since values were last dropped
	visited int64 // nodes since the evaluator was made, by weight
	depth   int   // nested runs
	aborted *value.Reason
	spent   bool // the budget, by a quantifier before
}

// wordsPerStep is how large a value is that costs as much as a step.
const wordsPerStep = 8

// chargeMemory accounts for a large value. Inside functions, where variables are bound, values replace each other, so they cost steps only.
func (e *budget) chargeMemory(op smt.Op, words int64, inside bool) {
	e.visited += words / wordsPerStep
	if inside {
		e.steps -= words / wordsPerStep
		return
	}
	e.held += words
	if e.held > e.Limits.wordLimit() && e.aborted == nil {
		e.aborted = &value.Reason{Op: op.String(), Why: "too large: the values of subterms need more memory than the limit"}
	}
}
