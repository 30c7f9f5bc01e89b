package murxla

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers/rule"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

func TestRead(t *testing.T) {
	text, err := os.ReadFile("testdata/all.trace")
	require.NoError(t, err)
	require.True(t, IsTrace(text))
	trace, err := Read(text, nil)
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/all.smt2")
	require.NoError(t, err)
	require.Equal(t, string(want), trace.Script("all").Text())
	require.Contains(t, trace.Notes, "options of Murxla: --bitwuzla -t 1")
	require.Contains(t, trace.Notes, "line 98: left out: cvc5-simplify t20")

	// Our text of it reads back to the same calls.
	back, err := tracetext.Read([]byte(tracetext.Text(trace)), nil)
	require.NoError(t, err)
	require.Equal(t, trace.Script("x").Text(), back.Script("x").Text())
	require.False(t, IsTrace([]byte(tracetext.Text(trace))))
}

func TestMistakesAreNamed(t *testing.T) {
	doubled := ""
	for i := range 60 {
		doubled += fmt.Sprintf("\n1 mk-sort ARRAY s%d s%d\nreturn s%d", i+1, i+1, i+2)
	}
	for text, want := range map[string]string{
		"1 mk-sort BV 8\nreturn s1\n1 mk-const s2 \"x\"": "line 3: mk-const: there is no sort s2",
		"x new":               "line 1: want a seed",
		"1 frobnicate":        "there is no such action",
		"1 mk-sort MAP s1":    "there is no sort s1",
		"1 assert-formula t1": "there is no term t1",
		"1 mk-sort BOOL\nreturn s1\n1 mk-value s1 true\nreturn t1\n1 mk-term OP_WEIRD SORT_BOOL 1 t1\nreturn t2 s1":   "the operator OP_WEIRD has no counterpart",
		"1 mk-sort BOOL\nreturn s1\n1 mk-value s1 true\nreturn t1\n1 mk-term OP_BV_ADD SORT_BV 2 t1 t1\nreturn t2 s1": "line 5: mk-term",
		"1 mk-sort FUN s1 s1":                                                   "there is no sort s1",
		"1 mk-sort BV 0\nreturn s1":                                             "line 1: mk-sort: the width 0 is not between 1 and ",
		"1 mk-sort BV 99999999999\nreturn s1":                                   "line 1: mk-sort: the width 99999999999 is not between 1 and ",
		"1 mk-sort BV -1\nreturn s1":                                            "line 1: mk-sort: the width: \"-1\" is no number",
		"1 mk-sort FP 1 53\nreturn s1":                                          "line 1: mk-sort: there is no floating-point format with 1 bits of exponent and 53 of significand",
		"1 mk-sort FP 5 99999999999\nreturn s1":                                 "of exponent and 99999999999 of significand",
		"1 mk-sort INT\nreturn s1" + doubled:                                    "line 33: mk-sort: written out, the sort has 131071 parts; at most 65536 are taken",
		"1 mk-sort FF \"12x\"\nreturn s1":                                       "is no size of a field",
		"1 cvc5-get-interpolant t1\n      return t2\n1 assert-formula t2":       "line 3: assert-formula: t2 is what cvc5-get-interpolant returned, which is not known here, not a term",
		"1 mk-sort STRING\nreturn s1\n1 mk-special-value s1 \"nan\"\nreturn t1": "no special value of String",
	} {
		_, err := Read([]byte(text), nil)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "%!", text)
	}
	_, err := Read([]byte("1 new\n1 mk-sort INT\n"), nil) // the return line is lost with the death
	require.NoError(t, err)
}

// Every operator has a row in our table, so that a typing mistake shows.
func TestOperatorsExist(t *testing.T) {
	for _, m := range []map[string]string{operators, solverOperators} {
		for theirs, ours := range m {
			_, ok := smt.LookupOp(ours)
			require.True(t, ok, "%s: %s", theirs, ours)
		}
	}
	require.Equal(t, "bvredor", operatorOf("BITWUZLA-OP_BV_REDOR"))
	require.Equal(t, "bvadd", operatorOf("OP_BV_ADD"))
}

func TestReadProfile(t *testing.T) {
	p, err := ReadProfile([]byte(`{
 "theories": {"include": ["THEORY_BV", "THEORY_ARRAY", "THEORY_INT", "THEORY_REAL"], "exclude-combinations": [["THEORY_BV", "THEORY_QUANT"]]},
 "operators": {"exclude": ["OP_BV_SMOD", "OP_DT_MATCH", "OP_SET_COMPREHENSION"], "sort-restrictions": {"OP_EQUAL": ["SORT_ARRAY"]}},
 "sorts": {"exclude": ["SORT_BAG", "SORT_FUN"], "array-index": {"exclude": ["SORT_ARRAY"]}, "fun-sort-domain": {"exclude": ["SORT_BOOL"]}, "datatype-match": {"exclude": ["SORT_DT"]}},
 "errors": {"exclude": ["not supported"], "filter": ["at line [0-9]+"]}}`))
	require.NoError(t, err)
	require.Equal(t, &Profile{
		Theories:  []string{"Core", "FixedSizeBitVectors", "BitVectorExtensions", "ArraysEx", "Ints", "Arith", "Reals", "Reals_Ints"},
		Exclude:   lacktest.Lacks("operator bvsmod", "operator match", "argument = Array", "array-index Array", "sort Bag", "fun-domain Bool"),
		Conflicts: []rule.TheoryConflict{{"FixedSizeBitVectors", "Quantifiers"}}, Refusal: []string{"not supported"},
		Left: []string{"the operator OP_SET_COMPREHENSION", "the sorts of datatype-match", `errors.filter "at line [0-9]+": findings are grouped without it`},
	}, p)
	star := p.Star("my-solver", "generic")
	require.True(t, strings.HasPrefix(star[strings.Index(star, "my_solver"):], "my_solver = solver.profile(\n    name = \"my-solver\",\n    base = \"generic\","), star)
	require.Contains(t, star, "api_exclude = [\n        solver.lacks(operator = \"bvsmod\"),")
	require.Contains(t, star, "api_conflicts = [\n        solver.conflict(\"FixedSizeBitVectors\", \"Quantifiers\"),")
	_, err = ReadProfile([]byte("{"))
	require.ErrorContains(t, err, "profile of Murxla")
	_, err = ReadProfile([]byte(`{"sorts": {"exclude": 3}}`))
	require.ErrorContains(t, err, "sorts: exclude")
}
