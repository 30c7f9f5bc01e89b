package script

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// A running script is also watched from outside, since counting steps does not reveal a single step that takes minutes,
// such as printing a list that is nested a million times. First the thread is cancelled, which it notices between two
// steps. If it does not, the process gives up (InterpreterOptions.Stuck).
const (
	watchEvery  = 50 * time.Millisecond
	cancelGrace = 2 * time.Second        // from the end of a budget to giving up
	leaveGrace  = 300 * time.Millisecond // from the end of the context to giving up
	atAfter     = 4                      // looks within one step after which its place is told
	// stepTime is the time that a step may take before time counts against the call; on a busy machine it is three
	// times as long. The number of steps, which is the same everywhere, ends a loop; the clock ends what counts no
	// steps.
	stepTime = 100 * time.Nanosecond
)

// maxStacks is the size of all stacks, in bytes, that shows a value nested so deep that going through it would end the
// process. Go doubles stacks, and a worker dies at four times as much.
const maxStacks = 128 << 20

var (
	errTooDeep   = errors.New("a value is nested too deep: millions of lists, tuples or calls inside each other")
	errRecursion = errors.New("the recursion is too deep: hundreds of calls inside each other by builtins")
)

// watched is one call of a script that goes on.
type watched struct {
	t      *Thread
	budget Budget
	ctx    context.Context

	// The observations of the watcher, guarded by the lock of watcher.
	used     time.Duration // while the process computed, beyond stepTime for each step: waiting for a solver is not the script's time
	steps    uint64        // at the last look
	still    int           // looks in a row that saw the same step
	told     bool          // where that step is
	exceeded error         // the thread was cancelled
	left     time.Duration // computed since it was to end
	ended    bool
	gaveUp   bool
}

// watcher looks at all calls of the process. Its goroutine runs only while there are calls.
type watcher struct {
	mu      sync.Mutex
	calls   []*watched // in the order in which they began
	running bool
}

var theWatcher watcher

func (w *watcher) beginWatching(c *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
	if !w.running {
		w.running = true
		go w.run()
	}
}

// endWatching returns why the watcher cancelled the call, nil if it did not.
func (w *watcher) endWatching(c *watched) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.ended = true
	for i := len(w.calls) - 1; i >= 0; i-- { // it is nearly always the last
		if w.calls[i] == c {
			w.calls = slices.Delete(w.calls, i, i+1)
			break
		}
	}
	return c.exceeded
}

// idleAfter is the time for which the watcher's goroutine stays without calls: calls that follow each other closely
// share one.
const idleAfter = time.Second

func (w *watcher) run() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	last, cpu, idle := time.Now(), processCPU(), time.Duration(0)
	for range tick.C {
		now, spent := time.Now(), processCPU()
		passed := now.Sub(last)
		// CPU time, and never more than has passed: a process of several threads has one that runs the script. A tiny
		// amount is used by the watcher itself, but on a busy machine a computing process also gets little time.
		computed := min(spent-cpu, passed)
		if computed < passed/64 {
			computed = 0
		}
		last, cpu = now, spent
		w.mu.Lock()
		if len(w.calls) == 0 {
			if idle += passed; idle > idleAfter {
				w.running = false
				w.mu.Unlock()
				return
			}
		} else {
			idle = 0
		}
		calls := slices.Clone(w.calls)
		w.mu.Unlock()
		if len(calls) == 0 {
			continue
		}
		heap, stacks := memoryInUse()
		if over := slices.ContainsFunc(calls, func(c *watched) bool { return heap > c.budget.Heap }); over {
			runtime.GC() // what can be collected does not count
			heap, stacks = memoryInUse()
		}
		for _, c := range calls {
			w.checkCall(c, computed, heap, stacks)
		}
	}
}

