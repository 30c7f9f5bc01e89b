package scope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

func parse(t *testing.T, text string) *smtlib.Script {
	t.Helper()
	s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return s
}

func TestWithAsserts(t *testing.T) {
	s := parse(t, `(set-info :status sat)(set-option :produce-models false)(set-logic QF_LIA)(declare-const x Int)
		(assert (> x 0))(check-sat)(get-model)(exit)`)
	w := scope.WithAsserts(s.WithOption(":produce-models", "true"), []smt.Term{s.Arena.True(), s.Commands[4].Terms[0]})
	require.Equal(t, `(set-option :produce-models true)
(set-logic QF_LIA)
(declare-const x Int)
(assert true)
(assert (> x 0))
(check-sat)
`, w.Text())
	require.Equal(t, "(assert (> x 0))", w.CommandText(4))
}

func TestWithAssertsAndScopes(t *testing.T) {
	s := parse(t, `(declare-fun x () Int)(push 1)(declare-fun x () Bool)(declare-fun y () Bool)(assert x)(check-sat)
		(pop 1)(declare-fun z () Int)(assert (= x z))(check-sat)`)
	require.Equal(t, "(declare-fun x () Int)\n(declare-fun z () Int)\n(assert (= x z))\n(check-sat)\n", scope.WithAsserts(s, s.Asserts()).Text())
	y := s.Arena.Const(s.Commands[3].Symbols[0])
	require.Equal(t, "(declare-fun x () Int)\n(declare-fun y () Bool)\n(declare-fun z () Int)\n(assert y)\n(check-sat)\n", scope.WithAsserts(s, []smt.Term{y}).Text())
}

func TestWithAssertsAndNames(t *testing.T) {
	s := parse(t, `(declare-fun p () Bool)(declare-fun q () Bool)(assert (! (or p q) :named a1))
		(assert (and (! (not p) :named |b 1|) (=> |b 1| a1)))(check-sat)`)
	a := s.Arena
	whole, part := s.Commands[2].Terms[0], s.Commands[3].Terms[0]
	w := scope.WithAsserts(s, []smt.Term{part, whole, whole, a.Not(whole), a.Arg(part, 0)})
	require.Equal(t, `(declare-fun p () Bool)
(declare-fun q () Bool)
(assert (and (not p) (=> (not p) (or p q))))
(assert (! (or p q) :named a1))
(assert (or p q))
(assert (not (or p q)))
(assert (! (not p) :named |b 1|))
(check-sat)
`, w.Text())
	_, err := smtlib.Parse("again", []byte(w.Text()), smt.NewArena())
	require.NoError(t, err)
}
