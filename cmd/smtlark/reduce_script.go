package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// scripted makes a property of the function holds(case, runs) of a file.
func (r *reduction) scripted(ctx context.Context) (p reduce.Property, err error) {
	file := r.o.property
	reg, err := script.Registry()
	if err != nil {
		return p, err
	}
	root, err := script.ProjectRoot(file)
	if err != nil {
		return p, err
	}
	opts := script.Options{
		Setup: func(_ script.Kind, th *starlark.Thread) { script.Supply().Attach(th) },
		Print: func(text string) { r.say("%s", text) },
	}
	in := script.New(script.NewSources(reg, stdlib.FS(), root), opts)
	globals, err := in.Exec(ctx, script.Campaign, file)
	if err != nil {
		return p, err
	}
	fn, ok := globals["holds"].(starlark.Callable)
	if !ok {
		return p, fmt.Errorf("%s defines no function holds(case, runs)", file)
	}
	var mu sync.Mutex // of free
	var free []*script.Thread
	return reduce.Func("holds of "+filepath.Base(file), func(c *testcase.Case, runs []*solvers.Run) bool {
		mu.Lock()
		var th *script.Thread
		if n := len(free); n > 0 {
			th, free = free[n-1], free[:n-1]
		} else {
			th = in.NewThread(script.Case, "holds")
		}
		mu.Unlock()
		ok, err := callHolds(ctx, th, fn, c, runs)
		mu.Lock()
		defer mu.Unlock()
		free = append(free, th)
		if err != nil && ctx.Err() == nil {
			r.fail(err)
		}
		return ok
	}), nil
}

func callHolds(ctx context.Context, th *script.Thread, fn starlark.Callable, c *testcase.Case, runs []*solvers.Run) (bool, error) {
	session := value.SessionOf(th.Starlark())
	defer session.Begin()
	k := session.Wrap(c)
	list := make([]starlark.Value, len(runs))
	for i, run := range runs {
		list[i] = &value.Run{R: run, Case: k, Query: func() *solvers.Query { return c.Query() }}
	}
	v, err := th.Call(ctx, fn, starlark.Tuple{k, starlark.NewList(list)}, nil)
	if err != nil {
		if _, skipped := registry.AsSignal(err).(*registry.Skip); skipped {
			return false, nil
		}
		return false, err
	}
	return bool(v.Truth()), nil
}
