package roster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/roster"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers"
)

// TestModes: the shares of modes, and which targets they come to.
func TestModes(t *testing.T) {
	modes := []solvers.Mode{solvers.Reset, solvers.Fresh, solvers.Fresh, solvers.Incremental, solvers.Native, solvers.Fresh, solvers.Incremental}
	// Target 0 has all modes, target 1 two, target 2 its own one.
	m := roster.NewModes(map[int][]int{0: {0, 3, 4, 5}, 1: {1, 6}, 2: {2}}, func(i int) solvers.Mode { return modes[i] })
	require.Equal(t, []finding.Part{{Name: "incremental", Weight: 32, Cost: 1}, {Name: "native", Weight: 32, Cost: 1}, {Name: "reset", Weight: 8, Cost: 4}, {Name: "fresh", Weight: 1, Cost: 32}}, m.Parts())
	for _, p := range m.Parts() {
		require.InDelta(t, 32, p.Weight*p.Cost, 0, "each mode gets the same time")
	}
	all := func(int) bool { return true }
	for part, want := range [][2][]int{{{3}, {6}}, {{4}, {6}}, {{0}, {6}}, {{3, 4, 0, 5}, {6, 1}}} {
		require.Equal(t, want[0], m.Ways(0, part, all), "mode %d", part)
		require.Equal(t, want[1], m.Ways(1, part, all), "mode %d: where it has none, the cheapest", part)
		require.Equal(t, []int{2}, m.Ways(2, part, all))
	}
	require.Equal(t, []int{3, 4, 0, 5}, m.Ways(0, -1, all), "in all modes")
	noLibrary := func(i int) bool { return i != 4 }
	require.Equal(t, []int{3}, m.Ways(0, 1, noLibrary), "the library does not take the case")
	require.Equal(t, []int{3, 0, 5}, m.Ways(0, 3, noLibrary))
	require.Equal(t, []int{0}, m.Ways(0, 0, func(i int) bool { return false }), "somebody is asked")
	require.Equal(t, m.Others(0), m.Others(5))
	require.Empty(t, m.Others(2))
	require.True(t, m.IsFurther(4))
	require.False(t, m.IsFurther(0))

	none := roster.NewModes(map[int][]int{0: {0}}, func(i int) solvers.Mode { return modes[i] })
	require.Nil(t, none)
	require.Nil(t, none.Parts())
	require.Equal(t, []int{0}, none.Ways(0, -1, all))
	require.False(t, none.IsFurther(0))
	require.Empty(t, none.Others(0))
}
