package script

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
)

// Budget bounds one call of a script, and one top level of a module.
type Budget struct {
	Steps uint64        // interpreter steps (about 8 ns each)
	Wall  time.Duration // time
	Heap  uint64        // bytes of live and not yet collected objects in this process
}

// DefaultBudget is generous to techniques and stops runaway loops within seconds.
// A single builtin can outgrow the heap bound between two checks: workers are also
// bounded as processes.
var DefaultBudget = Budget{Steps: 500_000_000, Wall: 30 * time.Second, Heap: 2 << 30}

// tickSteps is how often a running script is looked at: about every 8 ms.
const tickSteps = 1 << 20

// BudgetError says which bound a script outgrew.
type BudgetError struct {
	What  string // "steps", "time" or "memory"
	Limit string
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("this call used up its %s budget of %s; do less per call, or move the loop over all nodes into find, map or replace", e.What, e.Limit)
}

// Thread calls script functions one after the other. It belongs to one goroutine.
type Thread struct {
	th     *starlark.Thread
	in     *Interpreter
	budget Budget

	ctx     context.Context
	release func() // ends the watch on ctx

	start    uint64    // steps at the start of the call
	since    time.Time // first tick of the call
	exceeded error     // why tick cancelled
}

// Starlark returns the underlying thread, for setting slots before calls.
func (t *Thread) Starlark() *starlark.Thread { return t.th }

// Call calls a function. An error is of type *Error, unless the script sent a signal
// (skip, stop): then the signal itself. Cancelling ctx stops the script at its next
// step; keep one ctx for many calls, changing it costs a microsecond.
func (t *Thread) Call(ctx context.Context, fn starlark.Callable, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	v, err := t.protected(ctx, fn, args, kwargs)
	if err == nil {
		return v, nil
	}
	switch sig := registry.AsSignal(err).(type) {
	case *registry.Skip:
		return nil, sig
	case *registry.Stop:
		return nil, sig
	}
	return nil, t.in.newError(err)
}

// Close ends the watch on the last context.
func (t *Thread) Close() {
	if t.release != nil {
		t.release()
		t.release = nil
	}
}

// protected calls fn under the budget and the context and turns panics into errors.
func (t *Thread) protected(ctx context.Context, fn starlark.Callable, args starlark.Tuple, kwargs []starlark.Tuple) (v starlark.Value, err error) {
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	defer t.recoverTo(&err)
	v, err = starlark.Call(t.th, fn, args, kwargs)
	return v, t.reason(err)
}

// recoverTo turns a panic into an error; to be deferred. Builtins do so themselves: what
// arrives here comes from operators and attributes of values.
func (t *Thread) recoverTo(err *error) {
	if r := recover(); r != nil {
		*err = &registry.Panic{Where: "the interpreter", Value: r, GoStack: debug.Stack()}
	}
}

// init is protected for the top level of a module.
func (t *Thread) init(ctx context.Context, prog *starlark.Program, predeclared starlark.StringDict) (globals starlark.StringDict, err error) {
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	defer t.recoverTo(&err)
	globals, err = prog.Init(t.th, predeclared)
	return globals, t.reason(err)
}

// begin gives the coming call its budget.
func (t *Thread) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.ctx != ctx || t.release == nil {
		t.watch(ctx)
	}
	if t.exceeded != nil {
		t.exceeded = nil
		t.th.Uncancel()
	}
	t.start, t.since = t.th.Steps, time.Time{}
	t.th.SetMaxExecutionSteps(t.start + min(tickSteps, t.budget.Steps))
	return nil
}

// reason replaces the interpreter's error about a cancelled thread by why it was cancelled.
func (t *Thread) reason(err error) error {
	switch {
	case err == nil:
		return nil
	case t.exceeded != nil:
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

// watch makes the end of ctx cancel the thread.
func (t *Thread) watch(ctx context.Context) {
	t.Close()
	t.th.Uncancel()
	t.ctx = ctx
	registry.ContextKey.Set(t.th, ctx)
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

// tick runs every tickSteps steps: it raises the step limit or cancels.
func (t *Thread) tick(th *starlark.Thread) {
	used := th.Steps - t.start
	switch {
	case used >= t.budget.Steps:
		t.exceeded = &BudgetError{"steps", fmt.Sprintf("%d steps", t.budget.Steps)}
	case t.since.IsZero():
		t.since = time.Now()
	case time.Since(t.since) > t.budget.Wall:
		t.exceeded = &BudgetError{"time", t.budget.Wall.String()}
	}
	if t.exceeded == nil && heapSize() > t.budget.Heap {
		runtime.GC() // what can be collected does not count
		if heapSize() > t.budget.Heap {
			t.exceeded = &BudgetError{"memory", fmt.Sprintf("%d MB", t.budget.Heap>>20)}
		}
	}
	if t.exceeded != nil {
		th.Cancel(t.exceeded.Error())
		return
	}
	th.SetMaxExecutionSteps(th.Steps + min(tickSteps, t.budget.Steps-used))
}

func heapSize() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// IsBudget reports whether err is that a script outgrew its budget.
func IsBudget(err error) bool {
	var b *BudgetError
	return errors.As(err, &b)
}
