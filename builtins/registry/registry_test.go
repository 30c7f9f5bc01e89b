package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
)

// point is a value with one attribute and one method.
type point struct{ x, y int }

func (p *point) String() string                           { return fmt.Sprintf("point(%d, %d)", p.x, p.y) }
func (p *point) Type() string                             { return "point" }
func (p *point) Freeze()                                  {}
func (p *point) Truth() starlark.Bool                     { return true }
func (p *point) Hash() (uint32, error)                    { return uint32(p.x), nil }
func (p *point) Attr(name string) (starlark.Value, error) { return pointType.Attr(p, name) }
func (p *point) AttrNames() []string                      { return pointType.AttrNames() }

var pointType = registry.NewType[*point]("point", "A point of the plane.", []registry.Builtin{
	{Name: "x", Doc: "The first coordinate.", Ret: "int",
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.MakeInt(v.(*point).x), nil }},
	{Name: "moved", Doc: "The point moved by (dx, dy).", Ret: "point",
		Do: registry.Method(func(_ *registry.Call, p *point, a *struct {
			DX int
			DY int `default:"0"`
		}) (starlark.Value, error) {
			return &point{p.x + a.DX, p.y + a.DY}, nil
		})},
}).WithOperators(
	registry.OperatorDoc{Sign: "+", Other: "point", Ret: "point", Doc: "The sum."},
	registry.OperatorDoc{Sign: "+", Other: "int", Ret: "point", Doc: "Adds to both."},
	registry.OperatorDoc{Sign: "[]", Other: "int", Ret: "int", Doc: "A coordinate."},
	registry.OperatorDoc{Sign: "unary -", Ret: "point", Doc: "Mirrored."},
)

func testModules() []registry.Module {
	return []registry.Module{
		{Name: "geo", Doc: "Geometry.", Types: []*registry.Type{pointType},
			Call: &registry.Builtin{Doc: "Makes a point.", Ret: "point",
				Do: registry.Into(func(_ *registry.Call, a *struct{ X, Y int }) (starlark.Value, error) { return &point{a.X, a.Y}, nil })},
			Members: []registry.Builtin{
				{Name: "origin", Doc: "The origin.", Ret: "point", Value: &point{}},
				{Name: "mode", Doc: "Checks a literal.",
					Ret: "str",
					Do: registry.Into(func(_ *registry.Call, a *struct {
						M     string `type:"\"fresh\" | \"reset\""`
						_     registry.KeywordOnly
						Scale float64 `default:"1"`
					}) (starlark.Value, error) {
						return starlark.String(fmt.Sprintf("%s*%g", a.M, a.Scale)), nil
					})},
				{Name: "total", Doc: "Adds.", Ret: "int",
					Do: registry.Into(func(_ *registry.Call, a *struct {
						Points []*point       `name:"*points" type:"point | None"`
						Named  *starlark.Dict `name:"**named" type:"list[int]"`
					}) (starlark.Value, error) {
						return starlark.MakeInt(len(a.Points) + 10*a.Named.Len()), nil
					})},
				{Name: "opt", Doc: "Optional.", Ret: "bool",
					Do: registry.Into(func(_ *registry.Call, a *struct {
						F starlark.Callable `type:"callable" default:"None"`
						N []starlark.Value  `type:"iterable[int]" default:"()"`
					}) (starlark.Value, error) {
						return starlark.Bool(a.F != nil), nil
					})},
				{Name: "wait", Doc: "Waits.", Ret: "str",
					Do: registry.Into(func(_ *registry.Call, a *struct{ D time.Duration }) (starlark.Value, error) {
						return starlark.String(a.D.String()), nil
					})},
				{Name: "apply", Doc: "Calls f.", Ret: "any",
					Do: registry.Into(func(c *registry.Call, a *struct {
						F starlark.Callable `type:"callable"`
					}) (starlark.Value, error) {
						return c.Invoke(a.F)
					})},
				{Name: "keep", Doc: "Keeps f.", Ret: "bool", Params: []registry.Param{{Name: "f", Type: "callable(point, n: int) -> bool"}},
					Fn: func(*registry.Call) (starlark.Value, error) { return starlark.True, nil }},
				{Name: "fast", Doc: "Doubles.", Ret: "int",
					Fast: func(_ *starlark.Thread, _ starlark.Value, args starlark.Tuple) (starlark.Value, error) {
						if len(args) == 1 {
							if n, ok := args[0].(starlark.Int); ok {
								return n.Add(n), nil
							}
						}
						return nil, nil
					},
					Do: registry.Into(func(_ *registry.Call, a *struct{ N int }) (starlark.Value, error) {
						return starlark.MakeInt(2 * a.N), nil
					})},
			}},
		{Members: []registry.Builtin{
			{Name: "quit", Doc: "Skips.", Fn: func(c *registry.Call) (starlark.Value, error) { return nil, &registry.Skip{Reason: "enough"} }},
			{Name: "broken", Doc: "Fails.", Fn: func(c *registry.Call) (starlark.Value, error) { return nil, errors.New("no luck") }},
		}},
	}
}

