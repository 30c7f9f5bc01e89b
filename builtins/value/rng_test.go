package value_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/ground/rng"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

func newRegistry(t testing.TB) *registry.Registry {
	reg, err := registry.New(value.RandomModule())
	require.NoError(t, err)
	return reg
}

func TestExamples(t *testing.T) {
	reg := newRegistry(t)
	for _, name := range reg.Names() {
		th := &starlark.Thread{Print: func(*starlark.Thread, string) {}}
		require.NoError(t, registry.RunExample(reg.Lookup(name), th, reg.Predeclared()))
	}
}

func TestErrorsOfDraws(t *testing.T) {
	reg := newRegistry(t)
	frozen := value.NewRng(engine.New(1))
	frozen.Freeze()
	env := starlark.StringDict{"frozen": frozen, "fixed": starlark.NewList([]starlark.Value{starlark.None, starlark.True})}
	for k, v := range reg.Predeclared() {
		env[k] = v
	}
	env.Freeze()
	for expr, want := range map[string]string{
		`frozen.int(1, 2)`:                     `rng.int: this rng is frozen since it is a global of a module`,
		`frozen.pick([1])`:                     `rng.pick: this rng is frozen`,
		`rng(1).bool(1.5)`:                     `rng.bool: for parameter probability: 1.5 is not between 0 and 1`,
		`rng(1).shuffle(fixed)`:                `rng.shuffle: for parameter items: cannot assign to element of frozen list; shuffle a copy`,
		`rng(1).pick("abc")`:                   `rng.pick: for parameter items: got string "abc", want an iterable`,
		`rng(1).weighted({"a": -1})`:           `rng.weighted: for parameter weights: the weight of "a" is -1, want a number from 0 up`,
		`rng(1).weighted({"a": float("nan")})`: `the weight of "a" is nan`,
	} {
		_, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "t.star", expr, env)
		require.ErrorContains(t, err, want, expr)
	}
	v, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "t.star", "frozen.split(3).int(0, 9) == rng(1).split(3).int(0, 9)", env)
	require.NoError(t, err)
	require.Equal(t, starlark.True, v)
}

// rng.int stays within its bounds for numbers of any size and reaches both ends of
// small ranges.
func TestIntRange(t *testing.T) {
	reg := newRegistry(t)
	th := &starlark.Thread{}
	rapid.Check(t, func(rt *rapid.T) {
		lo := new(big.Int).Lsh(big.NewInt(rapid.Int64().Draw(rt, "lo")), uint(rapid.IntRange(0, 100).Draw(rt, "shift")))
		hi := new(big.Int).Add(lo, new(big.Int).Lsh(big.NewInt(rapid.Int64Range(0, 1<<40).Draw(rt, "span")), uint(rapid.IntRange(0, 100).Draw(rt, "shift2"))))
		r, err := starlark.Call(th, reg.Predeclared()["rng"], starlark.Tuple{starlark.MakeUint64(rapid.Uint64().Draw(rt, "seed"))}, nil)
		require.NoError(rt, err)
		fn, err := r.(starlark.HasAttrs).Attr("int")
		require.NoError(rt, err)
		v, err := starlark.Call(th, fn, starlark.Tuple{starlark.MakeBigInt(lo), starlark.MakeBigInt(hi)}, nil)
		require.NoError(rt, err)
		got := v.(starlark.Int).BigInt()
		require.True(rt, got.Cmp(lo) >= 0 && got.Cmp(hi) <= 0, "%s not in [%s, %s]", got, lo, hi)
	})
}

// The fast and the checked way of a method draw the same numbers.
func TestFastIsSame(t *testing.T) {
	reg := newRegistry(t)
	for _, pair := range [][2]string{
		{"[r.int(1, 1000) for _ in range(50)]", "[r.int(lo = 1, hi = 1000) for _ in range(50)]"},
		{"[r.pick(range(1000)) for _ in range(50)]", "[r.pick(items = range(1000)) for _ in range(50)]"},
	} {
		var got [2]string
		for i, src := range pair {
			v, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "t.star", "(lambda r: "+src+")(rng(3))", reg.Predeclared())
			require.NoError(t, err)
			got[i] = v.String()
		}
		require.Equal(t, got[0], got[1])
	}
}

func TestWeightedFollowsWeights(t *testing.T) {
	reg := newRegistry(t)
	for _, weights := range []string{`{"a": 3, "b": 1, "c": 0}`, `{"a": 0.75, "b": 0.25, "c": 0.0}`} {
		v, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "t.star",
			"(lambda r: [r.weighted("+weights+") for _ in range(4000)])(rng(5))", reg.Predeclared())
		require.NoError(t, err)
		n := map[string]int{}
		for x := range starlark.Elements(v.(starlark.Iterable)) {
			s, _ := starlark.AsString(x)
			n[s]++
		}
		require.Zero(t, n["c"])
		require.InDelta(t, 3000, n["a"], 150)
	}
}
