package api

import (
	"fmt"
	"slices"
	"sync"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	engine "github.com/smtlark/smtlark/engine/generate/api"
)

// underOptionsArgs are the arguments of api.under_options.
type underOptionsArgs struct {
	Technique  starlark.Callable
	Expert     bool
	MaxOptions int
	Name       string
}

// underOptions makes the technique.
func underOptions(c *registry.Call, a *underOptionsArgs) (starlark.Value, error) {
	all := &machine{Design: engine.Design{Machine: &engine.Machine{}}} // of no walk: what it takes of a machine is options
	most := a.MaxOptions
	if most < 1 || most > 16 {
		return nil, c.Errorf(&a.MaxOptions, "%d is not between 1 and 16", most)
	}
	inner := a.Technique
	name := a.Name
	if name == "" {
		name = inner.Name() + " under options"
	}
	return &settled{technique: &technique{m: all, name: name, aim: engine.Aim{Options: true, Expert: a.Expert, LibraryOptions: target.LibraryOptions}}, inner: inner, most: most}, nil
}

// settled is a technique that puts options of the targets in front of the cases of another one.
type settled struct {
	technique *technique
	inner     starlark.Callable
	most      int // options of a case
	freeze    sync.Once
}

func (s *settled) String() string        { return "<built-in function api.under_options>" }
func (s *settled) Type() string          { return "builtin_function_or_method" }
func (s *settled) Truth() starlark.Bool  { return true }
func (s *settled) Hash() (uint32, error) { return starlark.String(s.Name()).Hash() }

// Freeze implements starlark.Value.
func (s *settled) Freeze() {
	s.freeze.Do(func() {
		s.technique.Freeze()
		s.inner.Freeze()
	})
}

// LearnsFacts implements value.Learner.
func (s *settled) LearnsFacts() {}

// Name implements starlark.Callable.
func (s *settled) Name() string { return s.technique.name }

// CallInternal implements starlark.Callable.
func (s *settled) CallInternal(th *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	r, src, err := randomOf("api.under_options", args, kwargs)
	if err != nil {
		return nil, err
	}
	draws := src.SplitString("options")
	cfg, err := s.technique.configOf(th)
	if err != nil {
		return nil, err
	}
	targets := solving.TargetsOf(th)
	solving.NoteFacts(value.SessionOf(th), targets)
	if c, err := solving.QuestionItDiedOf(th, r); c != nil || err != nil {
		return c, err
	}
	if err := target.LearnOptions(registry.Context(th), cfg, turnOf(r, src), targets, value.SessionOf(th).Models); err != nil {
		return nil, err
	}
	v, err := registry.Invoke(th, s.inner, args...)
	if err != nil {
		return nil, err
	}
	made, ok := v.(value.Case)
	if !ok {
		return nil, fmt.Errorf("api.under_options: %s returned %s, want a case", s.inner.Name(), v.Type())
	}
	for _, x := range slices.Backward(cfg.Options.Draw(draws, draws.Range(1, s.most))) { // each comes in front of what is there
		made = value.Case{Case: made.WithSetting(x.Name, x.Value)}
	}
	return made, nil
}
