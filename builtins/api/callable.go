package api

import (
	"fmt"
	"sync"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/ground/rng"
)

// callable is the common part of the techniques of this module. For Starlark, each is a function of (seeds, rng). Its
// cases depend on the features that the targets reported to accept.
type callable struct {
	builtin string // the builtin that makes it, such as api.fuzz
	name    string
	parts   []starlark.Value // values that are frozen together with it
	freeze  sync.Once
	// make makes a case, of the arguments; the rng among them and its source come once more.
	make func(th *starlark.Thread, args starlark.Tuple, r *value.Rng, src *rng.Source) (starlark.Value, error)
}

func (c *callable) String() string        { return fmt.Sprintf("<built-in function %s>", c.builtin) }
func (c *callable) Type() string          { return "builtin_function_or_method" }
func (c *callable) Truth() starlark.Bool  { return true }
func (c *callable) Hash() (uint32, error) { return starlark.String(c.name).Hash() } // mix takes it

// Freeze implements starlark.Value.
func (c *callable) Freeze() {
	c.freeze.Do(func() {
		for _, part := range c.parts {
			part.Freeze()
		}
	})
}

// Name implements starlark.Callable.
func (c *callable) Name() string { return c.name }

// LearnsFacts implements value.Learner.
func (c *callable) LearnsFacts() {}

// CallInternal implements starlark.Callable.
func (c *callable) CallInternal(th *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 || len(args) != 2 {
		return nil, fmt.Errorf("%s: takes the seeds and an rng", c.builtin)
	}
	r, ok := args[1].(*value.Rng)
	if !ok {
		return nil, fmt.Errorf("%s: got %s, want an rng", c.builtin, args[1].Type())
	}
	src, err := r.Source()
	if err != nil {
		return nil, err
	}
	solving.NoteFacts(value.SessionOf(th), solving.TargetsOf(th))
	if died, err := solving.QuestionItDiedOf(th, r); died != nil || err != nil {
		return died, err
	}
	return c.make(th, args, r, src)
}

// invoke calls another technique to make a case.
func (c *callable) invoke(th *starlark.Thread, inner starlark.Callable, args ...starlark.Value) (made value.Case, err error) {
	v, err := registry.Invoke(th, inner, args...)
	if err != nil {
		return made, err
	}
	made, ok := v.(value.Case)
	if !ok {
		return made, fmt.Errorf("%s: %s returned %s, want a case", c.builtin, inner.Name(), v.Type())
	}
	return made, nil
}

// turnOf returns the number of the current case, or an arbitrary number outside a campaign.
func turnOf(r *value.Rng, src *rng.Source) uint64 {
	if turn := r.Turn(); turn != nil {
		return turn.Number
	}
	return src.SplitString("turn").Uint64() >> 1
}
