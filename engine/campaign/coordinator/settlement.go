package coordinator

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

// takeConfirmation processes the result of a confirmation.
func (s *settling) takeConfirmation(g *ledger.Group, r *wire.Confirmed, machine string) {
	s.queue.confirmed--
	f := g.Finding
	if r.Refuted != nil {
		s.takeRefutation(g, r.Refuted)
		return
	}
	// Replaying histories takes long, so the number of vain replays also counts for later verdicts with this signature.
	f.Tried += r.Tried
	s.histories[f.Signature.Key] = max(f.Tried, s.histories[f.Signature.Key])
	if r.Hits == 0 && (r.Cut || r.Tries < s.plan.Confirm) && s.leaveToNextRun(g) {
		if r.Tried > 0 {
			s.holdVerdict(f)
		}
		return
	}
	if r.Error != "" {
		s.stats.Errors++
		s.stats.Internal++
		s.journal.logEvent("error", map[string]any{"fault": campaign.FaultInternal, "error": r.Error, "n": f.Case.Origin.Number})
		s.journal.listError(r.Error, true)
	}
	f.Hits, f.Tries, f.Mode, f.Confirm, f.Machine = r.Hits, r.Tries, r.Mode, r.Details, machine
	f.Plain, f.Needs, f.Varies, f.Upstream, f.Modes = r.Plain, r.Needs, r.Varies, r.Upstream, r.Modes
	if r.Hits > 0 && s.placeByStack(g, r.Stack) {
		return
	}
	if r.Hits > 0 { // without hits, keep the sequence: the verdict may need it to reproduce
		f.Sequence = r.Ahead
	}
	if r.Case != nil { // the case with the additions needed to reproduce the verdict
		f.Case, f.Reduced.From = r.Case, len(r.Case.Script)
	}
	switch {
	case r.Hits == 0 && g.Bucket != nil:
		s.candidateDone(g)
		return
	case r.Hits == 0:
		g.State = ledger.Flaky
		s.storeFlaky(g)
		return
	}
	if r.Said != nil { // report and reduce the verdict that the fresh processes showed
		f.Verdict = asSeen(f.Verdict, *r.Said)
		if home := s.ledger.TakeSides(g); home != nil { // compare it with the wrong answers that are known by construction
			s.addCandidate(home, f, true)
			return
		}
	}
	g.State, g.Lost = ledger.Confirmed, 0
	s.afterConfirmed(g)
}

// afterConfirmed stores a confirmed finding and queues its reduction.
func (s *settling) afterConfirmed(g *ledger.Group) {
	f := g.Finding
	reduces := s.plan.Reduces && s.cfg.Store != nil
	f.Reduced.Pending = reduces
	if reduces && g.Bucket != nil && s.leaveToNextRun(g) {
		return
	}
	if g.Bucket == nil {
		s.storeConfirmed(g)
	}
	switch {
	case reduces && g.State != ledger.Known && s.life.err != nil:
		f.Reduced.Reason, g.Changed = noTime, true
		s.updateGroup(g)
	case reduces && g.State != ledger.Known:
		s.queue.reduces = append(s.queue.reduces, g)
	case g.Bucket != nil:
		s.candidateDone(g)
	case !reduces:
		s.tellFinding(g)
	}
}

// noTime is the reason given for a finding that was not reduced for lack of time.
const noTime = "the campaign ended first"

// asSeen returns a verdict updated with what its repetition showed. The sides of a disagreement stay as they were,
// unless a model has settled which one is wrong: with fewer targets, the majority may differ.
func asSeen(v, again oracle.Verdict) oracle.Verdict {
	if v.Kind != oracle.KindDisagreement || again.Settled {
		return again
	}
	if again.Got != v.Got {
		again.Targets, again.Against = again.Against, again.Targets
	}
	v.Targets, v.Against, v.Detail = again.Targets, again.Against, again.Detail
	return v
}

// placeByStack gives a crash its signature from the unwound stack. If a finding already has that signature, it counts
// the crash there and reports true.
func (s *settling) placeByStack(g *ledger.Group, stack *backtrace.CallStack) bool {
	home, why := s.ledger.Place(g, stack)
	if home == nil {
		return false
	}
	s.settleAsDuplicate(home, g.Finding, "it "+why)
	s.tellKnown(g.Finding.Signature.BucketKey())
	return true
}

// candidateDone decides whether a candidate is a duplicate or a new finding, after its confirmation and reduction have
// succeeded or failed.
func (s *settling) candidateDone(g *ledger.Group) {
	f := g.Finding
	if home, why := s.ledger.HomeOf(g); home != nil {
		s.settleAsDuplicate(home, f, why)
		return
	}
	s.storeConfirmed(g)
	s.tellReduced(f)
	s.joinCauses(g)
	s.tellKnown(f.Signature.BucketKey())
	s.tellFinding(g)
}

