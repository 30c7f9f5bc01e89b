package worker

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
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

// TestTargetsThatDoNotStart: one that never starts is dropped after a few tries, and one that does no longer is tried more and more seldom,
// and with every case again once it starts.
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
