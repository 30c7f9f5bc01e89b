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

// laborious is a target that answers after some CPU time, if it gets it.
type laborious struct {
	starving
	takes time.Duration
}

func (t *laborious) Run(_ context.Context, _ *solvers.Query, lim solvers.Limits) *solvers.Run {
	if lim.CPU > 0 && lim.CPU < t.takes {
		return &solvers.Run{Target: t.Name(), Class: solvers.Timeout, CPU: lim.CPU, Wall: lim.CPU, Answers: []smtlib.Answer{smtlib.None}}
	}
	return &solvers.Run{Target: t.Name(), Class: solvers.OK, CPU: t.takes, Wall: t.takes, Answers: []smtlib.Answer{smtlib.Sat}}
}

// A confirmed runaway shows in replays, where the same work takes half the CPU time: a confirmation waits longer than a
// replay.
func TestRunawaysReplayOnAnIdleMachine(t *testing.T) {
	script, err := smtlib.Parse("case", []byte("(declare-const x (_ BitVec 64))(assert (= x #x00000000000000ff))(assert (= (bvredor x) #b1))(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	c := &testcase.Case{Script: script}
	verdict := &oracle.Verdict{Oracle: oracle.KindRunaway, Kind: oracle.KindRunaway, Class: solvers.Timeout, Target: "slow", Targets: []string{"slow"}}
	for busy, want := range map[time.Duration]bool{
		oracle.RunawayLimits.CPU - time.Second: false,
		oracle.RunawayLimits.CPU + time.Second: true,
	} {
		ask := func(takes time.Duration) oracle.AskFunc {
			return func(_ string, q *solvers.Query, lim solvers.Limits) *solvers.Run {
				return (&laborious{takes: takes}).Run(context.Background(), q, lim)
			}
		}
		target := &laborious{takes: busy}
		w := NewConfirmer(&campaign.Plan{Targets: []solvers.Target{target}, Oracles: []oracle.Oracle{oracle.Runaway(ask(busy))}}, nil, nil, nil)
		shown := w.tryQuery(context.Background(), c, c.Query(), &wire.Subject{Verdict: verdict, Times: 1}, solvers.Native, []*replica{{target, target}}, &wire.Repetitions{})
		require.Equal(t, want, shown, "%v of CPU time on a busy machine", busy)
		idle := &laborious{takes: busy / 2}
		p := &campaign.Reproduction{Case: c, Target: idle, Oracle: oracle.RunawayAgain(ask(busy / 2))}
		info := w.replayOne(context.Background(), p, 1)
		require.Equal(t, want, info.Reproduced == 1, "%v of CPU time on an idle machine", idle.takes)
	}
}
