package coordinator

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/internal/lacktest"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// However cases are handed out and given back: each is done once, and in the end all of them.
func TestJobQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.Uint64Range(1, 200).Draw(t, "end")
		q := jobQueue{end: end}
		var out []span // handed out
		done := map[uint64]int{}
		for steps := 0; len(out) > 0 || !q.allHandedOut() || !q.isEmpty(); steps++ {
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

// Cases left by an earlier run come first, up to the end of this run. The progress then lists the open cases.
func TestCasesOfAnEarlierRun(t *testing.T) {
	p := &casePlan{given: &finding.Inputs{}}
	require.NoError(t, p.beginAt(finding.Stop{Cases: 100}, &finding.Plan{}, nil))
	p.resumeFrom(&finding.Progress{Next: 90, Open: [][2]uint64{{3, 5}, {80, 85}, {120, 130}}})
	s, ok := p.takeSpan(10)
	require.True(t, ok)
	require.Equal(t, span{3, 5, 0}, s)
	require.Equal(t, finding.Progress{Next: 90, Open: [][2]uint64{{4, 5}, {70, 71}, {80, 85}}}, p.progress([]span{{4, 5, 0}}, []uint64{70}))
	p.takeSpan(10)
	s, _ = p.takeSpan(20)
	require.Equal(t, span{90, 100, 0}, s)
	_, ok = p.takeSpan(20)
	require.False(t, ok)
	require.True(t, p.allHandedOut())
}

func TestTheOnlyCase(t *testing.T) {
	n := uint64(17)
	p := &casePlan{only: &n, given: &finding.Inputs{Weights: []uint32{1, 2}, Avoid: []string{"bvmul"}}}
	require.NoError(t, p.beginAt(finding.Stop{}, &finding.Plan{Parts: []finding.Part{{Name: "a"}, {Name: "b"}}}, nil))
	s, ok := p.takeSpan(5)
	require.True(t, ok)
	require.Equal(t, span{17, 18, 0}, s)
	m, fresh := p.mixtureOf(17)
	require.False(t, fresh)
	require.Equal(t, wire.Mixture{Weights: []uint32{1, 2}, Avoid: []string{"bvmul"}}, m)
	n = 1 << 30
	require.Error(t, (&casePlan{only: &n, given: &finding.Inputs{}}).beginAt(finding.Stop{}, &finding.Plan{Parts: []finding.Part{{Name: "a"}, {Name: "b"}}}, nil), "its weights are not known")
}

// The weights of an epoch are told once; a job ends where its epoch does.
func TestWeightsOfJobs(t *testing.T) {
	p := &casePlan{given: &finding.Inputs{}}
	require.NoError(t, p.beginAt(finding.Stop{}, &finding.Plan{Parts: []finding.Part{{Name: "a", Weight: 1}, {Name: "b", Weight: 1}}}, nil))
	_, end := mixture.EpochOf(0)
	s, ok := p.takeSpan(end + 1000)
	require.True(t, ok)
	require.Equal(t, end, s.to)
	m, fresh := p.mixtureOf(s.from)
	require.True(t, fresh)
	require.NotEmpty(t, m.Weights)
	_, fresh = p.mixtureOf(s.from + 1)
	require.False(t, fresh)
	require.NotEmpty(t, p.mixFlags(0))
	require.Empty(t, (&casePlan{}).mixFlags(0))
}

// Even without a mixture, generated cases avoid shapes that killed a target, and their replay commands say so.
func TestWhatGeneratedCasesDoWithout(t *testing.T) {
	p := &casePlan{given: &finding.Inputs{}}
	require.NoError(t, p.beginAt(finding.Stop{}, &finding.Plan{Generates: true}, nil))
	n := uint64(0)
	for epoch := range 3 {
		s, ok := p.takeSpan(1 << 20)
		require.True(t, ok)
		m, _ := p.mixtureOf(s.from)
		require.Equal(t, epoch, m.Epoch)
		require.Empty(t, m.Weights)
		require.Equal(t, epoch == 2, len(m.Avoid) > 0)
		for ; n < s.to; n++ {
			r := &wire.CaseResult{N: n, Hazard: &hazard.CaseNote{Shapes: lacktest.Lacks("operator bvadd")}}
			if epoch == 0 && n%3 == 0 {
				r.Hazard = &hazard.CaseNote{Shapes: lacktest.Lacks("operator bvadd", "operator bvcomp"), Failure: hazard.Died}
			}
			p.recordSettled(n, "walk", r)
		}
	}
	require.Equal(t, " --avoid 'operator bvcomp'", p.mixFlags(n-1))
	require.Empty(t, p.mixFlags(0))
	_, ok := p.takeSpan(10)
	require.True(t, ok)
	require.NoError(t, (&casePlan{only: &n, given: &finding.Inputs{}}).beginAt(finding.Stop{}, &finding.Plan{Generates: true}, nil), "there are no weights to be known")
}

// Jobs take about a second each, and at the end of a campaign leave something for the others.
func TestSizeOfJobs(t *testing.T) {
	p := &casePlan{}
	require.Equal(t, uint64(4), p.jobSize(jobTime, 0, 0, 2), "nothing is known")
	require.Equal(t, uint64(50), p.jobSize(jobTime, 1000, 10*time.Second, 2))
	require.Equal(t, uint64(maxJob), p.jobSize(jobTime, 1e6, 10*time.Second, 2))
	p.next, p.end = 80, 100
	require.Equal(t, uint64(5), p.jobSize(jobTime, 1000, 10*time.Second, 2))
}
