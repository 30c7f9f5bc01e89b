package worker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKnownRunaways: once a finding is there, few cases like it are asked about again, for that takes seconds each.
func TestKnownRunaways(t *testing.T) {
	k := &knowledge{groups: map[string]*knownGroup{}}
	with, without := []string{"bvadd", "bvsrem"}, []string{"bvadd"}
	ask, same := k.knownRunaway("k", with)
	require.True(t, ask)
	require.False(t, same)
	k.groups["k"] = &knownGroup{vague: true} // it is being reduced
	asked := 0
	for range 100 {
		ask, same := k.knownRunaway("k", with)
		require.False(t, same)
		if ask {
			asked++
		}
	}
	require.Equal(t, 7, asked)
	k.groups["k"].skeletons = [][]string{{"bvsrem"}}
	ask, same = k.knownRunaway("k", with)
	require.False(t, ask)
	require.True(t, same)
	ask, _ = k.knownRunaway("k", without)
	require.True(t, ask, "another cause")
}
