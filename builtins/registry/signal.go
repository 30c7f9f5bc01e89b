package registry

import (
	"cmp"
	"errors"

	"go.starlark.net/starlark"
)

// A Signal is an error with which a script tells its host something other than a mistake. It passes through callbacks
// and builtins unchanged and is found with errors.As.
type Signal interface {
	error
	signal()
}

// Skip requests that this case is not made (skip("no ite")); the skip is counted, not reported as an error.
type Skip struct{ Reason string }

// ScriptFailure is fail("..."): the script gives up with a message of its author.
type ScriptFailure struct{ Reason string }

// Expectation is a failed expect(...). In a test the test fails; in an action of an API campaign it is a finding.
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
