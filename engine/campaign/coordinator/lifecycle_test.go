package coordinator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// TestStopAll has conditions that hold one after the other.
func TestStopAll(t *testing.T) {
	c := &lifecycle{stats: &metrics.Stats{}, begun: time.Unix(0, 0), now: time.Unix(0, 0)}
	s := finding.All(finding.Stop{After: time.Minute}, finding.Stop{Findings: 2}.Any(finding.Stop{Cases: 10}))
	holds := func() bool { why, _ := c.stopReason(s); return why != "" }
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
	why, _ := c.stopReason(either)
	require.Equal(t, "10 cases, no new finding for 1s", why)
	require.Equal(t, finding.Stop{Findings: 7}, finding.All(finding.Stop{Findings: 7}), "one is itself")
	require.NotNil(t, finding.Stop{Findings: 7}.Or(either).Sets)
}

// What takes over two seconds more than the time that was given is said with its cause.
func TestLateIsExplained(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	late := func(loaded, after, took time.Duration, awaits string) string {
		l := &lifecycle{stats: &metrics.Stats{Progress: metrics.Progress{Started: begin}}, stop: finding.Stop{After: after}, begun: begin.Add(loaded), now: begin.Add(took), awaits: awaits}
		return l.lateText()
	}
	require.Empty(t, late(time.Second, 0, time.Hour, ""), "no time was given")
	require.Empty(t, late(time.Second, time.Minute, 10*time.Second, ""), "it ended early")
	require.Empty(t, late(500*time.Millisecond, time.Minute, 61900*time.Millisecond, "case 7"))
	require.Equal(t, "36 s: 30 s as told, 6.0 s to load", late(6*time.Second, 30*time.Second, 36500*time.Millisecond, "case 7"))
	require.Equal(t, "34 s: 30 s as told, 3.5 s to end: reducing finding 3", late(500*time.Millisecond, 30*time.Second, 34*time.Second, "reducing finding 3"))
	require.Contains(t, late(2*time.Second, 30*time.Second, 34*time.Second, ""), "30 s as told, 2.0 s to load, 2.0 s to end: findings were written")
}

// The time that the user gave is for all of it: what runs is cut when it is over, whatever the campaign ends for.
func TestEndOfTheTimeGiven(t *testing.T) {
	running := func(elapsed time.Duration) *lifecycle {
		l := &lifecycle{stats: &metrics.Stats{Progress: metrics.Progress{State: metrics.StateRunning}}, begun: time.Unix(0, 0), now: time.Unix(0, 0).Add(elapsed)}
		l.stop.After = 30 * time.Second
		return l
	}
	l := running(30 * time.Second)
	require.True(t, l.beginDraining("time is over", 30*time.Second, 30*time.Second))
	require.True(t, l.isDraining())
	require.Equal(t, l.now, l.cutAt)
	require.LessOrEqual(t, l.killAt.Sub(l.now), 1500*time.Millisecond)
	require.False(t, l.beginDraining("again", time.Second, time.Second), "it ends once")
	require.Equal(t, "time is over", l.stats.StopReason)

	l = running(20 * time.Second)
	require.True(t, l.beginDraining("1 findings", 300*time.Second, 30*time.Second))
	require.Equal(t, l.begun.Add(30*time.Second), l.cutAt)

	l = running(20 * time.Second)
	require.Equal(t, 9*time.Second, l.reduceBudget(time.Minute), "no reduction is begun that could not tell what it came to")
	require.True(t, running(23*time.Second).beforeLastPart())
	require.False(t, running(24*time.Second).beforeLastPart())
}

// TestQuietTechnique ends a campaign by techniques that find nothing while others do.
func TestQuietTechnique(t *testing.T) {
	start := time.Unix(1000, 0)
	stats := &metrics.Stats{}
	c := lifecycle{stats: stats, begun: start}
	quiet := func(technique string) finding.Stop {
		return finding.Stop{Sets: &[][]finding.Stop{{{Quiet: time.Minute, Technique: technique}}}}
	}
	why := func(s finding.Stop) string { text, _ := c.stopReason(s); return text }
	stats.AddFound(&testcase.Origin{Technique: "fusion"}, 90)
	stats.AddFound(&testcase.Origin{Technique: "storm"}, 100)
	c.now = start.Add(155 * time.Second)
	require.Equal(t, "no new finding by fusion for 1m0s", why(quiet("fusion")))
	require.Empty(t, why(quiet("storm")))
	require.Empty(t, why(finding.Stop{Quiet: time.Minute}))
	require.Empty(t, why(finding.All(quiet("fusion"), quiet("storm"))))
	either := quiet("storm").Any(quiet("fusion"))
	require.Equal(t, "no new finding by fusion for 1m0s", why(either))
	require.Equal(t, "quiet by storm for 1m0s or quiet by fusion for 1m0s", either.Conditions())
	require.Equal(t, []string{"storm", "fusion"}, either.Techniques())
	c.now = start.Add(165 * time.Second)
	require.Equal(t, "no new finding by fusion for 1m0s, no new finding by storm for 1m0s", why(finding.All(quiet("fusion"), quiet("storm"))))
	stats.Findings.Pending = 1
	require.Empty(t, why(quiet("fusion")), "what is being confirmed may be new")
}
