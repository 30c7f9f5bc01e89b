package script

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
)

// Budget bounds one call of a script, and one top level of a module.
type Budget struct {
	Steps uint64        // interpreter steps (8 ns each on an idle machine, 25 ns where two workers share a core); Unbounded: none
	Wall  time.Duration // time in which the process computes, where steps are bounded but for 100 ns of each; waiting for a solver does not count
	Heap  uint64        // bytes of live and not yet collected objects in this process
}

// Unbounded is the number of steps of a call that only the clock ends.
const Unbounded = 1 << 62

// DefaultBudget is generous to techniques, which take milliseconds, and stops runaway loops within ten seconds. Heap is
// below the memory limit of a worker process, so that the script gets an error with its place before the worker is
// killed.
var DefaultBudget = Budget{Steps: 300_000_000, Wall: 10 * time.Second, Heap: 3 << 29}

// tellSteps is the number of steps of a call after which its place is reported: after two to five seconds, and after
// half of its budget at the latest.
const tellSteps = 150_000_000

// BudgetError says which bound a script outgrew.
type BudgetError struct {
	Limit string // such as "300 million steps"
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("this call used up its budget of %s; do less per call, or move the loop over all nodes into find, map or replace", e.Limit)
}

// Unwrap tells campaigns that the call is no mistake in the campaign file for certain.
func (e *BudgetError) Unwrap() error { return campaign.ErrOverBudget }

// Thread calls script functions one after the other. It belongs to one goroutine.
type Thread struct {
	th     *starlark.Thread
	in     *Interpreter
	budget Budget

	ctx     context.Context
	release func() // ends the watch on ctx

	start    uint64   // steps at the start of the call
	watched  *watched // the running call
	exceeded error    // why it was cancelled

	paused  atomic.Int32 // what goes on now is not the script's time
	nesting registry.Nesting
}

// pauseTime stops the time of the running call until resume is called.
func (t *Thread) pauseTime() (resume func()) {
	t.paused.Add(1)
	return func() { t.paused.Add(-1) }
}

// Starlark returns the underlying thread, for setting slots before calls.
func (t *Thread) Starlark() *starlark.Thread { return t.th }

// Call calls a function. An error is of type *ScriptError, unless the script sent a signal
// (skip, stop): then the signal itself. Cancelling ctx stops the script at its next
// step; keep one ctx for many calls, changing it costs a microsecond.
func (t *Thread) Call(ctx context.Context, fn starlark.Callable, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	v, err := t.callProtected(ctx, fn, args, kwargs)
	if err == nil {
		return v, nil
	}
	switch sig := registry.AsSignal(err).(type) {
	case *registry.Skip:
		return nil, sig
	case *registry.StopRequest:
		return nil, sig
	}
	return nil, t.in.newError(err)
}

// Explain implements registry.Thread.
func (t *Thread) Explain(err error) error { return t.in.newError(err) }

// Close ends the watch on the last context.
func (t *Thread) Close() {
	if t.release != nil {
		t.release()
		t.release = nil
	}
}

// callProtected calls fn under the budget and the context and turns panics into errors.
func (t *Thread) callProtected(ctx context.Context, fn starlark.Callable, args starlark.Tuple, kwargs []starlark.Tuple) (v starlark.Value, err error) {
	if err := t.beginCall(ctx); err != nil {
		return nil, err
	}
	defer t.endCall()
	defer t.recoverTo(&err)
	v, err = starlark.Call(t.th, fn, args, kwargs)
	return v, t.cancelReason(err)
}

// recoverTo turns a panic into an error; to be deferred. Builtins do so themselves: what
// arrives here comes from operators and attributes of values.
func (t *Thread) recoverTo(err *error) {
	if r := recover(); r != nil {
		*err = &registry.Panic{Where: "the interpreter", Value: r, GoStack: debug.Stack()}
	}
}

// init is callProtected for the top level of a module.
func (t *Thread) init(ctx context.Context, prog *starlark.Program, predeclared starlark.StringDict) (globals starlark.StringDict, err error) {
	if err := t.beginCall(ctx); err != nil {
		return nil, err
	}
	defer t.endCall()
	defer t.recoverTo(&err)
	globals, err = prog.Init(t.th, predeclared)
	globals.Freeze() // Init does not; it goes through all values, so it is watched, too
	return globals, t.cancelReason(err)
}

// beginCall gives the coming call its budget.
func (t *Thread) beginCall(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.ctx != ctx || t.release == nil {
		t.watchContext(ctx)
	}
	if t.exceeded != nil {
		t.exceeded = nil
		t.th.Uncancel()
	}
	t.start = t.th.Steps
	t.th.SetMaxExecutionSteps(t.start + min(t.budget.Steps/2, tellSteps))
	t.watched = &watched{t: t, budget: t.budget, ctx: ctx, steps: t.start}
	theWatcher.beginWatching(t.watched)
	return nil
}

// endCall ends what beginCall began; to be deferred.
func (t *Thread) endCall() {
	if t.watched != nil {
		t.exceeded = cmp.Or(t.exceeded, theWatcher.endWatching(t.watched))
		t.watched = nil
	}
}

// interrupted is the interpreter's error for a thread that was cancelled.
const interrupted = "Starlark computation cancelled"

// cancelReason replaces the interpreter's error about a cancelled thread by why it was cancelled.
func (t *Thread) cancelReason(err error) error {
	t.endCall()
	switch {
	case err == nil:
		return nil
	case t.exceeded != nil && strings.Contains(err.Error(), interrupted): // else it ended by itself just before
		return &cancelled{reason: t.exceeded, at: err}
	case t.ctx.Err() != nil:
		return &cancelled{reason: t.ctx.Err(), at: err}
	}
	return err
}

// cancelled puts the true reason in place of the interpreter's text and keeps the place.
type cancelled struct {
	reason, at error
}

func (e *cancelled) Error() string   { return e.reason.Error() }
func (e *cancelled) Unwrap() []error { return []error{e.reason, e.at} }

// watchContext makes the end of ctx cancel the thread.
func (t *Thread) watchContext(ctx context.Context) {
	t.Close()
	t.th.Uncancel()
	t.ctx = ctx
	registry.ContextKey.Set(t.th, account.WithPause(ctx, t.pauseTime))
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		t.th.Cancel("cancelled")
		close(fired)
	})
	t.release = func() {
		if !stop() {
			<-fired // so that a late Cancel cannot hit the next call
		}
	}
}

// manySteps reports the place of the thread the first time, and cancels the thread when its budget is used up.
func (t *Thread) manySteps(th *starlark.Thread) {
	if th.Steps < t.start+t.budget.Steps {
		th.SetMaxExecutionSteps(t.start + t.budget.Steps)
		if at := t.in.opts.At; at != nil {
			at(placeText(th.CallStack()))
		}
		return
	}
	t.exceeded = &BudgetError{fmt.Sprintf("%d million steps", t.budget.Steps/1_000_000)}
	th.Cancel(t.exceeded.Error())
}

// memoryInUse returns the bytes of all objects of this process and those of its stacks.
func memoryInUse() (heap, stacks uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64(), sample[1].Value.Uint64()
}
