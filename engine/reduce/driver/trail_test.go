package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The chance to miss what shows in one of three runs is below 2 % after ten, and so on; what always shows is run once.
func TestRetries(t *testing.T) {
	for _, x := range []struct{ shown, n, want int }{{3, 3, 1}, {2, 3, 4}, {1, 3, 10}, {1, 100, 20}, {0, 3, 1}, {1, 2, 6}} {
		require.Equal(t, x.want, Retries(x.shown, x.n), x)
	}
}

func TestTrail(t *testing.T) {
	trail := Trail[int]{Longest: 3}
	require.True(t, trail.AtStart())
	for n := 5; n > 0; n-- {
		trail.Accept(n)
	}
	for want := 1; want <= 3; want++ {
		n, ok := trail.Back()
		require.True(t, ok)
		require.Equal(t, want, n, "the latest first")
	}
	_, ok := trail.Back()
	require.False(t, ok, "the earlier ones were forgotten")
}

// After every 64th input in a row that does not show it, the smallest one is looked at again.
func TestTrailAsksForLooksAgain(t *testing.T) {
	var trail Trail[string]
	looks := 0
	for i := range 3 * recheckEvery {
		if trail.Asked(false) {
			looks++
		}
		if i == recheckEvery+7 {
			require.False(t, trail.Asked(true))
		}
	}
	require.Equal(t, 2, looks)
}
