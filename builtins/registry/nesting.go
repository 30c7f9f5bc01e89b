package registry

import (
	"fmt"
	"sync/atomic"

	"go.starlark.net/starlark"
)

// Nesting counts the nested calls of a thread in which a builtin, such as map, calls a function of the script. The
// language bounds the calls of a script, but not the stack that builtins use between these calls.
type Nesting struct{ open atomic.Int32 }

// Open returns the current number of such calls. Any goroutine may call it.
func (n *Nesting) Open() int { return int(n.open.Load()) }

// MaxNesting bounds how deeply such calls may be nested.
const MaxNesting = 1_000

// NestingKey is the slot of a thread's Nesting.
var NestingKey = NewKey[*Nesting]("the count of nested calls", "this thread was not made by an interpreter")

// Invoke calls a function that the script gave to a builtin, on the same thread. It returns an error if MaxNesting such
// calls are already nested.
func Invoke(th *starlark.Thread, f starlark.Callable, args ...starlark.Value) (starlark.Value, error) {
	if n, err := NestingKey.Get(th); err == nil {
		defer n.open.Add(-1)
		if n.open.Add(1) > MaxNesting {
			return nil, fmt.Errorf("the recursion is too deep: %d functions of the script are called by builtins inside each other", MaxNesting)
		}
	}
	return starlark.Call(th, f, args, nil)
}
