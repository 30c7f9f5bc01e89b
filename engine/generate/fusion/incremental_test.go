package fusion

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// stepsOf reads a script whose checks are kept.
func stepsOf(t *testing.T, text string, answers ...smtlib.Answer) Part {
	t.Helper()
	s, err := smtlib.Parse("steps.smt2", []byte(text), smt.NewArena())
	require.NoError(t, err)
	steps, ok := Steps(s)
	require.True(t, ok)
	asserts, err := scope.StripNames(s.Arena, steps)
	require.NoError(t, err)
	return Part{Script: s, Asserts: asserts, Checks: answers}
}

const manyChecks = `(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const inner Int)(assert (! (> x y) :named base))(check-sat)
(push 1)(assert (< x y))(check-sat)(pop 1)(push 2)(assert (= (+ x inner) (* 2 y)))(check-sat)
(pop 1)(assert (or (< inner y) base))(check-sat)(pop 1)(assert (and (> y 0) (< x 1)))(check-sat)(exit)`

// A fused script that keeps its checks answers each as the seed does, whatever the other seed answers.
func TestKeptChecks(t *testing.T) {
	table := testTable(t)
	want := []smtlib.Answer{smtlib.Sat, smtlib.Unsat, smtlib.Sat, smtlib.Sat, smtlib.Unsat}
	for name, other := range map[string]string{
		"sat":   head("QF_LIA", "sat") + "(declare-const x Int)(declare-const z Int)(assert (> (+ x z) 5))(assert (< x 3))(check-sat)",
		"unsat": head("QF_LIA", "unsat") + "(declare-const x Int)(declare-const z Int)(assert (> (+ x z) 5))(assert (< x 3))(assert (< z 2))(check-sat)",
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(16) {
				j := fuseAll(t, table, seed, 3, stepsOf(t, manyChecks, want...), partOf(t, other, ""))
				c, err := j.Case(rng.New(seed), How{Answer: smtlib.Sat, Share: 0.6})
				require.NoError(t, err)
				requireRoundTrip(t, c)
				require.Equal(t, want, c.Expect)
				require.Equal(t, len(want), c.Script.CheckSats())
				if seed < 6 {
					require.Equal(t, "sat unsat sat sat unsat", strings.Join(strings.Fields(z3Says(t, c)), " "), "%s", c.Text())
				}
			}
		})
	}
}

// If both parts divide by a term that may be zero, sat answers are unknown, but unsat answers are known.
func TestKeptChecksAndPartialOperators(t *testing.T) {
	first := "(set-logic QF_NRA)(declare-const x Real)(declare-const y Real)(assert (= (/ x y) 1.0))(check-sat)(push 1)(assert (> y y))(check-sat)(pop 1)(check-sat)"
	other := head("QF_NRA", "sat") + "(declare-const x Real)(declare-const y Real)(assert (= (/ x y) 2.0))(check-sat)"
	j := fuseAll(t, testTable(t), 3, 2, stepsOf(t, first, smtlib.Sat, smtlib.Unsat, smtlib.None), partOf(t, other, ""))
	c, err := j.Case(rng.New(1), How{Share: 1})
	require.NoError(t, err)
	require.Equal(t, []smtlib.Answer{smtlib.None, smtlib.Unsat, smtlib.None}, c.Expect)
}

func TestStepsRefuses(t *testing.T) {
	for _, text := range []string{
		"(assert true)(check-sat)",
		"(assert true)(check-sat)(reset-assertions)(assert true)(check-sat)",
		"(declare-const p Bool)(assert p)(check-sat)(check-sat-assuming (p))",
		"(check-sat)(check-sat)",
		"(assert true)(check-sat)(exit)(check-sat)",
	} {
		s, err := smtlib.Parse("steps.smt2", []byte(text), smt.NewArena())
		require.NoError(t, err)
		_, ok := Steps(s)
		require.False(t, ok, text)
	}
}
