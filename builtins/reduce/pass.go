package reduce

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
)

// scriptedPass is a pass of a reduction that a script wrote.
type scriptedPass struct {
	registry.Object[*scriptedPass]

	Name, Doc  string
	candidates starlark.Callable
}

func (p *scriptedPass) String() string { return fmt.Sprintf("<pass %s>", p.Name) }

// Freeze implements starlark.Value.
func (p *scriptedPass) Freeze() { p.candidates.Freeze() }

// Hash implements starlark.Value.
func (p *scriptedPass) Hash() (uint32, error) { return starlark.String(p.Name).Hash() }

// Attr implements starlark.HasAttrs.
func (p *scriptedPass) Attr(name string) (starlark.Value, error) { return passType.Attr(p, name) }

const examplePass = `def halves(case):
    """Strings of half the length."""
    return [case.replace(t, smt.str(t.value[:len(t.value) // 2])) for t in case.find(sort = smt.String) if t.kind == "literal" and t.value]

shorter = reduce.new_pass("halves", halves)
`

var passType = registry.NewType[*scriptedPass]("reduction_pass", "A pass of a reduction that a script defines; see reduce.new_pass.", []registry.Builtin{
	{Name: "name", Doc: "Its name.", Ret: "str", Example: examplePass + "shorter.name  # -> \"halves\"",
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*scriptedPass).Name), nil }},
})

var newPassBuiltin = registry.Builtin{
	Name: "new_pass", Doc: `Defines a pass of a reduction. It lists smaller cases to try; it does not test whether they trigger the bug.
Its candidates are treated like those of the built-in passes: none is tested twice, smtlark reduce tests as many at a time as -j says,
and a candidate is left out if its weight is not lower or it is no longer known to be sat (the witness is evaluated on each
candidate). It is called again after each accepted candidate. It does not change traces of API campaigns.
reduce.default(extra = [...]) and reduce.passes use it in campaigns; smtlark reduce --pass-file FILE uses the passes that a file defines.`,
	Ret: "reduction_pass", Example: examplePass + `c = smt.case("(declare-const s String)(assert (= s \"hollow\"))(check-sat)")
reduce.passes(c, lambda case: True, passes = [shorter]).formula  # -> (= s "")`,
	Do: registry.Into(newPass),
}

var passName = pattern.Lazy(`^[a-z][a-z0-9-]*$`)

// CollectorKey is the slot for the passes that a thread makes; smtlark reduce --pass-file fills it.
var CollectorKey = registry.NewKey[*PassCollector]("the list of passes", "nothing collects them")

// PassCollector collects the passes that a file makes.
type PassCollector struct{ Passes []*scriptedPass }

// newPassArgs are the arguments of reduce.new_pass.
type newPassArgs struct {
	Name       string            `doc:"lower-case letters, digits and -; not the name of a built-in pass"`
	Candidates starlark.Callable `type:"callable(case) -> list[case]" doc:"a function that returns cases made from the given case, the best first"`
}

func newPass(c *registry.Call, a *newPassArgs) (starlark.Value, error) {
	p := &scriptedPass{Name: a.Name, candidates: a.Candidates}
	if !passName().MatchString(p.Name) {
		return nil, c.Errorf(&a.Name, "%q is no name of small letters, digits and -", p.Name)
	}
	if slices.Contains(reduce.PassNames(), p.Name) {
		return nil, c.Errorf(&a.Name, "%q is a built-in pass", p.Name)
	}
	if all, err := CollectorKey.Get(c.Thread); err == nil {
		if slices.ContainsFunc(all.Passes, func(q *scriptedPass) bool { return q.Name == p.Name }) {
			return nil, c.Errorf(&a.Name, "there is a pass %q already", p.Name)
		}
		all.Passes = append(all.Passes, p)
	}
	return p, nil
}

// callingPass calls a function of a script.
type callingPass func(f starlark.Callable, args starlark.Tuple) (starlark.Value, error)

// Engine returns the pass for one reduction, whose cases are wrapped for scripts. The first error is passed to fail,
// and no more candidates are made after it.
func (p *scriptedPass) Engine(call callingPass, wrap func(*testcase.Case) value.Case, fail func(error)) reduce.Custom {
	failed := false
	return reduce.Custom{Name: p.Name, Candidates: func(x *testcase.Case) []*testcase.Case {
		if failed {
			return nil
		}
		out, err := p.call(call, wrap(x))
		if err != nil {
			failed = true
			fail(err)
		}
		return out
	}}
}

// call asks the script for candidates.
func (p *scriptedPass) call(call callingPass, k value.Case) ([]*testcase.Case, error) {
	v, err := call(p.candidates, starlark.Tuple{k})
	if err != nil {
		return nil, err
	}
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("pass %s: %s returned %s, want a list of cases", p.Name, p.candidates.Name(), v.Type())
	}
	it := list.Iterate()
	defer it.Done()
	var out []*testcase.Case
	for i := 0; it.Next(&v); i++ {
		c, ok := v.(value.Case)
		if !ok {
			return nil, fmt.Errorf("pass %s: element %d of what %s returned is %s, want a case", p.Name, i, p.candidates.Name(), v.Type())
		}
		tc, err := c.TestCase()
		if err != nil {
			return nil, fmt.Errorf("pass %s: element %d of what %s returned: %w", p.Name, i, p.candidates.Name(), err)
		}
		if c.Store().Arena != k.Store().Arena {
			return nil, fmt.Errorf("pass %s: element %d of what %s returned is not made of the case it was given: use case.replace, case.with_asserts and the like", p.Name, i, p.candidates.Name())
		}
		out = append(out, tc)
	}
	return out, nil
}

// shortest is ddmin of a list.
func shortest(c *registry.Call, a *reduceDdminArgs) (starlark.Value, error) {
	fails := a.Fails
	if isEngine(fails) {
		return nil, c.Errorf(&a.Fails, "it is a function of a case, want one of a list")
	}
	var failed error
	part, _ := driver.Shortest(registry.Context(c.Thread), registry.Elements(a.Case), a.Tests, func(part []starlark.Value) bool {
		if failed != nil {
			return false
		}
		v, err := c.Invoke(fails, starlark.NewList(slices.Clone(part)))
		if err != nil {
			failed = err
			return false
		}
		holds, err := registry.Truth(v)
		if err != nil {
			failed = fmt.Errorf("%s: %w", fails.Name(), err)
		}
		return holds
	})
	if failed != nil {
		return nil, failed
	}
	return starlark.NewList(part), nil
}
