package solver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	rules "github.com/smtlark/smtlark/solvers/rule"
	"github.com/smtlark/smtlark/stdlib"
)

// ruleOf makes the rule of a call.
func ruleOf(t *testing.T, call string) *rule {
	t.Helper()
	members, err := inProfileFiles()
	require.NoError(t, err)
	v, err := starlark.EvalOptions(registry.Dialect(), &starlark.Thread{}, "call", call, starlark.StringDict{"solver": &module{members}})
	require.NoError(t, err, call)
	x, ok := v.(*rule)
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

// TestRulesSayWhatLinesSaid: the call that a warning names makes the line that it is about.
func TestRulesSayWhatLinesSaid(t *testing.T) {
	for field, lines := range map[string][]string{
		"api_exclude": {
			"operator bvnego before 4.13", "nary str.< over text", "argument = ->", "signature bvcomp BitVec(m) BitVec(m) -> BitVec(1)", "index int.pow2 beyond", "theory HigherOrder over text",
			"sort user sort", "array-index ->", "sort-param tester over text", "fp-format other", "action get-info over text", "option produce-proofs",
			"conflict produce-unsat-cores check-sat-assuming", "logic QF_BVLIA", "logic-all FixedSizeBitVectors+Ints since 5 over text", "always Ints", "bit-vector-arrays QF_ABV", "once Quantifiers",
			"assumption term", "named term over text", "echo quotes", "linear arithmetic", "operator a before 4 since 2",
		},
		"configuration_exclude": {"safe: theory Bags", "safe: operator eqrange before 2"},
		"api_options":           {"cbqi bool", "seed int 0 100", "nl-ext list none,light,full", "a bool expert", "fun-preprop bool with prop-nprops=500", "b list x,y expert"},
		"api_limits":            {"timeout 1 1000"},
		"api_conflicts":         {"Quantifiers UF"},
		"api_values":            {"Real real.pi"},
		"api_operators":         {"bvredor (BitVec) (_ BitVec 1)", "f (Int Int) Int"},
		"contracts":             {"bvite: BitVec", "f: Int Real"},
		"configurations":        {"safe: --safe-mode=safe", "two: -a -b"},
	} {
		for _, line := range lines {
			call := rules.CallOf(field, line)
			require.NotEmpty(t, call, "%s: %s", field, line)
			x := ruleOf(t, call)
			require.Equal(t, line, x.line, call)
			require.Contains(t, x.fields, field)
			require.Equal(t, call, x.String(), "it prints as the call that makes it")
		}
	}
	require.Empty(t, rules.CallOf("api_exclude", "colour blue"))
	require.Empty(t, rules.CallOf("api_options", "a float 1 2"))
	require.Empty(t, rules.CallOf("binaries", "operator x"))
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

// TestRulesInProfiles: a rule is in a field that takes it, and its line in its place is an error that says the call.
func TestRulesInProfiles(t *testing.T) {
	list := func(vs ...starlark.Value) starlark.Value { return starlark.NewList(vs) }
	kwargs := map[string]starlark.Value{
		"name": starlark.String("x"), "binaries": list(starlark.String("x")), "api_exclude": list(ruleOf(t, `solver.lacks(option = "o")`)),
	}
	p, err := newProfile(kwargs, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"option o"}, p.P.APIExclude)
	require.Contains(t, p.expr, `solver.lacks(option = "o")`)

	kwargs["api_exclude"] = list(ruleOf(t, `solver.option("cbqi")`))
	_, err = newProfile(kwargs, nil)
	require.ErrorContains(t, err, `for keyword api_exclude: element 0: solver.option("cbqi") is for api_options`)

	kwargs["api_exclude"] = list(starlark.String("operator bvnego before 4.13"))
	_, err = newProfile(kwargs, nil)
	require.ErrorContains(t, err, `for keyword api_exclude: element 0: in the place of "operator bvnego before 4.13" write `+
		`solver.lacks(operator = "bvnego", before = "4.13")`)

	_, err = newProfileFiles(stdlib.FS()).load("")
	require.NoError(t, err)
}
