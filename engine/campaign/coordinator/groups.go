package coordinator

import (
	"errors"
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/triage"
)

// group is all verdicts with one signature.
type group struct {
	f       *finding.Finding
	state   groupState
	tries   int // cases with which confirmation was tried
	lost    int // workers that died while they confirmed it
	changed bool
	reduced bool    // its reduction is over
	seen    bool    // a finding of an earlier campaign, and counted in this one
	awaited bool    // an earlier run did not reduce it, and this one will once it was looked at again
	bucket  *bucket // of a candidate
	old     bool    // an earlier run found it
	joined  *group  // that it is a duplicate of, as the store has it
}

type groupState uint8

const (
	groupConfirming groupState = iota
	groupConfirmed
	groupFlaky
	groupKnown
	groupRefuted // what it claims is not so
)

// maxFlakyTries bounds how many cases of a signature that does not reproduce are tried.
const maxFlakyTries = 3

// silent reports whether more cases of the group are of no interest.
func (g *group) silent() bool {
	return g.state != groupRefuted && (g.state != groupFlaky || g.tries >= maxFlakyTries)
}

// improve remembers a smaller case.
func (g *group) improve(r *wire.Report) {
	if r.Case == nil {
		return
	}
	g.f.Min, g.f.MinRuns, g.f.Sequence, g.f.MinCheck = r.Case, r.Details, r.Ahead, nil
	if len(r.Verdicts) > 0 { // what is shown belongs to the case that is shown
		said := &r.Verdicts[0].Verdict
		g.f.MinCheck = &said.Check
		g.f.Verdict.Detail, g.f.Verdict.Asked, g.f.Verdict.Reply = said.Detail, said.Asked, said.Reply
	}
	g.f.Reduced.Tests, g.f.Reduced.To, g.f.Reduced.Vouched = r.Tests, r.Bytes, r.Vouched
}

func (c *coordinator) addGroup(g *group) { c.joinBucket(g) }

// newFinding makes a finding of a verdict.
func (c *coordinator) newFinding(v *finding.SignedVerdict, r *wire.Report) *finding.Finding {
	f := &finding.Finding{
		SignedVerdict: *v, Plan: c.plan, Options: c.cfg.Options, Case: r.Case, Runs: r.Details, Count: 1, Examples: []uint64{r.N},
		Elapsed: c.now.Sub(c.begun), Found: c.now,
	}
	f.Sequence, f.Tried = r.Ahead, c.histories[v.Signature.Key]
	if v.Scripted != "" {
		f.Sources = c.sources
	}
	f.Reduced.From = len(r.Case.Script)
	return f
}

// duplicate counts a verdict at a group that is there already.
func (c *coordinator) duplicate(g *group, v *finding.SignedVerdict, r *wire.Report, why string) {
	c.stats.Findings.Duplicates++
	if g.state == groupKnown && !g.seen {
		c.seenAgain(g, r.N, v.Verdict.Summary)
	}
	g.f.Count++
	g.changed = true
	if len(g.f.Examples) < finding.MaxExamples {
		g.f.Examples = append(g.f.Examples, r.N)
	}
	if len(g.f.Members) < finding.MaxMembers {
		g.f.Members = append(g.f.Members, finding.Member{N: r.N, Targets: v.Verdict.Targets, Reason: why})
	}
}

// verdict takes in one verdict.
func (c *coordinator) verdict(v *finding.SignedVerdict, r *wire.Report) {
	c.stats.Findings.Verdicts++
	g := c.groups[v.Signature.Key]
	if g == nil && len(c.order) >= metrics.MaxGroups {
		c.stats.Findings.Ungrouped++
		return
	}
	if g == nil {
		f := c.newFinding(v, r)
		if !c.hold(f) || c.tooLate() {
			return
		}
		g = &group{f: f}
		c.addGroup(g)
		c.event("verdict", map[string]any{"n": r.N, "signature": v.Signature, "summary": v.Verdict.Summary})
		c.toConfirm(g)
		c.tellKnown(v.Signature.Key)
		return
	}
	if g.state == groupRefuted {
		c.afterRefuted(g, v, r)
		return
	}
	if b := c.buckets[v.Signature.Key]; b != nil && g.state != groupFlaky {
		c.inBucket(b, v, r)
		return
	}
	c.duplicate(g, v, r, "same "+g.f.Signature.Text)
	if g.state == groupFlaky && g.tries < maxFlakyTries && r.Case != nil && c.stats.State == metrics.StateRunning {
		g.f.Case, g.f.Runs, g.f.SignedVerdict, g.f.Sequence = r.Case, r.Details, *v, r.Ahead
		if c.hold(g.f) {
			c.toConfirm(g)
		}
	}
}

