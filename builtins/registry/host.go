package registry

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"
)

// host has the questions that builtins may ask the interpreter that runs them.
type host interface {
	// NewThread makes a thread for calling script functions later, from another goroutine. Techniques and oracles of a
	// campaign file are called in this way.
	NewThread(name string) Thread
}

// Thread calls script functions within their budget. It belongs to one goroutine.
type Thread interface {
	// Call calls fn. A signal of the script (*Skip, *StopRequest) is returned as it is, every
	// other error with its backtrace as the message.
	Call(ctx context.Context, fn starlark.Callable, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)
	// Explain adds a position to an error about the result of a call, as Call does for its own errors.
	Explain(err error) error
	// Starlark is the underlying thread, for setting slots between calls.
	Starlark() *starlark.Thread
	Close()
}

// HostKey is the slot of the interpreter; it is always filled by package script.
var HostKey = NewKey[host]("the interpreter", "this thread was not made by one")

// ReplayKey is the slot of threads that run a campaign file only for its functions, to replay a finding. On such
// threads it is no error if the file names seeds or solvers that are not on this machine.
var ReplayKey = NewKey[bool]("the replay of a finding", "this thread runs no campaign file of a finding")

// StandInKey is the slot of threads in which a program given on the command line may replace a solver. There, a solver
// that is not on this machine is an error only if no program replaces it.
var StandInKey = NewKey[bool]("programs in the place of solvers", "no program takes the place of a solver here")

// FromKey is the slot of threads that run a campaign from the log of an earlier run. It holds the folder of the log,
// which must be trusted in the same way as the folder of the campaign.
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
