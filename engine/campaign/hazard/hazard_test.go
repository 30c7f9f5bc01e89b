package hazard

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// play adds cases of a solver that dies of some operators, and of few cases anyway.
func play(t *Table, cases int, die map[string]float64) {
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"=", "bvadd", "bvmul", "int.pow2", "int.log2", "(push)", "str.++", "div"}
	for n := range uint64(cases) {
		c := &Case{For: "cvc5-1.4.2", Died: r.Float64() < 0.002}
		for i, name := range names {
			if i == 0 || r.IntN(4) == 0 {
				c.Operators = append(c.Operators, name)
				c.Died = c.Died || r.Float64() < die[name]
			}
		}
		t.Add(n, c)
	}
}

func TestLethal(t *testing.T) {
	var table Table
	play(&table, 2000, map[string]float64{"int.pow2": 0.5})
	found := table.Lethal()
	require.Len(t, found, 1, "%v", found)
	require.Equal(t, "int.pow2@cvc5-1.4.2", found[0].Name)
	require.InDelta(t, 0.5, float64(found[0].Deaths)/float64(found[0].Cases), 0.15)

	table = Table{}
	play(&table, 2000, map[string]float64{"int.pow2": 0.5, "(push)": 0.9})
	found = table.Lethal()
	require.Len(t, found, 2, "deaths that one explains say nothing of the other: %v", found)

	table = Table{}
	play(&table, 2000, map[string]float64{"int.pow2": 0.01})
	require.Empty(t, table.Lethal(), "rare deaths")
	play(&table, 2000, map[string]float64{"=": 0.9})
	require.Empty(t, table.Lethal(), "nothing goes without equality")
}

func TestAvoided(t *testing.T) {
	entries := []string{"int.pow2@cvc5-1.4.2", "@@cvc5-1.4.2", "(reset)@z3-5.4.0", "bvadd"}
	kept := 0
	for n := range uint64(5000) {
		names := Avoided(entries, "cvc5-1.4.2", 3, n)
		require.Equal(t, names, Avoided(entries, "cvc5-1.4.2", 3, n))
		require.NotContains(t, names, "(reset)")
		if len(names) == 0 || names[0] != "int.pow2" {
			kept++
		}
	}
	require.InDelta(t, 5000/Floor, kept, 30, "a fixed build is noticed")
	require.Contains(t, Avoided(entries, "cvc5-1.4.2", 3, 1), "@")
	require.Equal(t, []string{"bvadd"}, Avoided(entries, "", 3, 1))
}
