package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each setting has its turn before any comes again, and has it, too, where a technique gets every n-th turn only.
func TestEverySettingHasItsTurn(t *testing.T) {
	var specs []OptionSpec
	for _, line := range []string{"a bool", "b list x,y,z", "c list 2 with d=true", "a list other"} {
		o, err := ParseOption(line)
		require.NoError(t, err)
		specs = append(specs, o)
	}
	s := NewSingles("s-1", specs)
	n := s.Table.Cells()
	require.Equal(t, 7, n)
	require.Equal(t, []Setting{{"c", "2"}}, s.Set(5))
	require.Equal(t, []Setting{{"d", "true"}, {"c", "2"}}, s.Set(6))
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
