package solvers

import (
	"context"
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Session is a live solver that is driven call by call, over a pipe or by its C library. Terms, sorts and symbols are
// those of the one arena the session was opened with; a session makes its own objects for them when they are first
// needed (a TermMaker when it is told to), and keeps them by their number until Reset or Close.
//
// This interface is the part that every solver has. What only some can do are the small interfaces below: ask with a
// type assertion, or by the functions of the same purpose, which answer Unsupported where the session lacks them.
//
// Every error is a *SessionError, which says of what class it is and whether the session is still usable. A refusal, an
// unsupported feature and a rejected input leave the session as it was wherever the solver allows it. A session is used
// by one goroutine at a time.
type Session interface {
	// Arena returns the arena whose terms the session takes.
	Arena() *smt.Arena
	SetLogic(name string) error
	// SetOption sets an option by its name without colon, such as "produce-models".
	SetOption(name, value string) error
	DeclareSort(s smt.SortSymbol) error
	// DeclareDatatypes declares datatypes that may refer to one another.
	DeclareDatatypes(group []smt.SortSymbol) error
	// Declare declares a constant or a function.
	Declare(f smt.Symbol) error
	// Define defines functions: one that is not recursive, or all those of a define-funs-rec.
	Define(fs []smt.Symbol) error
	Assert(t smt.Term) error
	// CheckSat answers sat, unsat or unknown; with assumptions it is check-sat-assuming. An exceeded limit of time is an
	// error of class Timeout if it ended the solver, else the answer unknown.
	CheckSat(assumptions []smt.Term) (smtlib.Answer, error)
	Push(n int) error
	Pop(n int) error
	// Close ends the solver. Further calls are errors.
	Close() error
}

// TermMaker is a session that makes sorts and terms when it is told to, and not only when they are used.
type TermMaker interface {
	MakeSort(s smt.Sort) error
	// MakeTerm makes a term whose arguments were made before; making it again makes it once more.
	MakeTerm(t smt.Term) error
}

// Teller is a session that is told commands by their text. One that is printed as it was written (smtlib.Command.KeepText) is told so.
type Teller interface {
	Tell(c *smtlib.Command) error
}

// Seeded is a session that chooses among equivalent calls at random; Play gives it a seed before every call.
type Seeded interface{ Seed(n uint64) }

// Resetter has (reset).
type Resetter interface{ Reset() error }

// AssertionResetter has (reset-assertions).
type AssertionResetter interface{ ResetAssertions() error }

// Modeler has (get-model). The text is what modelreader.Parse reads.
type Modeler interface{ Model() (string, error) }

// Valuer has (get-value). The texts are values in SMT-LIB's spelling, one for each term.
type Valuer interface {
	Values(ts []smt.Term) ([]string, error)
}

// Corer has (get-unsat-core). The terms are asserted ones.
type Corer interface{ UnsatCore() ([]smt.Term, error) }

// AssumptionCorer has (get-unsat-assumptions).
type AssumptionCorer interface{ UnsatAssumptions() ([]smt.Term, error) }

// Asker takes the other commands of SMT-LIB that print something: get-assertions, get-assignment, get-proof, get-info,
// get-option, echo, simplify, and those of one solver (interpolants, abducts, statistics). Terms count as in
// smtlib.Command. The reply is returned as it is. A session answers Unsupported to commands it does not know.
type Asker interface {
	Ask(c *smtlib.Command) (string, error)
}

// Renewer is a session whose limits can begin anew: the time of a session is that of all its calls together, and one that serves
// for hours has a time for each question instead.
type Renewer interface {
	// Renew gives the calls that follow the whole time and output again, and forgets what the solver has printed so far.
	Renew()
}

// Batcher is a session that takes several commands in one exchange with its solver.
type Batcher interface {
	// CheckAfter makes the calls of commands that are due no reply and are no settings, and then that of CheckSat. Where the solver refuses one
	// of the commands, the error is that, there is no answer, and what of the commands the solver has taken is not known.
	CheckAfter(commands []smtlib.Command, assumptions []smt.Term) (smtlib.Answer, error)
}

// CheckAfter makes the calls of commands that are due no reply, and then that of CheckSat, in one exchange where the session can.
func CheckAfter(s Session, commands []smtlib.Command, assumptions []smt.Term) (smtlib.Answer, error) {
	if b, ok := s.(Batcher); ok {
		return b.CheckAfter(commands, assumptions)
	}
	for i := range commands {
		if err := Do(s, &commands[i]); err != nil {
			return smtlib.None, err
		}
	}
	return s.CheckSat(assumptions)
}

// Measured is a session that knows what it cost: it fills CPU, Wall, PeakMemory, Stdout, Stderr, ExitCode, Signal, Argv and
// Preamble of the run. It may be called after Close.
type Measured interface{ Measure(r *Run) }

// Opener is a target that opens sessions: one live solver each, that ends when ctx does. Terms are those of the arena.
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
