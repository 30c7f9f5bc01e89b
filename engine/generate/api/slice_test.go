package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/rule"
)

// Every option has its turn before any has another one, beside others in each round, and a model of few options is one
// slice.
func TestSlicesOfOptions(t *testing.T) {
	m := &OptionModel{Expert: true, Conflicts: [][2]string{{"a", "b"}}}
	for i := range 50 {
		m.Specs = append(m.Specs, rule.OptionSpec{Name: fmt.Sprintf("o%d", i), Kind: "bool"})
	}
	const slices = 4
	beside := map[string]map[string]bool{}
	for round := range sliceRounds {
		seen := map[string]int{}
		for turn := range slices {
			s := m.Slice(uint64(round*slices+turn) * sliceTurns)
			require.LessOrEqual(t, len(s.Specs), sliceSize)
			require.Equal(t, m.Conflicts, s.Conflicts)
			require.True(t, s.Expert)
			for _, x := range s.Specs {
				seen[x.Name]++
				if beside[x.Name] == nil {
					beside[x.Name] = map[string]bool{}
				}
				for _, y := range s.Specs {
					beside[x.Name][y.Name] = true
				}
			}
			require.Equal(t, s.Specs, m.Slice(uint64((round+sliceRounds)*slices+turn)*sliceTurns+sliceTurns-1).Specs, "the rounds come again")
		}
		require.Len(t, seen, 50)
		for name, n := range seen {
			require.Equal(t, 1, n, name)
		}
	}
	for name, others := range beside {
		require.Greater(t, len(others), 20, name)
	}
	require.Len(t, m.Specs, 50)
	few := &OptionModel{Specs: m.Specs[:3]}
	require.Same(t, few, few.Slice(7))
}
