// Package reduce is the Starlark module reduce: ways to make a case smaller while a predicate stays true.
package reduce

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/testcase"
)

// partPasses maps what ddmin can remove to the passes that do it.
var partPasses = map[string][]string{
	"asserts":      {"asserts"},
	"commands":     {"scopes", "commands"},
	"declarations": {"declarations"},
	"options":      {"options"},
	"arguments":    {"argument"},
}

const example = "c = smt.case(\"(declare-const x Int)(assert (< x 3))(assert (and (> x 1) (= (* x x) 49)))(check-sat)\")\ndef fails(case):\n    return len(case.find(op = \"*\")) > 0\n\n"

// Module returns the module.
func Module() registry.Module {
	fails := registry.Param{Name: "fails", Type: "callable(case) -> bool", Doc: "a function of a case: whether it still shows what is to be kept"}
	caseParam := registry.Param{Name: "case", Type: "case"}
	tests := registry.Param{Name: "tests", Type: "int", Default: "0", Doc: "how often fails may be asked; 0 is no bound"}
	return registry.Module{
		Name: "reduce",
		Doc: `Ways to make a case smaller. A reducer is a function of (case, fails) that returns a smaller case for which fails is true.
Candidates are well-sorted by construction, and a case that is known to be sat stays so: its witness is evaluated on each candidate. fails is
asked once for each text; when the campaign's time for a finding is over it says False, so that reducers end by themselves.`,
		Members: []registry.Builtin{
			{
				Name: "ddmin", Doc: "Removes parts by delta debugging.",
				Params: []registry.Param{caseParam, {Name: "*"},
					{Name: "parts", Type: `"asserts" | "commands" | "declarations" | "options" | "arguments"`, Default: `"asserts"`, Doc: "what to remove: assertions; check-sats, scopes and other commands; unused declarations; options, notes and the logic; arguments of and, +, ..."},
					fails, tests},
				Ret: "case", Example: example + "len(reduce.ddmin(c, parts = \"asserts\", fails = fails).asserts)  # -> 1",
				Fn: func(c *registry.Call) (starlark.Value, error) {
					return run(c.Thread, c.Arg(0), c.Callable(3), partPasses[c.String(2)], c.Int(4))
				},
			},
			{
				Name: "terms", Doc: "Replaces terms by smaller ones of the same sort.\n\nThe ways: " + ways(),
				Params: []registry.Param{caseParam, fails, {Name: "*"},
					{Name: "by", Type: "list[str] | None", Default: "None", Doc: "the ways to use; None is all"}, tests},
				Ret: "case", Example: example + "len(reduce.terms(c, fails, by = [\"child\", \"constant\"]).find(op = \"and\"))  # -> 0",
				Fn: func(c *registry.Call) (starlark.Value, error) {
					by, err := waysArg(c, 3)
					if err != nil {
						return nil, err
					}
					return run(c.Thread, c.Arg(0), c.Callable(1), by, c.Int(4))
				},
			},
			{
				Name: "names", Doc: "Gives constants, functions and bound variables short names.",
				Params: []registry.Param{caseParam, fails}, Ret: "case",
				Example: "c = smt.case(\"(declare-const long_name Int)(assert (> long_name 1))\")\nreduce.names(c, lambda case: True).formula  # -> (> a 1)",
				Fn: func(c *registry.Call) (starlark.Value, error) {
					return run(c.Thread, c.Arg(0), c.Callable(1), []string{"names"}, 0)
				},
			},
			{
				Name: "passes", Doc: "Runs the passes named, in turn until none of them changes anything: " + allPasses(),
				Params: []registry.Param{caseParam, fails, {Name: "*"}, {Name: "names", Type: "list[str]", Doc: "as listed above"}, tests},
				Ret:    "case", Example: example + "reduce.passes(c, fails, names = [\"asserts\", \"child\", \"variable\"]).formula  # -> (= (* x x) 49)",
				Fn: func(c *registry.Call) (starlark.Value, error) {
					var names []string
					for i, v := range c.List(3) {
						name := string(v.(starlark.String))
						if !slices.Contains(reduce.PassNames(), name) {
							return nil, c.ArgErrorf(3, "element %d: %s", i, noPass(name, reduce.PassNames()))
						}
						names = append(names, name)
					}
					return run(c.Thread, c.Arg(0), c.Callable(1), names, c.Int(4))
				},
			},
			{
				Name: "default", Doc: "The reducer that campaigns use when they name none: every pass, until none changes anything.",
				Params: []registry.Param{tests}, Ret: "callable(case, fails: callable(case) -> bool) -> case",
				Example: example + "reduce.default()(c, fails).formula  # -> (= (* 0 0) 0)",
				Fn:      func(c *registry.Call) (starlark.Value, error) { return defaultReducer(c.Int(0)), nil },
			},
		},
	}
}

