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

// Mode chooses how members are told the problem.
type Mode string

// The modes.
const (
	// Incremental tells a member what has changed since it was asked, by push and pop: questions that share most of
	// the problem cost least.
	Incremental Mode = "incremental"
	// Batch tells it the whole problem without its levels, after a reset wherever something was taken back: solvers do
	// most for a problem that they are given as a whole.
	Batch Mode = "batch"
	// Cached is Incremental behind a cache: solvers are asked only what nothing is known of.
	Cached Mode = "cached"
)

// Options say how a front end works. The zero value asks members one after the other until one answers, in mode
// Incremental, without limits.
type Options struct {
	Mode Mode
	// Cache has the answers that mode Cached looks up, and may serve several front ends at once; nil: one in memory of
	// its own.
	Cache *cache.Cache
	// Portfolio lets the members race; else the first one is asked, and another one where that gives no answer.
	Portfolio bool
	// NoCores keeps mode Cached from finding out what an unsat rests on. With that knowledge, a question that has all
	// of it is known to be unsat, too. To find it out, members are told assertions with names of their own, if the
	// problem has levels, and are asked once more about the core alone, without names. With Check there are no cores.
	NoCores bool
	// Experience orders the members of a race, and may be that of several front ends over the same solvers; nil: one of
	// its own.
	Experience *Experience
	// Check lets no answer through that nothing confirms.
	Check bool
	// KeepOptions has options outlive a reset, as clients of z3 expect it.
	KeepOptions bool
	// Allowance bounds the evaluation of models for all questions together; nil: each question has a budget of its own.
	Allowance *eval.Allowance
	// Timeout is the time that a member has for one command: for a question, and for any other that it is asked at
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

// endOf returns the error of a call that has failed as its context has ended: where that is for the time, it says so.
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
	// Only the solvers understand what the client says: from now on answers are theirs.
	PassedOn      EventKind = "passed on"
	Unconfirmed   EventKind = "not confirmed" // an answer was kept back, for nothing confirms it
	Contradiction EventKind = "contradiction" // two members contradict one another, or a model is wrong
)

// Event is something that a front end has dealt with by itself.
type Event struct {
	Kind    EventKind
	Member  string
	Message string
	// Script is the question, for a Contradiction and for a member that crashed; it is valid until the next command.
	Script *smtlib.Script
	// Crashed says that the member has died of the question by a fault of its own, and was not ended from outside.
	Crashed bool
}

// Result is the answer to a question.
type Result struct {
	Answer smtlib.Answer
	// Reason says why the answer is unknown: memout, timeout, incomplete, canceled, or a sentence.
	Reason string
	// By is the member whose answer it is, or "cache"; "" for none.
	By string
	// ConfirmedBy says what confirms the answer; "" for nothing, which is no fault without Options.Check.
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
