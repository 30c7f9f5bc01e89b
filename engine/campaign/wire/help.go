package wire

import (
	"time"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// A worker that reduces can have other workers try smaller cases in advance. Its reports Assist and Try reach the
// helpers as orders, and their report Tried reaches the worker as an order. Whoever carries messages between workers
// tells with HelperCount whether there are helpers.

// HelperCount says how many workers try cases for the running reduction.
type HelperCount struct {
	Count int `json:"count"`
}

// Assist says what Try is about from now on. As an order it is not answered.
type Assist struct {
	Subject            // as it was found
	AsItIs  bool       `json:"as_it_is,omitempty"` // run the case as it is, without added questions
	Trusted []Reliable `json:"trusted,omitempty"`  // solvers that confirm answers, where they have been chosen
}

// Reliable is a solver whose answer to a case as it was found is right.
type Reliable struct {
	Name  string        `json:"name"`
	Limit time.Duration `json:"limit"` // of a run
}

// Try asks whether a smaller case shows the verdict of the latest Assist. It is answered by Tried.
type Try struct {
	Number uint64         `json:"number"`
	Case   *testcase.Wire `json:"case,omitempty"`
	Limits solvers.Limits `json:"limits"`
	Runs   int            `json:"runs"` // until it counts as not showing it
}

// Tried reports the result of Try.
type Tried struct {
	Number uint64 `json:"number"`
	Void   bool   `json:"void,omitempty"` // nothing: whoever asked tries the case itself
	Outcome
}

// Drop says which Try are not wanted any more. It is a report only; their workers are told to Cut.
type Drop struct {
	Numbers []uint64 `json:"numbers"`
}

// Outcome is the result of trying a case in a reduction.
type Outcome struct {
	Shows       bool            `json:"shows,omitempty"` // the verdict, and the right answer is known
	Details     []finding.Run   `json:"details,omitempty"`
	Said        *oracle.Verdict `json:"said,omitempty"`    // by the oracle
	ConfirmedBy []string        `json:"vouched,omitempty"` // see Reduction
	Longest     time.Duration   `json:"longest,omitempty"` // of its runs
}

// Kind implements Order.
func (*HelperCount) Kind() string { return "helpers" }

// Kind implements Order and Report.
func (*Assist) Kind() string { return "assist" }

// Kind implements Order and Report.
func (*Try) Kind() string { return "try" }

// Kind implements Order and Report.
func (*Tried) Kind() string { return "tried" }

// Kind implements Report.
func (*Drop) Kind() string { return "drop" }

// IsReduce reports whether an order asks for a reduction.
func IsReduce(line []byte) bool {
	kind, _ := kindOf(line)
	return kind == (*Reduce)(nil).Kind()
}

// IsForHelpers reports whether the line of a worker is for those that help it: an Assist, a Try or a Drop.
func IsForHelpers(line []byte) bool {
	switch kind, _ := kindOf(line); kind {
	case (*Assist)(nil).Kind(), (*Try)(nil).Kind(), (*Drop)(nil).Kind():
		return true
	}
	return false
}
