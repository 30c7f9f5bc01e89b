package solver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
)

// rule is an element of a list of a profile, such as api_exclude: what solver.lacks, solver.option and their kin make. It prints as
// the call that makes it. Profiles keep its line, which is also what was written in its place once.
type rule struct {
	fields []string // of profiles that take it
	line   string
}

func (x *rule) Type() string          { return "solver_rule" }
func (x *rule) Freeze()               {} // immutable
func (x *rule) Truth() starlark.Bool  { return true }
func (x *rule) Hash() (uint32, error) { return starlark.String(x.line).Hash() }
func (x *rule) String() string        { return RuleCall(x.fields[0], x.line) }

// Attr implements starlark.HasAttrs.
func (x *rule) Attr(name string) (starlark.Value, error) { return ruleType.Attr(x, name) }

// AttrNames implements starlark.HasAttrs.
func (x *rule) AttrNames() []string { return ruleType.AttrNames() }

var ruleType = registry.NewType("solver_rule", "What is said of a kind of solver in a list of its profile: made by solver.lacks, solver.option and others.", []registry.Builtin{
	{Name: "line", Doc: "The same in the words of machine.exclude, and of what `smtlark solvers NAME` prints.", Ret: "str", Example: `solver.lacks(operator = "bvnego", before = "4.13").line  # -> "operator bvnego before 4.13"`,
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*rule).line), nil }},
})

// Fields of profiles that take rules.
var (
	lackFields  = []string{"api_exclude", "api_avoid"}
	ofConfigs   = []string{"configuration_exclude"}
	ruledFields = map[string]string{ // with who makes the rules
		"api_exclude": "solver.lacks", "api_avoid": "solver.lacks", "configuration_exclude": "solver.lacks", "api_options": "solver.option", "api_limits": "solver.limit",
		"api_conflicts": "solver.conflict", "api_operators": "solver.operator", "api_values": "solver.value", "contracts": "solver.contract", "configurations": "solver.configuration",
	}
)

// placesOfSorts are the places that solver.lacks(place = ...) takes.
var placesOfSorts = []string{"array-index", "array-element", "seq-element", "set-element", "bag-element", "fun-domain", "fun-codomain", "datatype-field", "sort-param", "const", "var", "get-value"}

// features are those of solver.lacks(feature = ...).
var features = []string{"assumption term", "named term", "echo quotes", "linear arithmetic"}

func literals(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, " | ")
}

// lacksArgs are the arguments of solver.lacks.
type lacksArgs struct {
	Operator        string
	Argument        string
	Signature       string
	Index           string
	ManyArguments   bool
	Theory          string
	Sort            string
	Place           string
	FpFormat        string
	Action          string
	Option          string
	Conflict        []string
	Logic           string
	LogicAll        []string
	BitVectorArrays string
	Always          string
	Once            string
	Feature         string
	Before, Since   string
	OverText        bool
	Configuration   string
}

