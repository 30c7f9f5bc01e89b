package value

import (
	"context"
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/testcase"
)

// Technique makes cases with a function technique(seeds, rng) of a script.
type Technique struct {
	name  string
	th    registry.Thread
	fn    starlark.Callable
	seeds starlark.Value
	s     *Session
}

// NewTechnique returns the technique of a function, which is called on the thread. Its session is the thread's.
func NewTechnique(name string, th registry.Thread, fn starlark.Callable, seeds starlark.Value) *Technique {
	return &Technique{name: name, th: th, fn: fn, seeds: seeds, s: SessionOf(th.Starlark())}
}

// Name implements campaign.Technique.
func (t *Technique) Name() string { return t.name }

// Session returns the session of the technique's thread.
func (t *Technique) Session() *Session { return t.s }

// Make implements campaign.Technique.
func (t *Technique) Make(ctx context.Context, _ uint64, r *rng.Source) (*testcase.Case, error) {
	t.s.Begin()
	v, err := t.th.Call(ctx, t.fn, starlark.Tuple{t.seeds, NewRng(r)}, nil)
	if err != nil {
		var skip *registry.Skip
		var stop *registry.Stop
		switch {
		case errors.As(err, &skip):
			return nil, campaign.Skip(skip.Reason)
		case errors.As(err, &stop):
			return nil, &campaign.StopError{Reason: stop.Reason}
		}
		return nil, err
	}
	c, ok := v.(*Case)
	if !ok {
		return nil, fmt.Errorf("the technique %s returned %s, want a case (did it forget to return one?)", t.name, v.Type())
	}
	tc, err := c.Case()
	if err != nil {
		return nil, err
	}
	out := *tc
	out.Origin = t.s.Origin(out.Origin)
	out.Origin.Technique = t.name
	return &out, nil
}
