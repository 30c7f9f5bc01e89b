package solver

import (
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	rules "github.com/smtlark/smtlark/solvers/rule"
)

// rule is an element of a list of a profile, such as api_exclude: what solver.lacks, solver.option and their kin make. It prints as
// the call that makes it. Profiles keep its line, which is also what was written in its place once.
type rule struct {
	registry.Object[*rule]

	fields []string // of profiles that take it
	line   string
}

func (x *rule) Hash() (uint32, error) { return starlark.String(x.line).Hash() }
func (x *rule) String() string        { return rules.CallOf(x.fields[0], x.line) }

// Attr implements starlark.HasAttrs.
func (x *rule) Attr(name string) (starlark.Value, error) { return ruleType.Attr(x, name) }

var ruleType = registry.NewType[*rule]("solver_rule", "A rule in a list of a solver profile, made by solver.lacks, solver.option and others.", []registry.Builtin{
	{Name: "line", Doc: "The rule as text, as for machine.exclude and in the output of `smtlark solvers NAME`.", Ret: "str", Example: `solver.lacks(operator = "bvnego", before = "4.13").line  # -> "operator bvnego before 4.13"`,
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*rule).line), nil }},
})

func literals(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, " | ")
}

// optionArgs are the arguments of solver.option.
type optionArgs struct {
	Name    string
	Values  []string
	Between *starlark.Tuple
	Along   *starlark.Dict
	Expert  bool
}

// rangeText returns the two bounds of a range.
func rangeText(c *registry.Call, field **starlark.Tuple) (string, error) {
	var bounds [2]int64
	for i, v := range **field {
		n, ok := v.(starlark.Int)
		if !ok {
			return "", c.Errorf(field, "want two numbers")
		}
		if bounds[i], ok = n.Int64(); !ok {
			return "", c.Errorf(field, "%s is too large", n)
		}
	}
	if bounds[0] > bounds[1] {
		return "", c.Errorf(field, "%d is above %d", bounds[0], bounds[1])
	}
	return fmt.Sprintf("%d %d", bounds[0], bounds[1]), nil
}

