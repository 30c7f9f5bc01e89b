package smtlib_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// TestRememberedTextsAreThoseOfTheCommand changes commands whose text is kept: what is printed is what they are now.
func TestRememberedTextsAreThoseOfTheCommand(t *testing.T) {
	s, err := smtlib.Parse("test", []byte("(set-logic QF_LIA)\n(declare-const x Int)\n(declare-fun f (Int) Int)\n(define-fun g ((y Int)) Int (f y))\n(assert (< x (bv2nat #x3)))\n(check-sat)\n"), smt.NewArena())
	require.NoError(t, err)
	want := s.Text()
	standard := smtlib.Printer{Standard: true}
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
