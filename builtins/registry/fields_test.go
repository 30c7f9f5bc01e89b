package registry_test

import (
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
	Number   int               `default:"7"`
	Rest     []int             `name:"*rest"`
	Big      *big.Int          `default:"None"`
	Share    float64           `default:"0.5"`
	Most     *int              `default:"None"`
	MaxBytes *float64          `default:"None"`
	Wall     time.Duration     `default:"\"90s\""`
	Names    []string          `type:"str | list[str] | None" default:"None"`
	Any      starlark.Value    `type:"" default:"None"`
	F        starlark.Callable `type:"callable | None" default:"None"`
	Table    *starlark.Dict    `default:"{}"`
	Seed     uint64            `type:"bigint" default:"1"`
	Yes      bool              `default:"False"`
	Point    *point            `default:"None"`
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
	b := registry.Builtin{Do: registry.Into(func(c *registry.Call, a *everything) (starlark.Value, error) {
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
	type args struct {
		First   int
		_       registry.KeywordOnly
		LastOne int
	}
	b := registry.Builtin{Do: registry.Into(func(c *registry.Call, a *args) (starlark.Value, error) {
		if a.LastOne < a.First {
			return nil, c.Errorf(&a.LastOne, "%v is below %d", c.Given(&a.LastOne), a.First)
		}
		return nil, c.Errorf(new(int), "of nothing")
	})}
	require.ErrorContains(t, called(t, b, "f(2, last_one = 1)"), "f: for parameter last_one: 1 is below 2")
	require.ErrorContains(t, called(t, b, "f(1, last_one = 2)"), "not the address of a field")
}

// taking is a builtin whose arguments go into an A.
func taking[A any]() registry.Builtin {
	return registry.Builtin{Name: "f", Doc: "Is called.", Do: registry.Into(func(*registry.Call, *A) (starlark.Value, error) {
		return starlark.None, nil
	})}
}

// TestFieldsThatDeclareNoParameter: a mistake in a struct of arguments is found when the registry is checked.
func TestFieldsThatDeclareNoParameter(t *testing.T) {
	type text struct {
		N string `type:"int"`
	}
	type number struct {
		N int `type:"int | str"`
	}
	type optional struct {
		N int `default:"None"`
	}
	type channel struct{ N chan int }
	type said struct {
		N chan int `type:"int"`
	}
	type late struct {
		N int `default:"1"`
		M int
	}
	type wrong struct {
		N int `default:"'x'"`
	}
	for want, b := range map[string]registry.Builtin{
		"a value may be int":                                 taking[text](),
		"a value may be str":                                 taking[number](),
		"the default is None, want *int":                     taking[optional](),
		"the type chan int needs a tag that says its values": taking[channel](),
		"no argument goes into a chan int":                   taking[said](),
		"arguments go into a struct, not into int":           taking[int](),
		"required parameter m follows":                       taking[late](),
		`default: got string "x", want int`:                  taking[wrong](),
	} {
		require.ErrorContains(t, rejected(b), want)
	}
	b := taking[struct{ N int }]()
	b.Params = []registry.Param{{Name: "n"}}
	require.ErrorContains(t, rejected(b), "f: the fields of its arguments say its parameters")
}

// TestParametersOfFields: names, types and texts follow from the fields, also from those of an embedded struct.
func TestParametersOfFields(t *testing.T) {
	type shared struct {
		CPU   *time.Duration `default:"None" doc:"at most {most}"`
		Which string         `type:"{words} | None" default:"None"`
	}
	b := taking[struct {
		Points []*point
		Rest   []string `name:"*rest"`
		_      registry.KeywordOnly
		shared
		InitialSize float64 `default:"1.5" shown:"3 / 2"`
	}]()
	b.Words = map[string]string{"most": "an hour", "words": `"a" | "b"`}
	reg, err := registry.New(registry.Module{Members: []registry.Builtin{b}, Types: []*registry.Type{pointType}})
	require.NoError(t, err)
	require.NoError(t, reg.Check())
	require.Equal(t, []registry.Param{
		{Name: "points", Type: "list[point]"}, {Name: "*rest", Type: "str"}, {Name: "*"},
		{Name: "cpu", Type: "duration | None", Default: "None", Doc: "at most an hour"}, {Name: "which", Type: `"a" | "b" | None`, Default: "None"},
		{Name: "initial_size", Type: "number", Default: "1.5", Shown: "3 / 2"},
	}, reg.Lookup("f").Parameters())
}
