package strre

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTable holds the edge cases of the theory (SMT-LIB 2.7, UnicodeStrings).
func TestTable(t *testing.T) {
	r := func(s string) []rune { return []rune(s) }
	type c struct{ got, want any }
	str := func(s []rune, want string) c { return c{string(s), want} }
	all := func(s []rune, err error) []rune {
		require.NoError(t, err)
		return s
	}
	for i, c := range []c{
		str(At(r("abc"), 1), "b"), str(At(r("abc"), 3), ""), str(At(r("abc"), -1), ""), str(At(nil, 0), ""),
		str(At(r("abc"), math.MaxInt64), ""),
		str(Substr(r("abc"), 1, 1), "b"), str(Substr(r("abc"), 1, 9), "bc"), str(Substr(r("abc"), 1, math.MaxInt64), "bc"),
		str(Substr(r("abc"), 3, 1), ""), str(Substr(r("abc"), -1, 3), ""), str(Substr(r("abc"), 0, 0), ""),
		str(Substr(r("abc"), 0, -1), ""), str(Substr(r("abc"), math.MaxInt64, math.MaxInt64), ""), str(Substr(r("abc"), 0, 3), "abc"),
		{PrefixOf(nil, r("a")), true}, {PrefixOf(r("a"), nil), false}, {PrefixOf(r("ab"), r("abc")), true}, {PrefixOf(r("bc"), r("abc")), false},
		{SuffixOf(nil, nil), true}, {SuffixOf(r("a"), nil), false}, {SuffixOf(r("bc"), r("abc")), true}, {SuffixOf(r("ab"), r("abc")), false},
		{Contains(r("abc"), nil), true}, {Contains(nil, r("a")), false}, {Contains(r("abc"), r("bc")), true}, {Contains(r("abc"), r("ac")), false},
		{IndexOf(r("abcabc"), r("bc"), 0), int64(1)}, {IndexOf(r("abcabc"), r("bc"), 2), int64(4)}, {IndexOf(r("abc"), r("bc"), 2), int64(-1)},
		{IndexOf(r("abc"), nil, 3), int64(3)}, {IndexOf(r("abc"), nil, 4), int64(-1)}, {IndexOf(nil, nil, 0), int64(0)},
		{IndexOf(nil, nil, -1), int64(-1)}, {IndexOf(r("abc"), r("a"), -1), int64(-1)}, {IndexOf(r("abc"), r("x"), 3), int64(-1)},
		{LastIndexOf(r("abcabc"), r("bc")), int64(4)}, {LastIndexOf(r("abc"), r("x")), int64(-1)}, {LastIndexOf(r("abc"), nil), int64(3)},
		{LastIndexOf(r("aaa"), r("aa")), int64(1)},
		str(Replace(r("abab"), r("b"), r("xy")), "axyab"), str(Replace(r("ab"), nil, r("x")), "xab"), str(Replace(r("ab"), r("c"), r("x")), "ab"),
		str(Replace(nil, nil, r("x")), "x"),
		str(all(ReplaceAll(r("abab"), r("b"), r("bb"))), "abbabb"), str(all(ReplaceAll(r("ab"), nil, r("x"))), "ab"),
		str(all(ReplaceAll(r("aaa"), r("aa"), r("b"))), "ba"), str(all(ReplaceAll(r("aaa"), r("a"), nil)), ""),
		{Compare(nil, r("a")), -1}, {Compare(r("ab"), r("b")), -1}, {Compare(r("ab"), r("a")), 1}, {Compare(r("a"), r("a")), 0},
		{Compare([]rune{0xFFFF}, []rune{0x10000}), -1},
		{IsDigit(r("0")), true}, {IsDigit(r("9")), true}, {IsDigit(r("a")), false}, {IsDigit(nil), false}, {IsDigit(r("12")), false}, {IsDigit(r("٣")), false},
		{ToCode(r("a")), int64(97)}, {ToCode(nil), int64(-1)}, {ToCode(r("ab")), int64(-1)}, {ToCode([]rune{maxChar}), int64(0x2FFFF)},
		str(FromCode(97), "a"), str(FromCode(-1), ""), str(FromCode(0x30000), ""), {FromCode(0x2FFFF), []rune{maxChar}}, {FromCode(0xD800), []rune{0xD800}},
		str(FromCode(math.MinInt64), ""),
		{ToInt(r("")).String(), "-1"}, {ToInt(r("0")).String(), "0"}, {ToInt(r("007")).String(), "7"}, {ToInt(r("-5")).String(), "-1"},
		{ToInt(r("+5")).String(), "-1"}, {ToInt(r("0x1F")).String(), "-1"}, {ToInt(r("1_0")).String(), "-1"}, {ToInt(r("٣")).String(), "-1"},
		{ToInt(r(strings.Repeat("9", 40))).String(), strings.Repeat("9", 40)},
		str(FromInt(big.NewInt(-5)), ""), str(FromInt(big.NewInt(0)), "0"), str(FromInt(big.NewInt(120)), "120"),
		str(Rev(r("abc")), "cba"), str(Rev(nil), ""), str(ToLower(r("aBÉZ")), "abÉz"), str(ToUpper(r("aBéz")), "ABéZ"),
		str(Update(r("abc"), 1, r("xyz")), "axy"), str(Update(r("abc"), 3, r("x")), "abc"), str(Update(r("abc"), -1, r("x")), "abc"),
		str(Update(r("abc"), 0, nil), "abc"),
	} {
		require.Equal(t, c.want, c.got, "row %d", i)
	}
}