var lacksBuiltin = registry.Builtin{
	Name: "lacks", Doc: "What a kind of solver does not take, so that API fuzzing leaves it out: for api_exclude, api_avoid and configuration_exclude of its profile. Say one thing in a call; argument, signature, index and many_arguments go with operator, and place goes with sort.",
	Params: []registry.Param{
		{Name: "*"},
		{Name: "operator", Type: "str", Default: `""`, Doc: "an operator as SMT-LIB names it"},
		{Name: "argument", Type: "str", Default: `""`, Doc: "with operator: over arguments of this kind of sorts only, such as Array or ->"},
		{Name: "signature", Type: "str", Default: `""`, Doc: "with operator: in this signature only, as help(operator) has it"},
		{Name: "index", Type: `"zero" | "beyond" | None`, Default: "None", Doc: "with operator: with the index 0 only, or with one beyond the width (of re.range: strings that are no range of characters of Latin-1)"},
		{Name: "many_arguments", Type: "bool", Default: "False", Doc: "with operator: with more than two arguments only"},
		{Name: "theory", Type: "str", Default: `""`, Doc: "a theory"},
		{Name: "sort", Type: "str", Default: `""`, Doc: "a kind of sorts: Array, BitVec, FiniteField, user sort, -> ..."},
		{Name: "place", Type: literals(placesOfSorts) + " | None", Default: "None", Doc: "with sort: in this place only. sort-param takes any and tester as sorts, too"},
		{Name: "fp_format", Type: `"other" | "wide-exponent" | None`, Default: "None", Doc: "floating-point formats: those beyond IEEE 754, or those with more bits of exponent than of significand"},
		{Name: "action", Type: "str", Default: `""`, Doc: "a call, such as get-proof"},
		{Name: "option", Type: "str", Default: `""`, Doc: "an option"},
		{Name: "conflict", Type: "list[str]", Default: "[]", Doc: "two options, or an option and a call, of which the second is not taken after the first"},
		{Name: "logic", Type: "str", Default: `""`, Doc: "the name of a logic"},
		{Name: "logic_all", Type: "list[str]", Default: "[]", Doc: "theories with which, together, it takes no logic but ALL"},
		{Name: "bit_vector_arrays", Type: "str", Default: `""`, Doc: "arrays, in the logic of this name, whose indices or elements are no bit vectors"},
		{Name: "always", Type: "str", Default: `""`, Doc: "walks without this theory"},
		{Name: "once", Type: "str", Default: `""`, Doc: "more than one check-sat with this theory"},
		{Name: "feature", Type: literals(features) + " | None", Default: "None", Doc: "assumptions that are no literals; names of assertions; texts with quotes; linear arithmetic: all other arithmetic"},
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
	type thing struct {
		name  string
		field any
		given bool
		line  string
	}
	join := func(words ...string) string { return strings.Join(words, " ") }
	things := []thing{
		{"operator", &a.Operator, a.Operator != "", "operator " + a.Operator}, {"theory", &a.Theory, a.Theory != "", "theory " + a.Theory},
		{"sort", &a.Sort, a.Sort != "", "sort " + a.Sort}, {"fp_format", &a.FpFormat, a.FpFormat != "", "fp-format " + a.FpFormat},
		{"action", &a.Action, a.Action != "", "action " + a.Action}, {"option", &a.Option, a.Option != "", "option " + a.Option},
		{"conflict", &a.Conflict, len(a.Conflict) > 0, "conflict " + join(a.Conflict...)}, {"logic", &a.Logic, a.Logic != "", "logic " + a.Logic},
		{"logic_all", &a.LogicAll, len(a.LogicAll) > 0, "logic-all " + strings.Join(a.LogicAll, "+")},
		{"bit_vector_arrays", &a.BitVectorArrays, a.BitVectorArrays != "", "bit-vector-arrays " + a.BitVectorArrays},
		{"always", &a.Always, a.Always != "", "always " + a.Always}, {"once", &a.Once, a.Once != "", "once " + a.Once}, {"feature", &a.Feature, a.Feature != "", a.Feature},
	}
	given := slices.DeleteFunc(slices.Clone(things), func(t thing) bool { return !t.given })
	switch {
	case len(given) == 0:
		return nil, fmt.Errorf("say what it lacks, such as operator, theory, sort, action or option")
	case len(given) > 1:
		return nil, c.Errorf(given[1].field, "%s and %s are two things, and one call says one: write a call for each", given[0].name, given[1].name)
	case len(a.Conflict) == 1 || len(a.Conflict) > 2:
		return nil, c.Errorf(&a.Conflict, "got %d names, want two", len(a.Conflict))
	}
	line := given[0].line
	op := 0
	for _, part := range []struct {
		field any
		given bool
		line  string
	}{
		{&a.Argument, a.Argument != "", join("argument", a.Operator, a.Argument)}, {&a.Signature, a.Signature != "", join("signature", a.Operator, a.Signature)},
		{&a.Index, a.Index != "", join("index", a.Operator, a.Index)}, {&a.ManyArguments, a.ManyArguments, "nary " + a.Operator},
	} {
		if !part.given {
			continue
		}
		if op++; a.Operator == "" || op > 1 {
			return nil, c.Errorf(part.field, "it goes with operator, and with one of argument, signature, index and many_arguments")
		}
		line = part.line
	}
	if a.Place != "" {
		if a.Sort == "" {
			return nil, c.Errorf(&a.Place, "it goes with sort")
		}
		line = a.Place + " " + a.Sort
	}
	for _, text := range []*string{&a.Operator, &a.Theory, &a.Action, &a.Option, &a.Logic, &a.Always, &a.Once, &a.Before, &a.Since, &a.Configuration} {
		// A rule is a line of words, so a blank in a name would make another rule of it.
		if strings.ContainsAny(*text, " \t\n") {
			return nil, c.Errorf(text, "%q has a blank; want one name", *text)
		}
	}
	if a.Before != "" {
		line += " before " + a.Before
	}
	if a.Since != "" {
		line += " since " + a.Since
	}
	if a.OverText {
		line += " over text"
	}
	if a.Configuration != "" {
		return &rule{ofConfigs, a.Configuration + ": " + line}, nil
	}
	return &rule{lackFields, line}, nil
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
		Name: "option", Doc: "An option that API fuzzing may set, for api_options of a profile: true or false, unless values or between says what else.",
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
			return &rule{[]string{"api_options"}, line}, nil
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
			return &rule{[]string{"api_limits"}, a.Name + " " + text}, nil
		}),
	},
	{
		Name: "conflict", Doc: "Two theories that API fuzzing does not take together: for api_conflicts of a profile.",
		Params: []registry.Param{{Name: "theory", Type: "str"}, {Name: "other", Type: "str"}},
		Ret:    "solver_rule", Example: `solver.conflict("Quantifiers", "UF").line  # -> "Quantifiers UF"`,
		Do: registry.Into(func(_ *registry.Call, a *struct{ Theory, Other string }) (starlark.Value, error) {
			return &rule{[]string{"api_conflicts"}, a.Theory + " " + a.Other}, nil
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
			return &rule{[]string{"api_operators"}, fmt.Sprintf("%s (%s) %s", a.Name, strings.Join(a.Args, " "), a.Result)}, nil
		}),
	},
	{
		Name: "value", Doc: "A special value that API fuzzing makes: for api_values of a profile.",
		Params: []registry.Param{{Name: "sort", Type: "str"}, {Name: "text", Type: "str", Doc: "the value as SMT-LIB writes it"}},
		Ret:    "solver_rule", Example: `solver.value("Real", "real.pi").line  # -> "Real real.pi"`,
		Do: registry.Into(func(_ *registry.Call, a *struct{ Sort, Text string }) (starlark.Value, error) {
			return &rule{[]string{"api_values"}, a.Sort + " " + a.Text}, nil
		}),
	},
	{
		Name: "contract", Doc: "An operator that a solver takes more widely than its documentation says: for contracts of a profile. API fuzzing keeps to what is documented.",
		Params: []registry.Param{{Name: "operator", Type: "str"}, {Name: "kinds", Type: "list[str]", Doc: "the kinds of sorts that its arguments have in the documentation"}},
		Ret:    "solver_rule", Example: `solver.contract("bvite", ["BitVec"]).line  # -> "bvite: BitVec"`,
		Do: registry.Into(func(_ *registry.Call, a *struct {
			Operator string
			Kinds    []string
		}) (starlark.Value, error) {
			return &rule{[]string{"contracts"}, a.Operator + ": " + strings.Join(a.Kinds, " ")}, nil
		}),
	},
	{
		Name: "configuration", Doc: "A configuration beside the default one that its developers vouch for: for configurations of a profile. Every reduced finding is tried in it.",
		Params: []registry.Param{{Name: "name", Type: "str"}, {Name: "args", Type: "list[str]", Doc: "command line arguments"}},
		Ret:    "solver_rule", Example: `solver.configuration("safe", ["--safe-mode=safe"]).line  # -> "safe: --safe-mode=safe"`,
		Do: registry.Into(func(_ *registry.Call, a *struct {
			Name string
			Args []string
		}) (starlark.Value, error) {
			return &rule{[]string{"configurations"}, a.Name + ": " + strings.Join(a.Args, " ")}, nil
		}),
	},
}
