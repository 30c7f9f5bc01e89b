package strre

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// TestMatchAgainstDefinition compares membership of all short strings.
func TestMatchAgainstDefinition(t *testing.T) {
	strings := allStrings(letters, 5)
	shared := NewBuilder()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range 5 {
			x := randomRx(r, letters, 1+r.IntN(12))
			fresh := NewBuilder()
			for _, b := range []*Builder{fresh, shared} {
				re := x.build(b)
				for _, s := range strings {
					got, err := b.Match(re, s)
					require.NoError(t, err)
					require.Equal(t, x.match(s), got, "%s in %v", Literal(s), x)
				}
			}
		}
	})
}

// TestMatchWideAlphabet has characters at the ends of the range of code points,
// and longer strings.
func TestMatchWideAlphabet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		b := NewBuilder()
		for range 20 {
			x := randomRx(r, wide, 1+r.IntN(12))
			re := x.build(b)
			for range 4 {
				s := wide.str(r, 12)
				got, err := b.Match(re, s)
				require.NoError(t, err)
				require.Equal(t, x.match(s), got, "%s in %v", Literal(s), x)
			}
		}
	})
}

// leftmost is the definition of replace_re (and of one round of replace_re_all).
func (r *rx) leftmost(s []rune, from, least int) (start, end int) {
	m := newMeaning(s)
	for i := from; i <= len(s); i++ {
		ends := r.ends(m, i)
		for j := i + least; j <= len(s); j++ {
			if ends.has(j) {
				return i, j
			}
		}
	}
	return -1, -1
}

func TestReplaceAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		b := NewBuilder()
		for range 10 {
			x, s, by := randomRx(r, letters, 1+r.IntN(8)), letters.str(r, 10), alphabet("xy").str(r, 2)
			re := x.build(b)

			want := s
			if i, j := x.leftmost(s, 0, 0); i >= 0 {
				want = []rune(string(s[:i]) + string(by) + string(s[j:]))
			}
			got, err := b.ReplaceRe(s, re, by)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "replace_re %s %v", Literal(s), x)

			all := ""
			at := 0
			for {
				i, j := x.leftmost(s, at, 1)
				if i < 0 {
					break
				}
				all += string(s[at:i]) + string(by)
				at = j
			}
			all += string(s[at:])
			got, err = b.ReplaceReAll(s, re, by)
			require.NoError(t, err)
			require.Equal(t, all, string(got), "replace_re_all %s %v", Literal(s), x)

			from := int64(r.IntN(14) - 2)
			index := -1
			if from >= 0 && from <= int64(len(s)) {
				index, _ = x.leftmost(s, int(from), 0)
			}
			pos, err := b.IndexOfRe(s, re, from)
			require.NoError(t, err)
			require.Equal(t, int64(index), pos, "indexof_re %s %v %d", Literal(s), x, from)
		}
	})
}

// TestDecisions checks emptiness, universality, equivalence and members against
// all short strings and against membership.
func TestDecisions(t *testing.T) {
	strings := allStrings(letters, 5)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		b := NewBuilder()
		for range 5 {
			x, y := randomRx(r, letters, 1+r.IntN(9)), randomRx(r, letters, 1+r.IntN(4))
			rx, ry := x.build(b), y.build(b)
			shortest := -1
			every, same := true, true
			for _, s := range strings {
				in := x.match(s)
				if in && (shortest < 0 || len(s) < shortest) {
					shortest = len(s)
				}
				every = every && in
				same = same && in == y.match(s)
			}
			empty, err := b.Empty(rx)
			require.NoError(t, err)
			if shortest >= 0 {
				require.False(t, empty, "%v", x)
			}
			universal, err := b.Universal(rx)
			require.NoError(t, err)
			require.False(t, universal && !every, "%v", x)
			equivalent, err := b.Equivalent(rx, ry)
			require.NoError(t, err)
			require.False(t, equivalent && !same, "%v %v", x, y)
			if !equivalent {
				witness, found, err := b.Shortest(b.Union(b.Diff(rx, ry), b.Diff(ry, rx)))
				require.NoError(t, err)
				require.True(t, found)
				require.NotEqual(t, x.match(witness), y.match(witness), "%s: %v %v", Literal(witness), x, y)
			}

			member, found, err := b.Shortest(rx)
			require.NoError(t, err)
			require.Equal(t, !empty, found, "%v", x)
			if found {
				require.True(t, x.match(member), "%s in %v", Literal(member), x)
				require.True(t, shortest < 0 && len(member) > 0 || len(member) <= max(shortest, 0), "%s is not shortest in %v", Literal(member), x)
			}
			member, found, err = b.Sample(rx, r.IntN(8), r.IntN)
			require.NoError(t, err)
			require.Equal(t, !empty, found)
			if found {
				require.True(t, x.match(member), "%s in %v", Literal(member), x)
			}
		}
	})
}

