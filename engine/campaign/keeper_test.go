package campaign_test

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
)

// memKeeper is a memStore that keeps the data for resuming a campaign.
type memKeeper struct {
	memStore
	held     []*finding.Finding
	progress finding.Progress
	full     bool // no more verdicts can be held; smaller data still fits
}

func (k *memKeeper) Hold(f *finding.Finding) error {
	if k.full {
		return syscall.ENOSPC
	}
	own := *f
	k.held = append(k.held, &own)
	return nil
}

func (k *memKeeper) Recalls() bool { return true }

func (k *memKeeper) Recall(f *finding.Finding) error {
	for _, h := range k.held {
		if h.Case.Origin.Number == f.Case.Origin.Number && h.Signature.BucketKey() == f.Signature.BucketKey() {
			f.TakeBack(h)
			return nil
		}
	}
	return errors.New("it is not held")
}

func (k *memKeeper) release(f *finding.Finding) {
	for i, h := range k.held {
		if h.Case.Origin.Number == f.Case.Origin.Number {
			k.held = append(k.held[:i:i], k.held[i+1:]...)
			break
		}
	}
}

func (k *memKeeper) Save(f *finding.Finding) error {
	k.release(f)
	return k.memStore.Save(f)
}

func (k *memKeeper) Held() ([]*finding.Finding, error) {
	held := k.held
	return held[:len(held):len(held)], nil
}

func (k *memKeeper) InVain() (map[string]int, error) {
	out := map[string]int{}
	for _, f := range k.final() {
		if f.Flaky {
			out[f.Signature.Key] = f.Tried
		}
	}
	return out, nil
}

func (k *memKeeper) Checkpoint(p finding.Progress, counted, settled []*finding.Finding) error {
	for _, f := range settled {
		k.release(f)
	}
	for _, f := range counted {
		f.Booked = f.Count
	}
	k.progress = p
	return nil
}

func (k *memKeeper) Again() ([]*finding.Finding, error) {
	var out []*finding.Finding
	for _, f := range k.final() {
		out = append(out, &f)
	}
	return out, nil
}

func (k *memKeeper) Checked(*finding.Finding, []finding.Check) (string, error) { return "", nil }

// done reports whether the next run will not make a case again.
func (k *memKeeper) done(n uint64) bool {
	for _, open := range k.progress.Open {
		if open[0] <= n && n < open[1] {
			return false
		}
	}
	return n < k.progress.Next
}

// A case whose verdict finds no room is not done, even if there is room to note the progress: the next run makes it
// again.
func TestVerdictWithoutRoom(t *testing.T) {
	cfg := config(t, 40, map[string]string{"wrong": "2", "reduce": "yes"})
	keeper := &memKeeper{full: true}
	cfg.Store = keeper
	seen, _, err := collect(t, cfg)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NotEmpty(t, seen)
	for n := range uint64(40) {
		if n%2 == 0 {
			require.False(t, keeper.done(n), "case %d", n)
		}
	}

	keeper.full = false
	cfg = config(t, 40, map[string]string{"wrong": "2", "reduce": "yes"})
	cfg.Store, cfg.Resume = keeper, &keeper.progress
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.EqualValues(t, 20, st.Findings.Verdicts)
	require.Equal(t, 1, st.Findings.New)
	require.Empty(t, keeper.held)
}

// A reduction cut short by the end of the campaign is repeated in the next run, since its result says nothing about the
// cause.
func TestReductionCutShort(t *testing.T) {
	cfg := config(t, 1, map[string]string{"wrong": "1", "reduce": "hang"})
	keeper := &memKeeper{}
	cfg.Store, cfg.Drain = keeper, 500*time.Millisecond // a tenth of what confirming has
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 1, st.Findings.New)
	f := keeper.final()[1]
	require.True(t, f.Reduced.Pending)
	require.Nil(t, f.Signature.Skeleton)

	before := f
	keeper.known = []*finding.Finding{{Known: true, Number: 1, Dir: f.Dir, SignedVerdict: f.SignedVerdict}}
	cfg = config(t, 1, map[string]string{"wrong": "1", "reduce": "yes"})
	cfg.Store, cfg.Resume = keeper, &keeper.progress
	_, st, err = collect(t, cfg)
	require.NoError(t, err)
	require.Zero(t, st.Findings.New)
	f = keeper.final()[1]
	require.False(t, f.Reduced.Pending)
	require.NotNil(t, f.Signature.Skeleton)
	require.Equal(t, before.Signature.Key, f.Signature.Bucket)
}

// TestSettle: what an earlier run left is confirmed and reduced without a new case, and the cases that it left are left
// again.
func TestSettle(t *testing.T) {
	cfg := config(t, 1, map[string]string{"wrong": "1", "reduce": "hang"})
	keeper := &memKeeper{}
	cfg.Store, cfg.Drain = keeper, 500*time.Millisecond
	_, _, err := collect(t, cfg)
	require.NoError(t, err)
	f := keeper.final()[1]
	require.True(t, f.Reduced.Pending)

	keeper.known = []*finding.Finding{{Known: true, Number: 1, Dir: f.Dir, SignedVerdict: f.SignedVerdict}}
	keeper.progress.Open = [][2]uint64{{0, 1}}
	keeper.progress.Next = 7
	cfg = config(t, 0, map[string]string{"wrong": "1", "reduce": "yes"})
	cfg.Store, cfg.Resume, cfg.Settle = keeper, &keeper.progress, true
	cases, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Empty(t, cases)
	require.Zero(t, st.Cases)
	require.False(t, keeper.final()[1].Reduced.Pending)
	require.Zero(t, st.Findings.Reducing+st.Findings.Waiting+st.Findings.Pending)
	require.Zero(t, st.Findings.Settling)
	require.Equal(t, uint64(7), keeper.progress.Next, "the next run goes on where the last one ended")
	require.Equal(t, [][2]uint64{{0, 1}}, keeper.progress.Open)
}

// Verdicts not confirmed when the campaign ends are neither flaky nor lost: the next run confirms them.
func TestConfirmationCutShort(t *testing.T) {
	cfg := config(t, 4, map[string]string{"wrong": "1", "reduce": "yes", "hangconfirm": "yes"})
	keeper := &memKeeper{}
	cfg.Store, cfg.Drain = keeper, 100*time.Millisecond
	_, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.Zero(t, st.Findings.Flaky)
	require.Positive(t, st.Findings.Waiting)
	require.Empty(t, keeper.saved)
	require.NotEmpty(t, keeper.held)

	cfg = config(t, 4, map[string]string{"wrong": "1", "reduce": "yes"})
	cfg.Store, cfg.Resume = keeper, &keeper.progress
	_, st, err = collect(t, cfg)
	require.NoError(t, err)
	require.Equal(t, 1, st.Findings.New)
	require.Zero(t, st.Findings.Waiting)
	require.Empty(t, keeper.held)
}