// TestSearchAgainstDefinition covers both search algorithms.
func TestSearchAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		char := rapid.SampledFrom([]rune("ab"))
		s := rapid.SliceOfN(char, 0, 60).Draw(t, "s")
		u := rapid.SliceOfN(char, 0, 20).Draw(t, "t")
		if rapid.Bool().Draw(t, "part") && len(s) > 0 {
			i := rapid.IntRange(0, len(s)-1).Draw(t, "i")
			u = s[i:rapid.IntRange(i, len(s)).Draw(t, "j")]
		}
		want := strings.Index(string(s), string(u))
		require.Equal(t, want, find(s, u))
		require.Equal(t, int64(strings.LastIndex(string(s), string(u))), LastIndexOf(s, u))
		require.Equal(t, strings.Replace(string(s), string(u), "xyz", 1), string(Replace(s, u, []rune("xyz"))))
		if len(u) > 0 {
			got, err := ReplaceAll(s, u, []rune("xyz"))
			require.NoError(t, err)
			require.Equal(t, strings.ReplaceAll(string(s), string(u), "xyz"), string(got))
		}
	})
}

func TestTooLong(t *testing.T) {
	s := make([]rune, 1<<12)
	_, err := ReplaceAll(s, []rune{0}, s)
	require.ErrorIs(t, err, errTooLarge)
	parts := make([][]rune, 1<<11)
	for i := range parts {
		parts[i] = s
	}
	_, err = Concat(parts...)
	require.ErrorIs(t, err, errTooLarge)
}

func TestLiterals(t *testing.T) {
	for token, want := range map[string][]rune{
		`""`:                    {},
		`"abc"`:                 []rune("abc"),
		`"a""b"`:                []rune(`a"b`),
		`""""`:                  []rune(`"`),
		`"\u0041"`:              []rune("A"),
		`"\u00412"`:             []rune("A2"),
		`"\u{41}"`:              []rune("A"),
		`"\u{2FFFF}"`:           {maxChar},
		`"\u{2fffF}\u{0}"`:      {maxChar, 0},
		`"\u{00041}"`:           []rune("A"),
		`"\u{30000}"`:           []rune(`\u{30000}`),
		`"\u{000041}"`:          []rune(`\u{000041}`),
		`"\u{}"`:                []rune(`\u{}`),
		`"\u{g}"`:               []rune(`\u{g}`),
		`"\u{41"`:               []rune(`\u{41`),
		`"\u041"`:               []rune(`\u041`),
		`"\u"`:                  []rune(`\u`),
		`"\u{"`:                 []rune(`\u{`),
		`"\U0041\x41\n\\u{41}"`: []rune(`\U0041\x41\n\A`),
		`"\u{5c}u{41}"`:         []rune(`\u{41}`),
		`"\u{D800}"`:            {0xD800},
		`"é😀"`:                  []rune("é😀"),
		"\"\n\t\"":              []rune("\n\t"),
	} {
		got, err := ParseLiteral(token)
		require.NoError(t, err, token)
		require.Equal(t, want, got, token)
	}
	for token, message := range map[string]string{
		`"a"b"`: "must be doubled", `abc`: "double quotes", `"`: "double quotes", `"""`: "must be doubled", "\"\xff\"": "not UTF-8",
		"\"\U00030000\"": "U+30000",
	} {
		_, err := ParseLiteral(token)
		require.ErrorContains(t, err, message, "%q", token)
	}
	require.Equal(t, `"a""\u{5c}u{41}\u{0}\u{7f}\u{2ffff} ~"`, Literal([]rune{'a', '"', '\\', 'u', '{', '4', '1', '}', 0, 0x7f, maxChar, ' ', '~'}))
}

func FuzzLiteral(f *testing.F) {
	for _, s := range []string{"", "a", `\u{41}`, `\u0041`, `""`, `\u{2ffff}\`, "é", `\u{`, "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		value, err := Unescape(body)
		if err != nil {
			return
		}
		require.True(t, valid(value))
		require.LessOrEqual(t, len(value), len(body))
		text := Literal(value)
		for _, c := range text {
			require.True(t, c >= 0x20 && c <= 0x7e)
		}
		again, err := ParseLiteral(text)
		require.NoError(t, err)
		require.Equal(t, value, again)
		if !strings.ContainsAny(body, `"`) {
			same, err := ParseLiteral(`"` + body + `"`)
			require.NoError(t, err)
			require.Equal(t, value, same)
		}
	})
}
