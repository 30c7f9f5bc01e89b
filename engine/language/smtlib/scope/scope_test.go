package scope_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
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
		require.Equal(t, tc.ok, scope.WellScoped(a, cmds, tc.global), tc.text)
	}
	// Candidates with commands removed, which no text can express, since the parser would reject it.
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
		require.True(t, scope.WellScoped(a, cmds, tc.global), tc.text)
		less := append(append([]smtlib.Command{}, cmds[:tc.drop]...), cmds[tc.drop+1:]...)
		require.False(t, scope.WellScoped(a, less, tc.global), "%s without command %d", tc.text, tc.drop)
	}
	// With global declarations the last but one is fine.
	a, cmds := commandsOf(t, "(set-option :global-declarations true)(push 1)(declare-const x Int)(assert (> x 0))(pop 1)(assert (< x 5))")
	require.True(t, scope.WellScoped(a, cmds, true))
	require.False(t, scope.WellScoped(a, cmds, false))
}

func TestPrune(t *testing.T) {
	a, cmds := commandsOf(t, `(declare-sort S 0)(declare-sort U 0)(declare-fun f (S) Int)(declare-const s S)(declare-const u U)
(define-fun g () Int (f s))(define-fun h () Int 3)(declare-datatypes ((T 0)) (((t (sel U)))))(define-sort A () (Array Int Int))
(declare-const kept Int)(assert (= g 1))(minimize kept)`)
	left, _ := scope.Prune(a, cmds, make([]smtlib.Answer, len(cmds)))
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
