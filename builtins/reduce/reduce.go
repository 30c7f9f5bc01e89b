// Package reduce is the Starlark module reduce: ways to make a case smaller while a predicate stays true.
package reduce

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
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
	return registry.Module{
		Name: "reduce",
		Doc: `Ways to make a case smaller. A reducer is a function of (case, fails) that returns a smaller case for which fails is true.
Candidates are well-sorted by construction, and a case that is known to be sat stays known to be sat: its witness is evaluated on each candidate. fails is
called once for each text. When the campaign's time for a finding is over, fails returns False, so that reducers end.`,
		Types: []*registry.Type{passType},
		Members: []registry.Builtin{
			{
				Name: "ddmin", Doc: "Removes parts by delta debugging. For a list, the result is a shorter list in the same order from which no single element can be removed.",
				Ret: "case | list", Example: "reduce.ddmin([3, 8, 5, 9], lambda list: 8 in list and 9 in list)  # -> [8, 9]\n" + example + "len(reduce.ddmin(c, fails, parts = \"asserts\").asserts)  # -> 1",
				Do: registry.Into(func(c *registry.Call, a *reduceDdminArgs) (starlark.Value, error) {
					if _, ok := a.Case.(value.Case); !ok {
						return shortest(c, a)
					}
					return run(c.Thread, a.Case, a.Fails, how{passes: partPasses[a.Parts], tests: a.Tests})
				}),
			},
			{
				Name: "terms", Doc: "Replaces terms by smaller ones of the same sort.\n\nThe passes: " + reduce.PassList(true),
				Ret: "case", Example: example + "len(reduce.terms(c, fails, passes = [\"child\", \"constant\"]).find(op = \"and\"))  # -> 0",
				Do: registry.Into(func(c *registry.Call, a *reduceTermsArgs) (starlark.Value, error) {
					by, err := waysOf(c, a)
					if err != nil {
						return nil, err
					}
					return run(c.Thread, a.Case, a.Fails, how{passes: by, tests: a.Tests})
				}),
			},
			{
				Name: "names", Doc: "Gives constants, functions and bound variables short names.",
				Ret:     "case",
				Example: "c = smt.case(\"(declare-const long_name Int)(assert (> long_name 1))\")\nreduce.names(c, lambda case: True).formula  # -> (> a 1)",
				Do: registry.Into(func(c *registry.Call, a *reduceNamesArgs) (starlark.Value, error) {
					return run(c.Thread, a.Case, a.Fails, how{passes: []string{"names"}})
				}),
			},
			{
				Name: "passes", Doc: "Runs the named passes in turn until none of them changes anything: " + reduce.PassList(false),
				Ret: "case", Example: example + "reduce.passes(c, fails, passes = [\"asserts\", \"child\", \"variable\"]).formula  # -> (= (* x x) 49)",
				Do: registry.Into(func(c *registry.Call, a *reducePassesArgs) (starlark.Value, error) {
					h := how{passes: []string{}, tests: a.Tests}
					for i, v := range a.Passes {
						if p, ok := v.(*scriptedPass); ok {
							if err := h.add(p); err != nil {
								return nil, c.Errorf(&a.Passes, "element %d: %v", i, err)
							}
							h.passes = append(h.passes, p.Name)
							continue
						}
						name := string(v.(starlark.String))
						if !slices.Contains(reduce.PassNames(), name) {
							return nil, c.Errorf(&a.Passes, "element %d: %q is no pass%s", i, name, spelling.HintOrAll(name, reduce.PassNames()))
						}
						h.passes = append(h.passes, name)
					}
					return run(c.Thread, a.Case, a.Fails, h)
				}),
			},
			{
				Name: "default", Doc: "The default reducer of campaigns: runs every pass until none changes anything.",
				Ret:     "callable(case, fails: callable(case) -> bool) -> case",
				Example: example + "reduce.default()(c, fails).formula  # -> (= (* 0 0) 0)",
				Do: registry.Into(func(c *registry.Call, a *reduceDefaultArgs) (starlark.Value, error) {
					h := how{tests: a.Tests}
					for i, v := range a.Extra {
						if err := h.add(v.(*scriptedPass)); err != nil {
							return nil, c.Errorf(&a.Extra, "element %d: %v", i, err)
						}
					}
					return defaultReducer(h), nil
				}),
			},
			newPassBuiltin,
		},
	}
}

// waysOf checks the ways to make terms smaller.
func waysOf(c *registry.Call, a *reduceTermsArgs) ([]string, error) {
	var all []string
	for _, p := range reduce.Passes() {
		if p.Terms {
			all = append(all, p.Name)
		}
	}
	if a.Passes == nil {
		return all, nil
	}
	for k, name := range a.Passes {
		if !slices.Contains(all, name) {
			return nil, c.Errorf(&a.Passes, "element %d: %q is no pass%s", k, name, spelling.HintOrAll(name, all))
		}
	}
	return a.Passes, nil
}

