package strre

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rx is a regular expression of the tests: printed, built, and given its meaning
// directly from the definitions, by sets of positions.
type rx struct {
	op     string // SMT-LIB name
	s, t   []rune
	lo, hi uint64
	kids   []*rx
}

// positions is a set of positions in a string of at most 62 characters.
type positions uint64

func (p positions) has(i int) bool { return p>>i&1 == 1 }

// meaning holds the ends of all expressions in one string.
type meaning struct {
	s    []rune
	memo map[place]positions
}

type place struct {
	r *rx
	i int
}

func newMeaning(s []rune) *meaning { return &meaning{s, map[place]positions{}} }

// ends returns the positions where a member that starts at i can end.
func (r *rx) ends(m *meaning, i int) positions {
	key := place{r, i}
	p, ok := m.memo[key]
	if !ok {
		p = r.compute(m, i)
		m.memo[key] = p
	}
	return p
}

func (r *rx) compute(m *meaning, i int) positions {
	s := m.s
	rest := positions(1<<(len(s)+1)-1) &^ (1<<i - 1) // i to len(s)
	switch r.op {
	case "re.none":
		return 0
	case "re.all":
		return rest
	case "re.allchar":
		return rest & (1 << (i + 1))
	case "str.to_re":
		if i+len(r.s) <= len(s) && string(s[i:i+len(r.s)]) == string(r.s) {
			return 1 << (i + len(r.s))
		}
		return 0
	case "re.range":
		if len(r.s) == 1 && len(r.t) == 1 && i < len(s) && r.s[0] <= s[i] && s[i] <= r.t[0] {
			return 1 << (i + 1)
		}
		return 0
	case "re.++":
		out := positions(1) << i
		for _, k := range r.kids {
			out = k.after(m, out)
		}
		return out
	case "re.union":
		return r.kids[0].ends(m, i) | r.kids[1].ends(m, i)
	case "re.inter":
		return r.kids[0].ends(m, i) & r.kids[1].ends(m, i)
	case "re.diff":
		return r.kids[0].ends(m, i) &^ r.kids[1].ends(m, i)
	case "re.comp":
		return rest &^ r.kids[0].ends(m, i)
	}
	return r.repeated(m, i)
}

// repeated unites the ends of lo, lo+1, ... hi repetitions.
func (r *rx) repeated(m *meaning, i int) positions {
	lo, hi := r.lo, r.hi
	switch r.op {
	case "re.*":
		lo, hi = 0, uint64(len(m.s))+1
	case "re.+":
		lo, hi = 1, uint64(len(m.s))+2
	case "re.opt":
		lo, hi = 0, 1
	case "re.^":
		hi = lo
	}
	out, at := positions(0), positions(1)<<i
	for n := uint64(0); n <= hi && at != 0; n++ {
		if n >= lo {
			out |= at
		}
		at = r.kids[0].after(m, at)
	}
	return out
}

func (r *rx) after(m *meaning, from positions) positions {
	out := positions(0)
	for i := range len(m.s) + 1 {
		if from.has(i) {
			out |= r.ends(m, i)
		}
	}
	return out
}

func (r *rx) match(s []rune) bool { return r.ends(newMeaning(s), 0).has(len(s)) }

func (r *rx) build(b *Builder) Regex {
	kids := make([]Regex, len(r.kids))
	for i, k := range r.kids {
		kids[i] = k.build(b)
	}
	switch r.op {
	case "re.none":
		return None
	case "re.all":
		return All
	case "re.allchar":
		return AllChar
	case "str.to_re":
		return b.Str(r.s)
	case "re.range":
		return b.Range(r.s, r.t)
	case "re.++":
		return b.Concat(kids...)
	case "re.union":
		return b.Union(kids...)
	case "re.inter":
		return b.Inter(kids...)
	case "re.diff":
		return b.Diff(kids[0], kids[1])
	case "re.comp":
		return b.Complement(kids[0])
	case "re.*":
		return b.Star(kids[0])
	case "re.+":
		return b.Plus(kids[0])
	case "re.opt":
		return b.Opt(kids[0])
	case "re.^":
		return b.Power(kids[0], r.lo)
	case "re.loop":
		return b.Loop(kids[0], r.lo, r.hi)
	}
	panic(r.op)
}

