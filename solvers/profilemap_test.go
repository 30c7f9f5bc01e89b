package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/rule"
)

func TestProfileFromMap(t *testing.T) {
	p, err := ProfileFromMap(map[string]any{
		"name": "mine", "binaries": []any{"mine", "mine-[0-9]*"}, "modes": []string{"incremental", "fresh"}, "has_reset": true,
		"exit_codes": map[string]any{"10": "ok"}, "crash": []any{"kaboom"},
	})
	require.NoError(t, err)
	require.Equal(t, []Mode{Fresh, Incremental}, p.ModeList())
	require.Equal(t, []string{"mine", "mine-[0-9]*"}, p.Binaries)
	require.Equal(t, "any", p.Echo)
	require.Equal(t, []string{"--version"}, p.VersionArgs)
	c, m := p.Classify(Evidence{Stderr: "kaboom at 1\n", ExitCode: 1})
	require.Equal(t, Crash, c)
	require.Equal(t, "kaboom at 1", m)

	debug, err := ProfileFromMap(map[string]any{"name": "mine-debug", "base": "mine", "binaries": []any{"/opt/mine"}, "crash": []any{"oops"}}, p)
	require.NoError(t, err)
	require.True(t, debug.HasReset)
	require.Equal(t, p.Modes, debug.Modes)
	require.Equal(t, []string{"oops"}, debug.Crash)
	require.Equal(t, []string{"kaboom"}, p.Crash)
}

func TestProfileErrorsSayWhereAndWhat(t *testing.T) {
	good := func(k string, v any) map[string]any {
		m := map[string]any{"name": "mine", "binaries": []any{"mine"}}
		if k != "" {
			m[k] = v
		}
		return m
	}
	_, err := ProfileFromMap(good("", nil))
	require.NoError(t, err)
	for _, c := range []struct {
		key  string
		val  any
		want string
	}{
		{"binary", []any{"x"}, `solver profile mine: no field "binary" (did you mean "binaries"?)`},
		{"zzzzzzzzzzzzzzzz", true, `no field "zzzzzzzzzzzzzzzz" (there are: api_actions, api_avoid, api_conflicts, api_exclude, `},
		{"modes", []any{"fresh", "warp"}, `modes "warp" is no mode; want some of fresh, reset, incremental`},
		{"modes", "fresh", `modes: got a string, want a list of strings`},
		{"args", []any{"a", true}, `args: element 1 is a bool, want a string`},
		{"has_reset", "yes", `has_reset: got a string, want True or False`},
		{"doc", nil, `doc: got None, want a string`},
		{"exit_codes", map[string]any{"x": "ok"}, `exit_codes has the key "x"; want a number from 0 to 255`},
		{"exit_codes", map[string]any{"1": "fine"}, `exit_codes gives "fine" for 1; want a class`},
		{"crash", []any{"(", "x"}, `crash is no regular expression`},
		{"version", "z3", `version "z3" has no group`},
		{"echo", "loud", `echo "loud" is not one of: plain quoted any`},
		{"env", []any{"X"}, `env "X" is no NAME=value`},
		{"time_limit", "-t 1", `time_limit "-t 1" does not contain {ms}`},
		{"theories", []any{"Int"}, `theories "Int" is no theory (did you mean "Ints"?)`},
		{"api_exclude", []any{"operator x"}, `api_exclude: element 0 is a string, want solver.lacks(...)`},
		{"api_options", []any{rule.Limit{Name: "t", Lo: 1, Hi: 2}}, `api_options: element 0 is solver.limit("t", between = (1, 2)), want solver.option(...)`},
		{"api_options", "seed", `api_options: got a string, want a list of solver.option(...)`},
		{"api_actions", []any{Action{Name: "a"}}, `api_actions has action "a": it has no command`},
		{"contracts", []any{rule.Contract{Operator: "nosuch", Kinds: []string{"Int"}}}, `contracts has solver.contract("nosuch", ["Int"]); "nosuch" is no operator`},
		{"contracts", []any{rule.Contract{Operator: "ite", Kinds: []string{"Itn"}}}, `"Itn" is no kind of sorts, such as BitVec`},
		{"name", "two words", `name "two words"`},
		{"base", "other", `base: no profile "other"`},
		{"base", 3, `base: got a int, want the name of a profile`},
	} {
		_, err := ProfileFromMap(good(c.key, c.val))
		require.ErrorContains(t, err, c.want, c.key)
	}
	_, err = ProfileFromMap(map[string]any{"name": "mine"})
	require.ErrorContains(t, err, "binaries is missing")
}

func TestEveryFieldIsDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range ProfileFields() {
		require.NotEmpty(t, f.Doc, f.Name)
		require.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
	}
	require.True(t, seen["binaries"] && seen["base"] && seen["exit_codes"])
}

func TestOptionText(t *testing.T) {
	p := &Profile{Name: "p", Program: Program{Binaries: []string{}}, OptionSyntax: OptionSyntax{TimeLimit: "--tlimit-per={ms}"}}
	require.NoError(t, p.Validate())
	text, command := p.OptionText(rule.Setting{Name: "smt.arith.solver", Value: "2"})
	require.Equal(t, "(set-option :smt.arith.solver 2)", text)
	require.True(t, command)
	text, command = p.TimeLimitText(1500 * 1e6)
	require.Equal(t, "--tlimit-per=1500", text)
	require.False(t, command)
	text, _ = p.ResourceLimitText(7)
	require.Empty(t, text)
}
