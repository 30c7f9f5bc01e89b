package coordinator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/testcase"
)

// The check-sat of a verdict in the reduced case is that which the oracle spoke of there.
func TestCheckOfTheReducedCase(t *testing.T) {
	g := &group{f: &finding.Finding{SignedVerdict: finding.SignedVerdict{Verdict: oracle.Verdict{Check: 4}}, Case: &testcase.Wire{}}}
	require.Equal(t, 4, g.f.SmallestCheck())
	small := &testcase.Wire{Script: "(check-sat)\n(check-sat-assuming (true))\n(check-sat)\n"}
	g.improve(&wire.Report{Case: small})
	require.Equal(t, 2, g.f.SmallestCheck(), "the last one there is, where nobody says it")
	g.improve(&wire.Report{Case: small, Verdicts: []finding.SignedVerdict{{Verdict: oracle.Verdict{Check: 1}}}})
	require.Equal(t, 1, g.f.SmallestCheck())
	require.Equal(t, 1, g.f.SmallestVerdict().Check)
	require.Equal(t, 4, g.f.Verdict.Check)
	g.f.Verdict.Check = -1
	require.Equal(t, -1, g.f.SmallestCheck(), "it is about none")
}

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