func (r *rx) String() string {
	switch r.op {
	case "re.none", "re.all", "re.allchar":
		return r.op
	case "str.to_re":
		return fmt.Sprintf("(str.to_re %s)", Literal(r.s))
	case "re.range":
		return fmt.Sprintf("(re.range %s %s)", Literal(r.s), Literal(r.t))
	}
	head := r.op
	switch r.op {
	case "re.^":
		head = fmt.Sprintf("(_ re.^ %d)", r.lo)
	case "re.loop":
		head = fmt.Sprintf("(_ re.loop %d %d)", r.lo, r.hi)
	}
	var parts []string
	for _, k := range r.kids {
		parts = append(parts, k.String())
	}
	return fmt.Sprintf("(%s %s)", head, strings.Join(parts, " "))
}

func (r *rx) size() int {
	n := 1
	for _, k := range r.kids {
		n += k.size()
	}
	return n
}

// alphabet is what random expressions and strings are made of.
type alphabet []rune

var (
	letters = alphabet("ab")
	wide    = alphabet{'a', 'b', 'c', '0', '"', '\\', 'u', '{', 0, 0xff, 0x2028, 0x1F600, MaxChar}
)

func (a alphabet) char(r *rand.Rand) rune { return a[r.IntN(len(a))] }

func (a alphabet) str(r *rand.Rand, most int) []rune {
	s := make([]rune, r.IntN(most+1))
	for i := range s {
		s[i] = a.char(r)
	}
	return s
}

// randomRx makes an expression of about the given number of nodes.
func randomRx(r *rand.Rand, a alphabet, nodes int) *rx {
	if nodes <= 1 {
		switch r.IntN(12) {
		case 0:
			return &rx{op: "re.all"}
		case 1, 2:
			return &rx{op: "re.allchar"}
		case 3:
			return &rx{op: []string{"re.none", "re.all"}[r.IntN(2)]}
		case 4, 5:
			x := &rx{op: "re.range", s: []rune{a.char(r)}, t: []rune{a.char(r)}}
			if r.IntN(8) == 0 {
				x.s = a.str(r, 2)
			}
			return x
		}
		return &rx{op: "str.to_re", s: a.str(r, 1+r.IntN(3))}
	}
	split := 1 + r.IntN(max(nodes-2, 1))
	two := func(op string) *rx {
		return &rx{op: op, kids: []*rx{randomRx(r, a, split), randomRx(r, a, nodes-1-split)}}
	}
	one := func(op string) *rx { return &rx{op: op, kids: []*rx{randomRx(r, a, nodes-1)}} }
	switch r.IntN(16) {
	case 0, 1, 2, 3:
		return two("re.++")
	case 4, 5, 6:
		return two("re.union")
	case 7:
		return two("re.inter")
	case 8:
		return two("re.diff")
	case 9:
		return one("re.comp")
	case 10:
		return one("re.+")
	case 11:
		return one("re.opt")
	case 12:
		x := one("re.^")
		x.lo = uint64(r.IntN(4))
		return x
	case 13:
		x := one("re.loop")
		x.lo, x.hi = uint64(r.IntN(4)), uint64(r.IntN(5))
		return x
	}
	return one("re.*")
}

func allStrings(a alphabet, most int) [][]rune {
	out := [][]rune{nil}
	for i := 0; i < len(out); i++ {
		if len(out[i]) == most {
			continue
		}
		for _, c := range a {
			out = append(out, append(out[i][:len(out[i]):len(out[i])], c))
		}
	}
	return out
}

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
		"full range":        {b.Range([]rune{0}, []rune{MaxChar}), AllChar},
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
	require.ErrorIs(t, err, ErrTooLarge)
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
	require.ErrorIs(t, err, ErrTooLarge)
	require.ErrorContains(t, err, "1000")
	source := rand.New(rand.NewPCG(1, 1))
	_, err = b.Match(r, letters.str(source, 0))
	require.NoError(t, err, "an exhausted budget is that of one question")
	b.Loop(ab, 1, noUpper)
	_, err = b.Match(r, nil)
	require.ErrorIs(t, err, ErrTooLarge)
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
