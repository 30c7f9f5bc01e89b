package coordinator

import (
	"errors"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// archive is what a campaign keeps in its store, and what it leaves there to the next run.
type archive struct {
	store       finding.Store  // nil: nothing is stored
	keeper      finding.Keeper // nil: the store is none, or the campaign is a single case
	life        *lifecycle
	rescueTo    func(*finding.Finding, error) // it may be nil
	onDiskError func(error)                   // ends the campaign because something could not be stored

	settled       []*finding.Finding // held verdicts that are settled, until the next checkpoint
	unheld        []uint64           // cases whose verdicts could not be held
	left          int                // verdicts that are left to the next run
	leftLikeKnown int                // of them, those like a finding that is there
	unreduced     int                // findings whose reduction is left to the next run
	noted         time.Time          // when the progress was noted
}

func newArchive(cfg *Config, life *lifecycle, onDiskError func(error)) *archive {
	a := &archive{store: cfg.Store, life: life, rescueTo: cfg.Rescue, onDiskError: onDiskError}
	if cfg.Case == nil {
		a.keeper, _ = cfg.Store.(finding.Keeper)
	}
	return a
}

// holdVerdict remembers a verdict that is not settled; false when the disk is full.
func (a *archive) holdVerdict(f *finding.Finding) bool {
	if a.keeper == nil {
		return true
	}
	if err := a.keeper.Hold(f); err != nil {
		a.unheld = append(a.unheld, f.Case.Origin.Number)
		a.rescueFinding(f, err)
		return false
	}
	// One of the same case that an earlier run held may be settled by now: to forget it would be to forget this one.
	a.settled = slices.DeleteFunc(a.settled, func(old *finding.Finding) bool {
		return old != f && old.Case != nil && old.Case.Origin.Number == f.Case.Origin.Number && old.Signature.BucketKey() == f.Signature.BucketKey()
	})
	return true
}

// setAside takes the large parts of a verdict that is held, and that may wait for long, out of memory.
func (a *archive) setAside(f *finding.Finding) {
	if a.keeper != nil && a.keeper.Recalls() {
		f.SetAside()
	}
}

// recall gives a verdict back what setAside took; false when that cannot be read, which ends the campaign.
func (a *archive) recall(f *finding.Finding) bool {
	if !f.IsAside() {
		return true
	}
	if err := a.keeper.Recall(f); err != nil {
		a.onDiskError(err)
		return false
	}
	return true
}

// releaseVerdict settles a verdict that is held. It is forgotten with the next checkpoint, together with what follows from it.
func (a *archive) releaseVerdict(f *finding.Finding) {
	if a.keeper != nil {
		a.settled = append(a.settled, f)
	}
}

// saveFinding stores a finding; false when that was not possible.
func (a *archive) saveFinding(f *finding.Finding) bool {
	if a.store == nil {
		return true
	}
	if err := a.store.Save(f); err != nil {
		a.rescueFinding(f, err)
		return false
	}
	return true
}

// updateGroup stores what changed of a group.
func (a *archive) updateGroup(g *ledger.Group) {
	if !g.Changed || a.store == nil || g.Finding.Dir == "" || g.Joined != nil {
		return
	}
	g.Changed = false
	if err := a.store.Update(g.Finding); err != nil {
		a.rescueFinding(g.Finding, err)
	}
}

// rescueFinding hands a finding that could not be stored to the user, and ends the campaign.
func (a *archive) rescueFinding(f *finding.Finding, err error) {
	var in interface{ Stored() bool }
	switch {
	case errors.As(err, &in) && in.Stored(), f.Case == nil: // nothing is lost
	case a.rescueTo != nil:
		a.rescueTo(f, err)
	}
	a.onDiskError(err)
}

// leaveToNextRun reports whether a verdict is left to the next run of the campaign, since this one ends before it can be settled
// in full: to settle it by less would make a flaky finding, or a duplicate, of what may be a finding of its own. The
// keeper holds it.
func (a *archive) leaveToNextRun(g *ledger.Group) bool {
	if a.keeper == nil || !a.life.cutSent && a.life.err == nil {
		return false
	}
	if g.Finding.Flaky { // it is stored, and its later cases may as well wait
		return false
	}
	a.leaveCandidate(g)
	return true
}

// leaveCandidate leaves a verdict to the next run; a candidate makes room for the next one of its bucket.
func (a *archive) leaveCandidate(g *ledger.Group) {
	if g.Bucket != nil {
		g.Bucket.Busy = nil
	}
	a.leave(1, g.Bucket != nil)
}

// leave counts verdicts that are left to the next run; alike says that they are like a finding that is there.
func (a *archive) leave(n int, alike bool) {
	a.left += n
	if alike {
		a.leftLikeKnown += n
	}
}

// tooLate reports whether a verdict that the store holds now has to wait for the next run.
func (a *archive) tooLate(alike bool) bool {
	if !a.life.cutSent || a.keeper == nil {
		return false
	}
	a.leave(1, alike)
	return true
}

// checkpointEvery is how often a campaign notes which cases are done. After a kill the cases since then are run again.
const checkpointEvery = 2 * time.Second

// isCheckpointDue reports whether it is time for a checkpoint.
func (a *archive) isCheckpointDue() bool {
	return a.keeper != nil && a.life.now.Sub(a.noted) >= checkpointEvery
}

// writeCheckpoint notes which cases are done and what their verdicts came to.
func (a *archive) writeCheckpoint(p finding.Progress, counted []*finding.Finding) {
	if a.keeper == nil {
		return
	}
	a.noted = a.life.now
	if err := a.keeper.Checkpoint(p, counted, a.settled); err != nil {
		a.onDiskError(err)
		return
	}
	a.settled = nil
}
