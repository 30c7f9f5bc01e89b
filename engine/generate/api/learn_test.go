package api

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/internal/fakesolver"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// fakeTakes asks the fake solver, and counts.
func fakeTakes(args string, asked *int) func([]Setting) (bool, error) {
	return func(set []Setting) (bool, error) {
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

func specs(t require.TestingT, lines ...string) (out []OptionSpec) {
	for _, line := range lines {
		s, err := ParseOption(line)
		require.NoError(t, err)
		out = append(out, s)
	}
	return out
}

func TestLearn(t *testing.T) {
	lines := []string{"late bool", "a bool", "b bool", "mode list x,y,z", "n int 0 1000", "gone bool", "base bool", "c bool", "d bool", "eager bool expert"}
	asked := 0
	m := &OptionModel{Specs: specs(t, lines...)}
	err := m.Learn([]string{"produce-models", "produce-proofs"},
		fakeTakes("--refuse=gone,mode=y,produce-proofs,n=1000 --conflict=a=true+mode=z,d+produce-models,c=false+b=true --needs=late+base=false", &asked))
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"gone=true": true, "gone=false": true, "mode=y": true, "produce-proofs=true": true}, m.Refused)
	require.Equal(t, map[string]Setting{"late=true": {"base", "false"}, "late=false": {"base", "false"}}, m.Needs)
	require.ElementsMatch(t, [][2]string{{"produce-models=true", "d=true"}, {"produce-models=true", "d=false"}, {"a=true", "mode=z"}, {"b=true", "c=false"}}, m.Conflicts)
	require.Equal(t, int64(512), m.Specs[4].Hi)
	require.Less(t, asked, 200)
}

// TestBoundsCostFewQuestions: an option whose profile has a range of 63 bits is narrowed, or given up, with few questions.
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
		m := &OptionModel{Specs: []OptionSpec{{Name: "n", Kind: "int", Lo: 0, Hi: 1 << 62}}}
		l := &learner{m: m, takes: func(set []Setting) (bool, error) {
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
		var lines, fights []string
		n := rapid.IntRange(2, 12).Draw(t, "options")
		for i := range n {
			lines = append(lines, fmt.Sprintf("o%d bool", i))
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
		m := &OptionModel{Specs: specs(t, lines...)}
		takes := fakeTakes(args, &asked)
		require.NoError(t, m.Learn(nil, takes))
		var set []Setting
		for _, i := range rapid.Permutation(seq(n)).Draw(t, "order") {
			if s := (Setting{fmt.Sprintf("o%d", i), fmt.Sprint(rapid.Bool().Draw(t, "value"))}); m.fits(set, s) {
				set = append(set, s)
			}
		}
		ok, _ := takes(set)
		require.True(t, ok, "%v of %s", set, args)
		require.Empty(t, m.Refused)
	})
}

func seq(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// What the solver says without options is no matter of options.
func TestLearnNothing(t *testing.T) {
	m := &OptionModel{Specs: specs(t, "a bool")}
	require.NoError(t, m.Learn(nil, func([]Setting) (bool, error) { return false, nil }))
	require.Nil(t, m.Refused)
	require.ErrorContains(t, m.Learn(nil, func([]Setting) (bool, error) { return true, fmt.Errorf("gone") }), "gone")
}

// Those that are left out are refused alone, or beside one that is kept; all others are kept, in their order.
func TestFitting(t *testing.T) {
	set := func(names ...string) (out []Setting) {
		for _, n := range names {
			out = append(out, Setting{n, "true"})
		}
		return out
	}
	asked := 0
	takes := fakeTakes("--refuse=gone --conflict=a+c,d+e --needs=late+base", &asked)
	for _, c := range []struct{ given, want []Setting }{
		{set("a", "b", "d"), set("a", "b", "d")},
		{set("a", "b", "c", "d", "e", "f"), set("a", "b", "d", "f")},
		{set("gone", "c", "a"), set("c")},
		{set("base", "late", "gone"), set("base", "late")},
		{set("late", "base"), set("base")},
		{nil, nil},
	} {
		got, err := (&OptionModel{}).Fitting(c.given, takes)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	asked = 0
	_, err := (&OptionModel{}).Fitting(set("a", "b", "d", "x", "y"), takes)
	require.NoError(t, err)
	require.Equal(t, 1, asked, "all at once, where they fit")
	_, err = (&OptionModel{}).Fitting(set("a"), func([]Setting) (bool, error) { return true, fmt.Errorf("gone") })
	require.ErrorContains(t, err, "gone")
}

func TestParseOption(t *testing.T) {
	s, err := ParseOption("search bool with limit=500 expert")
	require.NoError(t, err)
	require.Equal(t, OptionSpec{Name: "search", Kind: "bool", Tier: "expert", With: Setting{"limit", "500"}}, s)
	s, err = ParseOption("n int 1 9 with m=x")
	require.NoError(t, err)
	require.Equal(t, OptionSpec{Name: "n", Kind: "int", Lo: 1, Hi: 9, Tier: "regular", With: Setting{"m", "x"}}, s)
	for _, line := range []string{"n", "n bool with", "n bool with m", "n bool with =1", "n bool m=1", "n int 2 1", "n list a b"} {
		_, err := ParseOption(line)
		require.ErrorContains(t, err, "describes no option", line)
	}
}

// What an option is to be set with is set ahead of it in every walk that sets it.
func TestOptionsAreSetWithOthers(t *testing.T) {
	seen := 0
	for i := range 200 {
		_, w := walkCase(t, uint64(i), &Config{Machine: standard(), Options: &OptionModel{Specs: specs(t, "search bool with limit=500", "other bool")}})
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
	var lines []string
	for i := range 150 {
		lines = append(lines, fmt.Sprintf("one%d list a,b,c", i))
	}
	lines = append(lines, "free bool", "also bool", "apart bool")
	refused := func(s Setting) bool { return s.Name == "one7" && s.Value == "b" || s.Name == "one90" }
	takes := func(set []Setting) (bool, error) {
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
	m := &OptionModel{Specs: specs(t, lines...)}
	require.NoError(t, m.Learn([]string{"produce-models"}, func(set []Setting) (bool, error) {
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
	require.True(t, m.fits([]Setting{{"free", "true"}, {"produce-models", "true"}}, Setting{"one3", "a"}))
	require.False(t, m.fits([]Setting{{"one4", "b"}}, Setting{"one3", "a"}))
}

// What is drawn for scripts goes together, with what it needs before it.
func TestDrawnOptionsFit(t *testing.T) {
	m := &OptionModel{
		Specs:   specs(t, "a bool", "b bool", "c bool with limit=5", "late bool", "gone bool", "rare bool expert", "blind list all"),
		Refused: map[string]bool{"gone=true": true, "gone=false": true}, Conflicts: [][2]string{{"a=true", "b=true"}, {"produce-models=true", "blind=all"}},
		Needs: map[string]Setting{"late=true": {"base", "yes"}},
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
