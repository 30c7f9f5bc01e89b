package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// TestOpenValuesAreNoDisagreement: solvers that give what the standard leaves open a value of their own are not wrong, but one that
// contradicts itself is.
func TestOpenValuesAreNoDisagreement(t *testing.T) {
	for _, tc := range []struct {
		assert string
		open   bool
	}{
		{"(= ((_ fp.to_ubv 4) RNE (_ NaN 5 11)) #b0000)", true},
		{"(= ((_ fp.to_sbv 4) RNE x) #b0111)", true},
		{"(= (fp.to_real (_ +oo 5 11)) 1.0)", true},
		{"(= (fp.min (_ +zero 5 11) (_ -zero 5 11)) (_ -zero 5 11))", true},
		{"(= (fp.max x (_ -zero 5 11)) (_ -zero 5 11))", true},
		{"(f x)", true},
		{"(= (fp.add RNE x x) (_ -zero 5 11))", false},
		{"(= (fp.rem x x) (_ NaN 5 11))", false},
		{"(= (bvudiv v #x00) #x01)", false},
	} {
		script, err := smtlib.Parse("case", []byte("(declare-const x (_ FloatingPoint 5 11))\n(declare-const v (_ BitVec 8))\n(define-fun f ((y (_ FloatingPoint 5 11))) Bool (= ((_ fp.to_ubv 4) RNE y) #b0000))\n(assert "+tc.assert+")\n(check-sat)\n"), smt.NewArena())
		require.NoError(t, err)
		if tc.assert != "(f x)" { // the definition counts as well
			script = script.WithCommands(append(script.Commands[:2:2], script.Commands[3:]...))
		}
		c := &testcase.Case{Script: script}
		two := []*solvers.Run{run("z3", "5", "fresh", sat), run("bitwuzla", "0.8", "fresh", unsat)}
		one := []*solvers.Run{run("z3", "5", "fresh", sat), run("z3", "5", "incremental", unsat)}
		require.Len(t, oracle.Disagreement().Judge(c, two), map[bool]int{true: 0, false: 1}[tc.open], tc.assert)
		require.Len(t, oracle.Disagreement().Judge(c, one), 1, tc.assert)
	}
}
