package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/rule"
)

// Each setting has its turn before any comes again, and has it, too, where a technique gets every n-th turn only.
func TestEverySettingHasItsTurn(t *testing.T) {
	s := NewSingles("s-1", []rule.OptionSpec{
		{Name: "a", Kind: rule.Bool}, {Name: "b", Kind: rule.List, Values: []string{"x", "y", "z"}},
		{Name: "c", Kind: rule.List, Values: []string{"2"}, With: set("d", "true")}, {Name: "a", Kind: rule.List, Values: []string{"other"}},
	})
	n := s.Table.Cells()
	require.Equal(t, 7, n)
	require.Equal(t, []rule.Setting{set("c", "2")}, s.Set(5))
	require.Equal(t, []rule.Setting{set("d", "true"), set("c", "2")}, s.Set(6))
	seen := map[int]int{}
	for turn := range uint64(3 * n) {
		number, pass := s.Turn(turn)
		require.Equal(t, turn/uint64(n), pass)
		seen[number]++
	}
	for number := range n {
		require.Equal(t, 3, seen[number])
	}
	for every := range 3 * n {
		seen := map[int]bool{}
		for turn := uint64(1); turn < uint64(n*n*(every+1)); turn += uint64(every + 1) {
			number, _ := s.Turn(turn)
			seen[number] = true
		}
		require.Len(t, seen, n, "every %d", every+1)
	}
}