func eval(t *testing.T, reg *registry.Registry, expr string) (starlark.Value, error) {
	t.Helper()
	return starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "t.star", expr, reg.Predeclared())
}

func TestCalls(t *testing.T) {
	reg, err := registry.New(testModules()...)
	require.NoError(t, err)
	for _, tc := range []struct{ expr, want string }{
		{`geo(1, y = 2)`, `point(1, 2)`},
		{`geo.origin.moved(3)`, `point(3, 0)`},
		{`geo.origin.moved(dy = 2, dx = 1).x`, `1`},
		{`geo.mode("fresh", scale = 2)`, `"fresh*2"`},
		{`geo.total(geo.origin, None, a = [1], b = [])`, `22`},
		{`geo.opt()`, `False`},
		{`geo.opt(None, [1, 2])`, `False`},
		{`geo.opt(len)`, `True`},
		{`geo.wait("90s") + geo.wait(1.5) + geo.wait(60)`, `"1m30s1.5s1m0s"`},
		{`geo.fast(4) + geo.fast(n = 5)`, `18`},
		{`geo.keep(lambda p, n: True)`, `True`},
		{`geo.keep(lambda *all: True)`, `True`},
		{`geo.keep(lambda p, n, x = 3, **more: True)`, `True`},
		{`geo.keep(geo)`, `True`},
		{`geo.keep(max)`, `True`},
		{`dir(geo)`, `["apply", "fast", "keep", "mode", "opt", "origin", "total", "wait"]`},
		{`dir(geo.origin)`, `["moved", "x"]`},
		{`type(geo)`, `"module"`},
	} {
		v, err := eval(t, reg, tc.expr)
		require.NoError(t, err, tc.expr)
		require.Equal(t, tc.want, v.String(), tc.expr)
	}
}

func TestCallErrors(t *testing.T) {
	reg, err := registry.New(testModules()...)
	require.NoError(t, err)
	for _, tc := range []struct{ expr, want string }{
		{`geo(1)`, `geo: missing argument for y; usage: geo(x, y)`},
		{`geo(1, "2")`, `geo: for parameter y: got string "2", want int`},
		{`geo(1, 2, 3)`, `geo: got 3 positional arguments, want 2; usage: geo(x, y)`},
		{`geo(1 << 70, 2)`, `geo: for parameter x: 1180591620717411303424 is out of range (64 bits)`},
		{`geo(1, 2, x = 3)`, `geo: got two values for parameter x`},
		{`geo.origin.moved(1, dz = 2)`, `point.moved: unexpected keyword argument 'dz' (did you mean 'dx'?)`},
		{`geo.origin.moved()`, `point.moved: missing argument for dx; usage: point.moved(dx, dy = 0)`},
		{`geo.origin.move(1)`, `point has no field or method 'move' (did you mean 'moved'?)`},
		{`geo.orign`, `module geo has no field or method 'orign' (did you mean 'origin'?)`},
		{`geo.mode("fersh")`, `geo.mode: for parameter m: got "fersh", want "fresh" or "reset" (did you mean "fresh"?)`},
		{`geo.mode("reset", 3)`, `geo.mode: got 2 positional arguments, want 1; usage: geo.mode(m, *, scale = 1)`},
		{`geo.mode("reset", scale = "x")`, `geo.mode: for parameter scale: got string "x", want number`},
		{`geo.total(geo.origin, 7)`, `geo.total: argument 2: got int 7, want point or None`},
		{`geo.total(a = ["x"])`, `geo.total: for keyword a: element 0: got string "x", want int`},
		{`geo.opt(n = [1, None])`, `geo.opt: for parameter n: element 1: got None, want int`},
		{`geo.opt(n = 5)`, `geo.opt: for parameter n: got int 5, want iterable[int]; put it into a list: [...]`},
		{`geo.wait("soon")`, `geo.wait: for parameter d: got string "soon", want a duration: "90s", "8h", "2d" or a number of seconds`},
		{`geo.wait(-1)`, `geo.wait: for parameter d: got int -1, want a duration: "90s", "8h", "2d" or a number of seconds`},
		{`geo.keep(lambda: True)`, `geo.keep: for parameter f: lambda takes (), want a function of (point, n)`},
		{`geo.keep(lambda p, n, x: True)`, `geo.keep: for parameter f: lambda takes (p, n, x), want a function of (point, n)`},
		{`geo.keep(lambda p, *, n: True)`, `geo.keep: for parameter f: lambda takes n by name, want a function of (point, n)`},
		{`geo.keep(quit)`, `geo.keep: for parameter f: quit takes (), want a function of (point, n); is quit() meant?`},
		{`geo.keep(geo.wait)`, `geo.keep: for parameter f: geo.wait takes (d), want a function of (point, n)`},
		{`geo.fast("x")`, `geo.fast: for parameter n: got string "x", want int`},
		{`broken()`, `broken: no luck`},
		{`geo.apply(broken)`, `broken: no luck`},
		{`quit()`, `skip: enough`},
		{`geo.apply(quit)`, `skip: enough`},
		{`help("geo.mod")`, `help: nothing is named "geo.mod" (did you mean "geo.mode"?)`},
	} {
		_, err := eval(t, reg, tc.expr)
		require.EqualError(t, err, tc.want, tc.expr)
	}
	_, err = eval(t, reg, `geo.apply(quit)`)
	var skip *registry.Skip
	require.ErrorAs(t, err, &skip)
	require.Equal(t, "enough", skip.Reason)
}