// afterRefuted takes in a verdict whose like claimed what is not so: it may be right.
func (c *coordinator) afterRefuted(g *group, v *finding.SignedVerdict, r *wire.Report) {
	if r.Case == nil { // its worker was told to send no more like it, and is told otherwise since
		c.runAgain(r.N)
		return
	}
	f := c.newFinding(v, r)
	if !c.hold(f) || c.tooLate() {
		return
	}
	g.f = f
	c.toConfirm(g)
	c.tellKnown(v.Signature.Key)
}

func (c *coordinator) toConfirm(g *group) {
	g.state = groupConfirming
	g.tries++
	c.waiting++
	c.confirmQ = append(c.confirmQ, g)
}

// tellKnown tells the workers which cases they need not send; without keys those of all groups.
func (c *coordinator) tellKnown(keys ...string) {
	if keys == nil {
		for _, g := range c.order {
			if g.silent() {
				keys = append(keys, g.f.Signature.BucketKey())
			}
		}
	}
	o := c.knownOrder(keys)
	if o == nil {
		return
	}
	c.tellWorkers(o)
}

// knownOrder says which cases need not be sent: those with the given signatures, and of vague ones what is said at
// bucket. nil when there is nothing to say.
func (c *coordinator) knownOrder(keys []string) *wire.Order {
	if len(keys) == 0 {
		return nil
	}
	o := &wire.Order{Type: wire.OrderKnown, Keys: keys}
	if !c.refines() {
		return o
	}
	for _, key := range keys {
		if b := c.buckets[key]; b != nil {
			if o.Skeletons == nil {
				o.Skeletons = map[string][][]string{}
			}
			list, ready := b.skeletons()
			if ready && len(list) == 0 { // nothing to tell them apart by
				continue
			}
			o.Skeletons[key] = list
		}
	}
	return o
}

// confirmed takes in the result of a confirmation.
func (c *coordinator) confirmed(g *group, r *wire.Report) {
	c.waiting--
	f := g.f
	if r.Refuted != nil {
		c.refuted(g, r)
		return
	}
	f.Tried += r.Tried
	c.histories[f.Signature.Key] = max(f.Tried, c.histories[f.Signature.Key])
	if r.Hits == 0 && (r.Cut || r.Tries < c.plan.Confirm) && c.leave(g) {
		if r.Tried > 0 {
			c.hold(f)
		}
		return
	}
	if r.Text != "" {
		c.stats.Errors++
		c.stats.Internal++
		c.event("error", map[string]any{"fault": campaign.FaultInternal, "error": r.Text, "n": f.Case.Origin.Number})
		c.listError(r.Text, true)
	}
	f.Hits, f.Tries, f.Mode, f.Confirm = r.Hits, r.Tries, r.Mode, r.Details
	f.Plain, f.Needs, f.Varies, f.Upstream = r.Plain, r.Needs, r.Varies, r.Upstream
	if r.Hits > 0 && c.place(g, r.Stack) {
		return
	}
	if r.Hits > 0 { // what was tried in vain is kept: it may be what it takes
		f.Sequence = r.Ahead
	}
	if r.Case != nil { // with what it takes to show it again
		f.Case, f.Reduced.From = r.Case, len(r.Case.Script)
	}
	if g.bucket != nil && r.Hits == 0 {
		c.candidateDone(g)
		return
	}
	if r.Hits == 0 {
		g.state = groupFlaky
		c.storeFlaky(g)
		return
	}
	if len(r.Verdicts) > 0 { // what the fresh processes showed is what gets reported and reduced
		f.Verdict = asSeen(f.Verdict, r.Verdicts[0].Verdict)
		if c.tookSides(g) {
			return
		}
	}
	g.state = groupConfirmed
	reduces := c.plan.Reduces && c.cfg.Store != nil
	f.Reduced.Pending = reduces
	if reduces && g.bucket != nil && c.leave(g) {
		return
	}
	if g.bucket == nil {
		c.store(g)
	}
	switch {
	case reduces && g.state != groupKnown && c.err != nil:
		f.Reduced.Reason, g.changed = noTime, true
		c.update(g)
	case reduces && g.state != groupKnown:
		c.reduceQ = append(c.reduceQ, g)
	case g.bucket != nil:
		c.candidateDone(g)
	}
}

