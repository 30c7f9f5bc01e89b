package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Values are requested only for terms with a value that solvers can print: not for terms with a quantified variable, an
// unknown head or a name, and not for literals, languages and functions.
func TestClosedTerms(t *testing.T) {
	script, err := smtlib.Parse("c.smt2", []byte(`(declare-const x Int)(declare-const p Bool)(declare-const s String)
		(assert (forall ((y Int)) (or p (> y (+ x 1)))))
		(assert (! (> x 2) :named n))
		(assert (or p (nobody-knows x)))
		(assert (str.in_re s (re.++ (str.to_re s) re.all)))
		(check-sat)`), smt.NewArena())
	require.NoError(t, err)
	var got []string
	for _, x := range closedTerms(script.Arena, script.Asserts()) {
		got = append(got, smtlib.TermText(script.Arena, x))
	}
	require.Equal(t, []string{"p", "x", "(+ x 1)", "(> x 2)", "s", "(str.in_re s (re.++ (str.to_re s) re.all))"}, got)
}
