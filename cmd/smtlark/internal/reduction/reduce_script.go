package reduction

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"go.starlark.net/starlark"

	reducers "github.com/smtlark/smtlark/builtins/reduce"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/property"
	"github.com/smtlark/smtlark/solvers"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// exec executes a file of functions, and returns them and what can call them.
func (r *reduction) exec(ctx context.Context, kind script.ThreadKind, file string, setup func(script.ThreadKind, *starlark.Thread)) (*script.Interpreter, starlark.StringDict, error) {
	reg, err := script.Registry()
	if err != nil {
		return nil, nil, err
	}
	root, err := script.ProjectRoot(file)
	if err != nil {
		return nil, nil, err
	}
	in := script.New(script.NewSources(reg, stdlib.FS(), root), script.InterpreterOptions{Setup: setup, Print: func(text string) { r.say("%s", text) }})
	globals, err := in.Exec(ctx, kind, file)
	return in, globals, err
}

// passesOf returns the passes that the files of --pass-file make.
func (r *reduction) passesOf(ctx context.Context) (out []reduce.Custom, err error) {
	for _, file := range r.o.passFiles {
		found := &reducers.PassCollector{}
		in, _, err := r.exec(ctx, script.Test, file, func(kind script.ThreadKind, th *starlark.Thread) {
			script.Slots(kind, th)
			reducers.CollectorKey.Set(th, found)
		})
		if err != nil {
			return nil, err
		}
		if len(found.Passes) == 0 {
			return nil, fmt.Errorf("%s makes no pass (reduce.new_pass)", file)
		}
		th := in.NewThread(script.Case, "candidates")
		call := func(f starlark.Callable, args starlark.Tuple) (starlark.Value, error) {
			return th.Call(ctx, f, args, nil)
		}
		wrap := func(c *testcase.Case) value.Case {
			return value.NewCase(workspace.NewStore(c.Script.Arena, c.Script.Name), c)
		}
		for _, p := range found.Passes {
			if slices.ContainsFunc(out, func(k reduce.Custom) bool { return k.Name == p.Name }) {
				return nil, fmt.Errorf("%s: there is a pass %q already", file, p.Name)
			}
			out = append(out, p.Engine(call, wrap, r.fail))
		}
	}
	return out, nil
}

// scripted makes a property of the function holds(case, runs) of a file.
func (r *reduction) scripted(ctx context.Context) (p property.Property, err error) {
	file := r.o.property
	in, globals, err := r.exec(ctx, script.Campaign, file, func(_ script.ThreadKind, th *starlark.Thread) { solving.Attach(script.Supply(), th) })
	if err != nil {
		return p, err
	}
	fn, ok := globals["holds"].(starlark.Callable)
	if !ok {
		return p, fmt.Errorf("%s defines no function holds(case, runs)", file)
	}
	var mu sync.Mutex // of free
	var free []*script.Thread
	return property.Func("holds of "+filepath.Base(file), func(c *testcase.Case, runs []*solvers.Run) bool {
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
	k := value.Case{AnalyzedCase: session.Wrap(c)}
	list := make([]starlark.Value, len(runs))
	for i, run := range runs {
		list[i] = &solving.RunValue{R: run, Case: k, Query: func() *solvers.Query { return c.Query() }}
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
