package api

import (
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	engine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/rule"
)

// extending are the methods of a machine that say more about what walks make.
var extending = []registry.Builtin{
	{Name: "sort", Doc: "Lets walks also make this sort.",
		Example: exampleMachine + "m.sort(\"(_ BitVec 13)\")\nlen([i for i in range(30) if \"(_ BitVec 13)\" in api.fuzz(m)(None, rng(i)).text]) > 5  # -> True", Do: registry.Method(addSort)},
	{Name: "value", Doc: "Adds a special value for the action mk-special-value. If smtlark does not know it, for example a constant of one solver, its value is unknown, and no formula that contains it is asserted as true.",
		Example: "m = api.machine(theories = [\"Int\"])\nm.value(smt.Int, \"123456789\")\nlen([i for i in range(30) if \"123456789\" in api.fuzz(m)(None, rng(i)).text]) > 0  # -> True", Do: registry.Method(addValue)},
	{Name: "exclude", Doc: "Leaves something out, given by a line as in api_exclude of profiles.",
		Example: exampleMachine + "m.exclude(\"operator bvudiv\")\n[api.fuzz(m)(None, rng(i)).text.count(\"bvudiv\") for i in range(5)]  # -> [0, 0, 0, 0, 0]", Do: registry.Method(addExclude)},
}

// textOf is the text of a sort or a term given as such or as text.
func textOf(v starlark.Value) string {
	if s, ok := starlark.AsString(v); ok {
		return s
	}
	return v.String()
}

// addSortArgs are the arguments of machine.sort.
type addSortArgs struct {
	Sort   starlark.Value `type:"str | sort" doc:"such as \"(_ BitVec 13)\" or smt.Array(smt.Int, smt.Bool)"`
	Weight float64        `type:"weight" default:"1"`
	_      registry.KeywordOnly
	Only   string `default:"None" doc:"the kind of solver that has it: other campaigns leave it out"`
}

func addSort(c *registry.Call, m *machine, a *addSortArgs) (starlark.Value, error) {
	if err := m.change(); err != nil {
		return nil, err
	}
	text := textOf(a.Sort)
	if _, err := smtlib.ParseSort(smt.NewArena(), nil, text); err != nil {
		return nil, c.Errorf(&a.Sort, "%s is no sort: %v", text, err)
	}
	m.Sorts = append(m.Sorts, engine.OnlyFor[gen.Weighted]{What: gen.Weighted{Text: text, Weight: a.Weight}, Kind: a.Only})
	return starlark.None, nil
}

// addValueArgs are the arguments of machine.value.
type addValueArgs struct {
	Sort   starlark.Value `type:"str | sort"`
	Text   starlark.Value `type:"str | term" doc:"the value as SMT-LIB text"`
	Weight float64        `type:"weight" default:"1"`
	_      registry.KeywordOnly
	Only   string `default:"None" doc:"the kind of solver that has it: other campaigns leave it out"`
}

func addValue(c *registry.Call, m *machine, a *addValueArgs) (starlark.Value, error) {
	if err := m.change(); err != nil {
		return nil, err
	}
	sort := textOf(a.Sort)
	if _, err := smtlib.ParseSort(smt.NewArena(), nil, sort); err != nil {
		return nil, c.Errorf(&a.Sort, "%s is no sort: %v", sort, err)
	}
	text := textOf(a.Text)
	if xs, err := smtlib.ParseSExprs(text); err != nil || len(xs) != 1 {
		return nil, c.Errorf(&a.Text, "%q is not one term", text)
	}
	m.Values = append(m.Values, engine.OnlyFor[gen.SpecialValue]{What: gen.SpecialValue{SpecialValue: rule.SpecialValue{Sort: sort, Text: text}, Weight: a.Weight}, Kind: a.Only})
	return starlark.None, nil
}

// addExcludeArgs are the arguments of machine.exclude.
type addExcludeArgs struct {
	Line string `doc:"\"operator NAME\", \"sort KIND\", \"POSITION KIND\", \"nary NAME\", \"action NAME\", \"option NAME\", ... (docs/api.md)"`
	_    registry.KeywordOnly
	For  string `name:"for_" default:"None" doc:"the kind of solver that does not support it; campaigns without such a target still use it"`
}

func addExclude(c *registry.Call, m *machine, a *addExcludeArgs) (starlark.Value, error) {
	if err := m.change(); err != nil {
		return nil, err
	}
	l, err := rule.ParseLack(strings.Join(strings.Fields(a.Line), " "))
	if err != nil {
		return nil, c.Errorf(&a.Line, "%v", err)
	}
	m.Excludes = append(m.Excludes, engine.OnlyFor[rule.Lack]{What: l, Kind: a.For})
	return starlark.None, nil
}
