package coordinator

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// keeping is a store that keeps the data for resuming a campaign, until it is full.
type keeping struct {
	finding.Store
	finding.Keeper
	full    error
	held    []*finding.Finding
	settled []*finding.Finding
	updated int
}

func (k *keeping) Hold(f *finding.Finding) error {
	k.held = append(k.held, f)
	return k.full
}

func (k *keeping) Save(*finding.Finding) error { return k.full }

func (k *keeping) Update(*finding.Finding) error {
	k.updated++
	return k.full
}

func (k *keeping) Checkpoint(_ finding.Progress, _, settled []*finding.Finding) error {
	k.settled = append(k.settled, settled...)
	return k.full
}

func keeperArchive(k *keeping) (a *settling, rescued *int, failed *error) {
	p := &parts{}
	rescued = new(int)
	return newSettling(settling{
		control: p, plan: &finding.Plan{}, life: &lifecycle{stats: &metrics.Stats{}, now: time.Unix(100, 0)},
		cfg: &Config{Store: k, Rescue: func(*finding.Finding, error) { *rescued++ }},
	}), rescued, &p.err
}

func heldFinding(n uint64) *finding.Finding {
	return &finding.Finding{Case: &testcase.Wire{Origin: testcase.Origin{Number: n}}}
}

// A verdict that is held is forgotten with a checkpoint that is done, not before.
func TestSettledVerdictsWaitForACheckpoint(t *testing.T) {
	k := &keeping{}
	a, _, failed := keeperArchive(k)
	f := heldFinding(3)
	require.True(t, a.holdVerdict(f))
	a.releaseVerdict(f)
	require.Empty(t, k.settled)
	require.True(t, a.isCheckpointDue())
	k.full = errors.New("the disk is full")
	a.writeCheckpoint(finding.Progress{}, nil)
	require.ErrorIs(t, *failed, k.full)
	k.full, k.settled = nil, nil
	a.writeCheckpoint(finding.Progress{}, nil)
	require.Equal(t, []*finding.Finding{f}, k.settled)
	a.writeCheckpoint(finding.Progress{}, nil)
	require.Len(t, k.settled, 1)
	require.False(t, a.isCheckpointDue(), "it was just done")
	a.life.now = a.life.now.Add(checkpointEvery)
	require.True(t, a.isCheckpointDue())
}

// What cannot be stored is handed to the user, and its case is made again by the next run.
func TestAFullDiskLosesNothing(t *testing.T) {
	k := &keeping{full: errors.New("the disk is full")}
	a, rescued, failed := keeperArchive(k)
	require.False(t, a.holdVerdict(heldFinding(3)))
	require.Equal(t, 1, *rescued)
	require.ErrorIs(t, *failed, k.full)
	p := casePlan{jobQueue: jobQueue{next: 10}}
	require.Equal(t, [][2]uint64{{3, 4}}, p.progress(nil, a.unheld).Open)
	require.False(t, a.saveFinding(heldFinding(4)))
	require.Equal(t, 2, *rescued)
}

// A verdict is left to the next run only if there is no time for it and a keeper holds it.
func TestLeftToTheNextRun(t *testing.T) {
	a, _, _ := keeperArchive(&keeping{})
	g := &ledger.Group{Finding: heldFinding(1), Bucket: &ledger.Bucket{}}
	g.Bucket.Busy = g
	require.False(t, a.leaveToNextRun(g))
	require.False(t, a.tooLate(true))
	require.Zero(t, a.left)
	a.life.cutSent = true
	require.True(t, a.leaveToNextRun(g))
	require.Nil(t, g.Bucket.Busy)
	require.True(t, a.tooLate(false))
	require.Equal(t, 2, a.left)
	require.Equal(t, 1, a.leftLikeKnown, "the other one may be of a bug that nobody knows")
	g.Finding.Flaky = true
	require.False(t, a.leaveToNextRun(g), "it is stored")

	n := uint64(7)
	single := newSettling(settling{plan: &finding.Plan{}, life: a.life, cfg: &Config{Store: &keeping{}, Case: &n}})
	require.False(t, single.leaveToNextRun(&ledger.Group{Finding: heldFinding(7)}), "a single case has no next run")
	require.True(t, single.holdVerdict(heldFinding(7)))
}

// What did not change, was never stored, or is a duplicate now is not stored again.
func TestUpdatesOfGroups(t *testing.T) {
	k := &keeping{}
	a, _, _ := keeperArchive(k)
	g := &ledger.Group{Finding: heldFinding(1), Changed: true}
	a.updateGroup(g)
	require.Zero(t, k.updated)
	g.Finding.Dir = "1"
	a.updateGroup(g)
	a.updateGroup(g)
	require.Equal(t, 1, k.updated)
	g.Changed, g.Joined = true, &ledger.Group{}
	a.updateGroup(g)
	require.Equal(t, 1, k.updated)
}

// A case may be made again before the next checkpoint forgets what an earlier run held of it: its verdict stays.
func TestAVerdictIsHeldAgainBeforeTheFirstIsForgotten(t *testing.T) {
	k := &keeping{}
	a, _, _ := keeperArchive(k)
	a.releaseVerdict(heldFinding(3))
	a.releaseVerdict(heldFinding(4))
	again := heldFinding(3)
	require.True(t, a.holdVerdict(again))
	a.writeCheckpoint(finding.Progress{}, nil)
	require.Equal(t, []*finding.Finding{heldFinding(4)}, k.settled)
}
