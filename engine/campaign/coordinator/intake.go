package coordinator

import (
	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// takeVerdict processes one verdict of a case.
func (s *settling) takeVerdict(v *finding.SignedVerdict, r *wire.CaseResult) {
	s.stats.Findings.Verdicts++
	g := s.ledger.Group(v.Signature.Key)
	if g == nil && len(s.ledger.Groups()) >= metrics.MaxGroups {
		s.stats.Findings.Ungrouped++
		return
	}
	if g == nil {
		f := s.newFinding(v, r)
		if !s.holdVerdict(f) || s.tooLate(false) {
			return
		}
		g = &ledger.Group{Finding: f}
		s.ledger.Add(g)
		s.journal.logEvent("verdict", map[string]any{"n": r.N, "signature": v.Signature, "summary": v.Verdict.Summary})
		s.queue.queueConfirmation(g)
		s.tellKnown(v.Signature.Key)
		return
	}
	if g.State == ledger.Refuted {
		s.afterRefuted(g, v, r)
		return
	}
	if b := s.ledger.Bucket(v.Signature.Key); b != nil && g.State != ledger.Flaky {
		s.inBucket(b, v, r)
		return
	}
	s.countDuplicate(g, v, r.N, "same "+g.Finding.Signature.Text)
	if g.State == ledger.Flaky && g.Tries < ledger.MaxFlakyTries && r.Case != nil && s.life.isRunning() {
		f := g.Finding
		f.Case, f.Runs, f.SignedVerdict, f.Sequence = r.Case, r.Details, *v, r.Ahead
		if s.holdVerdict(f) {
			s.queue.queueConfirmation(g)
		}
	}
}

// isKnown reports whether there was a similar verdict before, so that the case of v need not be sent.
func (s *settling) isKnown(v *finding.SignedVerdict) bool {
	return s.ledger.Group(v.Signature.Key) != nil
}

// newFinding makes a finding of a verdict.
func (s *settling) newFinding(v *finding.SignedVerdict, r *wire.CaseResult) *finding.Finding {
	f := &finding.Finding{
		SignedVerdict: *v, Plan: s.plan, Options: s.options, Case: r.Case, Runs: r.Details,
		Elapsed: s.life.elapsed().Seconds(), Sightings: finding.Sightings{Count: 1, Examples: []uint64{r.N}, Found: s.life.now},
	}
	f.Sequence, f.Tried = r.Ahead, s.histories[v.Signature.Key]
	if v.Scripted != "" {
		f.Sources = s.sources
	}
	f.Reduced.From = len(r.Case.Script)
	return f
}

// afterRefuted processes a verdict with the signature of a refuted one: this one may still be right.
func (s *settling) afterRefuted(g *ledger.Group, v *finding.SignedVerdict, r *wire.CaseResult) {
	if r.Case == nil { // when the worker made it, it was still told not to send such cases
		s.control.runAgain(r.N)
		return
	}
	f := s.newFinding(v, r)
	if !s.holdVerdict(f) || s.tooLate(false) {
		return
	}
	g.Finding = f
	s.queue.queueConfirmation(g)
	s.tellKnown(v.Signature.Key)
}

// inBucket processes a verdict whose bucket exists already.
func (s *settling) inBucket(b *ledger.Bucket, v *finding.SignedVerdict, r *wire.CaseResult) {
	first := b.First()
	if r.Case == nil || !s.ledger.Refines() || !s.life.isRunning() && s.keeper == nil {
		g, why := b.Match(v.Operators)
		if g == nil {
			g, why = first, "same "+first.VagueText()+"; not looked at any closer"
		}
		s.countDuplicate(g, v, r.N, why)
		return
	}
	if f := b.WithCase(r.N); f != nil { // an earlier run held it and was killed before it noted that the case is done
		f.Count++
		return
	}
	s.addCandidate(first, s.newFinding(v, r), false)
}

// maxOfKnown bounds how many verdicts that resemble a finding of an earlier run wait at a time. A nightly job meets
// known bugs more often than it can look at each of them, so the verdicts would pile up from night to night.
const maxOfKnown = 16

// addCandidate queues a verdict of a bucket for a closer look. held says that the store already holds it from an
// earlier run.
func (s *settling) addCandidate(g *ledger.Group, f *finding.Finding, held bool) {
	b := s.ledger.BucketOf(g)
	bound := wire.MaxCandidates
	if b.First().State == ledger.Known {
		bound = maxOfKnown
	}
	if b.Waiting() >= bound && (s.life.isRunning() || bound == maxOfKnown) && !held {
		s.countDuplicate(g, &f.SignedVerdict, f.Case.Origin.Number, "same "+g.VagueText()+"; not looked at any closer: too many wait")
		return
	}
	if !held && !s.holdVerdict(f) || s.tooLate(true) {
		return
	}
	// The store holds one verdict per case and bucket. Settling one of several would forget all of them, so they stay
	// in memory.
	if twin := b.OfCase(f.Case.Origin.Number); twin == nil {
		s.setAside(f)
	} else if !s.recall(twin) {
		s.leave(1, true)
		return
	}
	b.Wait(f)
}

// takeUp continues with a verdict that an earlier run did not settle.
func (s *settling) takeUp(f *finding.Finding) {
	g := s.ledger.Group(f.Signature.Key)
	if g != nil && !f.Signature.Vague { // the finding was stored in the meantime
		g.Finding.Count += f.Count
		g.Changed = true
		s.releaseVerdict(f)
		return
	}
	f.Plan = s.plan
	s.stats.Findings.Verdicts++
	if g != nil {
		s.addCandidate(g, f, true)
		return
	}
	g = &ledger.Group{Finding: f}
	s.ledger.Add(g)
	s.queue.queueConfirmation(g)
}

// nextCandidates settles or confirms the next candidates of those buckets whose groups already have skeletons.
func (s *settling) nextCandidates() {
	if s.life.err != nil && s.keeper != nil {
		s.leave(s.ledger.DropCandidates(), true)
		return
	}
	s.ledger.TakeCandidates(s.settleAsDuplicate, s.confirmCandidate)
}

// confirmCandidate queues a candidate for confirmation. If the candidate cannot be read back, it is left to the next
// run.
func (s *settling) confirmCandidate(g *ledger.Group) {
	if !s.recall(g.Finding) {
		s.leaveCandidate(g)
		return
	}
	s.queue.queueConfirmation(g)
}
