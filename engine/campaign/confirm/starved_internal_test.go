package confirm

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// starving is a target that crashes where it gets the time for it.
type starving struct {
	needs  time.Duration
	limits []time.Duration // of its runs
}

func (t *starving) Name() string            { return "slow" }
func (t *starving) Solver() *solvers.Solver { return nil }
func (t *starving) Mode() solvers.Mode      { return solvers.Native }
func (t *starving) Close() error            { return nil }
func (t *starving) Limits() solvers.Limits  { return solvers.Limits{Wall: 10 * time.Second} }

func (t *starving) Run(_ context.Context, _ *solvers.Query, lim solvers.Limits) *solvers.Run {
	t.limits = append(t.limits, lim.Wall)
	r := &solvers.Run{Target: "slow", Class: solvers.Crash, Message: "SIGSEGV", Signal: "SIGSEGV", Answers: []smtlib.Answer{smtlib.None}}
	if lim.Wall < t.needs {
		r.Class, r.Message, r.Wall, r.CPU = solvers.Timeout, "killed", lim.Wall, time.Millisecond
	}
	return r
}

// On a machine that is too busy a new process loads for longer than a run may take: its end says nothing about the
// solver.
func TestConfirmationsWaitForABusyMachine(t *testing.T) {
	script, err := smtlib.Parse("case", []byte("(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	c := &testcase.Case{Script: script}
	verdict := &oracle.Verdict{Oracle: oracle.Crash().Name(), Kind: oracle.KindCrash, Class: solvers.Crash, Message: "SIGSEGV", Targets: []string{"slow"}}
	for needs, want := range map[time.Duration][]time.Duration{
		15 * time.Second: {20 * time.Second, 20 * time.Second},
		60 * time.Second: {20 * time.Second, 80 * time.Second, 20 * time.Second},
	} {
		target := &starving{needs: needs}
		w := NewConfirmer(&campaign.Plan{Targets: []solvers.Target{target}, Oracles: []oracle.Oracle{oracle.Crash()}}, nil, nil, nil)
		r := &wire.Repetitions{}
		shown := w.tryQuery(context.Background(), c, c.Query(), &wire.Subject{Verdict: verdict, Times: 2}, solvers.Native, []*replica{{target, target}}, r)
		require.True(t, shown, needs)
		require.Equal(t, want, target.limits, "the limits of the target, doubled, and once much more")
	}
}
