package api

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/internal/fakesolver"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers/rule"
)

// fakeTakes asks the fake solver, and counts.
func fakeTakes(args string, asked *int) func([]rule.Setting) (bool, error) {
	return func(set []rule.Setting) (bool, error) {
		*asked++
		var in strings.Builder
		for _, s := range set {
			fmt.Fprintf(&in, "(set-option :%s %s)\n", s.Name, s.Value)
		}
		var out, errs bytes.Buffer
		fakesolver.Main(append([]string{"--errors=stop"}, strings.Fields(args)...), strings.NewReader(in.String()+"(check-sat)\n"), &out, &errs)
		return !strings.Contains(out.String(), "error"), nil
	}
}

// switches are options that are true or false.
func switches(names ...string) (out []rule.OptionSpec) {
	for _, name := range names {
		out = append(out, rule.OptionSpec{Name: name, Kind: rule.Bool})
	}
	return out
}

// set is an option with its value.
func set(name, value string) rule.Setting { return rule.Setting{Name: name, Value: value} }

func TestLearn(t *testing.T) {
	specs := append(switches("late", "a", "b"),
		rule.OptionSpec{Name: "mode", Kind: rule.List, Values: []string{"x", "y", "z"}}, rule.OptionSpec{Name: "n", Kind: rule.Int, Hi: 1000})
	specs = append(specs, switches("gone", "base", "c", "d")...)
	specs = append(specs, rule.OptionSpec{Name: "eager", Kind: rule.Bool, Expert: true})
	asked := 0
	m := &OptionModel{Specs: specs}
	err := m.Learn([]string{"produce-models", "produce-proofs"},
		fakeTakes("--refuse=gone,mode=y,produce-proofs,n=1000 --conflict=a=true+mode=z,d+produce-models,c=false+b=true --needs=late+base=false", &asked))
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"gone=true": true, "gone=false": true, "mode=y": true, "produce-proofs=true": true}, m.Refused)
	require.Equal(t, map[string]rule.Setting{"late=true": set("base", "false"), "late=false": set("base", "false")}, m.Needs)
	require.ElementsMatch(t, [][2]string{{"produce-models=true", "d=true"}, {"produce-models=true", "d=false"}, {"a=true", "mode=z"}, {"b=true", "c=false"}}, m.Conflicts)
	require.Equal(t, int64(512), m.Specs[4].Hi)
	require.Less(t, asked, 200)
}

// TestBoundsCostFewQuestions: an option whose profile has a range of 63 bits is narrowed, or given up, with few
// questions.
func TestBoundsCostFewQuestions(t *testing.T) {
	for name, x := range map[string]struct {
		taken  func(n int64) bool
		lo, hi int64
	}{
		"all refused":   {func(int64) bool { return false }, 0, 1 << 62},
		"up to 1000":    {func(n int64) bool { return n <= 1000 }, 0, 512},
		"from 1 to 9":   {func(n int64) bool { return n >= 1 && n <= 9 }, 1, 9},
		"all but 0":     {func(n int64) bool { return n != 0 }, 1, 1 << 62},
		"the upper end": {func(n int64) bool { return n == 1<<62 }, 1 << 62, 1 << 62},
	} {
		asked := 0
		m := &OptionModel{Specs: []rule.OptionSpec{{Name: "n", Kind: rule.Int, Lo: 0, Hi: 1 << 62}}}
		l := &learner{m: m, takes: func(set []rule.Setting) (bool, error) {
			asked++
			n, err := strconv.ParseInt(set[0].Value, 10, 64)
			require.NoError(t, err)
			return x.taken(n), nil
		}}
		l.narrow(&m.Specs[0])
		require.Equal(t, []int64{x.lo, x.hi}, []int64{m.Specs[0].Lo, m.Specs[0].Hi}, name)
		require.LessOrEqual(t, asked, 16, name)
	}
}

// Whatever pairs a solver refuses, no walk sets two of them.
func TestLearnedPairsAreNotSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names, fights []string
		n := rapid.IntRange(2, 12).Draw(t, "options")
		for i := range n {
			names = append(names, fmt.Sprintf("o%d", i))
		}
		for range rapid.IntRange(1, 6).Draw(t, "pairs") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			if a != b {
				fights = append(fights, fmt.Sprintf("o%d=%t+o%d=%t", a, rapid.Bool().Draw(t, "av"), b, rapid.Bool().Draw(t, "bv")))
			}
		}
		args := ""
		if len(fights) > 0 {
			args = "--conflict=" + strings.Join(fights, ",")
		}
		asked := 0
		m := &OptionModel{Specs: switches(names...)}
		takes := fakeTakes(args, &asked)
		require.NoError(t, m.Learn(nil, takes))
		var all []rule.Setting
		for _, i := range rapid.Permutation(seq(n)).Draw(t, "order") {
			if s := set(fmt.Sprintf("o%d", i), fmt.Sprint(rapid.Bool().Draw(t, "value"))); m.fits(all, s) {
				all = append(all, s)
			}
		}
		ok, _ := takes(all)
		require.True(t, ok, "%v of %s", all, args)
		require.Empty(t, m.Refused)
	})
}