// TestSearchFromTheRight compares both ways to find starts of matches.
func TestSearchFromTheRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		b := NewBuilder()
		for range 20 {
			x, s := randomRx(r, letters, 1+r.IntN(10)), letters.str(r, 14)
			re := x.build(b)
			for least := range 2 {
				q := b.newSearch(re, s, least, "test")
				q.findStarts()
				require.NotNil(t, q.starts)
				for i, starts := range q.starts {
					first, _ := x.leftmost(s, i, least)
					require.Equal(t, first == i, starts, "%s at %d, least %d: %v", Literal(s), i, least, x)
				}
			}
		}
	})
}

func TestSearchInLongTextIsLinear(t *testing.T) {
	b := NewBuilder()
	// Without the pass from the right each start would scan to the end: 2*10^10 steps.
	s := []rune(strings.Repeat("a", 200_000))
	never := b.Concat(All, b.Str([]rune("b")))
	got, err := b.ReplaceReAll(s, never, nil)
	require.NoError(t, err)
	require.Len(t, got, len(s))
	got, err = b.ReplaceReAll(append(s, 'b'), b.Concat(b.Str([]rune("aaa")), b.Star(AllChar), b.Str([]rune("b"))), nil)
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = b.ReplaceReAll(s, b.Power(b.Str([]rune("aa")), 2), []rune("x"))
	require.NoError(t, err)
	require.Len(t, got, 50_000)
}

func TestSimplification(t *testing.T) {
	b := NewBuilder()
	a, c := b.Str([]rune("a")), b.Str([]rune("c"))
	abc := b.Range([]rune("a"), []rune("c"))
	for name, same := range map[string][2]Regex{
		"r | r":             {b.Union(a, a), a},
		"r | none":          {b.Union(a, None), a},
		"r & all":           {b.Inter(a, All), a},
		"a & c":             {b.Inter(a, c), None},
		"order of union":    {b.Union(b.Star(a), b.Star(c)), b.Union(b.Star(c), b.Star(a))},
		"sets join":         {b.Union(b.Range([]rune("a"), []rune("b")), c), abc},
		"not not r":         {b.Complement(b.Complement(abc)), abc},
		"r | not r":         {b.Union(b.Star(a), b.Complement(b.Star(a))), All},
		"r & not r":         {b.Inter(b.Star(a), b.Complement(b.Star(a))), None},
		"r**":               {b.Star(b.Star(a)), b.Star(a)},
		"(r+)*":             {b.Star(b.Plus(a)), b.Star(a)},
		"(r?)*":             {b.Star(b.Opt(a)), b.Star(a)},
		"r{0,0}":            {b.Loop(a, 0, 0), Epsilon},
		"r{1,1}":            {b.Loop(a, 1, 1), a},
		"r{3,2}":            {b.Loop(a, 3, 2), None},
		"none{0,2}":         {b.Loop(None, 0, 2), Epsilon},
		"none^2":            {b.Power(None, 2), None},
		"none^0":            {b.Power(None, 0), Epsilon},
		"(r?){2,3}":         {b.Loop(b.Opt(a), 2, 3), b.Loop(b.Opt(a), 0, 3)},
		"assoc":             {b.Concat(b.Concat(a, c), a), b.Concat(a, b.Concat(c, a))},
		"string":            {b.Str([]rune("aca")), b.Concat(a, c, a)},
		"allchar*":          {b.Star(AllChar), All},
		"range of strings":  {b.Range([]rune("ab"), []rune("c")), None},
		"range of nothing":  {b.Range(nil, []rune("c")), None},
		"range upside down": {b.Range([]rune("c"), []rune("a")), None},
		"allchar less a":    {b.Diff(AllChar, b.Complement(a)), a},
		"full range":        {b.Range([]rune{0}, []rune{maxChar}), AllChar},
	} {
		require.Equal(t, same[1], same[0], name)
	}
}