// checkCall decides about one call.
func (w *watcher) checkCall(c *watched, computed time.Duration, heap, stacks uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.ended || c.gaveUp {
		return
	}
	// A script that waits for a solver does not compute, and its budget is for computing.
	if c.t.paused.Load() > 0 {
		computed = 0
	}
	n := stepsOf(c.t.th)
	c.used += max(0, computed-c.allowance(n-c.steps))
	if n != c.steps || computed == 0 {
		c.steps, c.still, c.told = n, 0, false
	} else {
		c.still++
	}
	// Which of two messages a script gets depends on how its calls are nested, not on when the watcher looks: builtins
	// that call back and are open inside each other by the hundreds take the stack, no value.
	recursion := stacks >= maxStacks && c.t.nesting.Open() > manyNested
	tooDeep := stacks >= maxStacks && c.still >= 2 && !recursion && c.openCalls() <= boundedCalls
	if c.exceeded == nil {
		switch {
		case recursion:
			c.exceeded = errRecursion
		case tooDeep:
			c.exceeded = errTooDeep
		case c.used > c.budget.Wall:
			c.exceeded = &BudgetError{c.budget.Wall.String() + " of computing"}
		case heap > c.budget.Heap:
			c.exceeded = &BudgetError{fmt.Sprintf("%d MB of memory", c.budget.Heap>>20)}
		}
		if c.exceeded != nil {
			c.t.th.Cancel(c.exceeded.Error())
		}
	}
	opts := &c.t.in.opts
	if c.still >= atAfter && !c.told && opts.At != nil {
		c.told = true
		if stack, ok := c.stuckPlace(); ok {
			opts.At(placeText(stack))
		}
	}
	// From here on the call should have ended: what follows is for one that is in a single long step, which cannot be
	// cancelled.
	if c.exceeded == nil && c.ctx.Err() == nil {
		return
	}
	c.left += computed
	grace := cancelGrace
	if c.ctx.Err() != nil {
		grace = leaveGrace
	}
	if opts.Stuck == nil || c.left < grace && !tooDeep && !recursion && (heap < c.budget.Heap+c.budget.Heap/6 || c.still < 2) {
		return
	}
	c.gaveUp = true
	stack, _ := c.stuckPlace()
	reason := c.exceeded
	if reason == nil {
		reason = c.ctx.Err()
	}
	err := &cancelled{reason: reason, at: &starlark.EvalError{Msg: reason.Error(), CallStack: stack}}
	go opts.Stuck(c.t.in.newError(err)) // not under the lock
}

// allowance returns the time that steps may take before it counts: none where their number ends no loop.
func (c *watched) allowance(steps uint64) time.Duration {
	if c.budget.Steps >= Unbounded {
		return 0
	}
	return time.Duration(steps) * stepTime
}

// stuckPlace returns where a thread is that stays in one step: nothing writes to its stack then.
func (c *watched) stuckPlace() (stack starlark.CallStack, ok bool) {
	if system.RaceDetector {
		return nil, false
	}
	defer func() {
		if recover() != nil { // it went on in just this moment
			stack, ok = nil, false
		}
	}()
	if stack = c.t.th.CallStack(); len(stack) == 0 { // the globals of a module are being frozen
		file := c.t.th.Name
		stack = starlark.CallStack{{Name: "<toplevel>", Pos: syntax.MakePosition(&file, 1, 1)}}
	}
	return stack, stepsOf(c.t.th) == c.steps
}

const (
	// manyNested calls by builtins inside each other are what takes the stack; registry.MaxNesting bounds them.
	manyNested = 100
	// boundedCalls open calls of a script are a recursion that the language's own bound ends, at about 100,000.
	boundedCalls = 10_000
)

// openCalls is the number of calls inside each other, as far as it can be looked at.
func (c *watched) openCalls() int {
	if system.RaceDetector {
		return math.MaxInt
	}
	return c.t.th.CallStackDepth()
}

// placeText is the innermost place of a script.
func placeText(stack starlark.CallStack) string {
	for _, f := range slices.Backward(stack) {
		if f.Pos.Filename() != "<builtin>" {
			return fmt.Sprintf("%s (%s:%d:%d)", f.Name, f.Pos.Filename(), f.Pos.Line, f.Pos.Col)
		}
	}
	return ""
}

// stepsOf reads a counter that another goroutine writes: that it stands still is all that matters.
//
//go:norace
func stepsOf(th *starlark.Thread) uint64 { return th.Steps }