// rejected returns the error of an invalid entry.
func rejected(b registry.Builtin) error {
	reg, err := registry.New(registry.Module{Members: []registry.Builtin{b}})
	if err != nil {
		return err
	}
	return reg.Check()
}

func TestNewRejects(t *testing.T) {
	fn := func(*registry.Call) (starlark.Value, error) { return nil, nil }
	for _, tc := range []struct {
		b    registry.Builtin
		want string
	}{
		{registry.Builtin{Name: "f", Fn: fn}, "f has no documentation"},
		{registry.Builtin{Name: "f", Doc: "x"}, "exactly one of Do, Fn, Get, Value"},
		{registry.Builtin{Name: "f", Doc: "x", Fn: fn, Ret: "trem"}, `no type is named "trem"`},
		{registry.Builtin{Name: "f", Doc: "x", Fn: fn, Ret: "list["}, "a type name is missing"},
		{registry.Builtin{Name: "f", Doc: "x", Fn: fn, Params: []registry.Param{{Name: "a", Default: "1"}, {Name: "b"}}}, "required parameter b follows"},
		{registry.Builtin{Name: "f", Doc: "x", Fn: fn, Params: []registry.Param{{Name: "a", Type: "int", Default: "'x'"}}}, `default: got string "x", want int`},
		{registry.Builtin{Name: "f", Doc: "x", Fn: fn, Params: []registry.Param{{Name: "a"}, {Name: "a"}}}, "parameter a appears twice"},
	} {
		require.ErrorContains(t, rejected(tc.b), tc.want)
	}
	b := registry.Builtin{Name: "f", Doc: "x", Fn: fn}
	_, err := registry.New(registry.Module{Members: []registry.Builtin{b, b}})
	require.ErrorContains(t, err, "registered twice")
}

func TestUnknownOperator(t *testing.T) {
	require.PanicsWithValue(t, `registry: type t: no operator is written "**"`, func() {
		registry.NewType[struct{}]("t", "T.", nil).WithOperators(registry.OperatorDoc{Sign: "**"})
	})
}

func TestHelp(t *testing.T) {
	reg, err := registry.New(testModules()...)
	require.NoError(t, err)
	var printed strings.Builder
	th := &starlark.Thread{Print: func(_ *starlark.Thread, msg string) { printed.WriteString(msg + "\n---\n") }}
	for _, what := range []string{`geo`, `geo.mode`, `geo.origin`, `"point.moved"`, ``} {
		_, err := starlark.EvalOptions(&syntax.FileOptions{}, th, "t.star", "help("+what+")", reg.Predeclared())
		require.NoError(t, err)
	}
	text := printed.String()
	for _, want := range []string{
		"module geo\n\nGeometry.\n\ngeo(x, y) -> point", "  geo.mode(m, *, scale = 1)\n      Checks a literal.",
		"geo.mode(m, *, scale = 1) -> str\n\nChecks a literal.\n\n  m: \"fresh\" | \"reset\"\n  scale: number = 1\n",
		"type point\n\nA point of the plane.\n\n  x + y\n      The sum.\n", "  -x\n      Mirrored.\n\n  point.x\n      The first coordinate.", "point.moved(dx, dy = 0) -> point",
		"Functions:\n  broken     Fails.\n",
	} {
		require.Contains(t, text, want)
	}
}

func TestKeys(t *testing.T) {
	key := registry.NewKey[int]("test.number", "only inside a test")
	th := &starlark.Thread{}
	require.False(t, key.Has(th))
	_, err := key.Get(th)
	require.EqualError(t, err, "test.number is not available here: only inside a test")
	key.Set(th, 7)
	n, err := key.Get(th)
	require.NoError(t, err)
	require.Equal(t, 7, n)
}

func BenchmarkCall(b *testing.B) {
	reg, err := registry.New(testModules()...)
	require.NoError(b, err)
	for _, src := range []string{"geo.fast(1)", "geo(1, 2)", "p.x", "p.moved(1)"} {
		b.Run(src, func(b *testing.B) {
			env := starlark.StringDict{"p": &point{}}
			for k, v := range reg.Predeclared() {
				env[k] = v
			}
			th := &starlark.Thread{}
			fn, err := starlark.ExprFuncOptions(&syntax.FileOptions{}, "b.star", src, env)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := starlark.Call(th, fn, nil, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
