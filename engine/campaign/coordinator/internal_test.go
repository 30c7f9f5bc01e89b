package coordinator

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/triage"
)

// However cases are handed out and given back: each is done once, and in the end all of them.
func TestJobQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.Uint64Range(1, 200).Draw(t, "end")
		q := jobQueue{end: end}
		var out []span // handed out
		done := map[uint64]int{}
		for steps := 0; len(out) > 0 || !q.done() || !q.empty(); steps++ {
			if rapid.Bool().Draw(t, "take") || len(out) == 0 {
				s, ok := q.takeUpTo(rapid.Uint64Range(0, 30).Draw(t, "size"), 0, true)
				require.Equal(t, ok, s.from < s.to)
				if ok {
					out = append(out, s)
					continue
				}
				if len(out) == 0 {
					continue
				}
			}
			i := rapid.IntRange(0, len(out)-1).Draw(t, "which")
			s := out[i]
			out = slices.Delete(out, i, i+1)
			stop := s.to
			if steps < 100 { // a worker dies in the middle
				stop = rapid.Uint64Range(s.from, s.to).Draw(t, "stop")
			}
			for n := s.from; n < stop; n++ {
				done[n]++
			}
			q.giveBack(span{stop, s.to, 0})
		}
		require.Len(t, done, int(end))
		for n, times := range done {
			require.Equal(t, 1, times, n)
		}
	})
}

// While a finding of an earlier run waits to be reduced, workers go on sending the cases of its bucket: any may have
// another cause, and nothing tells yet.
func TestBucketOfUnreducedFinding(t *testing.T) {
	f := &finding.Finding{SignedVerdict: finding.SignedVerdict{Signature: triage.Signature{Key: "k", Vague: true}}}
	g := &group{f: f, state: groupKnown, awaited: true}
	c := &coordinator{plan: &finding.Plan{Reduces: true}, cfg: Config{Store: noStore{}}, groups: map[string]*group{}, buckets: map[string]*bucket{}}
	c.addGroup(g)
	o := c.knownOrder([]string{"k"})
	require.Contains(t, o.Skeletons, "k")
	c.unawait(g)
	o = c.knownOrder([]string{"k"})
	require.NotContains(t, o.Skeletons, "k", "it will not be reduced: nothing will tell them apart")
}

type noStore struct{ finding.Store }

// What takes over two seconds more than the time that was given is said with its cause.
func TestLateIsExplained(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	late := func(loaded, after, took time.Duration, awaits string) string {
		c := &coordinator{stop: finding.Stop{After: after}, begun: begin.Add(loaded), now: begin.Add(took), awaits: awaits}
		c.stats.Started = begin
		return c.lateText()
	}
	require.Empty(t, late(time.Second, 0, time.Hour, ""), "no time was given")
	require.Empty(t, late(time.Second, time.Minute, 10*time.Second, ""), "it ended early")
	require.Empty(t, late(500*time.Millisecond, time.Minute, 61900*time.Millisecond, "case 7"))
	require.Equal(t, "6.5 s more than the 30s that it was given: it loaded for 6.0 s, which do not count", late(6*time.Second, 30*time.Second, 36500*time.Millisecond, "case 7"))
	require.Equal(t, "4.0 s more than the 30s that it was given: 3.5 s went to what had to end first: reducing finding 3", late(500*time.Millisecond, 30*time.Second, 34*time.Second, "reducing finding 3"))
	require.Contains(t, late(2*time.Second, 30*time.Second, 34*time.Second, ""), "it loaded for 2.0 s, which do not count; 2.0 s went to")
}
