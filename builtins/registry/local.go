package registry

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"
)

// Key is a typed slot of a thread. Builtins use keys to reach the context, the arena and the running campaign without
// package state. Make keys once, as package variables of the package that defines the interface T.
type Key[T any] struct {
	name string
	hint string
}

// NewKey makes a key. The name must be unique in the program ("campaign.sink"); hint
// completes the sentence "NAME is not available here: ..." and says when it is.
func NewKey[T any](name, hint string) Key[T] { return Key[T]{name, hint} }

// Set puts v into the slot. Call it before the thread runs.
func (k Key[T]) Set(th *starlark.Thread, v T) { th.SetLocal(k.name, v) }

// Get returns the slot's value, or an error that says when it is available.
func (k Key[T]) Get(th *starlark.Thread) (T, error) {
	if v, ok := th.Local(k.name).(T); ok {
		return v, nil
	}
	var zero T
	return zero, fmt.Errorf("%s is not available here: %s", k.name, k.hint)
}

// Has reports whether the slot is filled.
func (k Key[T]) Has(th *starlark.Thread) bool { _, ok := th.Local(k.name).(T); return ok }

// ContextKey is the slot of the context that long builtins poll.
var ContextKey = NewKey[context.Context]("context", "the host did not set one")

// Context returns the thread's context, or Background when there is none.
func Context(th *starlark.Thread) context.Context {
	if ctx, err := ContextKey.Get(th); err == nil {
		return ctx
	}
	return context.Background()
}
