package solving

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	rules "github.com/smtlark/smtlark/solvers/rule"
)

func literals(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, " | ")
}

// optionArgs are the arguments of solver.option.
type optionArgs struct {
	Name    string `doc:"without the colon"`
	_       registry.KeywordOnly
	Values  []string        `default:"[]" doc:"its possible values, as words"`
	Between *starlark.Tuple `type:"tuple[int, int] | None" default:"None" doc:"its possible values, from the first number to the second"`
	Along   *starlark.Dict  `type:"dict[str, str | int]" default:"{}" doc:"options that have to be set along with it"`
	Expert  bool            `default:"False" doc:"its developers say that it is for experts"`
}

// bounds returns the two bounds of a range.
func bounds(c *registry.Call, field **starlark.Tuple) (lo, hi int64, err error) {
	var both [2]int64
	for i, v := range **field {
		n, ok := v.(starlark.Int)
		if !ok {
			return 0, 0, c.Errorf(field, "want two numbers")
		}
		if both[i], ok = n.Int64(); !ok {
			return 0, 0, c.Errorf(field, "%s is too large", n)
		}
	}
	if both[0] > both[1] {
		return 0, 0, c.Errorf(field, "%d is above %d", both[0], both[1])
	}
	return both[0], both[1], nil
}

// newOption makes the rule of solver.option.
func newOption(c *registry.Call, a *optionArgs) (starlark.Value, error) {
	option := rules.OptionSpec{Name: a.Name, Kind: rules.Bool, Expert: a.Expert}
	switch {
	case a.Name == "" || strings.ContainsAny(a.Name, " \t\n:"):
		return nil, c.Errorf(&a.Name, "%q is no option's name", a.Name)
	case a.Between != nil && len(a.Values) > 0:
		return nil, c.Errorf(&a.Between, "values and between exclude each other")
	case a.Between != nil:
		lo, hi, err := bounds(c, &a.Between)
		if err != nil {
			return nil, err
		}
		option.Kind, option.Lo, option.Hi = rules.Int, lo, hi
	case len(a.Values) > 0:
		for i, v := range a.Values {
			if v == "" || strings.ContainsAny(v, " ,\t\n") {
				return nil, c.Errorf(&a.Values, "element %d: %q is not one word", i, v)
			}
		}
		option.Kind, option.Values = rules.List, a.Values
	}
	along := a.Along.Items()
	if len(along) > 1 {
		return nil, c.Errorf(&a.Along, "got %d options, want one", len(along))
	}
	for _, kv := range along {
		name, _ := starlark.AsString(kv[0])
		option.With = rules.Setting{Name: name, Value: OptionText(kv[1])}
	}
	return &RuleValue{Element: option}, nil
}

// oneTerm returns a text as SMT-LIB prints it; it has to be one name, or one expression in parentheses.
func oneTerm(c *registry.Call, field any, text string) (string, error) {
	xs, err := smtlib.ParseSExprs(text)
	if err != nil || len(xs) != 1 {
		return "", c.Errorf(field, "%q is neither one name nor one expression in parentheses", text)
	}
	return xs[0].String(), nil
}

// operatorArgs are the arguments of solver.operator.
type operatorArgs struct {
	Name   string
	_      registry.KeywordOnly
	Args   []string `doc:"for each argument a sort, or a word for a kind of sorts such as BitVec"`
	Result string   `doc:"the sort of the result"`
}

// newOperator makes the rule of solver.operator.
func newOperator(c *registry.Call, a *operatorArgs) (starlark.Value, error) {
	var operator rules.OperatorSpec
	var err error
	if operator.Name, err = oneTerm(c, &a.Name, a.Name); err != nil {
		return nil, err
	}
	for _, x := range a.Args {
		text, err := oneTerm(c, &a.Args, x)
		if err != nil {
			return nil, err
		}
		operator.Args = append(operator.Args, text)
	}
	if operator.Result, err = oneTerm(c, &a.Result, a.Result); err != nil {
		return nil, err
	}
	return &RuleValue{Element: operator}, nil
}