// lostConfirm handles a confirmation whose worker died: the confirmation is tried once more.
func (s *settling) lostConfirm(g *ledger.Group, why string) {
	if g.Lost++; g.Lost < 2 && !s.life.cutSent {
		s.queue.confirms = append(s.queue.confirms, g)
		return
	}
	s.journal.logEvent("confirm-lost", map[string]any{"signature": g.Finding.Signature, "reason": why})
	s.takeConfirmation(g, &wire.Confirmed{}, "")
}

// lostReduction handles a reduction whose worker died. It is tried once more, since its result also tells which finding
// a wrong answer belongs to.
func (s *settling) lostReduction(g *ledger.Group, why string, short bool) {
	if g.Lost++; g.Lost < 2 && !s.life.cutSent && s.life.err == nil {
		s.queue.reducing--
		s.queue.reduces = append(s.queue.reduces, g)
		return
	}
	s.takeReduction(g, &wire.Reduced{Reason: "its worker died: " + firstLine(why)}, short, "")
}

// maxUnexplained is the number of claims that may be refuted without any seed's label being wrong before the campaign
// file is to blame.
const maxUnexplained = 20

// distrustSeeds processes a refuted claim. It returns the seeds that are newly distrusted because of it, each with the
// reason.
func (s *settling) distrustSeeds(x *finding.Refutation) wire.Distrust {
	if x.Relation != "" { // a relation says nothing about the label of the seed
		s.unexplained++
		return nil
	}
	seeds, why := x.Seeds, "the label of the seed is wrong: its answer is not "+x.Claimed
	if len(seeds) == 0 {
		s.unexplained++
		seeds, why = x.Of, "a claim about another case of this seed was refuted"
	}
	fresh := wire.Distrust{}
	for _, seed := range seeds {
		if _, known := s.distrust[seed]; known {
			continue
		}
		if s.distrust == nil {
			s.distrust = wire.Distrust{}
		}
		s.distrust[seed], fresh[seed] = why, why
	}
	return fresh
}

// takeRefutation handles a verdict whose claim is refuted: the verdict does not become a finding, and cases that rest
// on the same label are no longer run. The next verdict like it is looked at anew.
func (s *settling) takeRefutation(g *ledger.Group, x *finding.Refutation) {
	f := g.Finding
	s.releaseVerdict(f)
	if g.Bucket == nil && len(f.Examples) > 1 { // verdicts counted as duplicates of this one may be right
		s.stats.Findings.Duplicates -= min(s.stats.Findings.Duplicates, uint64(f.Count-1))
		for _, n := range f.Examples[1:] {
			s.control.runAgain(n)
		}
	}
	if g.Bucket != nil {
		g.Bucket.Busy = nil
	} else {
		g.State = ledger.Refuted
		s.control.tellWorkers(&wire.Forget{Keys: []string{f.Signature.BucketKey()}})
	}
	fresh := s.distrustSeeds(x)
	if len(fresh) > 0 {
		s.control.tellWorkers(&wire.DistrustSeeds{Seeds: fresh})
	}
	s.stats.Findings.Refuted++
	for _, name := range x.Seeds {
		if !slices.Contains(s.stats.MislabelledSeeds, name) && len(s.stats.MislabelledSeeds) < finding.MaxBroken {
			s.stats.MislabelledSeeds = append(s.stats.MislabelledSeeds, name)
		}
	}
	text := x.Text()
	if (len(fresh) > 0 || len(x.Of) == 0 || x.Relation != "") && len(s.stats.RefutedList) < finding.MaxBroken { // others are the same once more
		s.stats.RefutedList = append(s.stats.RefutedList, *x)
		s.journal.print(LineWarning, "no finding, but a wrong claim: "+text)
	}
	s.journal.logEvent("refuted", map[string]any{"n": x.Number, "claimed": x.Claimed, "by": x.By, "seeds": x.Seeds, "of": x.Of, "steps": x.Steps, "assumed": x.Assumed, "model": x.Model})
	if s.unexplained >= maxUnexplained && !s.cfg.KeepGoing {
		s.control.failWith(&campaign.LoadError{Fault: campaign.FaultScript, Err: fmt.Errorf("%d cases do not have the answer that they are claimed to have, by evaluation, and no label of a seed explains it. Something with keeps_answer or with_answer does not keep answers, or the relation of oracle.metamorphic does not hold. The last one: %s\n%s",
			s.unexplained, text, s.control.replayCommand(x.Number))})
	}
}

