package solving

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	rules "github.com/smtlark/smtlark/solvers/rule"
	"github.com/smtlark/smtlark/stdlib"
)

// ruleOf makes the rule of a call.
func ruleOf(t *testing.T, call string) *RuleValue {
	t.Helper()
	members, err := inProfileFiles()
	require.NoError(t, err)
	v, err := starlark.EvalOptions(registry.Dialect(), &starlark.Thread{}, "call", call, starlark.StringDict{"solver": &module{members}})
	require.NoError(t, err, call)
	x, ok := v.(*RuleValue)
	require.True(t, ok, call)
	return x
}

type module struct{ members starlark.StringDict }

func (m *module) String() string                           { return "solver" }
func (m *module) Type() string                             { return "module" }
func (m *module) Freeze()                                  {}
func (m *module) Truth() starlark.Bool                     { return true }
func (m *module) Hash() (uint32, error)                    { return 0, nil }
func (m *module) Attr(name string) (starlark.Value, error) { return m.members[name], nil }
func (m *module) AttrNames() []string                      { return m.members.Keys() }

// TestRulesPrintAsTheirCalls: the text of a rule is the call that makes it again.
func TestRulesPrintAsTheirCalls(t *testing.T) {
	for call, line := range map[string]string{
		`solver.lacks(operator = "bvnego", before = "4.13")`:                                "operator bvnego before 4.13",
		`solver.lacks(operator = "str.<", many_arguments = True, over_text = True)`:         "nary str.< over text",
		`solver.lacks(operator = "=", argument = "->")`:                                     "argument = ->",
		`solver.lacks(operator = "bvcomp", signature = "BitVec(m) BitVec(m) -> BitVec(1)")`: "signature bvcomp BitVec(m) BitVec(m) -> BitVec(1)",
		`solver.lacks(operator = "int.pow2", index = "beyond")`:                             "index int.pow2 beyond",
		`solver.lacks(theory = "HigherOrder", over_text = True)`:                            "theory HigherOrder over text",
		`solver.lacks(sort = "user sort")`:                                                  "sort user sort",
		`solver.lacks(sort = "->", place = "array-index")`:                                  "array-index ->",
		`solver.lacks(fp_format = "other")`:                                                 "fp-format other",
		`solver.lacks(action = "get-info", over_text = True)`:                               "action get-info over text",
		`solver.lacks(conflict = ["produce-unsat-cores", "check-sat-assuming"])`:            "conflict produce-unsat-cores check-sat-assuming",
		`solver.lacks(logic_all = ["Ints", "Sets"], since = "5")`:                           "logic-all Ints+Sets since 5",
		`solver.lacks(feature = "echo quotes", configuration = "safe")`:                     "safe: echo quotes",
		`solver.lacks(bit_vector_arrays = "QF_ABV")`:                                        "bit-vector-arrays QF_ABV",
		`solver.option("cbqi")`:                                                             "cbqi bool",
		`solver.option("seed", between = (0, 100))`:                                         "seed int 0 100",
		`solver.option("p", along = {"n": "500"}, expert = True)`:                           "p bool with n=500 expert",
		`solver.option("b", values = ["x", "y"], expert = True)`:                            "b list x,y expert",
		`solver.limit("timeout", between = (1, 1000))`:                                      "timeout 1 1000",
		`solver.conflict("Quantifiers", "UF", "ArraysEx")`:                                  "Quantifiers UF ArraysEx",
		`solver.value("Real", "real.pi")`:                                                   "Real real.pi",
		`solver.operator("f", args = ["Int", "Int"], result = "(_ BitVec 1)")`:              "f (Int Int) (_ BitVec 1)",
		`solver.contract("f", ["Int", "Real"])`:                                             "f: Int Real",
		`solver.configuration("two", ["-a", "-b"])`:                                         "two: -a -b",
	} {
		x := ruleOf(t, call)
		require.Equal(t, call, x.String())
		require.Equal(t, line, x.Element.String())
	}
}

