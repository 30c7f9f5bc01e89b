package weight_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/weight"
)

func weigh(t *testing.T, calls bool, text string) int {
	t.Helper()
	s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return (&weight.Measure{Arena: s.Arena, Calls: calls}).Commands(s.Commands)
}

// Each text is lighter than the next one: that is the way reductions go.
func TestCommandsAreOrdered(t *testing.T) {
	for _, chain := range [][]string{
		{"(assert true)", "(declare-const p Bool)(assert p)", "(declare-const p Bool)(assert (not p))", "(declare-const p Bool)(declare-const q Bool)(assert (or p q))", "(declare-const p Bool)(declare-const q Bool)(assert (xor p q))"},
		{"(declare-const x (_ BitVec 1))(assert (= x x))", "(declare-const x (_ BitVec 8))(assert (= x x))"},
		{"(assert (= 0 1))", "(assert (= 0 1000))"},
		{`(assert (= "a" "aa"))`, `(assert (= "a" "ab"))`, `(assert (= "a" "a\u{7f}"))`},
		{"(declare-fun f () Int)(assert (= f 0))", "(define-fun f () Int 3)(assert (= f 0))", "(define-fun-rec f () Int 3)(assert (= f 0))"},
		{"(push 1)(pop 1)", "(push 2)(pop 2)"},
	} {
		for _, calls := range []bool{false, true} {
			for i := range chain[1:] {
				require.Less(t, weigh(t, calls, chain[i]), weigh(t, calls, chain[i+1]), "%s and %s", chain[i], chain[i+1])
			}
		}
	}
}

// A term counts once however often it occurs; as a tree it counts each time.
func TestSharedTermsCountOnce(t *testing.T) {
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, smt.SortInt))
	sum := a.MustApp(smt.OpAdd, x, x)
	twice := a.MustApp(smt.OpMul, sum, sum)
	require.Equal(t, weight.Node(a, x)+weight.Node(a, sum)+weight.Node(a, twice), weight.Below(a, twice))
	require.Equal(t, weight.Node(a, twice)+2*(weight.Node(a, sum)+2*weight.Node(a, x)), weight.Trees(a)(twice))
}

// Values of options are lighter the nearer they are to the default, or to 0 where that is not known.
func TestDistance(t *testing.T) {
	known := weight.KnownOption{Default: "100"}
	require.Zero(t, weight.Distance(known, true, "100"))
	require.Less(t, weight.Distance(known, true, "103"), weight.Distance(known, true, "2000"))
	require.Less(t, weight.Distance(weight.KnownOption{}, false, "3"), weight.Distance(weight.KnownOption{}, false, "4000"))
	require.Zero(t, weight.Distance(weight.KnownOption{}, false, "word"))
	choice := weight.KnownOption{Default: "a", Values: []string{"a", "b", "c"}}
	require.Less(t, weight.Distance(choice, true, "b"), weight.Distance(choice, true, "c"))
}
