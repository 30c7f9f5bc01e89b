package registry

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"
)

// host has the questions that builtins may ask the interpreter that runs them.
type host interface {
	// NewThread makes a thread for calling script functions later, from another
	// goroutine: how a technique or an oracle of a campaign file is called.
	NewThread(name string) Thread
}

// Thread calls script functions within their budget. It belongs to one goroutine.
type Thread interface {
	// Call calls fn. A signal of the script (*Skip, *StopRequest) is returned as it is, every
	// other error with its backtrace as the message.
	Call(ctx context.Context, fn starlark.Callable, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)
	// Explain turns an error about what a call returned into one that says where, as those of Call do.
	Explain(err error) error
	// Starlark is the underlying thread, for setting slots between calls.
	Starlark() *starlark.Thread
	Close()
}

// HostKey is the slot of the interpreter; it is always filled by package script.
var HostKey = NewKey[host]("the interpreter", "this thread was not made by one")

// ReplayKey is the slot of threads that run a campaign file for its functions only, to replay a finding: seeds and
// solvers that it names and that are not on this machine are no error there.
var ReplayKey = NewKey[bool]("the replay of a finding", "this thread runs no campaign file of a finding")

// StandInKey is the slot of threads in which a program of the command line may take the place of a solver: one that is
// not on this machine is missed only where nothing takes its place.
var StandInKey = NewKey[bool]("programs in the place of solvers", "no program takes the place of a solver here")

// FromKey is the slot of threads that run a campaign as the log of an earlier run has it: the folder of the log, which
// has to be trusted as that of the campaign has.
var FromKey = NewKey[string]("the log of a campaign", "this campaign comes from no log")

// Panic is a panic of a builtin, that is, a mistake in smtlark.
type Panic struct {
	Where   string // the builtin
	Value   any
	GoStack []byte
}

func (e *Panic) Error() string {
	return fmt.Sprintf("internal error in %s: %v (a bug of smtlark, not of the script; please report it)", e.Where, e.Value)
}