// TestMistakesOfRules: a mistake names the parameter that it is about.
func TestMistakesOfRules(t *testing.T) {
	for call, text := range map[string]string{
		`solver.option("a b")`:                                  `name: "a b" is no option's name`,
		`solver.option("a", values = ["x"], between = (0, 1))`:  "between: values and between exclude each other",
		`solver.option("a", between = (2, 1))`:                  "between: 2 is above 1",
		`solver.option("a", values = ["x y"])`:                  `values: element 0: "x y" is not one word`,
		`solver.option("a", along = {"b": 1, "c": 2})`:          "along: got 2 options, want one",
		`solver.conflict("UF")`:                                 "got 1 theories, want two or more",
		`solver.operator("f g", args = [], result = "Int")`:     `name: "f g" is neither one name nor one expression`,
		`solver.operator("f", args = ["(Set"], result = "Int")`: `args: "(Set" is neither one name nor one expression`,
		`solver.operator("f", args = ["Int"], result = "")`:     `result: "" is neither one name nor one expression`,
		`solver.value("Real", "a b")`:                           `text: "a b" is neither one name nor one expression`,
		`solver.configuration("safe", [])`:                      "a configuration has a name and arguments",
	} {
		members, err := inProfileFiles()
		require.NoError(t, err)
		_, err = starlark.EvalOptions(registry.Dialect(), &starlark.Thread{}, "call", call, starlark.StringDict{"solver": &module{members}})
		require.ErrorContains(t, err, text, call)
	}
}

// TestMistakesOfLacks: a mistake names the parameter that it is about.
func TestMistakesOfLacks(t *testing.T) {
	for arguments, text := range map[string]string{
		``:                                "say what it lacks",
		`operator = "f", theory = "Ints"`: "theory: operator and theory are two things, and one call says one",
		`conflict = ["a"]`:                "conflict: got 1 names, want two",
		`conflict = ["a", "b", "c"]`:      "conflict: got 3 names, want two",
		`conflict = ["a b", "c"]`:         `conflict: "a b" has a blank; want one name`,
		`logic_all = ["Ints", "Re als"]`:  `logic_all: "Re als" has a blank; want one name`,
		`theory = "Ints", argument = "x"`: "argument: it goes with operator",
		`operator = "f", argument = "x", index = "zero"`: "index: it goes with operator, and with one of argument, signature, index and many_arguments",
		`theory = "Ints", place = "var"`:                 "place: it goes with sort",
		`operator = "f before 2"`:                        `operator: "f before 2" has a blank; want one name`,
		`bit_vector_arrays = "QF_ABV since"`:             `bit_vector_arrays: "QF_ABV since" has a blank`,
		`feature = "named term", since = "1 over text"`:  `since: "1 over text" has a blank`,
		`theory = "Ints", configuration = "a b"`:         `configuration: "a b" has a blank`,
	} {
		members, err := inProfileFiles()
		require.NoError(t, err)
		call := "solver.lacks(" + arguments + ")"
		_, err = starlark.EvalOptions(registry.Dialect(), &starlark.Thread{}, "call", call, starlark.StringDict{"solver": &module{members}})
		require.ErrorContains(t, err, text, call)
	}
}

// TestRulesInProfiles: a rule is in a field that takes it; anything else in its place is an error that says what to
// write.
func TestRulesInProfiles(t *testing.T) {
	list := func(vs ...starlark.Value) starlark.Value { return starlark.NewList(vs) }
	kwargs := map[string]starlark.Value{
		"name": starlark.String("x"), "binaries": list(starlark.String("x")), "api_exclude": list(ruleOf(t, `solver.lacks(option = "o")`)),
	}
	p, err := newProfile(kwargs, nil)
	require.NoError(t, err)
	require.Equal(t, []rules.VersionedLack{{Lack: rules.Option.Of("o")}}, p.P.APIExclude)
	require.Contains(t, p.expr, `solver.lacks(option = "o")`)

	kwargs["api_exclude"] = list(ruleOf(t, `solver.option("cbqi")`))
	_, err = newProfile(kwargs, nil)
	require.ErrorContains(t, err, `api_exclude: element 0 is solver.option("cbqi"), want solver.lacks(...)`)

	kwargs["api_exclude"] = list(starlark.String("operator bvnego before 4.13"))
	_, err = newProfile(kwargs, nil)
	require.ErrorContains(t, err, `api_exclude: element 0 is a string, want solver.lacks(...)`)

	_, err = newProfileFiles(stdlib.FS()).load("")
	require.NoError(t, err)
}
