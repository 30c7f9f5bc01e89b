package coordinator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// A campaign that loads says what its workers do: on a new machine they ask solvers what they take, for a while.
func TestLoadingIsShown(t *testing.T) {
	var shown *metrics.Stats
	c := newCoordinator(Config{Workers: 2, Publish: func(s *metrics.Stats) { shown = s }})
	now := c.stats.Started.Add(3 * time.Second)
	c.life.now = now
	c.crew.workers = []*workerState{{loading: true, now: "asking solvers", since: c.stats.Started}, {loading: true, since: now}}
	c.publishLoading()
	require.NotNil(t, shown)
	require.Equal(t, metrics.StateLoading, shown.State)
	require.Equal(t, 2, shown.Workers.Alive)
	require.Equal(t, []string{"asking solvers (3 s)"}, shown.Workers.Doing)
	require.Equal(t, 3.0, shown.Elapsed)
}
