package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
)

// A coordinator that was replaced without knowing it cannot write to the store.
func TestReplacedLeaderWritesNothing(t *testing.T) {
	out := t.TempDir()
	open := func() *Store {
		s, err := Open(out)
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	seed := uint64(7)
	id := Identity{File: "camp.star", Text: "x", Seed: &seed}
	old, next := open(), open()
	require.NoError(t, old.Lead("c", LeaderTerm{Epoch: 1, Revision: 5}))
	_, err := old.Campaign(id, 7, false)
	require.NoError(t, err)
	require.NoError(t, old.Checkpoint(finding.Progress{Next: 10}, nil, nil))
	require.NoError(t, next.Lead("c", LeaderTerm{Epoch: 1, Revision: 9}))
	require.ErrorIs(t, old.Checkpoint(finding.Progress{Next: 20}, nil, nil), ErrFenced)
	resumed, err := next.Campaign(id, 7, false)
	require.NoError(t, err)
	require.False(t, resumed.Busy, "the lock of the old one is of no matter")
	require.EqualValues(t, 10, resumed.From.Next)
	require.NoError(t, next.Checkpoint(finding.Progress{Next: 30}, nil, nil))
	require.ErrorIs(t, old.Lead("c", LeaderTerm{Epoch: 1, Revision: 8}), ErrFenced)
	require.NoError(t, old.Lead("c", LeaderTerm{Epoch: 2, Revision: 1}), "the servers began anew")
	require.ErrorIs(t, next.Checkpoint(finding.Progress{Next: 40}, nil, nil), ErrFenced)
}
