package acceptance_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Each kind of rule declines a script with the feature that it names, giving the rule as the reason, and accepts a
// script with a similar feature.
func TestEachKindOfLine(t *testing.T) {
	const ints = "(declare-const x Int)(declare-const y Int)"
	for _, c := range []struct{ line, declined, taken string }{
		{"operator bvnego", "(declare-const b (_ BitVec 4))(assert (bvnego b))", "(declare-const b (_ BitVec 4))(assert (= b (bvneg b)))"},
		{"theory Strings", `(assert (= (str.len "a") 1))`, "(assert (= (abs 1) 1))"},
		{"sort Array", "(declare-const a (Array Int Int))", "(declare-const a Int)"},
		{"array-index Array", "(declare-const a (Array (Array Int Int) Int))", "(declare-const a (Array Int (Array Int Int)))"},
		{"fun-codomain Bool", "(declare-fun f (Int) Bool)", "(declare-fun f (Bool) Int)"},
		{"const Bool", "(declare-const p Bool)", "(declare-fun f (Int) Bool)"},
		{"signature abs Real -> Real", "(assert (= 1.0 (abs 1.0)))", "(assert (= 1 (abs 1)))"},
		{"nary bvxnor", "(declare-const b (_ BitVec 4))(assert (= b (bvxnor b b b)))", "(declare-const b (_ BitVec 4))(assert (= b (bvxnor b b)))"},
		{"argument ite String", `(declare-const s String)(assert (= "" (ite true s "a")))`, "(assert (= 1 (ite true 2 1)))"},
		{"index rotate_left beyond", "(declare-const b (_ BitVec 2))(assert (= b ((_ rotate_left 3) b)))", "(declare-const b (_ BitVec 2))(assert (= b ((_ rotate_left 2) b)))"},
		{"fp-format other", "(declare-const f (_ FloatingPoint 3 4))", "(declare-const f Float32)"},
		{"fp-format rare", "(declare-const f (_ FloatingPoint 5 11))", "(declare-const f Float64)"},
		{"fp-format wide-exponent", "(declare-const f (_ FloatingPoint 6 4))", "(declare-const f (_ FloatingPoint 3 4))"},
		{"logic QF_LIA", "(set-logic QF_LIA)" + ints, "(set-logic QF_NIA)" + ints},
		{"logic-all Strings+Ints", `(set-logic QF_LIA)(assert (= (str.len "a") 1))`, `(set-logic QF_LIA)(assert (= "a" "b"))`},
		{"logic-all const", "(set-logic QF_AX)(declare-const a (Array Bool Bool))(assert (= a ((as const (Array Bool Bool)) true)))", "(set-logic QF_AX)(declare-const a (Array Bool Bool))(assert (= a (store a true true)))"},
		{"bit-vector-arrays QF_AUFBV", "(set-logic QF_AUFBV)(declare-const a (Array Int Int))", "(set-logic QF_AUFBV)(declare-const a (Array (_ BitVec 2) (_ BitVec 3)))"},
		{"linear arithmetic", ints + "(assert (= (* x y) 1))", ints + "(assert (= (* 2 y) x))"},
		{"conflict produce-unsat-cores check-sat-assuming", "(set-option :produce-unsat-cores true)(check-sat-assuming ())", "(set-option :produce-unsat-cores true)(check-sat)"},
		{"once Quantifiers", "(assert (forall ((x Int)) (= x x)))(check-sat)(check-sat)", "(assert (forall ((x Int)) (= x x)))(check-sat)"},
		{"action push", "(push 1)", "(pop 0)"},
		{"action mk-fun-rec", "(define-fun-rec f ((x Int)) Int (f x))", "(define-fun f ((x Int)) Int x)"},
		{"option produce-proofs", "(set-option :produce-proofs true)", "(set-option :produce-proofs false)"},
		{"named term", "(assert (! true :named n))", "(assert true)"},
		{"assumption term", ints + "(check-sat-assuming ((< x y)))", "(declare-const p Bool)(check-sat-assuming ((not p)))"},
		{"sort ->", "(set-logic HO_ALL)(declare-const f (-> Int Int))(assert (= f (lambda ((x Int)) x)))", "(assert (= 1 (choice ((x Int)) (< x 3))))"},
		{"echo quotes", `(echo "a""b")`, `(echo "ab")`},
	} {
		rules := acceptance.New(gen.Exclusions{Exclude: lacktest.Lacks(c.line)}, nil)
		declines := func(text string) string {
			s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
			require.NoError(t, err, text)
			return rules.Declines(s)
		}
		require.Equal(t, c.line, declines(c.declined), c.declined)
		require.Empty(t, declines(c.taken), "%s: %s", c.line, c.taken)
	}
}

func TestRulesThatAreNoLines(t *testing.T) {
	declines := func(r gen.Exclusions, text string) string {
		s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
		require.NoError(t, err, text)
		return acceptance.New(r, nil).Declines(s)
	}
	const strings = `(declare-const s String)(assert (= (str.rev s) "a"))`
	require.Equal(t, "operator str.rev", declines(gen.Exclusions{Kinds: []string{"z3"}}, strings))
	require.Empty(t, declines(gen.Exclusions{Kinds: []string{"cvc5"}}, strings))
	require.Equal(t, "theory Strings", declines(gen.Exclusions{Theories: []string{"Core", "Ints"}}, strings))
	require.Empty(t, declines(gen.Exclusions{}, strings))
	const both = "(declare-const a (Array Int Int))(assert (forall ((i Int)) (= (select a i) i)))"
	require.Equal(t, "Quantifiers ArraysEx", declines(gen.Exclusions{Conflicts: []rule.TheoryConflict{{"Quantifiers", "ArraysEx"}}}, both))
	require.Empty(t, declines(gen.Exclusions{Conflicts: []rule.TheoryConflict{{"Quantifiers", "Strings"}}}, both))
}

// Other terms in the arena do not belong to the script: terms of an earlier case, or terms that a mutator made and did
// not use.
func TestOnlyTheScriptCounts(t *testing.T) {
	a := smt.NewArena()
	first, err := smtlib.Parse("first", []byte(`(assert (= (str.len "a") 1))`), a)
	require.NoError(t, err)
	second, err := smtlib.Parse("second", []byte("(assert (= (abs 1) 1))"), a)
	require.NoError(t, err)
	rules := acceptance.New(gen.Exclusions{Exclude: lacktest.Lacks("theory Strings")}, nil)
	require.Equal(t, "theory Strings", rules.Declines(first))
	require.Empty(t, rules.Declines(second))
}