var ruleBuiltins = []registry.Builtin{
	lacksBuiltin,
	{
		Name: "option", Doc: "An option that API fuzzing may set, for api_options of a profile: true or false, unless values or between give other values.",
		Ret: "solver_rule", Example: `solver.option("seed", between = (0, 100)).line  # -> "seed int 0 100"
solver.option("decision", values = ["internal", "justification"]).line  # -> "decision list internal,justification"
solver.option("cbqi").line  # -> "cbqi bool"`,
		Do: registry.Into(newOption),
	},
	{
		Name: "limit", Doc: "An option that limits one check-sat and can be set at any time; 0 removes the limit: for api_limits of a profile.",
		Ret: "solver_rule", Example: `solver.limit("timeout", between = (1, 1000)).line  # -> "timeout 1 1000"`,
		Do: registry.Into(func(c *registry.Call, a *struct {
			Name    string `doc:"without the colon"`
			_       registry.KeywordOnly
			Between *starlark.Tuple `type:"tuple[int, int]" doc:"the values that API fuzzing uses, from the first number to the second"`
		}) (starlark.Value, error) {
			lo, hi, err := bounds(c, &a.Between)
			if err != nil {
				return nil, err
			}
			return &RuleValue{Element: rules.Limit{Name: a.Name, Lo: lo, Hi: hi}}, nil
		}),
	},
	{
		Name: "conflict", Doc: "Theories that API fuzzing does not combine: for api_conflicts of a profile.",
		Ret: "solver_rule", Example: `solver.conflict("Quantifiers", "UF").line  # -> "Quantifiers UF"`,
		Do: registry.Into(func(_ *registry.Call, a *struct {
			Theories []string `name:"*theories" doc:"two or more"`
		}) (starlark.Value, error) {
			if len(a.Theories) < 2 {
				return nil, fmt.Errorf("got %d theories, want two or more", len(a.Theories))
			}
			return &RuleValue{Element: rules.TheoryConflict(a.Theories)}, nil
		}),
	},
	{
		Name: "operator", Doc: "An operator beyond the operator table that API fuzzing applies: for api_operators of a profile.",
		Ret: "solver_rule", Example: `solver.operator("bvredor", args = ["BitVec"], result = "(_ BitVec 1)").line  # -> "bvredor (BitVec) (_ BitVec 1)"`,
		Do: registry.Into(newOperator),
	},
	{
		Name: "value", Doc: "A special value that API fuzzing makes: for api_values of a profile.",
		Ret: "solver_rule", Example: `solver.value("Real", "real.pi").line  # -> "Real real.pi"`,
		Do: registry.Into(func(c *registry.Call, a *struct {
			Sort string
			Text string `doc:"the value in SMT-LIB syntax"`
		}) (starlark.Value, error) {
			sort, err := oneTerm(c, &a.Sort, a.Sort)
			if err != nil {
				return nil, err
			}
			text, err := oneTerm(c, &a.Text, a.Text)
			if err != nil {
				return nil, err
			}
			return &RuleValue{Element: rules.SpecialValue{Sort: sort, Text: text}}, nil
		}),
	},
	{
		Name: "contract", Doc: "An operator that a solver accepts for more sorts than its documentation says: for contracts of a profile. API fuzzing uses only the documented sorts.",
		Ret: "solver_rule", Example: `solver.contract("bvite", ["BitVec"]).line  # -> "bvite: BitVec"`,
		Do: registry.Into(func(_ *registry.Call, a *struct {
			Operator string
			Kinds    []string `doc:"the kinds of sorts that its arguments have in the documentation"`
		}) (starlark.Value, error) {
			return &RuleValue{Element: rules.Contract{Operator: a.Operator, Kinds: a.Kinds}}, nil
		}),
	},
	{
		Name: "configuration", Doc: "A further configuration that the solver's developers support: for configurations of a profile. Every reduced finding is tried in it.",
		Ret: "solver_rule", Example: `solver.configuration("safe", ["--safe-mode=safe"]).line  # -> "safe: --safe-mode=safe"`,
		Do: registry.Into(func(c *registry.Call, a *struct {
			Name string
			Args []string `doc:"command line arguments"`
		}) (starlark.Value, error) {
			if a.Name == "" || len(a.Args) == 0 {
				return nil, errors.New("a configuration has a name and arguments")
			}
			return &RuleValue{Element: rules.Configuration{Name: a.Name, Args: a.Args}}, nil
		}),
	},
}
