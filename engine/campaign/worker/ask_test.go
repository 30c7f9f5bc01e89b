package worker

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// faulty is a target whose starts fail from one of its runs to another.
type faulty struct {
	runs     int // tries
	from, to int // the first run that fails, and the first after it that does not
}

func (f *faulty) Name() string            { return "faulty" }
func (f *faulty) Solver() *solvers.Solver { return nil }
func (f *faulty) Mode() solvers.Mode      { return solvers.Reset }
func (f *faulty) Close() error            { return nil }

func (f *faulty) Run(context.Context, *solvers.Query, solvers.Limits) *solvers.Run {
	f.runs++
	if f.runs > f.from && f.runs <= f.to {
		return &solvers.Run{Class: solvers.StartFailure}
	}
	return &solvers.Run{Class: solvers.OK}
}

// TestTargetsThatDoNotStart: one that never starts is dropped after a few tries, and one that does no longer is tried
// more and more seldom, and with every case again once it starts.
func TestTargetsThatDoNotStart(t *testing.T) {
	const cases = 1000
	ask := func(f *faulty) *asker {
		q := newAsker(&campaign.Plan{Targets: []solvers.Target{f}}, account.NewLedger(), 1)
		for range cases {
			require.Len(t, q.ask(context.Background(), &testcase.Case{}, &solvers.Query{}), 1, "a target that is not tried has a run, too")
			q.cases++
		}
		return q
	}
	never := &faulty{to: cases}
	ask(never)
	require.Equal(t, metrics.MaxDown, never.runs)

	later := &faulty{from: 10, to: cases}
	ask(later)
	require.Equal(t, 10+metrics.MaxDown+4, later.runs, "after 64, 128, 256 and 512 cases")

	back := &faulty{from: 10, to: 10 + metrics.MaxDown + 1}
	ask(back)
	require.Equal(t, cases-64-128+2, back.runs)
}

// starved is a target that a busy machine gives no time, except to tries that have more than most; or that hangs.
type starved struct {
	faulty
	hangs  bool
	wasted time.Duration
}

func (s *starved) Limits() solvers.Limits { return solvers.Limits{Wall: 10 * time.Second} }

func (s *starved) Run(_ context.Context, _ *solvers.Query, lim solvers.Limits) *solvers.Run {
	s.runs++
	if !s.hangs && lim.Wall > paceFirst {
		return &solvers.Run{Class: solvers.OK, Wall: 5 * time.Millisecond, CPU: time.Millisecond}
	}
	s.wasted += lim.Wall
	return &solvers.Run{Class: solvers.Timeout, Wall: lim.Wall, CPU: lim.Wall / 50}
}

// TestStarved: a run that the machine gave no time loses no answer, and a solver that waits for ever costs little more.
func TestStarved(t *testing.T) {
	ask := func(s *starved, cases int, full bool) (answers int) {
		q := newAsker(&campaign.Plan{Targets: []solvers.Target{s}, Declared: finding.Declared{Bounds: finding.Bounds{FullTimeout: full}}}, account.NewLedger(), 1)
		for range cases {
			if q.ask(context.Background(), &testcase.Case{}, &solvers.Query{})[0].Class == solvers.OK {
				answers++
			}
			q.cases++
		}
		return answers
	}
	require.Equal(t, 30, ask(&starved{}, 30, false))
	hangs := &starved{hangs: true}
	require.Zero(t, ask(hangs, 5, false))
	require.Equal(t, 5*paceFirst+paceCredit, hangs.wasted, "the credit is spent once")
	full := &starved{hangs: true}
	require.Zero(t, ask(full, 5, true))
	require.Equal(t, 5, full.runs, "the campaign's own limit is asked once")
}
