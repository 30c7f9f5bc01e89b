package confirm

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// TestNeededOptions checks that exactly the indispensable options remain, regardless of the order.
func TestNeededOptions(t *testing.T) {
	all := strings.Split("a b c d e f g h i j k l m n o p q r s t", " ")
	for _, want := range [][]string{{"a"}, {"t"}, {"c", "q"}, {"a", "b", "t"}} {
		tries := 0
		need, done := neededOf(t.Context(), all, func(drop []string) bool {
			tries++
			return !slices.ContainsFunc(want, func(o string) bool { return slices.Contains(drop, o) })
		})
		require.True(t, done)
		require.Equal(t, want, need)
		require.LessOrEqual(t, tries, maxWithout)
	}
	_, done := neededOf(t.Context(), slices.Concat(all, all), func([]string) bool { return false })
	require.False(t, done, "twice as many, all of them: that takes too many tries")
}

// TestWithoutOptionsKeepsTraces checks that data of a trace beyond its script is kept.
func TestWithoutOptionsKeepsTraces(t *testing.T) {
	trace, err := tracetext.Read([]byte("7 set-option \":produce-models\" \"true\"\n8 set-option \":seed\" \"3\"\n9 ?sat get-info \":name\"\n5 check-sat\n"), smt.NewArena())
	require.NoError(t, err)
	c := testcase.FromTrace("c", trace)
	c.Expect = []smtlib.Answer{smtlib.Sat}
	less := withoutOptions(c, []string{"seed"})
	require.NotNil(t, less.LiveTrace())
	require.Equal(t, "# smtlark trace 1\n7 set-option \":produce-models\" \"true\"\n9 ?sat get-info \":name\"\n5 check-sat\n", tracetext.Text(less.LiveTrace()))
	require.Equal(t, c.Expect, less.Expect)
	require.NotContains(t, less.Script.Text(), "seed")
	require.Len(t, c.LiveTrace().Calls, 4)
}

// TestBelowPush: the push comes behind the settings; a trace has none.
func TestBelowPush(t *testing.T) {
	script, err := smtlib.Parse("a.smt2", []byte("(set-info :status sat)(set-logic QF_UF)(declare-const p Bool)(assert p)(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	c := &testcase.Case{Script: script, Expect: []smtlib.Answer{smtlib.Sat}}
	below := belowPush(c)
	require.Equal(t, "(set-info :status sat)\n(set-logic QF_UF)\n(push 1)\n(declare-const p Bool)\n(assert p)\n(check-sat)\n", string(below.Text()))
	require.Equal(t, c.Expect, below.Expect)
	require.NotContains(t, string(c.Text()), "push", "the case itself stays as it is")
	calls := solvers.TraceOf(script)
	require.Nil(t, belowPush(testcase.FromTrace("a", calls)))
}
