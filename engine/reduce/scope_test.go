package reduce

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

func commandsOf(t *testing.T, text string) (*smt.Arena, []smtlib.Command) {
	t.Helper()
	a := smt.NewArena()
	s, err := smtlib.Parse("test", []byte(text), a)
	require.NoError(t, err)
	return a, s.Commands
}

func TestWellScoped(t *testing.T) {
	for _, tc := range []struct {
		text   string
		global bool
		ok     bool
	}{
		{"(declare-const x Int)(assert (> x 0))", false, true},
		{"(push 1)(declare-const x Int)(assert (> x 0))(pop 1)(declare-const x Bool)(assert x)", false, true},
		{"(push 2)(pop 1)(pop 1)", false, true},
		{"(declare-sort S 1)(declare-const x (S Int))(assert (= x x))", false, true},
		{"(declare-datatypes ((T 0) (F 0)) (((t (f F))) ((nil) (c (h T)))))(declare-const x T)(assert (= x (t nil)))", false, true},
		{"(define-fun-rec f ((n Int)) Int (ite (= n 0) 0 (f (- n 1))))(assert (= (f 1) 0))", false, true},
		{"(declare-const x Int)(assert (! (> x 0) :named n))(assert n)", false, true},
		{"(declare-const x Int)(reset)(declare-const x Int)(assert (= x 0))", false, true},
	} {
		a, cmds := commandsOf(t, tc.text)
		require.Equal(t, tc.ok, wellScoped(a, cmds, tc.global), tc.text)
	}
	// What no text can say, since it would not be read: candidates with commands taken out.
	for _, tc := range []struct {
		text   string
		drop   int
		global bool
	}{
		{"(declare-const x Int)(assert (> x 0))", 0, false},
		{"(push 1)(pop 1)", 0, false},
		{"(push 2)(push 1)(pop 3)", 1, false},
		{"(push 1)(declare-const x Int)(pop 1)(declare-const x Int)", 2, false},
		{"(declare-sort S 0)(declare-const x S)", 0, false},
		{"(declare-sort S 0)(declare-fun f (S) Int)(assert (forall ((y S)) (> (f y) 0)))", 1, false},
		{"(define-fun f () Int 1)(assert (= f 1))", 0, false},
		{"(declare-const x Int)(assert (! (> x 0) :named n))(assert n)", 1, false},
		{"(push 1)(declare-const x Int)(assert (> x 0))(pop 1)(declare-const x Int)(assert (> x 0))", 4, false},
		{"(declare-datatypes ((T 0)) (((a) (b (s Int)))))(assert (exists ((x T)) ((_ is b) x)))", 0, false},
	} {
		a, cmds := commandsOf(t, tc.text)
		require.True(t, wellScoped(a, cmds, tc.global), tc.text)
		less := append(append([]smtlib.Command{}, cmds[:tc.drop]...), cmds[tc.drop+1:]...)
		require.False(t, wellScoped(a, less, tc.global), "%s without command %d", tc.text, tc.drop)
	}
	// With global declarations the last but one is fine.
	a, cmds := commandsOf(t, "(set-option :global-declarations true)(push 1)(declare-const x Int)(assert (> x 0))(pop 1)(assert (< x 5))")
	require.True(t, wellScoped(a, cmds, true))
	require.False(t, wellScoped(a, cmds, false))
}

func TestPruneUnused(t *testing.T) {
	a, cmds := commandsOf(t, `(declare-sort S 0)(declare-sort U 0)(declare-fun f (S) Int)(declare-const s S)(declare-const u U)
(define-fun g () Int (f s))(define-fun h () Int 3)(declare-datatypes ((T 0)) (((t (sel U)))))(define-sort A () (Array Int Int))
(declare-const kept Int)(assert (= g 1))(minimize kept)`)
	left, _ := pruneUnused(a, cmds, make([]smtlib.Answer, len(cmds)))
	s := &smtlib.Script{Arena: a, Commands: left}
	text := s.Text()
	for _, want := range []string{"(declare-sort S", "f (S)", "s S", "define-fun g", "kept Int", "minimize"} {
		require.Contains(t, text, want)
	}
	for _, gone := range []string{" U ", "define-fun h", "datatypes"} {
		require.NotContains(t, text, gone)
	}
	require.True(t, strings.Contains(text, "(define-sort A"), "a name may be meant by a command that is kept as text")
}

func TestScopes(t *testing.T) {
	_, cmds := commandsOf(t, "(push 2)(push 1)(pop 1)(check-sat)(pop 2)(push 1)(check-sat)")
	require.Equal(t, []scope{{0, 4}, {0, 4}, {5, 7}, {1, 2}}, scopes(cmds))
}

func TestConstants(t *testing.T) {
	a, cmds := commandsOf(t, `(declare-sort U 0)(declare-datatypes ((List 1) (Tree 0)) ((par (X) ((cons (head X) (tail (List X))) (nil))) ((node (children (List Tree))))))
(declare-const t Tree)(declare-const l (List Int))(declare-const u U)(declare-const f Float32)(declare-const ar (Array Int U))`)
	var got []string
	for _, c := range cmds {
		for _, f := range c.Symbols {
			var texts []string
			for _, k := range constants(a, a.SymbolInfo(f).Result) {
				require.Equal(t, a.SymbolInfo(f).Result, a.Sort(k))
				texts = append(texts, smtlib.TermText(a, k))
			}
			got = append(got, strings.Join(texts, " "))
		}
	}
	require.Equal(t, []string{"(node (as nil (List Tree)))", "(as nil (List Int))", "", "(_ +zero 8 24) (_ NaN 8 24) (_ +oo 8 24)", ""}, got)
}
