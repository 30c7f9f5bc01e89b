package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
)

type formerArgs struct {
	Weight float64
	Name   string
	Result string
}

// TestFormerWays: names and orders of parameters of the last release are taken, with a warning for each place.
func TestFormerWays(t *testing.T) {
	call := func(c *registry.Call, a *formerArgs) (starlark.Value, error) {
		return starlark.Tuple{starlark.String(a.Name), starlark.Float(a.Weight), starlark.String(a.Result)}, nil
	}
	entry := registry.Builtin{Name: "f", Doc: "It.", FormerOrder: []string{"weight", "name"}, Do: registry.Into(call), Params: []registry.Param{
		{Name: "name", Type: "str | None", Default: "None"}, {Name: "weight", Type: "weight", Default: "1"}, {Name: "*"}, {Name: "result", Former: "sort", Type: "str", Default: `""`}}}
	reg, err := registry.New(registry.Module{Members: []registry.Builtin{entry}})
	require.NoError(t, err)
	var printed []string
	th := &starlark.Thread{Print: func(_ *starlark.Thread, msg string) { printed = append(printed, msg) }}
	registry.WarningsKey.Set(th, &registry.Warnings{})
	eval := func(expr string) (string, error) {
		v, err := starlark.EvalOptions(&syntax.FileOptions{}, th, "t.star", expr, reg.Predeclared())
		if err != nil {
			return "", err
		}
		return v.String(), nil
	}
	for expr, want := range map[string]string{
		`f("a", 2)`:            `("a", 2.0, "")`,
		`f("a", weight = 3)`:   `("a", 3.0, "")`,
		`f(None, 4)`:           `("", 4.0, "")`,
		`f("a", result = "R")`: `("a", 1.0, "R")`,
	} {
		got, err := eval(expr)
		require.NoError(t, err)
		require.Equal(t, want, got, expr)
	}
	require.Empty(t, printed, "nothing of the last release was used")

	for expr, want := range map[string]string{
		`f(2, "a")`:          `("a", 2.0, "")`,
		`f(2, name = "a")`:   `("a", 2.0, "")`,
		`f("a", sort = "R")`: `("a", 1.0, "R")`,
	} {
		got, err := eval(expr)
		require.NoError(t, err)
		require.Equal(t, want, got, expr)
	}
	const order = "warning: t.star:1:2: f: the order of its arguments is (name, weight) now; the old way is taken for one more release"
	require.ElementsMatch(t, []string{order,
		"warning: t.star:1:2: f: the parameter sort is named result now; the old way is taken for one more release"}, printed, "once for a place")

	for expr, want := range map[string]string{
		`f("a", sort = "R", result = "S")`: "f: got two values for parameter result",
		`f(-1, "a")`:                       `f: for parameter name: got int -1, want str or None`,
		`f("a", srot = "R")`:               "unexpected keyword argument 'srot'",
	} {
		_, err := eval(expr)
		require.ErrorContains(t, err, want, expr)
	}

	entry.FormerOrder = []string{"name", "nothing"}
	require.ErrorContains(t, rejected(entry), `no positional parameter is named "nothing"`)
}

// TestFormerName: a function of a module is there under the name of the last release, with a warning for each place that calls it.
func TestFormerName(t *testing.T) {
	entry := registry.Builtin{Name: "now", Former: "then", Doc: "It.", Ret: "int", Fn: func(*registry.Call) (starlark.Value, error) { return starlark.MakeInt(7), nil }}
	reg, err := registry.New(registry.Module{Name: "m", Doc: "It.", Members: []registry.Builtin{entry}})
	require.NoError(t, err)
	var printed []string
	th := &starlark.Thread{Print: func(_ *starlark.Thread, msg string) { printed = append(printed, msg) }}
	registry.WarningsKey.Set(th, &registry.Warnings{})
	for _, expr := range []string{"m.now()", "m.then()", "m.then()"} {
		v, err := starlark.EvalOptions(&syntax.FileOptions{}, th, "t.star", expr, reg.Predeclared())
		require.NoError(t, err)
		require.Equal(t, "7", v.String(), expr)
	}
	require.Equal(t, []string{"warning: t.star:1:7: m.then is named m.now now; the old way is taken for one more release"}, printed)
	_, err = starlark.EvalOptions(&syntax.FileOptions{}, th, "t.star", "m.often()", reg.Predeclared())
	require.ErrorContains(t, err, "often")
}
