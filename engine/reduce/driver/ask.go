package driver

import (
	"context"
	"time"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// Predicate reports whether a case still has the property to be kept. It must not change the case or hold on to it, and
// should give the same reply for the same text: it is asked once for each text.
type Predicate func(*testcase.Case) bool

// Candidate is a case to be asked about, detached from the arena that it was made in, so that several can be asked
// about at once.
type Candidate struct {
	Query  *solvers.Query // nil for a trace: Case has it
	Text   string
	Trace  string // of a case that has a trace
	Expect []smtlib.Answer
}

// Detach makes a candidate of a case.
func Detach(c *testcase.Case) *Candidate {
	if t := c.LiveTrace(); t != nil {
		return &Candidate{Text: c.Script.Text(), Trace: tracetext.Text(t), Expect: c.Expect}
	}
	q, text := solvers.FromScriptWithText(c.Script)
	q.Expected = c.Expect
	return &Candidate{Query: q, Text: text, Expect: c.Expect}
}

// Case reads the candidate back into an arena of its own. It has no witness.
func (c *Candidate) Case() (*testcase.Case, error) {
	tc, err := (&testcase.Wire{Script: c.Text, Trace: c.Trace}).Case(nil)
	if err != nil {
		return nil, err
	}
	tc.Expect = c.Expect
	return tc, nil
}

// Observation has the facts about a candidate after it was asked about.
type Observation struct {
	Holds    bool
	TimedOut bool          // a run ended at its limit
	Took     time.Duration // the longest run
	CPU      time.Duration // the most CPU time of a run
	Runs     int           // more than one where the property does not show in every run
	Cut      bool          // it was no longer wanted before it was known: the reply says nothing
}

// Helpers check cases ahead of their turn; the result of a search does not depend on them. The predicate of the search
// uses their results instead of checking again.
type Helpers interface {
	// Free returns how many more cases they can take now.
	Free() int
	// Give gives them a case that the search may ask about soon. They do not hold on to it.
	Give(*testcase.Case)
	// Drop tells the helpers that the cases they have not yet finished are no longer needed.
	Drop()
}

// Asker asks about candidates. Ask is called by several goroutines at once; Accepted is told the reply of each
// candidate that became the current case, in order. A reply that is not Cut is kept: the same text is not asked about
// again.
type Asker interface {
	Ask(ctx context.Context, c *Candidate) Observation
	Accepted(Observation)
}
