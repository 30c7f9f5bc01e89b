package coordinator

import (
	"errors"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// holdVerdict stores an unsettled verdict. It returns false if the verdict cannot be stored.
func (s *settling) holdVerdict(f *finding.Finding) bool {
	if s.keeper == nil {
		return true
	}
	if err := s.keeper.Hold(f); err != nil {
		s.unheld = append(s.unheld, f.Case.Origin.Number)
		s.rescueFinding(f, err)
		return false
	}
	// An earlier run may have held a verdict of the same case that is settled by now. Do not delete that one from the
	// store: this verdict would be deleted with it.
	s.settled = slices.DeleteFunc(s.settled, func(old *finding.Finding) bool {
		return old != f && old.Case != nil && old.Case.Origin.Number == f.Case.Origin.Number && old.Signature.BucketKey() == f.Signature.BucketKey()
	})
	return true
}

// setAside removes the large parts of a held verdict from memory, since it may have to wait for long.
func (s *settling) setAside(f *finding.Finding) {
	if s.keeper != nil && s.keeper.Recalls() {
		f.SetAside()
	}
}

// recall loads what setAside moved out of memory. It returns false if that cannot be read, which ends the campaign.
func (s *settling) recall(f *finding.Finding) bool {
	if !f.IsAside() {
		return true
	}
	if err := s.keeper.Recall(f); err != nil {
		s.control.diskError(err)
		return false
	}
	return true
}

// releaseVerdict marks a held verdict as settled. The next checkpoint deletes it and stores its consequences in one
// step.
func (s *settling) releaseVerdict(f *finding.Finding) {
	if s.keeper != nil {
		s.settled = append(s.settled, f)
	}
}

// saveFinding stores a finding. It returns false if that failed.
func (s *settling) saveFinding(f *finding.Finding) bool {
	if s.cfg.Store == nil {
		return true
	}
	if err := s.cfg.Store.Save(f); err != nil {
		s.rescueFinding(f, err)
		return false
	}
	return true
}

// updateGroup stores the finding of a group that has changed.
func (s *settling) updateGroup(g *ledger.Group) {
	if !g.Changed || s.cfg.Store == nil || g.Finding.Dir == "" || g.Joined != nil {
		return
	}
	g.Changed = false
	if err := s.cfg.Store.Update(g.Finding); err != nil {
		s.rescueFinding(g.Finding, err)
	}
}

// rescueFinding passes a finding that could not be stored to Config.Rescue and ends the campaign.
func (s *settling) rescueFinding(f *finding.Finding, err error) {
	var in interface{ Stored() bool }
	switch {
	case errors.As(err, &in) && in.Stored(), f.Case == nil: // nothing is lost
	case s.cfg.Rescue != nil:
		s.cfg.Rescue(f, err)
	}
	s.control.diskError(err)
}

// leaveToNextRun reports whether a verdict is left to the next run of the campaign, since this one ends before it can
// be settled in full. Settling it on less evidence would record a flaky finding or a duplicate where there may be a
// finding of its own. The keeper holds the verdict.
func (s *settling) leaveToNextRun(g *ledger.Group) bool {
	if s.keeper == nil || !s.life.cutSent && s.life.err == nil {
		return false
	}
	if g.Finding.Flaky { // it is stored already, so its later cases can wait
		return false
	}
	s.leaveCandidate(g)
	return true
}

// leaveCandidate leaves a verdict to the next run. If the verdict is a candidate, its bucket is free for the next one.
func (s *settling) leaveCandidate(g *ledger.Group) {
	if g.Bucket != nil {
		g.Bucket.Busy = nil
	}
	s.leave(1, g.Bucket != nil)
}

// leave counts n verdicts that are left to the next run. alike says that they resemble an existing finding.
func (s *settling) leave(n int, alike bool) {
	s.left += n
	if alike {
		s.leftLikeKnown += n
	}
}

// tooLate reports whether a verdict that the store holds now has to wait for the next run.
func (s *settling) tooLate(alike bool) bool {
	if !s.life.cutSent || s.keeper == nil {
		return false
	}
	s.leave(1, alike)
	return true
}

// checkpointEvery is the interval at which a campaign notes which cases are done. After a kill the cases since then are
// run again.
const checkpointEvery = 2 * time.Second

// isCheckpointDue reports whether it is time for a checkpoint.
func (s *settling) isCheckpointDue() bool {
	return s.keeper != nil && s.life.now.Sub(s.noted) >= checkpointEvery
}

// writeCheckpoint stores which cases are done, and the results of settling their verdicts.
func (s *settling) writeCheckpoint(p finding.Progress, counted []*finding.Finding) {
	if s.keeper == nil {
		return
	}
	s.noted = s.life.now
	if err := s.keeper.Checkpoint(p, counted, s.settled); err != nil {
		s.control.diskError(err)
		return
	}
	s.settled = nil
}
