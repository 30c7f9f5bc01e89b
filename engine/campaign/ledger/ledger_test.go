package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// vague is a finding with a vague signature and a case; its number is that of the case.
func vague(t *testing.T, n uint64, script string) *finding.Finding {
	parsed, err := smtlib.Parse("case", []byte(script+"(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	return &finding.Finding{
		SignedVerdict: finding.SignedVerdict{Signature: triage.Signature{Key: "k", Text: "crash", Vague: true}, Operators: triage.Operators(parsed)},
		Case:          (&testcase.Case{Script: parsed, Origin: testcase.Origin{Number: n}}).Wire(), Sightings: finding.Sightings{Count: 1},
	}
}

const (
	addition = "(declare-const x Int)(assert (= x (+ x 1)))"
	product  = "(declare-const x Int)(assert (= x (* x 2)))"
	both     = "(declare-const x Int)(assert (= x (+ x (* x 2))))"
)

func newLedger() *Ledger {
	l := New(&finding.Plan{Reduces: true}, true)
	l.Tally = metrics.Tally{Cases: 1000, With: map[string]float64{}}
	return l
}

// take returns the candidate that is to be confirmed next, if any, and what candidates were settled as.
func take(l *Ledger) (next *Group, settled []string) {
	l.TakeCandidates(func(_ *Group, _ *finding.Finding, why string) { settled = append(settled, why) }, func(g *Group) { next = g })
	return next, settled
}

// The way of verdicts with one vague signature: nothing is looked at before the first is reduced; then what cannot have
// its cause is, one after the other.
func TestCandidatesOfABucket(t *testing.T) {
	l := newLedger()
	first := &Group{Finding: vague(t, 1, addition)}
	l.Add(first)
	b := l.Bucket("k")
	require.Same(t, b, l.BucketOf(first))
	require.Same(t, first, b.First())
	b.Wait(vague(t, 2, both))
	b.Wait(vague(t, 3, product))
	b.Wait(vague(t, 4, product))
	next, settled := take(l)
	require.Nil(t, next, "the first one is still being confirmed")
	require.Empty(t, settled)

	first.State = Confirmed
	next, _ = take(l)
	require.Nil(t, next, "and reduced")
	first.Finding.Min, first.Reduced = first.Finding.Case, true
	require.True(t, l.Refine(first))
	require.False(t, l.Refine(first), "once")
	require.Equal(t, []string{"+"}, first.Finding.Signature.Skeleton)

	next, settled = take(l)
	require.Equal(t, []string{"same crash; its operators include those of the reduced case: +"}, settled)
	require.Equal(t, uint64(3), next.Finding.Case.Origin.Number)
	require.Equal(t, 2, l.CandidatesLeft(), "one waits, one is looked at")
	again, _ := take(l)
	require.Nil(t, again, "one at a time")

	next.State, next.Finding.Hits, next.Finding.Min = Confirmed, 3, next.Finding.Case
	home, _ := l.HomeOf(next)
	require.Nil(t, home, "another cause")
	require.Nil(t, next.Bucket)
	require.Len(t, l.Groups(), 2)

	next, settled = take(l)
	require.Nil(t, next)
	require.Equal(t, []string{"same crash; its operators include those of the reduced case: *"}, settled)
	require.Zero(t, l.CandidatesLeft())
}

func TestCandidatesThatComeHome(t *testing.T) {
	candidate := func(t *testing.T, script string) (*Ledger, *Group) {
		l := newLedger()
		g := &Group{Finding: vague(t, 1, addition), State: Confirmed, Reduced: true}
		g.Finding.Min = g.Finding.Case
		l.Add(g)
		l.Refine(g)
		c := &Group{Finding: vague(t, 2, script), Bucket: l.Bucket("k")}
		c.Bucket.Busy = c
		return l, c
	}
	l, c := candidate(t, product)
	home, why := l.HomeOf(c)
	require.Same(t, l.Groups()[0], home)
	require.Equal(t, "same crash; it did not reproduce", why)
	require.Nil(t, l.Bucket("k").Busy)

	l, c = candidate(t, both)
	c.Finding.Hits, c.Finding.Min = 3, c.Finding.Case
	_, why = l.HomeOf(c)
	require.Equal(t, "reduced to * +, which has all of the other one: +", why)

	l, c = candidate(t, both)
	l.Tally.With["+"] = 900 // nearly all cases have it
	c.Finding.Hits, c.Finding.Min = 3, c.Finding.Case
	home, _ = l.HomeOf(c)
	require.Nil(t, home, "what nearly all cases have explains nothing")

	l, c = candidate(t, both)
	l.Tally.With["+"] = 900
	c.Finding.Hits, c.Finding.Min, c.Finding.Reduced.Reason = 3, c.Finding.Case, "stopped at its time limit"
	_, why = l.HomeOf(c)
	require.Equal(t, "its reduction ended early and has all operators of the other one: +", why)

	l, c = candidate(t, addition)
	c.Finding.Hits, c.Finding.Min = 3, c.Finding.Case
	_, why = l.HomeOf(c)
	require.Equal(t, "reduced to the same operators: +", why)
}

// While a finding of an earlier run waits to be reduced, workers go on sending the cases of its bucket: any may have
// another cause, and nothing tells yet.
func TestBucketOfUnreducedFinding(t *testing.T) {
	l := newLedger()
	g := &Group{Finding: vague(t, 1, addition), State: Known, Awaited: true}
	l.Add(g)
	require.Contains(t, l.Known([]string{"k"}).Skeletons, "k")
	g.Awaited = false
	require.NotContains(t, l.Known([]string{"k"}).Skeletons, "k", "it will not be reduced: nothing will tell them apart")
	require.Equal(t, []string{"k"}, l.AllKnown().Keys)
	require.Nil(t, l.Known(nil))
	require.Nil(t, New(&finding.Plan{}, false).AllKnown())
}

// A killed run had held a verdict and not noted that its case is done: it is made again and counts once.
func TestAHeldVerdictIsFoundByItsCase(t *testing.T) {
	l := newLedger()
	l.Add(&Group{Finding: vague(t, 1, addition), State: Confirmed, Reduced: true})
	b, held := l.Bucket("k"), vague(t, 7, product)
	held.Count = 0
	b.Wait(held)
	require.Nil(t, b.WithCase(8))
	require.Same(t, held, b.WithCase(7))
	held.Count = 1
	require.Nil(t, b.WithCase(7), "it was counted")
	require.Equal(t, 1, l.DropCandidates())
	require.Zero(t, b.Waiting())
}

// Unbooked returns the findings, including candidates, whose counts the store has not booked.
func TestUnbooked(t *testing.T) {
	l := newLedger()
	g := &Group{Finding: vague(t, 1, addition)}
	l.Add(g)
	g.Finding.Booked = 1
	waits := vague(t, 2, product)
	l.Bucket("k").Wait(waits)
	require.Equal(t, []*finding.Finding{waits}, l.Unbooked())
	g.Count(5, []string{"a"}, "same")
	require.Equal(t, []*finding.Finding{g.Finding, waits}, l.Unbooked())
	require.Equal(t, []uint64{5}, g.Finding.Examples)
	require.Equal(t, []finding.Member{{N: 5, Targets: []string{"a"}, Reason: "same"}}, g.Finding.Members)
}

// A group that is no more is nowhere.
func TestSupersede(t *testing.T) {
	l := newLedger()
	gone, by := &Group{Finding: vague(t, 1, addition)}, &Group{Finding: vague(t, 2, product)}
	by.Finding.Signature.Key = "other"
	by.Finding.Dir = "2"
	l.Add(gone)
	l.Add(by)
	l.Supersede(gone, by)
	require.Same(t, by, l.Group("k"))
	require.Equal(t, []*Group{by}, l.Groups())
	require.Same(t, by, l.Bucket("k").First())
	require.Empty(t, l.Bucket("k").Busy)
}

// Of two findings with one cause the graver one is kept, of equals the earlier one; a finding that is a duplicate
// already, is flaky or was not reduced is none.
func TestOneCause(t *testing.T) {
	reduced := func(n int, key, script string) *Group {
		g := &Group{Finding: vague(t, uint64(n), script), State: Confirmed, Reduced: true}
		g.Finding.Number, g.Finding.Dir, g.Finding.Min = n, key, g.Finding.Case
		g.Finding.Signature.Key = key
		return g
	}
	l := newLedger()
	small, large := reduced(1, "k", addition), reduced(2, "k", both)
	for _, g := range []*Group{small, large} {
		l.Add(g)
		l.Refine(g)
	}
	to, from, why := l.OneCause(small, large)
	require.Same(t, small, to)
	require.Same(t, large, from)
	require.Equal(t, "it was reduced to * +, which has all of the other one: +", why)
	for _, change := range []func(g *Group){
		func(g *Group) { g.Joined = small }, func(g *Group) { g.Finding.Flaky = true }, func(g *Group) { g.Finding.Dir = "" }, func(g *Group) { g.Finding.Number = 1 },
	} {
		again, f := *large, *large.Finding
		again.Finding = &f
		change(&again)
		_, _, why := l.OneCause(small, &again)
		require.Empty(t, why)
	}
	l.plan.Shapes = [][]string{{"*"}}
	_, _, why = l.OneCause(small, large)
	require.Empty(t, why, "the campaign suppresses what one of them has")
}

// The check-sat of a verdict in the reduced case is that which the oracle spoke of there.
func TestCheckOfTheReducedCase(t *testing.T) {
	g := &Group{Finding: &finding.Finding{SignedVerdict: finding.SignedVerdict{Verdict: oracle.Verdict{Check: 4}}, Case: &testcase.Wire{}}}
	f := g.Finding
	require.Equal(t, 4, f.SmallestCheck())
	small := &testcase.Wire{Script: "(check-sat)\n(check-sat-assuming (true))\n(check-sat)\n"}
	g.Improve(&wire.Smallest{Case: small})
	require.Equal(t, 2, f.SmallestCheck(), "the last one there is, where nobody says it")
	g.Improve(&wire.Smallest{Case: small, Said: &oracle.Verdict{Check: 1}})
	require.Equal(t, 1, f.SmallestCheck())
	require.Equal(t, 1, f.SmallestVerdict().Check)
	require.Equal(t, 4, f.Verdict.Check)
	f.Verdict.Check = -1
	require.Equal(t, -1, f.SmallestCheck(), "it is about none")
}

func TestSilence(t *testing.T) {
	require.True(t, (&Group{State: Confirming}).Silent())
	require.False(t, (&Group{State: Refuted}).Silent(), "the next one may be right")
	require.False(t, (&Group{State: Flaky, Tries: 1}).Silent(), "another case may reproduce")
	require.True(t, (&Group{State: Flaky, Tries: MaxFlakyTries}).Silent())
}
