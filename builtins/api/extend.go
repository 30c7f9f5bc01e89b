package api

import (
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/manager"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/gen"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// onlyFor is something that a campaign leaves out when one of its targets is of another kind; "" is for all.
type onlyFor[T any] struct {
	what T
	kind string
}

// fitting returns what all of some kinds of solvers take.
func fitting[T any](list []onlyFor[T], targets []*value.Solver) (out []T) {
	for _, x := range list {
		if x.kind == "" || !slices.ContainsFunc(targets, func(s *value.Solver) bool { return s.Found.Profile.Name != x.kind }) {
			out = append(out, x.what)
		}
	}
	return out
}

var onlyParam = registry.Param{Name: "only", Type: "str | None", Default: "None", Doc: "the kind of solver that has it: other campaigns leave it out"}

// extending are the methods of a machine that say more about what walks make.
var extending = []registry.Builtin{
	{Name: "sort", Doc: "Lets walks make a sort beside those of their own choice.",
		Params:  []registry.Param{{Name: "sort", Type: "str | sort", Doc: "such as \"(_ BitVec 13)\" or smt.Array(smt.Int, smt.Bool)"}, {Name: "weight", Type: "number", Default: "1"}, {Name: "*"}, onlyParam},
		Example: exampleMachine + "m.sort(\"(_ BitVec 13)\")\nlen([i for i in range(30) if \"(_ BitVec 13)\" in api.fuzz(m)(None, rng(i)).text]) > 5  # -> True", Fn: addSort},
	{Name: "value", Doc: "Adds a special value, which mk-special-value makes. One that smtlark does not know, as a constant of one solver, has no known value, so that nothing with it is asserted as true.",
		Params:  []registry.Param{{Name: "sort", Type: "str | sort"}, {Name: "text", Type: "str | term", Doc: "SMT-LIB's text of it"}, {Name: "weight", Type: "number", Default: "1"}, {Name: "*"}, onlyParam},
		Example: "m = api.machine(theories = [\"Int\"])\nm.value(smt.Int, \"123456789\")\nlen([i for i in range(30) if \"123456789\" in api.fuzz(m)(None, rng(i)).text]) > 0  # -> True", Fn: addValue},
	{Name: "exclude", Doc: "Leaves something out: a line as in the profiles' api_exclude.",
		Params: []registry.Param{{Name: "line", Type: "str", Doc: "\"operator NAME\", \"sort KIND\", \"POSITION KIND\", \"nary NAME\", \"action NAME\", \"option NAME\", ... (docs/api.md)"}, {Name: "*"},
			{Name: "for_", Type: "str | None", Default: "None", Doc: "the kind of solver that does not take it: campaigns without such a target go on making it"}},
		Example: exampleMachine + "m.exclude(\"operator bvudiv\")\n[api.fuzz(m)(None, rng(i)).text.count(\"bvudiv\") for i in range(5)]  # -> [0, 0, 0, 0, 0]", Fn: addExclude},
}

// textOf is the text of a sort or a term given as such or as text.
func textOf(v starlark.Value) string {
	if s, ok := starlark.AsString(v); ok {
		return s
	}
	return v.String()
}

func addSort(c *registry.Call) (starlark.Value, error) {
	m := c.Recv.(*machine)
	if err := m.change(); err != nil {
		return nil, err
	}
	text := textOf(c.Arg(0))
	if _, err := smtlib.ParseSort(smt.NewArena(), nil, text); err != nil {
		return nil, c.ArgErrorf(0, "%s is no sort: %v", text, err)
	}
	if c.Float(1) < 0 {
		return nil, c.ArgErrorf(1, "%v is negative", c.Float(1))
	}
	m.sorts = append(m.sorts, onlyFor[gen.Weighted]{gen.Weighted{Text: text, Weight: c.Float(1)}, c.String(2)})
	return starlark.None, nil
}

func addValue(c *registry.Call) (starlark.Value, error) {
	m := c.Recv.(*machine)
	if err := m.change(); err != nil {
		return nil, err
	}
	sort := textOf(c.Arg(0))
	if _, err := smtlib.ParseSort(smt.NewArena(), nil, sort); err != nil {
		return nil, c.ArgErrorf(0, "%s is no sort: %v", sort, err)
	}
	text := textOf(c.Arg(1))
	if xs, err := smtlib.ParseSExprs(text); err != nil || len(xs) != 1 {
		return nil, c.ArgErrorf(1, "%q is not one term", text)
	}
	if c.Float(2) < 0 {
		return nil, c.ArgErrorf(2, "%v is negative", c.Float(2))
	}
	m.values = append(m.values, onlyFor[gen.Value]{gen.Value{Sort: sort, Text: text, Weight: c.Float(2)}, c.String(3)})
	return starlark.None, nil
}

func addExclude(c *registry.Call) (starlark.Value, error) {
	m := c.Recv.(*machine)
	if err := m.change(); err != nil {
		return nil, err
	}
	line := strings.Join(strings.Fields(c.String(0)), " ")
	if !manager.AboutWalks(line) {
		check := gen.Config{Rules: gen.Rules{Exclude: []string{line}}}
		if _, err := check.Fill(); err != nil {
			return nil, c.ArgErrorf(0, "%v", err)
		}
	}
	m.excludes = append(m.excludes, onlyFor[string]{line, c.String(1)})
	return starlark.None, nil
}

// excluded returns the lines of the machine that count for some targets.
func (m *machine) excluded(targets []*value.Solver) (out []string) {
	for _, x := range m.excludes {
		if x.kind == "" || slices.ContainsFunc(targets, func(s *value.Solver) bool { return s.Found.Profile.Name == x.kind }) {
			out = append(out, x.what)
		}
	}
	return out
}