// TestBigCountersStaySmall: counted loops are not unrolled.
func TestBigCountersStaySmall(t *testing.T) {
	b := NewBuilder()
	a := b.Str([]rune("a"))
	aOrAA := b.Union(a, b.Str([]rune("aa")))
	hundred := []rune(strings.Repeat("a", 100))
	for _, c := range []struct {
		name string
		r    Regex
		want bool
	}{
		{"a{100}", b.Power(a, 100), true},
		{"a{0,10^18}", b.Loop(a, 0, 1_000_000_000_000_000_000), true},
		{"a{10^18}", b.Power(a, 1_000_000_000_000_000_000), false},
		{"(a?){10^9}", b.Power(b.Opt(a), 1_000_000_000), true},
		{"(a|aa){50,10^9}", b.Loop(aOrAA, 50, 1_000_000_000), true},
		{"(a|aa){101,10^9}", b.Loop(aOrAA, 101, 1_000_000_000), false},
		{"((a{3}){5,7}){4,10^6}", b.Loop(b.Loop(b.Power(a, 3), 5, 7), 4, 1_000_000), false},
		{"((a{2}){5,7}){4,10^6}", b.Loop(b.Loop(b.Power(a, 2), 5, 7), 4, 1_000_000), true},
		{"not (a{99} | a{101})", b.Complement(b.Union(b.Power(a, 99), b.Power(a, 101))), true},
	} {
		got, err := b.Match(c.r, hundred)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
	require.Less(t, b.Len(), 20_000)

	member, found, err := b.Shortest(b.Concat(b.Power(aOrAA, 1000), a))
	require.NoError(t, err)
	require.True(t, found)
	require.Len(t, member, 1001)
	_, _, err = b.Shortest(b.Power(a, 1<<40))
	require.ErrorIs(t, err, errTooLarge)
	empty, err := b.Empty(b.Inter(b.Power(a, 1<<40), b.Power(a, 1<<41)))
	require.NoError(t, err)
	require.True(t, empty)
}

func TestBudgetEndsExplosion(t *testing.T) {
	b := NewBuilder()
	b.Budget = 1000
	ab := b.Range([]rune("a"), []rune("b"))
	// (a|b)* a (a|b)^n has 2^n derivatives.
	r := b.Concat(b.Star(ab), b.Str([]rune("a")), b.Power(ab, 60))
	_, err := b.Empty(b.Inter(r, b.Complement(b.Concat(r, b.Opt(ab)))))
	require.ErrorIs(t, err, errTooLarge)
	require.ErrorContains(t, err, "1000")
	source := rand.New(rand.NewPCG(1, 1))
	_, err = b.Match(r, letters.str(source, 0))
	require.NoError(t, err, "an exhausted budget is that of one question")
	b.Loop(ab, 1, noUpper)
	_, err = b.Match(r, nil)
	require.ErrorIs(t, err, errTooLarge)
	b.Reset()
	ok, err := b.Match(b.Str([]rune("a")), []rune("a"))
	require.NoError(t, err)
	require.True(t, ok)
}

// TestDeepAndSharedExpressions: nesting of 100,000 levels, and sharing that a
// tree would unfold to 2^60 nodes.
func TestDeepAndSharedExpressions(t *testing.T) {
	b := NewBuilder()
	a, c := b.Str([]rune("a")), b.Str([]rune("c"))
	r := a
	for i := range 100_000 {
		switch i % 4 {
		case 0:
			r = b.Star(r)
		case 1:
			r = b.Concat(r, c)
		case 2:
			r = b.Union(r, b.Concat(a, a))
		case 3:
			r = b.Complement(r)
		}
	}
	_, err := b.Match(r, []rune("aac"))
	require.NoError(t, err)

	left := a
	for range 1000 {
		left = b.Concat(left, c)
	}
	ok, err := b.Match(left, []rune("a"+strings.Repeat("c", 1000)))
	require.NoError(t, err)
	require.True(t, ok)
	b.Reset()
	long := b.Str([]rune(strings.Repeat("ac", 100_000)))
	ok, err = b.Match(long, []rune(strings.Repeat("ac", 100_000)))
	require.NoError(t, err)
	require.True(t, ok)

	b.Reset()
	r = b.Union(b.Str([]rune("a")), b.Str([]rune("bb")))
	for range 60 {
		r = b.Concat(r, r)
	}
	ok, err = b.Match(r, []rune(strings.Repeat("a", 100)))
	require.NoError(t, err)
	require.False(t, ok)
	chain := None
	for i := range 20_000 {
		chain = b.Union(chain, b.Str([]rune{rune(3 * i), rune(i)}))
	}
	ok, err = b.Match(chain, []rune{30, 10})
	require.NoError(t, err)
	require.True(t, ok)
}
