package coordinator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// A loading campaign shows the activity of its workers: on a new machine, they first ask solvers for a while which
// input these accept.
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

// A function of the campaign file that computes for long is told with its place.
func TestWhereACaseComputes(t *testing.T) {
	now := time.Now()
	c := &crew{life: &lifecycle{now: now}, workers: []*workerState{
		{job: &job{order: &wire.MakeCases{}, next: 7, cases: &span{}}, since: now.Add(-6 * time.Second), at: "f (inf.star:4:11)"},
		{job: &job{order: &wire.MakeCases{}, next: 8, cases: &span{}}, since: now.Add(-3 * time.Second)},
		{job: &job{order: &wire.Recheck{}, finding: &finding.Finding{Number: 3}, begun: now.Add(-time.Hour)}, since: now.Add(-4 * time.Second), at: "o (o.star:2:1)"},
	}}
	require.Equal(t, []string{"case 7: f (inf.star:4:11) has computed for 6 s", "case 8 (3 s)", "looking at finding 3 again: o (o.star:2:1) has computed for 4 s"}, c.describeActivities())
}
