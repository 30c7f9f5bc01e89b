package smtlib_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// TestOtherCommands: commands beyond SMT-LIB that carry terms have them, and print as they were written. A command
// whose terms cannot be read stays text.
func TestOtherCommands(t *testing.T) {
	for _, test := range []struct {
		command, want string // "" is the command as it is
		terms         int
	}{
		{command: "(minimize (+ x 1))", terms: 1},
		{command: "(maximize x :id |a b|)", terms: 1},
		{command: "(assert-soft ( > x  1) ; why\n :weight 0.5\t:id goal)", want: "(assert-soft (> x 1) :weight 0.5 :id goal)", terms: 1},
		{command: "(get-interpolant |A B| (> x 1))", terms: 1},
		{command: "(get-abduct A (> x 1) ((G Bool)) ((G Bool (p))))", terms: 1},
		{command: "(get-qe (exists ((y Int)) (< x y)))", terms: 1},
		{command: "(get-consequences ( p) ((> x 1) p ))", want: "(get-consequences (p) ((> x 1) p))", terms: 3},
		{command: "(get-consequences () ())"},
		{command: "(block-model-values (x))", terms: 1},
		{command: "(get-abduct A (> z 1))"},
		{command: "(get-abduct (forall ((x Int)) (> z 1)) x)", terms: 1},
		{command: "(get-abduct A (forall ((x Int)) (> z 1)))"},
		{command: "(get-consequences (p q))"},
		{command: "(get-objectives)"},
	} {
		s, err := smtlib.Parse("", []byte("(declare-const x Int)(declare-const p Bool)"+test.command+"(assert (> x 2))"), smt.NewArena())
		require.NoError(t, err, test.command)
		require.Len(t, s.Commands, 4, test.command)
		c := s.Commands[2]
		require.Equal(t, smtlib.CmdOther, c.Kind)
		require.Len(t, c.Terms, test.terms, test.command)
		want := test.want
		if want == "" {
			want = test.command
		}
		require.Equal(t, want, s.WithCommands([]smtlib.Command{{Kind: c.Kind, Name: c.Name, Text: c.Text, Terms: c.Terms}}).CommandText(0))
	}
}