func seq(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// A refusal without any options says nothing about options.
func TestLearnNothing(t *testing.T) {
	m := &OptionModel{Specs: switches("a")}
	require.NoError(t, m.Learn(nil, func([]rule.Setting) (bool, error) { return false, nil }))
	require.Nil(t, m.Refused)
	require.ErrorContains(t, m.Learn(nil, func([]rule.Setting) (bool, error) { return true, fmt.Errorf("gone") }), "gone")
}

// Those that are left out are refused alone, or beside one that is kept; all others are kept, in their order.
func TestFitting(t *testing.T) {
	on := func(names ...string) (out []rule.Setting) {
		for _, n := range names {
			out = append(out, set(n, "true"))
		}
		return out
	}
	asked := 0
	takes := fakeTakes("--refuse=gone --conflict=a+c,d+e --needs=late+base", &asked)
	for _, c := range []struct{ given, want []rule.Setting }{
		{on("a", "b", "d"), on("a", "b", "d")},
		{on("a", "b", "c", "d", "e", "f"), on("a", "b", "d", "f")},
		{on("gone", "c", "a"), on("c")},
		{on("base", "late", "gone"), on("base", "late")},
		{on("late", "base"), on("base")},
		{nil, nil},
	} {
		got, err := (&OptionModel{}).Fitting(c.given, takes)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	asked = 0
	_, err := (&OptionModel{}).Fitting(on("a", "b", "d", "x", "y"), takes)
	require.NoError(t, err)
	require.Equal(t, 1, asked, "all at once, where they fit")
	_, err = (&OptionModel{}).Fitting(on("a"), func([]rule.Setting) (bool, error) { return true, fmt.Errorf("gone") })
	require.ErrorContains(t, err, "gone")
}

// A walk that sets an option first sets the options that it needs.
func TestOptionsAreSetWithOthers(t *testing.T) {
	seen := 0
	for i := range 200 {
		_, w := walkCase(t, uint64(i), &WalkConfig{Machine: standard(), Options: &OptionModel{Specs: []rule.OptionSpec{{Name: "search", Kind: rule.Bool, With: set("limit", "500")}, {Name: "other", Kind: rule.Bool}}}})
		search, limit := strings.Index(w, ":search true"), strings.Index(w, ":limit 500")
		if search < 0 {
			search = strings.Index(w, ":search false")
		}
		require.Equal(t, search >= 0, limit >= 0, w)
		if search >= 0 {
			seen++
			require.Less(t, limit, search)
		}
	}
	require.Greater(t, seen, 20)
}

// Where a solver takes only one of many options at a time, as cvc5's safe mode does, they are not asked about in pairs.
func TestOnlyOneOfManyOptions(t *testing.T) {
	var specs []rule.OptionSpec
	for i := range 150 {
		specs = append(specs, rule.OptionSpec{Name: fmt.Sprintf("one%d", i), Kind: rule.List, Values: []string{"a", "b", "c"}})
	}
	specs = append(specs, switches("free", "also", "apart")...)
	refused := func(s rule.Setting) bool { return s.Name == "one7" && s.Value == "b" || s.Name == "one90" }
	takes := func(set []rule.Setting) (bool, error) {
		ones := map[string]bool{}
		free := map[string]bool{}
		for _, s := range set {
			if strings.HasPrefix(s.Name, "one") {
				ones[s.Name] = true
			}
			free[s.Name] = true
			if refused(s) {
				return false, nil
			}
		}
		return len(ones) < 2 && !(free["also"] && free["apart"]), nil
	}
	asked := 0
	m := &OptionModel{Specs: specs}
	require.NoError(t, m.Learn([]string{"produce-models"}, func(set []rule.Setting) (bool, error) {
		asked++
		return takes(set)
	}))
	require.Less(t, asked, 3000)
	require.Len(t, m.OneOf, 149)
	require.Equal(t, map[string]bool{"one7=b": true, "one90=a": true, "one90=b": true, "one90=c": true}, m.Refused)
	for _, c := range m.Conflicts {
		require.NotContains(t, c[0]+c[1], "one")
	}
	require.NotEmpty(t, m.Conflicts)
	require.True(t, m.fits([]rule.Setting{set("free", "true"), set("produce-models", "true")}, set("one3", "a")))
	require.False(t, m.fits([]rule.Setting{set("one4", "b")}, set("one3", "a")))
}

// Options drawn for scripts are compatible, and each comes after the options that it needs.
func TestDrawnOptionsFit(t *testing.T) {
	m := &OptionModel{
		Specs: slices.Concat(switches("a", "b"), []rule.OptionSpec{{Name: "c", Kind: rule.Bool, With: set("limit", "5")}}, switches("late", "gone"),
			[]rule.OptionSpec{{Name: "rare", Kind: rule.Bool, Expert: true}, {Name: "blind", Kind: rule.List, Values: []string{"all"}}}),
		Refused: map[string]bool{"gone=true": true, "gone=false": true}, Conflicts: [][2]string{{"a=true", "b=true"}, {"produce-models=true", "blind=all"}},
		Needs: map[string]rule.Setting{"late=true": set("base", "yes")},
	}
	seen := map[string]bool{}
	for seed := range uint64(300) {
		set := map[string]string{}
		drawn := m.Draw(rng.New(seed), 4)
		require.Equal(t, drawn, m.Draw(rng.New(seed), 4))
		for _, x := range drawn {
			require.NotContains(t, set, x.Name)
			seen[x.Name], set[x.Name] = true, x.Value
			if x.Pair() == "late=true" {
				require.Equal(t, "yes", set["base"])
			}
			if x.Name == "c" {
				require.Equal(t, "5", set["limit"])
			}
		}
		require.False(t, set["a"] == "true" && set["b"] == "true")
	}
	require.Equal(t, map[string]bool{"a": true, "b": true, "c": true, "limit": true, "late": true, "base": true}, seen)
	require.Empty(t, (&OptionModel{}).Draw(rng.New(1), 3))
}
