package registry

import (
	"fmt"
	"sync/atomic"

	"go.starlark.net/starlark"
)

// Nesting counts the calls of a script's functions by builtins, such as map, that are open inside each other on a
// thread. The language bounds the calls of a script, not the stack that builtins take between them.
type Nesting struct{ open atomic.Int32 }

// Open is the number of such calls at present; it may be asked for by any goroutine.
func (n *Nesting) Open() int { return int(n.open.Load()) }

// MaxNesting bounds how many such calls may be open inside each other.
const MaxNesting = 1_000

// NestingKey is the slot of a thread's Nesting.
var NestingKey = NewKey[*Nesting]("the count of nested calls", "this thread was not made by an interpreter")

// Invoke calls a function that the script gave to a builtin, on the same thread. It is an error where MaxNesting such
// calls are open inside each other.
func Invoke(th *starlark.Thread, f starlark.Callable, args ...starlark.Value) (starlark.Value, error) {
	if n, err := NestingKey.Get(th); err == nil {
		defer n.open.Add(-1)
		if n.open.Add(1) > MaxNesting {
			return nil, fmt.Errorf("the recursion is too deep: %d functions of the script are called by builtins inside each other", MaxNesting)
		}
	}
	return starlark.Call(th, f, args, nil)
}
