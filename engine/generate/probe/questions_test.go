package probe

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/learn"
)

// All questions together are one script that is well-sorted; there is one about each operator.
func TestQuestionsAreWellSorted(t *testing.T) {
	theories := []string{"Core", "Ints", "Reals", "Reals_Ints", "Arith", "FixedSizeBitVectors", "BitVectorExtensions", "FloatingPoint", "ArraysEx", "Strings",
		"StringExtensions", "Sequences", "Sets", "Bags", "FiniteFields", "UF", "Datatypes", "Quantifiers"}
	lines := map[string]bool{}
	check := func(qs []learn.Question) {
		var text strings.Builder
		for _, q := range qs {
			require.NotEmpty(t, q.Lack, q.Text)
			lines[q.Lack.String()] = true
			text.WriteString(q.Text)
		}
		_, err := smtlib.Parse("questions", []byte(text.String()), smt.NewArena())
		require.NoError(t, err, text.String())
	}
	operators, err := Questions("cvc5", theories, "(set-logic ALL)\n")
	require.NoError(t, err)
	check(operators)
	check(SortQuestions(theories, "(set-logic ALL)\n", ""))
	for _, line := range []string{"operator bvnego", "operator str.replace_re_all", "index rotate_left beyond", "index re.range beyond", "index rotate_left zero", "nary bvxnor", "array-index Array",
		"fun-domain datatype", "signature to_fp [e s] RoundingMode Real -> FP(e,s)", "sort-param tester"} {
		require.True(t, lines[line], line)
	}
	t.Log(len(operators), len(SortQuestions(theories, "", "")))
}
