package coordinator

import (
	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// intake takes in the verdicts of cases: each is counted at a group that is there, or waits to be looked at.
type intake struct {
	*register
	queue     *settleQueue
	histories histories
	options   finding.Options
	sources   *finding.Sources // of the campaign file
}

// takeVerdict takes in one verdict of a case.
func (t *intake) takeVerdict(v *finding.SignedVerdict, r *wire.CaseResult) {
	t.stats.Findings.Verdicts++
	g := t.ledger.Group(v.Signature.Key)
	if g == nil && len(t.ledger.Groups()) >= metrics.MaxGroups {
		t.stats.Findings.Ungrouped++
		return
	}
	if g == nil {
		f := t.newFinding(v, r)
		if !t.holdVerdict(f) || t.tooLate(false) {
			return
		}
		g = &ledger.Group{Finding: f}
		t.ledger.Add(g)
		t.logEvent("verdict", map[string]any{"n": r.N, "signature": v.Signature, "summary": v.Verdict.Summary})
		t.queue.queueConfirmation(g)
		t.tellKnown(v.Signature.Key)
		return
	}
	if g.State == ledger.Refuted {
		t.afterRefuted(g, v, r)
		return
	}
	if b := t.ledger.Bucket(v.Signature.Key); b != nil && g.State != ledger.Flaky {
		t.inBucket(b, v, r)
		return
	}
	t.countDuplicate(g, v, r.N, "same "+g.Finding.Signature.Text)
	if g.State == ledger.Flaky && g.Tries < ledger.MaxFlakyTries && r.Case != nil && t.life.isRunning() {
		f := g.Finding
		f.Case, f.Runs, f.SignedVerdict, f.Sequence = r.Case, r.Details, *v, r.Ahead
		if t.holdVerdict(f) {
			t.queue.queueConfirmation(g)
		}
	}
}

// isKnown reports whether verdicts like one were there: then its case need not be sent.
func (t *intake) isKnown(v *finding.SignedVerdict) bool {
	return t.ledger.Group(v.Signature.Key) != nil
}

// newFinding makes a finding of a verdict.
func (t *intake) newFinding(v *finding.SignedVerdict, r *wire.CaseResult) *finding.Finding {
	f := &finding.Finding{
		SignedVerdict: *v, Plan: t.plan, Options: t.options, Case: r.Case, Runs: r.Details,
		Elapsed: t.life.elapsed().Seconds(), Sightings: finding.Sightings{Count: 1, Examples: []uint64{r.N}, Found: t.life.now},
	}
	f.Sequence, f.Tried = r.Ahead, t.histories[v.Signature.Key]
	if v.Scripted != "" {
		f.Sources = t.sources
	}
	f.Reduced.From = len(r.Case.Script)
	return f
}

// afterRefuted takes in a verdict whose like claimed what is not so: it may be right.
func (t *intake) afterRefuted(g *ledger.Group, v *finding.SignedVerdict, r *wire.CaseResult) {
	if r.Case == nil { // its worker was told to send no more like it, and is told otherwise since
		t.runAgain(r.N)
		return
	}
	f := t.newFinding(v, r)
	if !t.holdVerdict(f) || t.tooLate(false) {
		return
	}
	g.Finding = f
	t.queue.queueConfirmation(g)
	t.tellKnown(v.Signature.Key)
}

// inBucket takes in a verdict whose bucket is there already.
func (t *intake) inBucket(b *ledger.Bucket, v *finding.SignedVerdict, r *wire.CaseResult) {
	first := b.First()
	if r.Case == nil || !t.ledger.Refines() || !t.life.isRunning() && t.keeper == nil {
		g, why := b.Match(v.Operators)
		if g == nil {
			g, why = first, "same "+first.VagueText()+"; not looked at any closer"
		}
		t.countDuplicate(g, v, r.N, why)
		return
	}
	if f := b.WithCase(r.N); f != nil { // an earlier run held it and was killed before it noted that the case is done
		f.Count++
		return
	}
	t.addCandidate(first, t.newFinding(v, r), false)
}

// maxOfKnown bounds the verdicts like a finding of an earlier run that wait at a time. A nightly job meets the bugs that it knows more often than
// it can look at each of them: they would pile up from night to night.
const maxOfKnown = 16

// addCandidate keeps a verdict of a bucket to be looked at; held says that the store has it from an earlier run.
func (t *intake) addCandidate(g *ledger.Group, f *finding.Finding, held bool) {
	b := t.ledger.BucketOf(g)
	bound := wire.MaxCandidates
	if b.First().State == ledger.Known {
		bound = maxOfKnown
	}
	if b.Waiting() >= bound && (t.life.isRunning() || bound == maxOfKnown) && !held {
		t.countDuplicate(g, &f.SignedVerdict, f.Case.Origin.Number, "same "+g.VagueText()+"; not looked at any closer: too many wait")
		return
	}
	if !held && !t.holdVerdict(f) || t.tooLate(true) {
		return
	}
	// The store holds one verdict of a case in a bucket. Who settles one of several forgets all, so they stay in
	// memory.
	if twin := b.OfCase(f.Case.Origin.Number); twin == nil {
		t.setAside(f)
	} else if !t.recall(twin) {
		t.leave(1, true)
		return
	}
	b.Wait(f)
}

// takeUp goes on with a verdict that an earlier run had not settled.
func (t *intake) takeUp(f *finding.Finding) {
	g := t.ledger.Group(f.Signature.Key)
	if g != nil && !f.Signature.Vague { // it was stored meanwhile
		g.Finding.Count += f.Count
		g.Changed = true
		t.releaseVerdict(f)
		return
	}
	f.Plan = t.plan
	t.stats.Findings.Verdicts++
	if g != nil {
		t.addCandidate(g, f, true)
		return
	}
	g = &ledger.Group{Finding: f}
	t.ledger.Add(g)
	t.queue.queueConfirmation(g)
}

// nextCandidates begins to look at candidates of buckets whose groups have their skeletons.
func (t *intake) nextCandidates() {
	if t.life.err != nil && t.keeper != nil {
		t.leave(t.ledger.DropCandidates(), true)
		return
	}
	t.ledger.TakeCandidates(t.settleAsDuplicate, t.confirmCandidate)
}

// confirmCandidate has a candidate confirmed; one that cannot be read is left to the next run.
func (t *intake) confirmCandidate(g *ledger.Group) {
	if !t.recall(g.Finding) {
		t.leaveCandidate(g)
		return
	}
	t.queue.queueConfirmation(g)
}
