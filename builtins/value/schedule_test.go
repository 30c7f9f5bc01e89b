package value_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/random"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/corpus"
	"github.com/smtlark/smtlark/engine/rng"
)

// seeds returns a corpus of n scripts, of which every third is unsat.
func seeds(n int) *value.Corpus {
	var list []corpus.Seed
	for i := range n {
		status := "sat"
		if i%3 == 0 {
			status = "unsat"
		}
		list = append(list, corpus.Text{Label: fmt.Sprint(i), Text: "(set-logic QF_UF)(set-info :status " + status + ")(assert true)(check-sat)"})
	}
	return value.NewCorpus("a test", list)
}

func turn(seed, n uint64) *random.Rng { return random.NewCaseRng(rng.New(seed).Split(n), seed, n) }

func nameOf(t *testing.T, c *value.Case) string {
	tc, err := c.Case()
	require.NoError(t, err)
	return tc.Script.Name
}

func TestEverySeedHasItsTurn(t *testing.T) {
	c, s := seeds(13), value.NewSession()
	var rounds []string
	for round := range uint64(3) {
		seen := map[string]bool{}
		order := ""
		for i := range uint64(13) {
			k, err := c.Next(s, turn(7, 13*round+i))
			require.NoError(t, err)
			name := nameOf(t, k)
			require.False(t, seen[name], "%s comes twice in a round", name)
			seen[name] = true
			order += name + " "
		}
		require.NotContains(t, rounds, order, "each round has an order of its own")
		rounds = append(rounds, order)
	}
	k, err := c.Next(value.NewSession(), turn(7, 20))
	require.NoError(t, err)
	again, err := c.Next(s, turn(7, 20))
	require.NoError(t, err)
	require.Equal(t, nameOf(t, k), nameOf(t, again), "whatever was made before")
	_, err = c.Next(s, random.NewRng(rng.New(1)))
	require.NoError(t, err, "outside of a campaign")
}

func TestEveryPairHasItsTurn(t *testing.T) {
	c, s := seeds(7), value.NewSession()
	for cycle := range uint64(2) {
		seen := map[string]bool{}
		for i := range uint64(7 * 6) {
			a, b, err := c.Pair(s, turn(3, cycle*42+i), "")
			require.NoError(t, err)
			pair := nameOf(t, a) + " " + nameOf(t, b)
			require.NotEqual(t, nameOf(t, a), nameOf(t, b))
			require.False(t, seen[pair], "%s comes twice before all have come", pair)
			seen[pair] = true
		}
		require.Len(t, seen, 42)
	}
	for i := range uint64(50) {
		a, b, err := c.Pair(s, turn(3, i), "status")
		require.NoError(t, err)
		x, err := a.Case()
		require.NoError(t, err)
		y, err := b.Case()
		require.NoError(t, err)
		require.Equal(t, x.ExpectAt(0), y.ExpectAt(0))
	}
	a, b, err := seeds(1).Pair(s, turn(1, 5), "logic")
	require.NoError(t, err)
	require.Equal(t, nameOf(t, a), nameOf(t, b), "there is no other")
	_, _, err = seeds(0).Pair(s, turn(1, 5), "")
	require.Error(t, err)
}