// how holds the settings for the reduction of a script's case.
type how struct {
	passes []string // nil: the default ones
	custom []*scriptedPass
	tests  int
}

// add registers a script's own pass.
func (h *how) add(p *scriptedPass) error {
	if slices.ContainsFunc(h.custom, func(q *scriptedPass) bool { return q.Name == p.Name }) {
		return fmt.Errorf("there are two passes %q", p.Name)
	}
	h.custom = append(h.custom, p)
	return nil
}

// run reduces a case of a script by some passes.
func run(th *starlark.Thread, v starlark.Value, fails starlark.Callable, h how) (starlark.Value, error) {
	k, err := value.LocalOf(th, v.(value.Case))
	if err != nil {
		return nil, err
	}
	tc, err := k.TestCase()
	if err != nil {
		return nil, err
	}
	var failed error
	pred := predicate(th, k, fails, &failed)
	opt := reduce.Options{Laws: func() (*rewrite.Rules, error) { return value.LawsOf(th) }, Passes: h.passes, Tests: h.tests, Keep: !isEngine(fails) || len(h.custom) > 0, Done: func() bool { return failed != nil }}
	if f, ok := fails.(*solving.Fails); ok {
		opt.Helpers = f.Helpers
	}
	call := func(f starlark.Callable, args starlark.Tuple) (starlark.Value, error) {
		return registry.Invoke(th, f, args...)
	}
	for _, p := range h.custom {
		opt.Custom = append(opt.Custom, p.Engine(call, func(x *testcase.Case) value.Case { return value.NewCase(k.Store(), x) }, func(err error) { failed = err }))
	}
	r, err := reduce.Run(registry.Context(th), tc, func(x *testcase.Case) bool { return failed == nil && pred(x) }, opt)
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

func isEngine(fails starlark.Callable) bool { _, ok := fails.(*solving.Fails); return ok }

// predicate turns the function of a script into one of the engine. Its first error is kept, and ends the reduction.
func predicate(th *starlark.Thread, k value.Case, fails starlark.Callable, failed *error) func(*testcase.Case) bool {
	if f, ok := fails.(*solving.Fails); ok {
		return f.F
	}
	return func(x *testcase.Case) bool {
		v, err := registry.Invoke(th, fails, value.NewCase(k.Store(), x))
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
func defaultReducer(h how) starlark.Value {
	return starlark.NewBuiltin("default_reducer", func(th *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var k value.Case
		var fails starlark.Callable
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "case", &k, "fails", &fails); err != nil {
			return nil, err
		}
		return run(th, k, fails, h)
	})
}

// reduceDefaultArgs are the arguments of reduce.default.
type reduceDefaultArgs struct {
	Tests int `type:"count" default:"0" doc:"how often fails may be called; 0 is no limit"`
	_     registry.KeywordOnly
	Extra []starlark.Value `type:"list[reduction_pass]" default:"[]" doc:"further passes (reduce.new_pass), which run after the others"`
}

// reducePassesArgs are the arguments of reduce.passes.
type reducePassesArgs struct {
	Case   value.Case
	Fails  starlark.Callable `type:"callable(case) -> bool" doc:"a function of a case: whether it still triggers the bug"`
	_      registry.KeywordOnly
	Passes []starlark.Value `type:"list[str | reduction_pass]" doc:"as listed above, or your own passes (reduce.new_pass)"`
	Tests  int              `type:"count" default:"0" doc:"how often fails may be called; 0 is no limit"`
}

// reduceNamesArgs are the arguments of reduce.names.
type reduceNamesArgs struct {
	Case  value.Case
	Fails starlark.Callable `type:"callable(case) -> bool" doc:"a function of a case: whether it still triggers the bug"`
}

// reduceTermsArgs are the arguments of reduce.terms.
type reduceTermsArgs struct {
	Case   value.Case
	Fails  starlark.Callable `type:"callable(case) -> bool" doc:"a function of a case: whether it still triggers the bug"`
	_      registry.KeywordOnly
	Passes []string `default:"None" doc:"the passes to use; None: all"`
	Tests  int      `type:"count" default:"0" doc:"how often fails may be called; 0 is no limit"`
}

// reduceDdminArgs are the arguments of reduce.ddmin.
type reduceDdminArgs struct {
	Case  starlark.Value    `type:"case | list | tuple" doc:"a case or a list; for a list, fails is a function of a list and must be true for the whole list"`
	Fails starlark.Callable `type:"callable(case: case | list) -> bool" doc:"a function of a case: whether it still triggers the bug"`
	_     registry.KeywordOnly
	Parts string `type:"\"asserts\" | \"commands\" | \"declarations\" | \"options\" | \"arguments\"" default:"\"asserts\"" doc:"the parts of a case to remove: assertions; check-sats, scopes and other commands; unused declarations; options, notes and the logic; arguments of and, +, ..."`
	Tests int    `type:"count" default:"0" doc:"how often fails may be called; 0 is no limit"`
}
