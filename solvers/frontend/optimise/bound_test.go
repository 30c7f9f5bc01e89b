package optimise_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend/optimise"
)

// TestParseBound: what solvers print as an optimum is read, and what we print is read back.
func TestParseBound(t *testing.T) {
	for text, want := range map[string]string{
		"3": "3", "(- 3)": "(- 3)", "2.5": "(/ 5.0 2.0)", "(/ 5.0 2.0)": "(/ 5.0 2.0)", "(- (/ 5 2))": "(- (/ 5.0 2.0))",
		"oo": "oo", "(* (- 1) oo)": "(* (- 1) oo)", "(- oo)": "(* (- 1) oo)", "#x0f": "15", "#b101": "5", "epsilon": "epsilon",
		"(+ 2.0 (* (- 1.0) epsilon))": "(+ 2.0 (* (- 1.0) epsilon))", "(- 2 epsilon)": "(+ 2.0 (* (- 1.0) epsilon))",
		"(* 2 3 (- 1))": "(- 6)", "(+ (- (/ 5.0 2.0)) epsilon)": "(+ (- (/ 5.0 2.0)) epsilon)",
		"(interval 1 2)": "", "x": "", "(/ 1 0)": "", "(* oo oo)": "", "#xg": "", "()": "", "(/ 1 oo)": "",
	} {
		read, err := smtlib.ParseSExprs(text)
		require.NoError(t, err, text)
		b, ok := optimise.ParseBound(&read[0])
		if require.Equal(t, want != "", ok, text); ok {
			require.Equal(t, want, b.String(), text)
		}
	}
	read, err := smtlib.ParseSExprs("(+ 1 2)")
	require.NoError(t, err)
	b, _ := optimise.ParseBound(&read[0])
	require.Equal(t, big.NewRat(3, 1), b.Number)
}
