package registry_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
)

// everything has a field of each kind.
type everything struct {
	Text     string
	Number   int
	Big      *big.Int
	Share    float64
	Most     *int
	MaxBytes *float64
	Wall     time.Duration
	Names    []string
	Any      starlark.Value
	F        starlark.Callable
	Table    *starlark.Dict
	Seed     uint64
	Yes      bool
	Point    *point
	Rest     []int
}

var everythingParams = []registry.Param{
	{Name: "text", Type: "str"}, {Name: "number", Type: "int", Default: "7"}, {Name: "*rest", Type: "int"},
	{Name: "big", Type: "bigint | None", Default: "None"}, {Name: "share", Type: "number", Default: "0.5"},
	{Name: "most", Type: "int | None", Default: "None"}, {Name: "max_bytes", Type: "number | None", Default: "None"},
	{Name: "wall", Type: "duration", Default: `"90s"`}, {Name: "names", Type: "str | list[str] | None", Default: "None"},
	{Name: "any", Default: "None"}, {Name: "f", Type: "callable | None", Default: "None"}, {Name: "table", Type: "dict", Default: "{}"},
	{Name: "seed", Type: "bigint", Default: "1"}, {Name: "yes", Type: "bool", Default: "False"}, {Name: "point", Type: "point | None", Default: "None"},
}

// called evaluates a call of a builtin f.
func called(t *testing.T, b registry.Builtin, expr string) error {
	t.Helper()
	b.Name, b.Doc = "f", "Is called."
	reg, err := registry.New(registry.Module{Members: []registry.Builtin{b}, Types: []*registry.Type{pointType}})
	require.NoError(t, err)
	env := starlark.StringDict{"here": &point{1, 2}}
	for k, v := range reg.Predeclared() {
		env[k] = v
	}
	_, err = starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "t.star", expr, env)
	return err
}

func TestArgumentsInFields(t *testing.T) {
	var got everything
	b := registry.Builtin{Params: everythingParams, Do: registry.Into(func(c *registry.Call, a *everything) (starlark.Value, error) {
		got = *a
		return starlark.None, nil
	})}
	require.NoError(t, called(t, b, `f("a")`))
	require.Equal(t, everything{Text: "a", Number: 7, Share: 0.5, Wall: 90 * time.Second, Any: starlark.None, Table: got.Table, Seed: 1, Rest: []int{}}, got)
	require.Zero(t, got.Table.Len())
	require.NoError(t, called(t, b, `f("a", 1, 2, 3, big = 1 << 70, share = 1, most = 0, max_bytes = 2.5, wall = 3, names = "x", any = 1, f = len, table = {1: 2}, seed = -1, yes = True, point = here)`))
	require.Equal(t, []int{2, 3}, got.Rest)
	require.Equal(t, 0, got.Big.Cmp(new(big.Int).Lsh(big.NewInt(1), 70)))
	require.Equal(t, 0, *got.Most)
	require.Equal(t, 2.5, *got.MaxBytes)
	require.Equal(t, 3*time.Second, got.Wall)
	require.Equal(t, []string{"x"}, got.Names)
	require.Equal(t, "len", got.F.Name())
	require.Equal(t, 1, got.Table.Len())
	require.Equal(t, ^uint64(0), got.Seed)
	require.True(t, got.Yes)
	require.Equal(t, &point{1, 2}, got.Point)
	require.NoError(t, called(t, b, `f("a", names = ["x", "y"])`))
	require.Equal(t, []string{"x", "y"}, got.Names)
	require.NoError(t, called(t, b, `f("a", names = [])`))
	require.Equal(t, []string{}, got.Names)
	require.ErrorContains(t, called(t, b, `f("a", most = "b")`), `f: for parameter most: got string "b", want int`)
}

// TestErrorsOfFields: an error names the parameter of the field that it is about.
func TestErrorsOfFields(t *testing.T) {
	type args struct{ First, LastOne int }
	b := registry.Builtin{Params: []registry.Param{{Name: "first", Type: "int"}, {Name: "*"}, {Name: "last_one", Type: "int"}},
		Do: registry.Into(func(c *registry.Call, a *args) (starlark.Value, error) {
			if a.LastOne < a.First {
				return nil, c.Errorf(&a.LastOne, "%v is below %d", c.Given(&a.LastOne), a.First)
			}
			return nil, c.Errorf(new(int), "of nothing")
		})}
	require.ErrorContains(t, called(t, b, "f(2, last_one = 1)"), "f: for parameter last_one: 1 is below 2")
	require.ErrorContains(t, called(t, b, "f(1, last_one = 2)"), "not the address of a field")
}

// TestFieldsThatDoNotFit: a struct that does not fit the parameters is found when the builtin is registered.
func TestFieldsThatDoNotFit(t *testing.T) {
	type none struct{}
	type text struct{ N string }
	type number struct{ N int }
	type two struct{ N, M int }
	type channel struct{ N chan int }
	fn := func(a any) registry.Function {
		switch a.(type) {
		case none:
			return registry.Into(func(*registry.Call, *none) (starlark.Value, error) { return nil, nil })
		case text:
			return registry.Into(func(*registry.Call, *text) (starlark.Value, error) { return nil, nil })
		case number:
			return registry.Into(func(*registry.Call, *number) (starlark.Value, error) { return nil, nil })
		case two:
			return registry.Into(func(*registry.Call, *two) (starlark.Value, error) { return nil, nil })
		case channel:
			return registry.Into(func(*registry.Call, *channel) (starlark.Value, error) { return nil, nil })
		}
		return registry.Into(func(*registry.Call, *int) (starlark.Value, error) { return nil, nil })
	}
	for i, x := range []struct {
		args  any
		param registry.Param
		want  string
	}{
		{none{}, registry.Param{Name: "n", Type: "int"}, "has no field for the parameter n"},
		{text{}, registry.Param{Name: "n", Type: "int"}, "a value may be int"},
		{number{}, registry.Param{Name: "n", Type: "int | str"}, "a value may be str"},
		{number{}, registry.Param{Name: "n", Type: "int | None", Default: "None"}, "the default is None, want *int"},
		{two{}, registry.Param{Name: "n", Type: "int"}, "has 2 fields for 1 parameters"},
		{channel{}, registry.Param{Name: "n", Type: "int"}, "no argument goes into a chan int"},
		{0, registry.Param{Name: "n", Type: "int"}, "arguments go into a struct, not into int"},
	} {
		err := rejected(registry.Builtin{Name: "f", Doc: "Is called.", Params: []registry.Param{x.param}, Do: fn(x.args)})
		require.ErrorContains(t, err, x.want, fmt.Sprint(i))
	}
}
