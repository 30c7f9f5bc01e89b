package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A bug that shows in one of three runs is missed in ten runs with a chance below 2 %, and so on; one that always shows
// is run once.
func TestNeededRuns(t *testing.T) {
	for _, x := range []struct{ shown, n, want int }{{3, 3, 1}, {2, 3, 4}, {1, 3, 10}, {1, 100, 20}, {0, 3, 1}, {1, 2, 6}} {
		require.Equal(t, x.want, neededRuns(x.shown, x.n), x)
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

// A long way is remembered with gaps that grow with the distance: few inputs are held, and none of the latest is
// missing.
func TestLongTrail(t *testing.T) {
	var trail Trail[int]
	const steps = 10000
	for n := range steps {
		trail.Accept(n)
	}
	last, held := steps, 0
	for n, ok := trail.Back(); ok; n, ok = trail.Back() {
		ago := steps - n
		require.Less(t, n, last)
		require.LessOrEqual(t, last-n, 1+ago/4, "from %d back to %d", last, n)
		if ago < 8 {
			require.Equal(t, last-1, n)
		}
		last = n
		held++
	}
	require.LessOrEqual(t, last, steps/4, "the way goes back to near its start")
	require.LessOrEqual(t, held, 60)
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
