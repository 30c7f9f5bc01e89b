package solvers

import (
	"context"
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Caller takes calls, one after another: a live solver, or a front end over several. Terms, sorts and symbols are
// those of one arena.
type Caller interface {
	// Arena returns the arena whose terms the calls may have.
	Arena() *smt.Arena
	// Call makes a call and returns the reply that it is due. Making a sort or a term, and taking terms over, asks
	// nothing of a solver that is told terms as text.
	//
	// Every error of a session is a *SessionError, which gives its class and says whether the solver is still usable. A
	// front end has other errors, too. A refusal, an unsupported feature and a rejected input leave the solver as it was
	// wherever it allows that. An exceeded limit of time is an error of class Timeout if it ended the solver, else the
	// answer unknown. A call whose context ends takes the solver with it.
	Call(ctx context.Context, c *Call) (Reply, error)
}

// Session is a live solver, over a pipe or by its C library. It makes its own objects for sorts, terms and symbols
// when they are first needed, or when it is told to, and keeps them by their number until a reset or Close. A session
// is used by one goroutine at a time.
type Session interface {
	Caller
	// Close ends the solver and returns what it cost and printed: CPU, Wall, PeakMemory, Stdout, Stderr, ExitCode,
	// Signal, Argv and Preamble of the run, and in Failed what was found wrong; nil where nothing is known of that.
	// Further calls are errors.
	Close() (*Run, error)
}

// Reply is the reply of a solver to a call.
type Reply struct {
	Answer smtlib.Answer // of a check
	Text   string        // of what is due a value, as SMT-LIB spells it
	Values []string      // of get-value: the values of the terms in SMT-LIB's spelling
	// Terms are the asserted terms of get-unsat-core, those with a name by their name, or the assumptions of
	// get-unsat-assumptions.
	Terms []smt.Term
	// Numbers are those of Terms among the assertions, or among the assumptions of the latest check, where the session
	// counts them.
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

// OneByOne makes a call with the commands before it as calls of their own, until one fails, and returns the reply to
// the last one.
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

// Opener is a target that opens sessions: one live solver each. Terms are those of the arena. The context is that of
// the start.
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
