package coordinator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func groupWorth(kind string, got smtlib.Answer, key string) *ledger.Group {
	return &ledger.Group{Finding: &finding.Finding{SignedVerdict: finding.SignedVerdict{Verdict: oracle.Verdict{Kind: kind, Got: got}, Signature: triage.Signature{Key: key, Vague: true}}, Case: &testcase.Wire{}}}
}

func always(*ledger.Group) bool { return true }

// The findings most important to solver developers are settled first, and possibly new ones before known ones.
func TestOrderOfWorth(t *testing.T) {
	rest, crash := groupWorth("slow", smtlib.None, "rest"), groupWorth(oracle.KindCrash, smtlib.None, "crash")
	model, wrongSat := groupWorth(oracle.KindInvalidModel, smtlib.None, "model"), groupWorth(oracle.KindKnownAnswer, smtlib.Sat, "sat")
	wrongUnsat, old := groupWorth(oracle.KindKnownAnswer, smtlib.Unsat, "unsat"), groupWorth(oracle.KindCrash, smtlib.None, "old")
	candidate := groupWorth(oracle.KindCrash, smtlib.None, "candidate")
	old.Old, candidate.Bucket = true, &ledger.Bucket{}
	q := &settleQueue{reduces: []*ledger.Group{rest, candidate, old, crash, model, wrongSat, wrongUnsat}}
	var order []string
	for g := q.nextReduce(always); g != nil; g = q.nextReduce(always) {
		order = append(order, g.Finding.Signature.Key)
	}
	require.Equal(t, []string{"unsat", "model", "sat", "crash", "old", "candidate", "rest"}, order)
	require.Equal(t, 7, q.reducing)
	require.Zero(t, q.countWaiting())
}

// Findings of the store and reductions take turns; where there is one kind only, it goes on.
func TestTurnsOfTheQueue(t *testing.T) {
	stored := func(kind string, n int) *finding.Finding {
		return &finding.Finding{Number: n, SignedVerdict: finding.SignedVerdict{Verdict: oracle.Verdict{Kind: kind}}}
	}
	q := &settleQueue{rechecks: []*finding.Finding{stored("slow", 1), stored(oracle.KindCrash, 2), stored("slow", 3)}}
	q.queueConfirmation(groupWorth(oracle.KindCrash, smtlib.None, "k"))
	require.Equal(t, 4, q.countWaiting())
	require.Equal(t, 1, q.countUnsettled())
	g := q.nextConfirm(always)
	require.Equal(t, 1, g.Tries)
	require.Nil(t, q.nextConfirm(always))
	require.Equal(t, 1, q.confirmed, "until its result is there")

	require.Equal(t, 2, q.nextRecheck().Number, "a crash comes first")
	q.reduces = append(q.reduces, g)
	require.Nil(t, q.nextRecheck(), "it is the turn of a reduction")
	require.Nil(t, q.nextReduce(func(*ledger.Group) bool { return false }), "its cause has had its share")
	require.Equal(t, 1, q.nextRecheck().Number)
	require.Same(t, g, q.nextReduce(always))
	require.Equal(t, 3, q.nextRecheck().Number)
	require.Nil(t, q.nextRecheck())
}

// dispatching is a dispatcher of a campaign with one worker that has run for a time.
func dispatching(elapsed time.Duration) *dispatcher {
	plan := &finding.Plan{Declared: finding.Declared{Bounds: finding.Bounds{ReduceFor: time.Minute, Confirm: 3}}, Reduces: true}
	life := &lifecycle{stats: &metrics.Stats{Progress: metrics.Progress{State: metrics.StateRunning}}, begun: time.Unix(0, 0), now: time.Unix(0, 0).Add(elapsed)}
	cfg := &Config{Workers: 1}
	return &dispatcher{cfg: cfg, life: life, plan: plan, cases: &casePlan{given: &cfg.Options}, queue: &settleQueue{}, ledger: ledger.New(plan, true), histories: histories{}}
}

// Confirming and reducing has a quarter of the time, and candidates of one cause a tenth, until the last fifth of a
// campaign with a time limit. A confirmation goes before the next cases all the same, up to a share of its own.
func TestShares(t *testing.T) {
	d := dispatching(10 * time.Minute)
	d.queue.spent = 2 * time.Minute
	require.False(t, d.isSettlingPaused())
	d.queue.spent = 3 * time.Minute
	require.True(t, d.isSettlingPaused())
	d.queue.queueConfirmation(groupWorth(oracle.KindCrash, smtlib.None, "k"))
	require.Empty(t, d.describePause())
	require.IsType(t, &wire.Confirm{}, d.nextJob(false, 0, 1).order, "by who makes cases")
	require.IsType(t, &wire.MakeCases{}, d.nextJob(false, 0, 1).order)
	d.queue.reduces = append(d.queue.reduces, groupWorth(oracle.KindCrash, smtlib.None, "l"))
	require.Equal(t, "reducing rests, having had a share of the time: one waits", d.describePause())
	d.queue.reduces = nil
	d.queue.queueConfirmation(groupWorth(oracle.KindCrash, smtlib.None, "m"))
	d.queue.confirming = 5 * time.Minute
	require.Equal(t, "confirming and reducing rest, having had a share of the time: one waits", d.describePause())
	require.False(t, d.wantsSettler())
	require.IsType(t, &wire.MakeCases{}, d.nextJob(false, 0, 1).order)
	require.Nil(t, d.nextJob(true, 0, 1))
	d.life.stop.After = 12 * time.Minute
	require.False(t, d.isSettlingPaused(), "what is left of the time is for what was found")
	require.IsType(t, &wire.Confirm{}, d.nextJob(true, 0, 1).order)

	d = dispatching(10 * time.Minute)
	first, g := groupWorth(oracle.KindKnownAnswer, smtlib.Unsat, "k"), groupWorth(oracle.KindKnownAnswer, smtlib.Unsat, "k")
	d.ledger.Add(first)
	g.Bucket = d.ledger.Bucket("k")
	g.Bucket.Spent = 81 * time.Second
	d.queue.reduces = []*ledger.Group{g}
	require.Nil(t, d.nextJob(true, 0, 1), "it most likely has the cause that had its share")
	require.True(t, d.wantsSettler())
	g.Bucket = nil
	j := d.nextJob(true, 0, 1)
	require.Same(t, g, j.group, "the first of a cause is reduced whatever it takes")
	d.life.now = d.life.now.Add(5 * time.Second)
	d.bookTime(j)
	require.Zero(t, d.queue.confirming, "it was a reduction")
	require.Equal(t, 86*time.Second, d.ledger.Bucket("k").Spent)
	require.Equal(t, 5*time.Second, d.queue.spent)
}

// A worker that settles is started where those that are there have something to do, up to a quarter of the workers.
func TestNeedSettler(t *testing.T) {
	c := &crew{cfg: &Config{Workers: 1}, workers: []*workerState{{}, {settles: true, job: &job{order: &wire.Reduce{}}}}}
	require.False(t, c.needSettler(), "one of one worker's campaign")
	c.cfg.Workers = 8
	require.True(t, c.needSettler())
	c.workers[1].job = nil
	require.False(t, c.needSettler(), "it has nothing to do")
	c.workers = c.workers[:1]
	require.True(t, c.needSettler())
}
