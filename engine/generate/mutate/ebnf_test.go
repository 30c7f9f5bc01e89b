package mutate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func TestEBNF(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string // the first texts
	}{
		"ISO":       {`f = "(" "not" , f , ")" | 'p' ;  (* a comment *) `, []string{"p", "( not p )", "( not ( not p ) )"}},
		"BNF":       {"<f> ::= \"(\" \"not\" <f> \")\"\n | \"p\"\n", []string{"p", "( not p )"}},
		"W3C":       {"f ::= '(' 'and' p+ q? ')' # of one or more\np := 'p'\nq := 'q'", []string{"( and p )", "( and p q )", "( and p p )"}},
		"option":    {`f = "(" "g" [ "x" | "y" ] ")" .`, []string{"( g )", "( g x )", "( g y )"}},
		"repeated":  {`f = "(" { "x" } ")"`, []string{"( )", "( x )", "( x x )"}},
		"group":     {`f = "(" ("a" | "b") "c" ")"`, []string{"( a c )", "( b c )"}},
		"token":     {`f = "(" "=" n n ")" ; n = "#b" d { d } ; d = "0" | "1" ;`, []string{"( = #b0 #b0 )", "( = #b0 #b1 )", "( = #b1 #b0 )"}},
		"no spaces": {`f = "(" s ")" ; s = '"' [ "a b" ] '"'`, []string{`( " " )`, `( " a b " )`}}, // what has a space is no token
		"names":     {`bool-term = "(" "a.b" x_1 ")" ; x_1 = "y"`, []string{"( a.b y )"}},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := ReadGrammar("g", tc.text)
			require.NoError(t, err)
			for i, want := range tc.want {
				got, _, ok := g.At(uint64(i))
				require.True(t, ok)
				require.Equal(t, want, got)
			}
		})
	}
}

func TestMistakesInEBNF(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "g: no rule",
		`"x"`:                           `g:1: "x" where a rule is to begin`,
		"f = 'x' ;\ng 'y'":              `g:2: "g" where a rule is to begin`,
		"f = 'x\n":                      `g:1: "'" in the rule of f`,
		"f = ( 'x' ] ;":                 `g:1: "]" where "(" of line 1 is to be closed by ")"`,
		"f = \n\n { 'x'":                `g:3: "the end" where "{" of line 3 is to be closed by "}"`,
		"f = 'x' ; f = 'y' ;":           "g:1: f is defined twice",
		"f = 'a' g ;\ng = 'b' g ;":      "g:1: f derives no text",
		"f = 'a' | g ;\ng = 'b' g ;":    "g:2: g derives no text",
		"f = /x/ ;":                     `g:1: "/" in the rule of f`,
		"f = 'x' (* no end":             `g:1: "(*" in the rule of f`,
		"f = <>":                        `g:1: "<" in the rule of f`,
		"f = 'x' ; # \xff\n = = 'y'":    `g:2: "=" where a rule is to begin`,
		strings.Repeat("f = 'x' | ", 3): "g:1: f is defined twice",
	} {
		_, err := ReadGrammar("g", text)
		require.ErrorContains(t, err, want, text)
	}
}

// Random derives texts of the grammar of about the requested size, and calls fill for names without a rule.
func TestRandomTexts(t *testing.T) {
	g, err := ReadGrammar("g", `f = "(" "and" f f { f } ")" | "(" "<" Int Int ")" | "p" ;`)
	require.NoError(t, err)
	require.Equal(t, []string{"Int"}, g.Open())
	longest := 0
	for seed := range uint64(200) {
		n := 0
		text, err := g.Random(rng.New(seed), 30, func(name string) (string, error) { n++; return fmt.Sprintf("x%d", n), nil })
		require.NoError(t, err)
		exprs, err := smtlib.ParseSExprs(text)
		require.NoError(t, err, text)
		require.Len(t, exprs, 1, text)
		longest = max(longest, len(text))
		again, _ := g.Random(rng.New(seed), 30, func(string) (string, error) { n--; return fmt.Sprintf("x%d", n), nil })
		require.Equal(t, strings.Count(text, "("), strings.Count(again, "("), "the same choices")
	}
	require.Greater(t, longest, 60)
	require.Less(t, longest, 500)
	g, err = ReadGrammar("g", `f = "(" "<" Int Int ")"`)
	require.NoError(t, err)
	_, err = g.Random(rng.New(1), 1000, func(string) (string, error) { return "", fmt.Errorf("no Int") })
	require.ErrorContains(t, err, "no Int")
}

// Whatever is read as a grammar derives texts within bounds, and no text makes the reader fail in another way than by
// an error.
func TestAnyEBNF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := []string{"f", "g", "<h>", "=", "::=", ";", "|", "(", ")", "[", "]", "{", "}", "*", "+", "?", "\"(\"", "\")\"", "'x'", ",", ".", "\n", "#", "(*", "*)"}
		text := "f = " + strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 30).Draw(t, "words"), " ")
		g, err := ReadGrammar("g", text)
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "g:"), "%v", err)
			return
		}
		out, err := g.Random(rng.New(rapid.Uint64().Draw(t, "seed")), 20, func(string) (string, error) { return "y", nil })
		require.NoError(t, err)
		require.Less(t, len(out), 4000)
		for i := range uint64(3) {
			g.At(i)
		}
	})
}
