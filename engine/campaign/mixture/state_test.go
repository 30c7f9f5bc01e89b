package mixture

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// TestRestoredBandit goes on from a state in the middle of an epoch, whose last cases are made again: all tables are
// those of a bandit that was never interrupted.
func TestRestoredBandit(t *testing.T) {
	parts := []finding.Part{{Name: "cheap", Weight: 8, Cost: 1}, {Name: "dear", Weight: 1, Cost: 8}}
	finds := func(n uint64, part int) (v []finding.SignedVerdict) {
		if part == 1 && n%7 == 0 {
			v = append(v, finding.SignedVerdict{Signature: triage.Signature{Key: fmt.Sprint(n / 100)}})
		}
		return v
	}
	done := func(b *Bandit, from, to uint64) {
		for n := from; n < to; n++ {
			epoch, _ := EpochOf(n)
			require.True(t, b.Ready(epoch), "case %d", n)
			part := ModeOf(parts, b.WeightsOf(epoch), 4, n)
			b.Done(n, parts[part].Name, finds(n, part), nil, nil)
		}
	}
	whole := NewBandit(parts, 0)
	done(whole, 0, 3000)
	for _, stop := range []uint64{0, 30, 64, 500, 1200, 2999} {
		b := NewBandit(parts, 0)
		done(b, 0, stop)
		b, err := RestoreBandit(parts, stop, b.State())
		require.NoError(t, err)
		done(b, stop-min(stop, 20), stop) // they were not known to be done
		done(b, stop, 3000)
		for epoch, w := range b.Weights {
			require.Equal(t, whole.Weights[epoch], w, "epoch %d after %d", epoch, stop)
		}
	}
	last, _ := EpochOf(2999)
	require.Greater(t, whole.Weights[last][1], whole.Weights[0][1], "what is found where cases cost more still counts")

	idle := NewBandit(parts, 0)
	for n := range uint64(3000) {
		epoch, _ := EpochOf(n)
		idle.Done(n, parts[ModeOf(parts, idle.WeightsOf(epoch), 4, n)].Name, nil, nil, nil)
	}
	require.InDelta(t, idle.Weights[0][0], idle.Weights[last][0], 30, "shares stay where they follow cost alone: %v", idle.Weights)

	other, err := RestoreBandit(parts[:1], 100, whole.State())
	require.NoError(t, err)
	require.Empty(t, other.Weights, "a library is gone since: it begins anew")
	_, err = RestoreBandit(parts, 100, []byte("{"))
	require.ErrorContains(t, err, "cannot be read")
	require.Equal(t, -1, ModeOf(parts, nil, 1, 1))
}