// takeReduction processes the result of a reduction. short says that the reduction had less than the usual time.
func (s *settling) takeReduction(g *ledger.Group, r *wire.Reduced, short bool, machine string) {
	s.queue.reducing--
	f := g.Finding
	if short && r.Reason != "" && !r.NotApart && s.keeper != nil {
		s.leaveReduction(g, r)
		return
	}
	g.Reduced, g.NotApart, f.Reduced.Pending = true, r.NotApart, false
	f.Reduced.Reason, f.Reduced.Machine = r.Reason, machine
	if r.Fault == campaign.FaultScript {
		s.stats.Errors++
		s.journal.listError(r.Reason, true)
	}
	if r.Tests > 0 {
		f.Reduced.Tests = r.Tests
	}
	if r.Case != nil {
		g.Improve(&r.Smallest)
		if f.Needs != "" && r.Needs != "" { // "" is a finding without options
			f.Needs, f.Plain = r.Needs, r.Plain
		}
		if r.Modes != nil {
			f.Modes = r.Modes
		}
	}
	f.Reduced.Sequence = f.Len() > 0
	if r.Upstream != nil {
		f.Upstream = r.Upstream
	}
	if f.Min != nil {
		f.Reduced.To = len(f.Min.Script)
	}
	if g.Bucket != nil {
		s.candidateDone(g)
		return
	}
	s.refineSignature(g)
	g.Changed = true
	s.updateGroup(g)
	if f.Signature.Skeleton == nil {
		s.joinCauses(g)
	}
	s.listFindings()
	s.tellReduced(f)
	s.tellFinding(g)
}

// leaveReduction leaves a reduction that the end of the campaign cut short to the next run. It keeps the smallest case
// so far, but an unfinished reduction does not tell the finding apart from others.
func (s *settling) leaveReduction(g *ledger.Group, r *wire.Reduced) {
	if g.Bucket != nil {
		s.leaveCandidate(g)
		return
	}
	s.unreduced++
	g.Improve(&r.Smallest)
	g.Finding.Reduced.Reason, g.Finding.Reduced.Pending = r.Reason, true
	g.Changed = true
	s.updateGroup(g)
	s.listFindings()
	s.tellReduced(g.Finding)
}

// takeRecheck processes the result of rechecking a stored finding.
func (s *settling) takeRecheck(f *finding.Finding, r *wire.Rechecked) {
	defer s.endWait(s.ledger.Group(f.Signature.Key))
	if r.Error != "" {
		s.journal.logEvent("recheck", map[string]any{"number": f.Number, "error": r.Error})
	}
	if r.Blind { // a reduction starts by asking the finding's oracle again
		s.reduceStored(f, s.ledger.Group(f.Signature.Key))
	}
	if len(r.Checks) == 0 {
		return
	}
	s.plan.IdentifyChecks(r.Checks)
	text, err := s.keeper.Checked(f, r.Checks)
	if err != nil {
		s.control.diskError(err)
		return
	}
	s.journal.logEvent("recheck", map[string]any{"number": f.Number, "checks": r.Checks, "status": text})
	if text != "" {
		s.journal.print(LineFinding, text)
	}
	if slices.ContainsFunc(r.Checks, func(c finding.Check) bool { return c.Hits > 0 }) {
		s.stillThere(f, r.Stack)
	}
}

// stillThere handles a stored finding that still reproduces. The finding is counted, and reduced if that has not been
// done yet.
func (s *settling) stillThere(f *finding.Finding, stack *backtrace.CallStack) {
	to, from, why := s.ledger.PlaceKnown(f, stack)
	if m, ok := s.cfg.Store.(finding.Merger); ok && to != nil {
		if _, err := s.joinGroups(m, to, from, "they "+why); err != nil {
			s.control.diskError(err)
		}
		s.listFindings()
	}
	g := s.ledger.Group(f.Signature.Key)
	if g == nil {
		return
	}
	if g.State == ledger.Known && !g.Seen {
		s.seenAgain(g, f.Case.Origin.Number, f.Verdict.Summary)
	}
	s.reduceStored(f, g)
}

// reduceStored queues the reduction of a stored finding that has not been reduced yet.
func (s *settling) reduceStored(f *finding.Finding, g *ledger.Group) {
	if g != nil && f.Unfinished() && s.plan.Reducible(f) {
		f.Plan, f.Known = s.plan, false
		f.Booked = f.Count + g.Finding.Booked
		f.Count += g.Finding.Count
		g.Finding, g.State, g.Old = f, ledger.Confirmed, true
		s.queue.reduces = append(s.queue.reduces, g)
	}
}

// endWait records that a finding of an earlier run has been rechecked. From now on its state says whether it will be
// reduced.
func (s *settling) endWait(g *ledger.Group) {
	if g != nil && g.Awaited {
		g.Awaited = false
		s.tellKnown(g.Finding.Signature.BucketKey())
	}
}

// giveUp stops settling when time runs out: verdicts stay unconfirmed and findings unreduced. A Keeper holds them for
// the next run of the campaign.
func (s *settling) giveUp() {
	s.queue.rechecks = nil
	s.leave(s.ledger.DropCandidates(), true)
	for _, g := range s.queue.confirms {
		if g.Bucket != nil {
			s.queue.confirmed--
			s.leaveCandidate(g)
			continue
		}
		s.takeConfirmation(g, &wire.Confirmed{}, "")
	}
	s.queue.confirms = nil
	for _, g := range s.queue.reduces {
		if g.Bucket != nil {
			s.leaveCandidate(g)
			continue
		}
		s.unreduced++
		if s.keeper != nil { // which has it as one to be reduced; of many findings each change costs
			continue
		}
		g.Finding.Reduced.Reason, g.Changed = noTime, true
		s.updateGroup(g)
	}
	s.queue.reduces = nil
}
