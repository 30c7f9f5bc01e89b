package frontend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
)

// Mode says how the problem is sent to members.
type Mode string

// The modes.
const (
	// Incremental sends a member only the changes since its last question, by push and pop. This is cheapest for
	// questions that share most of the problem.
	Incremental Mode = "incremental"
	// Batch sends the whole problem without its levels, after a reset if something was popped. Solvers simplify most if
	// they get the problem as a whole.
	Batch Mode = "batch"
	// Cached is Incremental behind a cache: solvers get only the questions that the cache cannot answer.
	Cached Mode = "cached"
)

// Options say how a front end works. The zero value asks members one after the other until one answers, in mode
// Incremental, without limits.
type Options struct {
	Mode Mode
	// Cache has the answers that mode Cached looks up. Several front ends may share it. nil: the front end has its own
	// cache, in memory.
	Cache *cache.Cache
	// Portfolio lets the members race. Otherwise the first member is asked, and the next one only if that has no
	// answer.
	Portfolio bool
	// NoCores stops mode Cached from computing unsat cores. If a later question contains a known core, its answer is
	// unsat without asking a solver. To compute cores, members get named assertions, if the problem has levels, and are
	// asked once more about the core alone, without names. With Check, cores are not computed.
	NoCores bool
	// Experience determines the order of the members in a race. Several front ends over the same solvers may share it.
	// nil: the front end has its own.
	Experience *Experience
	// Check makes every answer unknown that is not confirmed.
	Check bool
	// KeepOptions makes options survive a reset, as clients of z3 expect.
	KeepOptions bool
	// Allowance bounds the evaluation of models for all questions together; nil: each question has a budget of its own.
	Allowance *eval.Allowance
	// Timeout is the time limit of a member for one command: for a question, and for any other command that is sent at
	// once; 0: none.
	Timeout time.Duration
	// Memory is the limit of memory of a member in bytes; 0: that of its target.
	Memory int64
	// Notify is called with events that the client does not see; it may be nil. In a portfolio it is called by several
	// goroutines, one at a time.
	Notify func(Event)
}

// bound returns a context that ends after the time that a member has for one command.
func (o *Options) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, o.Timeout+grace, errTimeout)
}

// endOf returns the error of a call that failed because its context ended; it says so if the time limit is the reason.
func (o *Options) endOf(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		return fmt.Errorf("no answer within %s: %w", o.Timeout, errTimeout)
	}
	return err
}

// EventKind says what an Event is about.
type EventKind string

// The kinds of events.
const (
	Replaced EventKind = "replaced" // a member has died, and another session takes its place
	GaveUp   EventKind = "gave up"  // a member has no answer
	// Only the solvers understand a command of the client, so later answers are unchecked answers of a solver.
	PassedOn      EventKind = "passed on"
	Unconfirmed   EventKind = "not confirmed" // an answer was withheld because nothing confirms it
	Contradiction EventKind = "contradiction" // two members contradict one another, or a model is wrong
)

// Event is something that a front end has handled without telling its client.
type Event struct {
	Kind    EventKind
	Member  string
	Message string
	// Script is the question, for a Contradiction and for a member that crashed; it is valid until the next command.
	Script *smtlib.Script
	// Crashed says that the member died because of the question, by its own fault, and was not ended from outside.
	Crashed bool
}

// Result is the answer to a question.
type Result struct {
	Answer smtlib.Answer
	// Reason says why the answer is unknown: memout, timeout, incomplete, canceled, or a sentence.
	Reason string
	// By is the name of the member that answered, or "cache"; "" for none.
	By string
	// ConfirmedBy says what confirms the answer; "" for nothing, which is normal without Options.Check.
	ConfirmedBy string
}

// MemberStats counts the work of a member.
type MemberStats struct {
	Name     string        `json:"name"`
	Asked    int           `json:"asked"`    // questions put to it
	Won      int           `json:"won"`      // answers that were taken
	Failed   int           `json:"failed"`   // questions without any answer
	Replaced int           `json:"replaced"` // sessions that took the place of one that had ended
	Time     time.Duration `json:"time"`     // wall time of all questions
}
