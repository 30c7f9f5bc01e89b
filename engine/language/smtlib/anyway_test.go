package smtlib_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// TestParseAnyway checks that unreadable commands stay as text, that their declarations are unknown, and that later
// commands are read.
func TestParseAnyway(t *testing.T) {
	text := `(set-logic ALL)
(declare-const x Int)
(declare-datatypes ((T 0)) (((a (b (Frob Int))))))
(assert (forall ((y Int)) (knot y (as a T) (let ((z y)) (frob! z #xzz)))))
(push 1)
(assert (= x 1))
(pop 1) (pop 1)
(assert (= x y))
(check-sat)
`
	s, err := smtlib.ParseAnyway("in", []byte(text), smt.NewArena())
	require.NoError(t, err)
	require.Equal(t, strings.Replace(text, "(pop 1) (pop 1)", "(pop 1)\n(pop 1)", 1), string(s.AppendTo(nil)))
	var kept []string
	for i := range s.Commands {
		if c := &s.Commands[i]; c.Kind == smtlib.CmdOther {
			kept = append(kept, c.Name+": "+c.Text)
		}
	}
	require.Len(t, kept, 4)
	require.Equal(t, "declare-datatypes: (declare-datatypes ((T 0)) (((a (b (Frob Int))))))", kept[0])
	require.Equal(t, "pop: (pop 1)", kept[2])
	require.Equal(t, "kept as text: unknown sort Frob", s.Notes[0].Msg)
	require.Equal(t, 3, s.Notes[0].Pos.Line)

	for _, wrong := range []string{"(assert", "x", ")", "(assert |a)"} {
		_, err := smtlib.ParseAnyway("in", []byte(wrong), smt.NewArena())
		require.Error(t, err, wrong)
	}
	// A parser that was used for one is strict again.
	_, err = smtlib.Parse("in", []byte(text), smt.NewArena())
	require.Error(t, err)
}
