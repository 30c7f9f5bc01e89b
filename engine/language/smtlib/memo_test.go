package smtlib_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/termtext"
)

// TestRememberedTextsAreThoseOfTheCommand changes commands whose text is cached, and checks that the changed command is
// printed.
func TestRememberedTextsAreThoseOfTheCommand(t *testing.T) {
	s, err := smtlib.Parse("test", []byte("(set-logic QF_LIA)\n(declare-const x Int)\n(declare-fun f (Int) Int)\n(define-fun g ((y Int)) Int (f y))\n(assert (< x (bv2nat #x3)))\n(check-sat)\n"), smt.NewArena())
	require.NoError(t, err)
	want := s.Text()
	standard := smtlib.Printer{Terms: termtext.Terms{Standard: true}}
	plain := string(standard.Script(nil, s))
	smtlib.Remember(s.Arena, s.Commands)
	require.Equal(t, want, s.Text())
	require.Equal(t, plain, string(standard.Script(nil, s)), "other names of operators are another text")

	cmds := append([]smtlib.Command(nil), s.Commands...)
	cmds[0].Text = "ALL"
	cmds[1].Symbols = cmds[2].Symbols
	cmds[1].Kind = smtlib.CmdDeclareFun
	cmds[4].Terms = []smt.Term{s.Arena.True()}
	require.Equal(t, "(set-logic ALL)\n(declare-fun f (Int) Int)\n(declare-fun f (Int) Int)\n(define-fun g ((y Int)) Int (f y))\n(assert true)\n(check-sat)\n", s.WithCommands(cmds).Text())
	require.Equal(t, want, s.Text())
}

// TestCommandsAsWritten prints commands as their file has them, as long as they are the same: with comments or without,
// and without let where a changed one would have it.
func TestCommandsAsWritten(t *testing.T) {
	text := "; first\n(set-logic QF_LIA)(declare-const x Int) ; of x\n" +
		"(assert (or (= (+ x |x|\n 1 2 3 4) 0)))\n(define-sort I () Int)\n(push) (check-sat)\n(pop 1)(get-magic\t;why\n x)(exit)\n; last"
	s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
	require.NoError(t, err)
	plain := s.Text()
	own := s.AsWritten([]byte(text))
	require.Equal(t, "; first\n(set-logic QF_LIA)\n(declare-const x Int) ; of x\n(assert (or (= (+ x |x|\n 1 2 3 4) 0)))\n(define-sort I () Int)\n(push)\n(check-sat)\n(pop 1)\n(get-magic\t;why\n x)\n(exit)\n; last\n", own.Text())
	require.Equal(t, plain, s.Text(), "the script itself stays")
	require.Equal(t, plain, own.Reprinted().Text())

	cmds := slices.Clone(own.Commands)
	cmds[1] = cmds[1].WithoutComments()
	cmds[2] = cmds[2].Reprinted()
	cmds[4].N = 7
	require.True(t, own.Commands[4].IsAsWritten())
	require.False(t, cmds[4].IsAsWritten(), "it says something else")
	changed := own.WithCommands(cmds)
	require.Contains(t, changed.Text(), "(declare-const x Int)\n(assert (= (+ x x 1 2 3 4) 0))\n(define-sort I () Int)\n(push 7)\n")
	long, err := smtlib.ParseTerm(s.Arena, s, "(or (< (+ x 1 2 3 4 5 6 7 8 9) 5) (> (+ x 1 2 3 4 5 6 7 8 9) 7))")
	require.NoError(t, err)
	cmds[2].Terms = []smt.Term{long}
	require.Contains(t, own.WithCommands(cmds).Text(), "(assert (or (< (+ x 1 2 3 4 5 6 7 8 9) 5) (> (+ x 1 2 3 4 5 6 7 8 9) 7)))\n")
	require.Contains(t, s.WithCommands(cmds).Text(), "(let ((?1 (+ x 1 2 3 4 5 6 7 8 9)))")
}
