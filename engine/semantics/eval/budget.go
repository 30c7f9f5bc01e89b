package eval

import (
	"math"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// budget bounds the cost of an evaluation.
type budget struct {
	Limits  Limits
	steps   int64
	taken   int64 // steps of all questions since the evaluator was made
	kept    int64 // words of large values of all questions
	held    int64 // words of large values since values were last dropped
	visited int64 // nodes since the evaluator was made, by weight
	paid    int64 // of them, those that were taken from the allowance
	look    int64 // how many there may be before the allowance is looked at again
	depth   int   // nested runs
	aborted *value.Reason
	spent   bool // the budget, by a quantifier before
}

// Allowance bounds the total cost of several questions, in steps: for example, the questions about one file, whichever
// evaluators answer them. It is not safe for concurrent use.
type Allowance struct{ left int64 }

// FileSteps is the default budget of questions about one file: about two seconds.
const FileSteps = 3 << 20

// NewAllowance returns an allowance of some steps.
func NewAllowance(steps int64) *Allowance { return &Allowance{left: steps} }

// Left returns the number of steps left; none, once it is below 1.
func (a *Allowance) Left() int64 { return a.left }

// Take takes steps for work that is not evaluation but is similar to it, such as a search.
func (a *Allowance) Take(steps int64) { a.left = max(-1, a.left-steps) }

// visitsPerStep is the number of nodes outside of functions and quantifiers that cost as much as a step.
const visitsPerStep = 4

// refill gives a new question the full budget, or the rest of the allowance that all questions share.
func (e *budget) refill() {
	e.steps, e.spent = e.Limits.Steps, false
	if all := e.Limits.All; all != nil {
		all.Take((e.visited - e.paid) / visitsPerStep)
		e.paid = e.visited
		e.steps = max(0, min(e.steps, all.left))
	}
}

// isOver reports whether nothing is left for this and all other questions. Outside of functions and quantifiers a node
// is cheap and takes no step, but many of them add up.
func (e *budget) isOver() bool {
	all := e.Limits.All
	return all != nil && all.left <= (e.visited-e.paid)/visitsPerStep
}

// FitsOneQuestion reports whether all questions so far together took no more steps than one question may take. If so, a
// new evaluator with the same limits computes the same values for these terms, even if all of them are part of one
// question.
func (e *budget) FitsOneQuestion() bool {
	return e.taken <= e.Limits.Steps && e.kept <= e.Limits.wordLimit()
}

// charge takes steps from the budget. When none are left, results are unknown.
func (e *budget) charge(op smt.Op, steps int64) {
	e.steps -= steps
	e.taken += steps
	all := e.Limits.All
	if all != nil {
		all.Take(steps)
	}
	if e.steps >= 0 || e.aborted != nil {
		return
	}
	why := "too large: the budget of steps for one question is spent"
	if all != nil && all.left < 0 {
		why = "too large: the budget of steps for all questions about the file is spent"
	}
	e.aborted = &value.Reason{Op: op.String(), Why: why}
}

// chargeNumbers accounts for an operator that is applied to large numbers: most take as long as a product by
// Karatsuba's algorithm at worst, fractions as long as Euclid's.
func (e *budget) chargeNumbers(op smt.Op, args []value.Value) {
	const small = 16
	var words, fraction int64
	for i := range args {
		switch args[i].Kind() {
		case value.KindBigInt, value.KindBigBitVec, value.KindFiniteField:
			words += args[i].Words()
		case value.KindRat:
			fraction += args[i].Words()
		}
	}
	if words += fraction; words < small {
		return
	}
	steps := words * int64(math.Sqrt(float64(words))) / 128 // a square root is the same on all machines, a power is not
	if fraction >= small {
		steps += fraction * fraction / 512
	}
	e.charge(op, steps)
}

// wordsPerStep is the size of a value, in words, that costs as much as a step.
const wordsPerStep = 8

// chargeMemory accounts for a large value. Inside functions, where variables are bound, values replace each other, so
// they cost steps only.
func (e *budget) chargeMemory(op smt.Op, words int64, inside bool) {
	e.visited += words / wordsPerStep
	if inside {
		e.charge(op, words/wordsPerStep)
		return
	}
	e.held += words
	e.kept += words
	if e.held > e.Limits.wordLimit() && e.aborted == nil {
		e.aborted = &value.Reason{Op: op.String(), Why: "too large: the values of subterms need more memory than the limit"}
	}
}
