package smt_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// FreeVarSets agrees with FreeVars on every subterm, also after terms were released.
func TestFreeVarSets(t *testing.T) {
	a := smt.NewArena()
	var sets smt.FreeVarSets
	for round := range 2 {
		mark := a.Mark()
		text := ""
		for k := range 30 {
			text += fmt.Sprintf("(forall ((x%d Int) (y%d Int)) (or (< x%d y%d) (let ((z (+ x%d %d))) (= z y0)) ", k, k, k, k, k, round)
		}
		text += "true"
		for range 30 {
			text += "))"
		}
		s, err := smtlib.Parse("nested", []byte("(assert "+text+")(check-sat)"), a)
		require.NoError(t, err)
		a.PostOrder(s.Asserts(), func(x smt.Term) {
			require.ElementsMatch(t, a.FreeVars(x), sets.Of(a, x))
		})
		a.Release(mark)
	}
}
