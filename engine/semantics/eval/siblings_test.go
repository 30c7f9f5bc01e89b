package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
)

// TestSiblings: an operator that is said to come to another one has its value, whatever the arguments.
func TestSiblings(t *testing.T) {
	sorts := map[string][]string{
		"BV(m)": {"(_ BitVec 1)", "(_ BitVec 2)", "(_ BitVec 8)", "(_ BitVec 65)"}, "Int": {"Int"}, "Real": {"Real"}, "String": {"String"},
		"FP(e,s)": {"(_ FloatingPoint 2 3)", "(_ FloatingPoint 5 11)"},
	}
	r, tested := rng.New(1), 0
	for _, info := range smt.Ops() {
		if info.Via == "" {
			require.Equal(t, info.Op, info.Op.Sibling())
			continue
		}
		require.NotEqual(t, info.Op, info.Op.Sibling(), info.Name)
		require.Equal(t, info.Op.Sibling(), info.Op.Sibling().Sibling(), info.Name)
		for _, sig := range info.Signatures {
			first, _, _ := strings.Cut(sig, " ")
			require.NotEmpty(t, sorts[first], sig)
			for _, sort := range sorts[first] {
				text := fmt.Sprintf("(declare-const x %s)(declare-const y %s)(assert (= (%s x y) %s))", sort, sort, info.Name, info.Via)
				script, err := smtlib.Parse(info.Name, []byte(text), smt.NewArena())
				require.NoError(t, err, text)
				for range 200 {
					holds, known := eval.New(script.Arena, search.RandomModel(script, r)).Holds(script.Asserts()[0])
					require.True(t, known && holds, text)
					tested++
				}
			}
		}
	}
	require.Greater(t, tested, 5000)
}
