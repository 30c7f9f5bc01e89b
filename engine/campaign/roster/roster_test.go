package roster

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers"
)

var members = []Member{
	{Kind: "cvc5", Product: "cvc5 1.3"},
	{Kind: "cvc5", Product: "cvc5 1.3"},
	{Kind: "cvc5", Product: "cvc5 1.3"},
	{Kind: "cvc5", Product: "cvc5 1.3", Configuration: "safe"},
	{Kind: "z3", Product: "z3 4.13"},
	{Kind: "z3", Product: "z3 4.8", Reference: true},
	{Kind: "bitwuzla", Product: "bitwuzla 0.8", Reference: true},
}

func TestTurns(t *testing.T) {
	r := New(members, true)
	const cases = 20000
	asked := make([]int, len(members))
	compared := 0
	for n := range uint64(cases) {
		turn := r.Turn(7, n)
		require.Equal(t, turn, r.Turn(7, n))
		for _, i := range turn.For {
			require.False(t, members[i].Reference)
			require.Equal(t, members[turn.For[0]].Product, members[i].Product)
		}
		require.NotEmpty(t, turn.References)
		require.NotEqual(t, members[turn.For[0]].Kind, members[turn.References[0]].Kind, "other kinds come first")
		if turn.Compared {
			compared++
			continue
		}
		require.Len(t, turn.For, 1)
		asked[turn.For[0]]++
	}
	require.InDelta(t, cases/sampledTargets, compared, 100)
	require.InDelta(t, asked[0]+asked[1]+asked[2], asked[3], 600, "configurations have equal shares")
	require.InDelta(t, asked[0], asked[1], 400)
	require.InDelta(t, cases/2, asked[4], 600, "products have equal shares")
}

func TestOneReferenceOfAKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := New(members, true)
		turn := r.Turn(rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "case"))
		kinds := map[string]bool{}
		for _, i := range turn.References {
			if kinds[members[i].Kind] {
				t.Fatalf("two references of one kind: %v", turn)
			}
			kinds[members[i].Kind] = true
		}
	})
}

func TestReferencesAreAskedWhereNothingIsKnown(t *testing.T) {
	answers := map[int]smtlib.Answer{}
	var asked []int
	run := func(i int) *solvers.Run {
		asked = append(asked, i)
		return &solvers.Run{Answers: []smtlib.Answer{answers[i]}}
	}
	lacking := map[int]bool{}
	takes := func(i int) bool { return !lacking[i] }
	ask := func(turn rosterTurn, expect ...smtlib.Answer) []int {
		asked = nil
		turn.Ask(&testcase.Case{Expect: expect}, takes, run)
		return asked
	}
	turn := rosterTurn{For: []int{2}, References: []int{0, 5, 1}}
	answers[2], answers[0], answers[5] = smtlib.Unsat, smtlib.Unknown, smtlib.Unsat
	require.Equal(t, []int{2}, ask(turn, smtlib.Unsat), "known")
	require.Equal(t, []int{2, 0, 5}, ask(turn), "until one decides")
	lacking[5], answers[1] = true, smtlib.Unsat
	require.Equal(t, []int{2, 0, 1}, ask(turn), "one that lacks something of the case is passed over")
	turn.Compared = true
	require.Equal(t, []int{2, 0, 1}, ask(turn, smtlib.Unsat), "in the sample, too")
	turn.Compared, lacking[5] = false, false
	answers[2] = smtlib.Unknown
	require.Equal(t, []int{2}, ask(turn), "nothing to compare")
	turn.Compared = true
	require.Equal(t, []int{2, 0, 5, 1}, ask(turn, smtlib.Unsat), "one of the sample")
	require.Equal(t, []int{0, 1, 2, 5}, turn.MadeFor())
}
