package solvers

import (
	"context"
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Caller is the interface of a live solver, or of a front end over several. It takes one call after another, whose
// terms, sorts and symbols are from one arena.
type Caller interface {
	// Arena returns the arena of the terms in the calls.
	Arena() *smt.Arena
	// Call makes a call and returns the reply that it is due. Calls that make a sort or a term, or take terms over,
	// send nothing to a solver that reads text.
	//
	// Every error of a session is a *SessionError, which gives its class and says whether the solver is still usable. A
	// front end has other errors, too. A refusal, an unsupported feature and a rejected input leave the state of the
	// solver unchanged, if the solver allows that. An exceeded time limit is an error of class Timeout if it ended the
	// solver; otherwise the answer is unknown. If the context of a call ends, the solver is killed.
	Call(ctx context.Context, c *Call) (Reply, error)
}

// Session is a live solver, over a pipe or by its C library. It makes the solver's objects for sorts, terms and symbols
// when they are first needed, or when a call says so, and keeps them by number until a reset or Close. A session is
// used by one goroutine at a time.
type Session interface {
	Caller
	// Close ends the solver and returns a run with its resource use and output: CPU, Wall, PeakMemory, Stdout, Stderr,
	// ExitCode, Signal, Argv and Preamble, and the faults found in Failed. The run is nil if nothing is known. Further
	// calls are errors.
	Close() (*Run, error)
}

// Reply is the reply of a solver to a call.
type Reply struct {
	Answer smtlib.Answer // of a check
	Text   string        // of a command with a ValueReply, in SMT-LIB syntax
	Values []string      // of get-value: the values of the terms in SMT-LIB's spelling
	// Terms are the asserted terms in the reply to get-unsat-core (a named term by its name), or the assumptions in the
	// reply to get-unsat-assumptions.
	Terms []smt.Term
	// Numbers are the indices of Terms among the assertions, or among the assumptions of the latest check, if the
	// session counts them.
	Numbers []int
}

// Say makes the call of a command.
func Say(ctx context.Context, x Caller, c smtlib.Command) (Reply, error) {
	call := CommandCall(c)
	return x.Call(ctx, &call)
}

// Tell makes the calls of commands one by one, until one fails.
func Tell(ctx context.Context, x Caller, commands ...smtlib.Command) error {
	for i := range commands {
		if _, err := Say(ctx, x, commands[i]); err != nil {
			return err
		}
	}
	return nil
}

// SetOption sets an option by its name without colon, such as "produce-models".
func SetOption(ctx context.Context, x Caller, name, value string) error {
	return Tell(ctx, x, smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":" + name, Text: value})
}

// Check asks for the answer: check-sat, or check-sat-assuming where there are assumptions.
func Check(ctx context.Context, x Caller, assumptions ...smt.Term) (smtlib.Answer, error) {
	r, err := Say(ctx, x, smtlib.CheckCommand(assumptions))
	return r.Answer, err
}

// OneByOne makes a separate call for each of c.Before and then the call itself. It stops at the first error, and
// returns the last reply.
func OneByOne(c *Call, call func(c *Call) (Reply, error)) (Reply, error) {
	for i := range c.Before {
		before := Call{Kind: CallCommand, Seed: c.Seed, Command: c.Before[i]}
		if _, err := call(&before); err != nil {
			return Reply{}, err
		}
	}
	last := *c
	last.Before = nil
	return call(&last)
}

// ReplyOfTerms returns the reply that lists terms.
func ReplyOfTerms(a *smt.Arena, ts []smt.Term) Reply { return Reply{Terms: ts, Text: termList(a, ts)} }

// ReplyOfValues returns the reply to get-value: one value for each term.
func ReplyOfValues(a *smt.Arena, ts []smt.Term, values []string) Reply {
	return Reply{Values: values, Text: ValuePairs(a, ts, values)}
}

// Opener is a target that opens sessions, each with a live solver of its own. Terms are from the given arena. The
// context bounds only the start.
type Opener interface {
	Open(ctx context.Context, a *smt.Arena, lim Limits) (Session, error)
}

// SessionError is the error of a call of a session.
type SessionError struct {
	Class   Class
	Message string // normalised, see Normalize
	Call    string // the call, such as "assert"
	// Dead is set when the session cannot be used any more.
	Dead bool
}

// Error returns "call: class: message".
func (e *SessionError) Error() string { return fmt.Sprintf("%s: %s: %s", e.Call, e.Class, e.Message) }

// ClassOf returns the class of an error of a session: OK for nil, SolverError for errors of other kinds.
func ClassOf(err error) Class {
	var e *SessionError
	switch {
	case err == nil:
		return OK
	case errors.As(err, &e):
		return e.Class
	}
	return SolverError
}

// DeadAfter reports whether the session that returned the error cannot be used any more.
func DeadAfter(err error) bool {
	var e *SessionError
	return errors.As(err, &e) && e.Dead
}

// ErrUnsupported is the error of a session that lacks a call.
func ErrUnsupported(call string) error {
	return &SessionError{Class: Unsupported, Message: "the session has no " + call, Call: call}
}

// ExpectationError is the error of an action of a campaign file that found something wrong with a live solver.
type ExpectationError struct{ Message string }

// Error returns the message.
func (e *ExpectationError) Error() string { return "expectation failed: " + e.Message }
