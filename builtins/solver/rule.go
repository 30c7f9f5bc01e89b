package solver

import (
	"errors"
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

// lacksArgs are the arguments of solver.lacks.
type lacksArgs struct{ rules.Lack }

var lacksBuiltin = registry.Builtin{
	Name: "lacks", Doc: "A feature that a kind of solver does not support, so that API fuzzing leaves it out: for api_exclude, api_avoid and configuration_exclude of its profile. One feature per call; argument, signature, index and many_arguments go with operator, and place goes with sort.",
	Params: []registry.Param{
		{Name: "*"},
		{Name: "operator", Type: "str", Default: `""`, Doc: "an operator as SMT-LIB names it"},
		{Name: "argument", Type: "str", Default: `""`, Doc: "with operator: over arguments of this kind of sorts only, such as Array or ->"},
		{Name: "signature", Type: "str", Default: `""`, Doc: "with operator: in this signature only, as help(operator) has it"},
		{Name: "index", Type: `"zero" | "beyond" | None`, Default: "None", Doc: "with operator: with the index 0 only, or with one beyond the width (of re.range: strings that are no range of characters of Latin-1)"},
		{Name: "many_arguments", Type: "bool", Default: "False", Doc: "with operator: with more than two arguments only"},
		{Name: "theory", Type: "str", Default: `""`, Doc: "a theory"},
		{Name: "sort", Type: "str", Default: `""`, Doc: "a kind of sorts: Array, BitVec, FiniteField, user sort, -> ..."},
		{Name: "place", Type: literals(rules.PlacesOfSorts) + " | None", Default: "None", Doc: "with sort: in this place only. sort-param takes any and tester as sorts, too"},
		{Name: "fp_format", Type: `"other" | "wide-exponent" | None`, Default: "None", Doc: "floating-point formats: those beyond IEEE 754, or those with more bits of exponent than of significand"},
		{Name: "action", Type: "str", Default: `""`, Doc: "a call, such as get-proof"},
		{Name: "option", Type: "str", Default: `""`, Doc: "an option"},
		{Name: "conflict", Type: "list[str]", Default: "[]", Doc: "two options, or an option and a call: the second is not accepted after the first"},
		{Name: "logic", Type: "str", Default: `""`, Doc: "the name of a logic"},
		{Name: "logic_all", Type: "list[str]", Default: "[]", Doc: "theories for which, together, it accepts only the logic ALL; const: constant arrays"},
		{Name: "bit_vector_arrays", Type: "str", Default: `""`, Doc: "arrays, in the logic of this name, whose indices or elements are no bit vectors"},
		{Name: "always", Type: "str", Default: `""`, Doc: "walks without this theory"},
		{Name: "once", Type: "str", Default: `""`, Doc: "more than one check-sat with this theory"},
		{Name: "feature", Type: literals(rules.Features) + " | None", Default: "None", Doc: "assumptions that are no literals; names of assertions; texts with quotes; linear arithmetic: all other arithmetic"},
		{Name: "before", Type: "str", Default: `""`, Doc: "versions before this one only"},
		{Name: "since", Type: "str", Default: `""`, Doc: "this version and later ones only"},
		{Name: "over_text", Type: "bool", Default: "False", Doc: "programs only, and not C libraries"},
		{Name: "configuration", Type: "str", Default: `""`, Doc: "for configuration_exclude: the configuration that lacks it"},
	},
	Ret: "solver_rule", Example: `solver.lacks(operator = "bvnego", before = "4.13").line  # -> "operator bvnego before 4.13"
solver.lacks(sort = "Array", place = "array-index").line  # -> "array-index Array"
solver.lacks(sort = "Array", operator = "ite")  # error: operator and sort are two things
solver.lacks()  # error: say what it lacks`,
	Do: registry.Into(newLack),
}

func newLack(c *registry.Call, a *lacksArgs) (starlark.Value, error) {
	line, err := a.Line()
	var wrong *rules.Mistake
	switch {
	case errors.As(err, &wrong) && wrong.Field != nil:
		return nil, c.Errorf(wrong.Field, "%s", wrong.Text)
	case err != nil:
		return nil, err
	case a.Configuration != "":
		return &rule{fields: []string{rules.ConfigurationField}, line: line}, nil
	}
	return &rule{fields: rules.LackFields, line: line}, nil
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
