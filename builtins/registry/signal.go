package registry

import (
	"cmp"
	"errors"

	"go.starlark.net/starlark"
)

// A Signal is an error by which a script says something to its host instead of
// reporting a mistake. It passes through callbacks and builtins unchanged and is
// found with errors.As.
type Signal interface {
	error
	signal()
}

// Skip says that this case should not be made (skip("no ite")); it is counted, not reported.
type Skip struct{ Reason string }

// ScriptFailure is fail("..."): the script gives up with a message of its author.
type ScriptFailure struct{ Reason string }

// Expectation is a failed expect(...): a test fails, an action of an API campaign
// has found something.
type Expectation struct{ Reason string }

// StopRequest asks the campaign to end after the running cases.
type StopRequest struct{ Reason string }

func (*Skip) signal()          {}
func (*ScriptFailure) signal() {}
func (*Expectation) signal()   {}
func (*StopRequest) signal()   {}

func (e *Skip) Error() string          { return withReason("skip", e.Reason) }
func (e *ScriptFailure) Error() string { return cmp.Or(e.Reason, "fail()") }
func (e *Expectation) Error() string   { return withReason("expectation failed", e.Reason) }
func (e *StopRequest) Error() string   { return withReason("stop", e.Reason) }

func withReason(what, reason string) string {
	if reason == "" {
		return what
	}
	return what + ": " + reason
}

// AsSignal finds the signal in an error that came out of a script, or nil.
func AsSignal(err error) Signal {
	var s Signal
	if errors.As(err, &s) {
		return s
	}
	return nil
}

// isForeign reports whether err must leave a builtin unchanged: signals, and errors
// of a callback, whose backtrace already says where they happened.
func isForeign(err error) bool {
	var ev *starlark.EvalError
	var p *Panic
	return AsSignal(err) != nil || errors.As(err, &ev) || errors.As(err, &p)
}