var ruleBuiltins = []registry.Builtin{
	lacksBuiltin,
	{
		Name: "option", Doc: "An option that API fuzzing may set, for api_options of a profile: true or false, unless values or between give other values.",
		Params: []registry.Param{
			{Name: "name", Type: "str", Doc: "without the colon"},
			{Name: "*"},
			{Name: "values", Type: "list[str]", Default: "[]", Doc: "one of these words"},
			{Name: "between", Type: "tuple[int, int] | None", Default: "None", Doc: "a number from the first to the second"},
			{Name: "along", Type: "dict[str, str | int]", Default: "{}", Doc: "options that have to be set along with it"},
			{Name: "expert", Type: "bool", Default: "False", Doc: "its developers call it one for experts"},
		},
		Ret: "solver_rule", Example: `solver.option("seed", between = (0, 100)).line  # -> "seed int 0 100"
solver.option("decision", values = ["internal", "justification"]).line  # -> "decision list internal,justification"
solver.option("cbqi").line  # -> "cbqi bool"`,
		Do: registry.Into(func(c *registry.Call, a *optionArgs) (starlark.Value, error) {
			line := a.Name + " bool"
			switch {
			case a.Name == "" || strings.ContainsAny(a.Name, " \t\n:"):
				return nil, c.Errorf(&a.Name, "%q is no option's name", a.Name)
			case a.Between != nil && len(a.Values) > 0:
				return nil, c.Errorf(&a.Between, "values and between exclude each other")
			case a.Between != nil:
				text, err := rangeText(c, &a.Between)
				if err != nil {
					return nil, err
				}
				line = a.Name + " int " + text
			case len(a.Values) > 0:
				for i, v := range a.Values {
					if v == "" || strings.ContainsAny(v, " ,\t\n") {
						return nil, c.Errorf(&a.Values, "element %d: %q is not one word", i, v)
					}
				}
				line = a.Name + " list " + strings.Join(a.Values, ",")
			}
			for _, kv := range a.Along.Items() {
				name, _ := starlark.AsString(kv[0])
				line += " with " + name + "=" + optionText(kv[1])
			}
			if a.Expert {
				line += " expert"
			}
			return &rule{fields: []string{"api_options"}, line: line}, nil
		}),
	},
	{
		Name: "limit", Doc: "An option that bounds one check-sat, can be set at any time and is lifted by 0: for api_limits of a profile.",
		Params: []registry.Param{{Name: "name", Type: "str", Doc: "without the colon"}, {Name: "*"}, {Name: "between", Type: "tuple[int, int]", Doc: "what API fuzzing sets it to, from the first to the second"}},
		Ret:    "solver_rule", Example: `solver.limit("timeout", between = (1, 1000)).line  # -> "timeout 1 1000"`,
		Do: registry.Into(func(c *registry.Call, a *struct {
			Name    string
			Between *starlark.Tuple
		}) (starlark.Value, error) {
			text, err := rangeText(c, &a.Between)
			if err != nil {
				return nil, err
			}
			return &rule{fields: []string{"api_limits"}, line: a.Name + " " + text}, nil
		}),
	},
	{
		Name: "conflict", Doc: "Two theories that API fuzzing does not combine: for api_conflicts of a profile.",
		Params: []registry.Param{{Name: "theory", Type: "str"}, {Name: "other", Type: "str"}},
		Ret:    "solver_rule", Example: `solver.conflict("Quantifiers", "UF").line  # -> "Quantifiers UF"`,
		Do: registry.Into(func(_ *registry.Call, a *struct{ Theory, Other string }) (starlark.Value, error) {
			return &rule{fields: []string{"api_conflicts"}, line: a.Theory + " " + a.Other}, nil
		}),
	},
	{
		Name: "operator", Doc: "An operator beyond the operator table that API fuzzing applies: for api_operators of a profile.",
		Params: []registry.Param{{Name: "name", Type: "str"}, {Name: "*"},
			{Name: "args", Type: "list[str]", Doc: "a sort, or a word for a kind of sorts such as BitVec, for each argument"}, {Name: "result", Type: "str", Doc: "the sort of the result"}},
		Ret: "solver_rule", Example: `solver.operator("bvredor", args = ["BitVec"], result = "(_ BitVec 1)").line  # -> "bvredor (BitVec) (_ BitVec 1)"`,
		Do: registry.Into(func(_ *registry.Call, a *struct {
			Name   string
			Args   []string
			Result string
		}) (starlark.Value, error) {
			return &rule{fields: []string{"api_operators"}, line: fmt.Sprintf("%s (%s) %s", a.Name, strings.Join(a.Args, " "), a.Result)}, nil
		}),
	},
	{
		Name: "value", Doc: "A special value that API fuzzing makes: for api_values of a profile.",
		Params: []registry.Param{{Name: "sort", Type: "str"}, {Name: "text", Type: "str", Doc: "the value as SMT-LIB writes it"}},
		Ret:    "solver_rule", Example: `solver.value("Real", "real.pi").line  # -> "Real real.pi"`,
		Do: registry.Into(func(_ *registry.Call, a *struct{ Sort, Text string }) (starlark.Value, error) {
			return &rule{fields: []string{"api_values"}, line: a.Sort + " " + a.Text}, nil
		}),
	},
	{
		Name: "contract", Doc: "An operator that a solver accepts for more sorts than its documentation says: for contracts of a profile. API fuzzing uses only the documented sorts.",
		Params: []registry.Param{{Name: "operator", Type: "str"}, {Name: "kinds", Type: "list[str]", Doc: "the kinds of sorts that its arguments have in the documentation"}},
		Ret:    "solver_rule", Example: `solver.contract("bvite", ["BitVec"]).line  # -> "bvite: BitVec"`,
		Do: registry.Into(func(_ *registry.Call, a *struct {
			Operator string
			Kinds    []string
		}) (starlark.Value, error) {
			return &rule{fields: []string{"contracts"}, line: a.Operator + ": " + strings.Join(a.Kinds, " ")}, nil
		}),
	},
	{
		Name: "configuration", Doc: "A further configuration that its developers support: for configurations of a profile. Every reduced finding is tried in it.",
		Params: []registry.Param{{Name: "name", Type: "str"}, {Name: "args", Type: "list[str]", Doc: "command line arguments"}},
		Ret:    "solver_rule", Example: `solver.configuration("safe", ["--safe-mode=safe"]).line  # -> "safe: --safe-mode=safe"`,
		Do: registry.Into(func(_ *registry.Call, a *struct {
			Name string
			Args []string
		}) (starlark.Value, error) {
			return &rule{fields: []string{"configurations"}, line: a.Name + ": " + strings.Join(a.Args, " ")}, nil
		}),
	},
}
