package coordinator

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// recalling is a store that returns the verdicts it holds, unless it is broken.
type recalling struct {
	joining
	finding.Keeper
	held   map[uint64]finding.Finding
	broken error
}

func (k *recalling) Hold(f *finding.Finding) error {
	k.held[f.Case.Origin.Number] = *f
	return nil
}

func (k *recalling) Recalls() bool { return true }

func (k *recalling) Recall(f *finding.Finding) error {
	whole := k.held[f.Case.Origin.Number]
	f.TakeBack(&whole)
	return k.broken
}

// waiting lets verdicts of cases with the given numbers come, all like the first one, which is still being confirmed.
func waiting(k *recalling, numbers ...uint64) *parts {
	k.held = map[uint64]finding.Finding{}
	p := newParts(&finding.Plan{Reduces: true}, k)
	for _, n := range numbers {
		v := &finding.SignedVerdict{Signature: triage.Signature{Key: "k", Vague: true}}
		text := &testcase.Wire{Script: "(check-sat)", Origin: testcase.Origin{Number: n}}
		r := &wire.CaseResult{N: n, Case: text, Ahead: finding.Sequence{Before: []string{strings.Repeat("x", 1000)}}}
		p.s.takeVerdict(v, r)
	}
	return p
}

// A bucket may have dozens of candidates, each with all cases that its process had: they wait in the store, not in
// memory.
func TestCandidatesWaitInTheStore(t *testing.T) {
	p := waiting(&recalling{}, 1, 2, 3)
	b := p.s.ledger.Bucket("k")
	waits := b.OfCase(2)
	require.True(t, waits.IsAside())
	require.Empty(t, waits.Sequence.Before)
	require.False(t, b.First().Finding.IsAside(), "it is looked at now")
	first := p.s.queue.nextConfirm(always)
	first.State, first.Reduced = ledger.Confirmed, true
	p.s.nextCandidates()
	require.Same(t, waits, p.s.queue.nextConfirm(always).Finding)
	require.Equal(t, "(check-sat)", waits.Case.Script)
	require.Len(t, waits.Sequence.Before, 1)
	require.True(t, b.OfCase(3).IsAside())
}

// An empty case is one like any other.
func TestEmptyCasesAreWhole(t *testing.T) {
	p := newParts(&finding.Plan{Reduces: true}, &joining{})
	for range 2 {
		v := &finding.SignedVerdict{Signature: triage.Signature{Key: "k", Vague: true}}
		p.s.takeVerdict(v, &wire.CaseResult{N: 1, Case: &testcase.Wire{}})
	}
	require.NoError(t, p.err)
	require.Equal(t, 1, p.s.ledger.Bucket("k").Waiting())
}

// The store holds one verdict of a case in a bucket, so none of several may rely on it.
func TestVerdictsOfOneCaseStayWhole(t *testing.T) {
	p := waiting(&recalling{}, 1, 2, 2, 1)
	b := p.s.ledger.Bucket("k")
	require.Equal(t, 3, b.Waiting())
	require.False(t, b.OfCase(2).IsAside(), "it was, until the second one came")
}

// A candidate that cannot be read is left to the next run.
func TestACandidateThatCannotBeRead(t *testing.T) {
	k := &recalling{}
	p := waiting(k, 1, 2)
	first := p.s.queue.nextConfirm(always)
	first.State, first.Reduced = ledger.Confirmed, true
	k.broken = errors.New("disk I/O error")
	p.s.nextCandidates()
	require.Nil(t, p.s.queue.nextConfirm(always))
	require.ErrorIs(t, p.err, k.broken)
	require.Equal(t, 1, p.s.left)
}