// ways lists the passes over terms with what they do.
func ways() string {
	doc := ""
	for _, p := range reduce.Passes() {
		if p.Terms {
			doc += fmt.Sprintf("\n- `%s`: %s", p.Name, p.Doc)
		}
	}
	return doc
}

func allPasses() string {
	doc := ""
	for _, p := range reduce.Passes() {
		doc += fmt.Sprintf("\n- `%s`: %s", p.Name, p.Doc)
	}
	return doc
}

func waysArg(c *registry.Call, i int) ([]string, error) {
	var all, by []string
	for _, p := range reduce.Passes() {
		if p.Terms {
			all = append(all, p.Name)
		}
	}
	if !c.Has(i) {
		return all, nil
	}
	for k, v := range c.List(i) {
		name := string(v.(starlark.String))
		if !slices.Contains(all, name) {
			return nil, c.ArgErrorf(i, "element %d: %s", k, noPass(name, all))
		}
		by = append(by, name)
	}
	return by, nil
}

func noPass(name string, all []string) string {
	if near := registry.Nearest(name, all); near != "" {
		return fmt.Sprintf("%q is none of the ways (did you mean %q?)", name, near)
	}
	return fmt.Sprintf("%q is none of the ways %q", name, all)
}

// run reduces a case of a script by some passes.
func run(th *starlark.Thread, v starlark.Value, fails starlark.Callable, passes []string, tests int) (starlark.Value, error) {
	s := value.SessionOf(th)
	k, err := s.Local(v.(*value.Case))
	if err != nil {
		return nil, err
	}
	tc, err := k.Case()
	if err != nil {
		return nil, err
	}
	var failed error
	pred := predicate(th, k, fails, &failed)
	r, err := reduce.Run(registry.Context(th), tc, func(x *testcase.Case) bool { return failed == nil && pred(x) },
		reduce.Options{Passes: passes, Tests: tests, Keep: !isEngine(fails), Done: func() bool { return failed != nil }})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	if r.Case == tc {
		return k, nil
	}
	return value.NewCase(k.Store(), r.Case), nil
}

func isEngine(fails starlark.Callable) bool { _, ok := fails.(*value.Fails); return ok }

// predicate turns the function of a script into one of the engine. Its first error is kept, and ends the reduction.
func predicate(th *starlark.Thread, k *value.Case, fails starlark.Callable, failed *error) func(*testcase.Case) bool {
	if f, ok := fails.(*value.Fails); ok {
		return f.F
	}
	return func(x *testcase.Case) bool {
		v, err := starlark.Call(th, fails, starlark.Tuple{value.NewCase(k.Store(), x)}, nil)
		if err != nil {
			*failed = err
			return false
		}
		holds, err := registry.Truth(v)
		if err != nil {
			*failed = fmt.Errorf("%s: %w", fails.Name(), err)
		}
		return holds
	}
}

// defaultReducer is reduce.default() as a function of (case, fails).
func defaultReducer(tests int) starlark.Value {
	return starlark.NewBuiltin("default_reducer", func(th *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var k *value.Case
		var fails starlark.Callable
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "case", &k, "fails", &fails); err != nil {
			return nil, err
		}
		return run(th, k, fails, nil, tests)
	})
}
