package acceptance_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/lacktest"
)

// Shapes go to other processes as text, also those of a script that names no logic.
func TestShapesOfAScriptWithoutALogic(t *testing.T) {
	s, err := smtlib.Parse("test", []byte("(declare-const a (Array Int Bool))(assert (= a a))(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	shapes := acceptance.Shapes(s)
	require.Contains(t, shapes, lacktest.Lacks("no logic")[0])
	for _, l := range shapes {
		require.Equal(t, lacktest.Lacks(l.String())[0], l)
	}
}

func TestShapes(t *testing.T) {
	s, err := smtlib.Parse("test", []byte(`(set-option :produce-models true)
(set-logic QF_ALIA)
(declare-const a (Array Bool Int))
(declare-const x Int)
(push 1)
(assert (and (= x (div x 2 3)) (= 1 (select a true)) (= a a)))
(check-sat)
(get-value (a))
(|show, 'me'|)
`), smt.NewArena())
	require.NoError(t, err)
	shapes := acceptance.Shapes(s)
	require.Subset(t, shapes, lacktest.Lacks("option produce-models", "logic QF_ALIA", "sort Array", "array-index Bool",
		"array-element Int", "const Array", "action push", "operator div", "nary div", "argument = Array", "operator select",
		"get-value Array", "action get-value"))
	for _, line := range []string{"nary =", "nary select", "array-index Int", "action pop"} {
		require.NotSubset(t, shapes, lacktest.Lacks(line))
	}
	for _, l := range shapes {
		require.NotRegexp(t, `[,']`, l.String(), "it stands in a command line")
		require.Equal(t, lacktest.Lacks(l.String())[0], l)
	}
	l, has := acceptance.FirstOf(lacktest.Lacks("operator mod", "nary div"), s)
	require.True(t, has)
	require.Equal(t, "nary div", l.String())
	_, has = acceptance.FirstOf(lacktest.Lacks("operator mod"), s)
	require.False(t, has)
}