// tookSides gives a disagreement, of which a model has shown meanwhile who is wrong, the signature of a wrong answer, which it is.
// Where there are findings with that, it becomes one of their candidates, and tookSides reports true.
func (c *coordinator) tookSides(g *group) bool {
	f := g.f
	if g.bucket != nil || f.Verdict.Kind != oracle.KindDisagreement || !f.Verdict.Settled {
		return false
	}
	signature := triage.Of(&f.Verdict, f.Plan.Signed())
	if signature.Key == f.Signature.BucketKey() {
		return false
	}
	f.Signature, g.changed = signature, true
	b := c.buckets[signature.Key]
	if b == nil || len(b.groups) == 0 || !c.refines() {
		c.joinBucket(g)
		return false
	}
	c.supersede(g, b.groups[0])
	c.addCandidate(b.groups[0], f, true)
	return true
}

// noTime is why a finding was not reduced.
const noTime = "the campaign ended first"

// asSeen returns a verdict with what its repetition showed. Of a disagreement the sides stay as they were, unless a model has
// settled who is wrong: with fewer targets the majority may differ.
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

// store stores a confirmed finding.
func (c *coordinator) store(g *group) {
	f := g.f
	flaky := f.Flaky
	f.Flaky = false
	if c.cfg.Store != nil {
		if err := c.cfg.Store.Save(f); err != nil {
			c.rescue(f, err)
			return
		}
	}
	if flaky {
		c.stats.Findings.Flaky--
	}
	if f.Known {
		c.stats.Findings.Known++
		g.state, g.seen = groupKnown, true
	} else {
		c.stats.Findings.New++
		c.stats.Findings.Last = c.now.Sub(c.begun).Seconds()
		c.stats.AddFound(&f.Case.Origin)
	}
	c.listFindings()
	c.event("finding", map[string]any{
		"number": f.Number, "dir": f.Dir, "kind": f.Verdict.Kind, "summary": f.Verdict.Summary, "signature": f.Signature,
		"hits": f.Hits, "tries": f.Tries, "mode": f.Mode, "n": f.Case.Origin.Number,
	})
	c.cfg.Print(LineFinding, fmt.Sprintf("finding %s: %s (reproduced %d of %d)", f.Dir, f.Verdict.Summary, f.Hits, f.Tries))
}

// storeFlaky stores a verdict that did not reproduce, the first time.
func (c *coordinator) storeFlaky(g *group) {
	f := g.f
	if g.silent() {
		c.tellKnown(f.Signature.Key)
	}
	if f.Flaky {
		g.changed = true
		c.unhold(f)
		return
	}
	f.Flaky = true
	if c.cfg.Store != nil {
		if err := c.cfg.Store.Save(f); err != nil {
			c.rescue(f, err)
			return
		}
	}
	if f.Known {
		g.state = groupKnown
		return
	}
	c.stats.Findings.Flaky++
	c.listFindings()
	c.event("flaky", map[string]any{"number": f.Number, "dir": f.Dir, "summary": f.Verdict.Summary, "signature": f.Signature, "tries": f.Tries, "n": f.Case.Origin.Number})
}

// rescue hands a finding that could not be stored to the user, and ends the campaign.
func (c *coordinator) rescue(f *finding.Finding, err error) {
	var in interface{ Stored() bool }
	switch {
	case errors.As(err, &in) && in.Stored(), f.Case == nil: // nothing is lost
	case c.cfg.Rescue != nil:
		c.cfg.Rescue(f, err)
	}
	c.diskError(err)
}

// lostConfirm decides about a confirmation whose worker died: it is tried once more.
func (c *coordinator) lostConfirm(j *job, why string) {
	g := j.group
	if g.lost++; g.lost < 2 && !c.cutSent {
		c.confirmQ = append(c.confirmQ, g)
		return
	}
	c.event("confirm-lost", map[string]any{"signature": g.f.Signature, "reason": why})
	c.confirmed(g, &wire.Report{Tries: 0})
}

// leave reports whether a verdict is left to the next run of the campaign, since this one ends before it can be settled
// in full: to settle it by less would make a flaky finding, or a duplicate, of what may be a finding of its own. The
// Keeper holds it.
func (c *coordinator) leave(g *group) bool {
	if c.keeper() == nil || !c.cutSent && c.err == nil {
		return false
	}
	if g.f.Flaky { // it is stored, and its later cases may as well wait
		return false
	}
	if g.bucket != nil {
		g.bucket.busy = nil
	}
	c.left++
	return true
}

// tooLate reports whether a verdict that the store holds now has to wait for the next run.
func (c *coordinator) tooLate() bool {
	if !c.cutSent || c.keeper() == nil {
		return false
	}
	c.left++
	return true
}

// leaveReduction leaves a reduction that was cut short by the end of the campaign to the next run. The smallest case so
// far is kept; but what it is reduced to would not be what tells it apart from others.
func (c *coordinator) leaveReduction(g *group, r *wire.Report) {
	if g.bucket != nil {
		c.left++
		g.bucket.busy = nil
		return
	}
	c.unreduced++
	g.improve(r)
	g.f.Reduced.Reason, g.f.Reduced.Pending = r.Text, true
	g.changed = true
	c.update(g)
	c.listFindings()
	c.reducedEvent(g.f)
}

