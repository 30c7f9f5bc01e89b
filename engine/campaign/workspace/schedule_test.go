package workspace_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/ground/rng"
)

// seeds returns a corpus of n scripts, of which every third is unsat.
func seeds(n int) workspace.Seeds {
	var list []corpus.Seed
	for i := range n {
		status := "sat"
		if i%3 == 0 {
			status = "unsat"
		}
		list = append(list, corpus.Text{Label: fmt.Sprint(i), Text: "(set-logic QF_UF)(set-info :status " + status + ")(assert true)(check-sat)"})
	}
	return workspace.Seeds{From: corpus.New("a test", list), In: workspace.NewSession()}
}

func turn(seed, n uint64) (*workspace.Turn, *rng.Source) {
	return &workspace.Turn{Seed: seed, Number: n}, rng.New(seed).Split(n)
}

func pair(c workspace.Seeds, same string, seed, n uint64) (*workspace.AnalyzedCase, *workspace.AnalyzedCase, error) {
	t, src := turn(seed, n)
	return c.Pair(t, src, same)
}

func nameOf(t *testing.T, c *workspace.AnalyzedCase) string {
	tc, err := c.TestCase()
	require.NoError(t, err)
	return tc.Script.Name
}

func TestEverySeedHasItsTurn(t *testing.T) {
	c := seeds(13)
	var rounds []string
	for round := range uint64(3) {
		seen := map[string]bool{}
		order := ""
		for i := range uint64(13) {
			k, err := c.Next(turn(7, 13*round+i))
			require.NoError(t, err)
			name := nameOf(t, k)
			require.False(t, seen[name], "%s comes twice in a round", name)
			seen[name] = true
			order += name + " "
		}
		require.NotContains(t, rounds, order, "each round has an order of its own")
		rounds = append(rounds, order)
	}
	k, err := seeds(13).Next(turn(7, 20))
	require.NoError(t, err)
	again, err := c.Next(turn(7, 20))
	require.NoError(t, err)
	require.Equal(t, nameOf(t, k), nameOf(t, again), "whatever was made before")
	_, err = c.Next(nil, rng.New(1))
	require.NoError(t, err, "outside of a campaign")
}

func TestEveryPairHasItsTurn(t *testing.T) {
	c := seeds(7)
	for cycle := range uint64(2) {
		seen := map[string]bool{}
		for i := range uint64(7 * 6) {
			a, b, err := pair(c, "", 3, cycle*42+i)
			require.NoError(t, err)
			both := nameOf(t, a) + " " + nameOf(t, b)
			require.NotEqual(t, nameOf(t, a), nameOf(t, b))
			require.False(t, seen[both], "%s comes twice before all have come", both)
			seen[both] = true
		}
		require.Len(t, seen, 42)
	}
	for i := range uint64(50) {
		a, b, err := pair(c, "status", 3, i)
		require.NoError(t, err)
		x, err := a.TestCase()
		require.NoError(t, err)
		y, err := b.TestCase()
		require.NoError(t, err)
		require.Equal(t, x.ExpectAt(0), y.ExpectAt(0))
	}
	a, b, err := pair(seeds(1), "logic", 1, 5)
	require.NoError(t, err)
	require.Equal(t, nameOf(t, a), nameOf(t, b), "there is no other")
	_, _, err = pair(seeds(0), "", 1, 5)
	require.Error(t, err)
}
