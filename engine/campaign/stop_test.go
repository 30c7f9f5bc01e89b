package campaign

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/finding"
)

// TestStopAll has conditions that hold one after the other.
func TestStopAll(t *testing.T) {
	c := &coordinator{begun: time.Unix(0, 0), now: time.Unix(0, 0)}
	s := finding.All(finding.Stop{After: time.Minute}, finding.Stop{Findings: 2}.Any(finding.Stop{Cases: 10}))
	holds := func() bool { why, _ := c.holds(s); return why != "" }
	require.False(t, holds())
	c.now = time.Unix(61, 0)
	require.False(t, holds(), "there is no finding")
	c.stats.Findings.New = 2
	require.True(t, holds())
	c.stats.Findings.New = 1
	require.False(t, holds())
	c.stats.Cases, c.stats.Skipped = 7, 3
	require.True(t, holds(), "ten cases do as well")
	c.now = time.Unix(59, 0)
	require.False(t, holds())

	either := s.Any(finding.Stop{After: 2 * time.Minute}).Any(finding.All(finding.Stop{Cases: 10}, finding.Stop{Quiet: time.Second}))
	why, _ := c.holds(either)
	require.Equal(t, "10 cases, no new finding for 1s", why)
	require.Equal(t, finding.Stop{Findings: 7}, finding.All(finding.Stop{Findings: 7}), "one is itself")
	require.NotNil(t, finding.Stop{Findings: 7}.Or(either).Sets)
}