// reduced takes in the end of a reduction; short says that it had less time than the campaign gives each.
func (c *coordinator) reduced(g *group, r *wire.Report, short bool) {
	c.reducing--
	f := g.f
	if short && r.Text != "" && c.keeper() != nil {
		c.leaveReduction(g, r)
		return
	}
	g.reduced, f.Reduced.Pending = true, false
	f.Reduced.Reason = r.Text
	if r.Fault == campaign.FaultScript {
		c.stats.Errors++
		c.listError(r.Text, true)
	}
	if r.Tests > 0 {
		f.Reduced.Tests = r.Tests
	}
	if r.Case != nil {
		g.improve(r)
		if f.Needs != "" && r.Needs != "" { // "" is a finding without options
			f.Needs, f.Plain = r.Needs, r.Plain
		}
	}
	f.Reduced.Sequence = f.Len() > 0
	if r.Upstream != nil {
		f.Upstream = r.Upstream
	}
	if f.Min != nil {
		f.Reduced.To = len(f.Min.Script)
	}
	if g.bucket != nil {
		c.candidateDone(g)
		return
	}
	c.refine(g)
	g.changed = true
	c.update(g)
	if f.Signature.Skeleton == nil {
		c.joinCauses(g)
	}
	c.listFindings()
	c.reducedEvent(f)
}

func (c *coordinator) reducedEvent(f *finding.Finding) {
	c.event("reduced", map[string]any{"number": f.Number, "from": f.Reduced.From, "to": f.Reduced.To, "tests": f.Reduced.Tests, "reason": f.Reduced.Reason})
}

// update stores what changed of a group.
func (c *coordinator) update(g *group) {
	if !g.changed || c.cfg.Store == nil || g.f.Dir == "" || g.joined != nil {
		return
	}
	g.changed = false
	if err := c.cfg.Store.Update(g.f); err != nil {
		c.rescue(g.f, err)
	}
}

// updateGroups stores the counts of all groups; of many groups only at the end, since each costs a few syncs of the disk.
func (c *coordinator) updateGroups(final bool) {
	const many = 50
	for i, g := range c.order {
		if i >= many && !final {
			break
		}
		if g.state != groupConfirming {
			c.update(g)
		}
	}
	c.listFindings()
}

// giveUp settles what there is no time for: verdicts stay unconfirmed, findings unreduced. A Keeper holds them for the
// next run of the campaign.
func (c *coordinator) giveUp() {
	c.recheckQ = nil
	c.leaveCandidates()
	for _, g := range c.confirmQ {
		if g.bucket != nil {
			c.waiting--
			c.left++
			g.bucket.busy = nil
			continue
		}
		c.confirmed(g, &wire.Report{})
	}
	c.confirmQ = nil
	for _, g := range c.reduceQ {
		if g.bucket != nil {
			c.left++
			g.bucket.busy = nil
			continue
		}
		c.unreduced++
		if c.keeper() != nil { // which has it as one to be reduced; of many findings each change costs
			continue
		}
		g.f.Reduced.Reason, g.changed = noTime, true
		c.update(g)
	}
	c.reduceQ = nil
}

// maxLines bounds the findings listed in the statistics.
const maxLines = 200

// listFindings brings the list of findings up to date.
func (c *coordinator) listFindings() {
	list := c.stats.Findings.List[:0]
	for _, g := range c.order {
		f := g.f
		if g.joined != nil || f.Dir == "" && c.cfg.Store != nil || g.state == groupConfirming || g.state == groupRefuted || g.state == groupKnown && !g.seen || len(list) == maxLines {
			continue
		}
		l := metrics.FindingLine{
			Number: f.Number, Dir: f.Dir, Kind: f.Verdict.Kind, Summary: f.Verdict.Summary, Flaky: f.Flaky, Known: f.Known,
			Hits: f.Hits, Tries: f.Tries, Count: f.Count, From: f.Reduced.From,
		}
		if f.Min != nil {
			l.To = f.Reduced.To
		}
		list = append(list, l)
	}
	c.stats.Findings.List = list
}

// finish settles everything at the end of a campaign.
func (c *coordinator) finish() {
	c.now = time.Now()
	c.giveUp()
	if text := c.prints.Over("the campaign file"); text != "" {
		c.cfg.Print(LinePrint, text)
	}
	c.stats.State, c.stats.Late = metrics.StateDone, c.lateText()
	c.publish(true)
	c.event("end", map[string]any{"cases": c.stats.Cases, "new": c.stats.Findings.New, "flaky": c.stats.Findings.Flaky})
}
