package coordinator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/triage"
)

func groupWorth(kind string, got smtlib.Answer, key string) *group {
	return &group{f: &finding.Finding{SignedVerdict: finding.SignedVerdict{Verdict: oracle.Verdict{Kind: kind, Got: got}, Signature: triage.Signature{Key: key}}}}
}

// running is a coordinator of a campaign with one worker that has run for a time.
func running(elapsed time.Duration) *coordinator {
	c := &coordinator{cfg: Config{Workers: 1, Drain: 30 * time.Second, Log: NoLog{}}, buckets: map[string]*bucket{}, plan: &finding.Plan{ReduceFor: time.Minute, Confirm: 3}}
	c.stats.State = metrics.StateRunning
	c.begun = time.Now()
	c.now = c.begun.Add(elapsed)
	return c
}

// What matters most to those who develop solvers is settled first, what may be new before what is known.
func TestOrderOfWorth(t *testing.T) {
	c := running(time.Second)
	rest, crash := groupWorth("slow", smtlib.None, "rest"), groupWorth(oracle.KindCrash, smtlib.None, "crash")
	model, wrongSat := groupWorth(oracle.KindInvalidModel, smtlib.None, "model"), groupWorth(oracle.KindKnownAnswer, smtlib.Sat, "sat")
	wrongUnsat, old := groupWorth(oracle.KindKnownAnswer, smtlib.Unsat, "unsat"), groupWorth(oracle.KindCrash, smtlib.None, "old")
	candidate := groupWorth(oracle.KindCrash, smtlib.None, "candidate")
	old.old, candidate.bucket = true, &bucket{}
	c.reduceQ = []*group{rest, candidate, old, crash, model, wrongSat, wrongUnsat}
	var order []string
	for g := c.next(&c.reduceQ); g != nil; g = c.next(&c.reduceQ) {
		order = append(order, g.f.Signature.Key)
	}
	require.Equal(t, []string{"unsat", "model", "sat", "crash", "old", "candidate", "rest"}, order)
}

// Confirming and reducing has a quarter of the time, and candidates of one cause a tenth, until the last fifth of a campaign
// with a time limit.
func TestShares(t *testing.T) {
	c := running(10 * time.Minute)
	c.settling.spent = 2 * time.Minute
	require.False(t, c.rests())
	c.settling.spent = 3 * time.Minute
	require.True(t, c.rests())
	c.confirmQ = []*group{groupWorth(oracle.KindCrash, smtlib.None, "k")}
	require.Equal(t, "confirming and reducing rests, having had a quarter of the time: 1 wait", c.resting())
	require.False(t, c.needSettler())
	c.stop.After = 12 * time.Minute
	require.False(t, c.rests(), "what is left of the time is for what was found")

	c = running(10 * time.Minute)
	b := &bucket{settling: share{spent: 81 * time.Second}}
	c.buckets["k"] = b
	g := groupWorth(oracle.KindKnownAnswer, smtlib.Unsat, "k")
	c.reduceQ = []*group{g}
	g.bucket = b
	require.Nil(t, c.next(&c.reduceQ), "it most likely has the cause that had its share")
	g.bucket = nil
	require.Same(t, g, c.next(&c.reduceQ), "the first of a cause is reduced whatever it takes")

	c.workers = []*workerState{{}, {settles: true, job: &job{kind: wire.OrderReduce}}}
	c.reduceQ = []*group{g}
	require.False(t, c.needSettler(), "one of one worker's campaign")
	c.workers = c.workers[:1]
	require.True(t, c.needSettler())
}

// The time that the user gave is for all of it: what runs is cut when it is over, whatever the campaign ends for.
func TestEndOfTheTimeGiven(t *testing.T) {
	c := running(30 * time.Second)
	c.stop.After = 30 * time.Second
	c.stopConditions()
	require.Equal(t, metrics.StateDraining, c.stats.State)
	require.Equal(t, c.now, c.cutAt)
	require.LessOrEqual(t, c.killAt.Sub(c.now), 1500*time.Millisecond)

	c = running(20 * time.Second)
	c.stop.After, c.stop.Findings = 30*time.Second, 1
	c.stats.Findings.New = 1
	c.stopConditions()
	require.Equal(t, metrics.StateDraining, c.stats.State)
	require.Equal(t, c.begun.Add(30*time.Second), c.cutAt)

	c = running(20 * time.Second)
	c.stop.After = 30 * time.Second
	require.Equal(t, 9*time.Second, c.reduceBudget(), "no reduction is begun that could not tell what it came to")
}
