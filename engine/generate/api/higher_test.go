package api

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// higher is a configuration with functions as values: those of function sorts, or those that are arrays.
func higher(kind, theory string) *WalkConfig {
	return &WalkConfig{Machine: standard(), Truth: ByBoth, Gen: gen.Config{Quantifiers: true, HigherOrder: true, Rules: gen.Exclusions{Kinds: []string{kind},
		Theories: []string{"Core", "Ints", "Arith", "FixedSizeBitVectors", "ArraysEx", "UF", "Datatypes", "Sequences", "Quantifiers", theory},
		Exclude:  lacktest.Lacks("fun-codomain ->", "sort-param any", "logic-all "+gen.ArrayFunctions)}}}
}

// TestFunctionWalksAreTrue is TestWalksAreTrue with functions as values, inside of arrays, sequences and datatypes,
// too; their traces go round as well.
func TestFunctionWalksAreTrue(t *testing.T) {
	for kind, cfg := range map[string]*WalkConfig{"cvc5": higher("cvc5", gen.HigherOrder), "z3": higher("z3", gen.ArrayFunctions)} {
		sat, unsat, functions := 0, 0, 0
		for seed := range uint64(40) {
			w, text := walkCase(t, seed, cfg)
			_, again := walkCase(t, seed, cfg)
			require.Equal(t, text, again, "a walk depends on its seed alone")
			c, err := w.Case("case").Wire().Case(nil)
			require.NoError(t, err, "seed %d\n%s", seed, text)
			require.Equal(t, text, c.Script.Text())
			for i, want := range c.Expect {
				v := eval.CheckTerms(eval.New(c.Script.Arena, c.Witness), c.Script.AssertsAt(i))
				if want == smtlib.Sat {
					sat++
					require.Equal(t, value.True, v.Result, "%s, seed %d, check %d: %s\n%s", kind, seed, i, v.Text, text)
				} else {
					unsat++
					require.NotEqual(t, value.True, v.Result, "%s, seed %d, check %d: %s\n%s", kind, seed, i, v.Text, text)
				}
			}
			if strings.Contains(text, "(lambda (") {
				functions++
			}
			trace := tracetext.Text(w.Trace())
			back, err := tracetext.Read([]byte(trace), nil)
			require.NoError(t, err)
			require.Equal(t, trace, tracetext.Text(back))
		}
		require.Greater(t, sat, 20, kind)
		require.Greater(t, unsat, 5, kind)
		require.Greater(t, functions, 15, kind)
	}
}
