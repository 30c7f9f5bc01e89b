package coordinator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/triage"
)

// A verdict with a vague signature may have any of several causes. All verdicts with one vague signature are a bucket. The
// first one becomes a finding at once. Of the others, those are candidates whose case cannot have the cause of a finding
// of the bucket, since it lacks an operator of the reduced case; and of the rest a few, ever fewer. A candidate is
// confirmed and reduced like any other verdict, and becomes a finding of its own if it was reduced to another skeleton.
//
// Cases with one cause are not always reduced to the same operators: of a wrong answer of str.from_sbv one keeps a str.<
// that another one does without. So a group whose skeleton has all of another one's, one of them telling, and more, is
// joined to that: the store keeps it as a duplicate, with all its files, and can part them again.

// bucket is the groups with one vague signature.
type bucket struct {
	groups     []*group
	candidates []*finding.Finding
	busy       *group // the candidate that is being confirmed or reduced
	settling   share
}

// refines reports whether the groups of vague signatures are told apart: reduced cases are needed for that.
func (c *coordinator) refines() bool {
	return c.plan.Reduces && c.cfg.Store != nil && c.cfg.Case == nil
}

// skeletons are those of the groups of a bucket; ready is false while one of them is still to be reduced.
func (b *bucket) skeletons() (list [][]string, ready bool) {
	for _, g := range b.groups {
		if s := g.f.Signature.Skeleton; s != nil {
			list = append(list, s)
		} else if g.awaited || g.state == groupConfirming || g.state == groupConfirmed && !g.reduced {
			return nil, false
		}
	}
	return list, b.busy == nil
}

// match returns the group of the bucket that a case with the given operators may belong to, and why; nil when none.
func (b *bucket) match(operators []string) (*group, string) {
	for _, g := range b.groups {
		if s := g.f.Signature.Skeleton; s != nil && triage.Within(s, operators) {
			return g, fmt.Sprintf("same %s; its operators include those of the reduced case: %s", vagueText(g), strings.Join(s, " "))
		}
	}
	return nil, ""
}

// vagueText is the text of a group's signature without the skeleton.
func vagueText(g *group) string {
	text, _, _ := strings.Cut(g.f.Signature.Text, " | reduced to ")
	return text
}

// inBucket takes in a verdict whose bucket is there already.
func (c *coordinator) inBucket(b *bucket, v *finding.SignedVerdict, r *wire.Report) {
	first := b.groups[0]
	if r.Case == nil || !c.refines() || c.stats.State != metrics.StateRunning && c.keeper() == nil {
		g, why := b.match(v.Operators)
		if g == nil {
			g, why = first, "same "+vagueText(first)+"; not looked at any closer"
		}
		c.duplicate(g, v, r, why)
		return
	}
	if f := b.withCase(r.N); f != nil { // an earlier run held it and was killed before it noted that the case is done
		f.Count++
		return
	}
	f := c.newFinding(v, r)
	c.addCandidate(first, f, false)
}

// withCase returns the verdict of a case that waits in the bucket, and that no run has counted; nil when there is none.
func (b *bucket) withCase(n uint64) *finding.Finding {
	uncounted := func(f *finding.Finding) bool { return f.Count == 0 && f.Case != nil && f.Case.Origin.Number == n }
	for _, g := range b.groups {
		if g.state == groupConfirming && uncounted(g.f) {
			return g.f
		}
	}
	if b.busy != nil && uncounted(b.busy.f) {
		return b.busy.f
	}
	if i := slices.IndexFunc(b.candidates, uncounted); i >= 0 {
		return b.candidates[i]
	}
	return nil
}

// addCandidate keeps a verdict of a bucket to be looked at; held says that the store has it from an earlier run.
func (c *coordinator) addCandidate(g *group, f *finding.Finding, held bool) {
	b := c.buckets[g.f.Signature.BucketKey()]
	if len(b.candidates) >= wire.MaxCandidates && c.stats.State == metrics.StateRunning && !held {
		c.duplicate(g, &f.SignedVerdict, &wire.Report{N: f.Case.Origin.Number}, "same "+vagueText(g)+"; not looked at any closer: too many wait")
		return
	}
	if !held && !c.hold(f) || c.tooLate() {
		return
	}
	b.candidates = append(b.candidates, f)
}

// nextCandidates begins to look at candidates of buckets whose groups have their skeletons.
func (c *coordinator) nextCandidates() {
	if c.err != nil && c.keeper() != nil {
		c.leaveCandidates()
		return
	}
	for _, key := range c.bucketOrder {
		b := c.buckets[key]
		if len(b.candidates) == 0 {
			continue
		}
		if _, ready := b.skeletons(); !ready {
			continue
		}
		for len(b.candidates) > 0 && b.busy == nil {
			f := b.candidates[0]
			b.candidates = b.candidates[1:]
			if g, why := b.match(f.Operators); g != nil && !f.Sampled {
				c.settle(g, f, why)
				continue
			}
			b.busy = &group{f: f, bucket: b}
			c.toConfirm(b.busy)
		}
	}
}

// leaveCandidates leaves those that nothing was done for to the next run.
func (c *coordinator) leaveCandidates() {
	for _, key := range c.bucketOrder {
		b := c.buckets[key]
		c.left += len(b.candidates)
		b.candidates = nil
	}
}

// candidatesLeft counts the candidates that wait or are looked at.
func (c *coordinator) candidatesLeft() int {
	n := 0
	for _, key := range c.bucketOrder {
		b := c.buckets[key]
		n += len(b.candidates)
		if b.busy != nil {
			n++
		}
	}
	return n
}

// settle counts a candidate as a duplicate of a group.
func (c *coordinator) settle(g *group, f *finding.Finding, why string) {
	c.duplicate(g, &f.SignedVerdict, &wire.Report{N: f.Case.Origin.Number}, why)
	g.f.Count += f.Count - 1 // 0 where its case is made again
	c.unhold(f)
}

// candidateDone decides about a candidate that was confirmed and reduced, or could not be.
func (c *coordinator) candidateDone(g *group) {
	b := g.bucket
	b.busy = nil
	f := g.f
	if f.Hits == 0 {
		home, why := b.match(f.Operators)
		if home == nil {
			home, why = b.groups[0], "same "+vagueText(b.groups[0])+"; it did not reproduce"
		}
		c.settle(home, f, why)
		return
	}
	skeleton, complete := skeletonOf(f), f.Min != nil && f.Reduced.Reason == ""
	f.Signature = f.Signature.Refine(skeleton)
	if home := c.groups[f.Signature.Key]; home != nil && home != g { // perhaps of a finding that was joined to it
		c.settle(home, f, "reduced to the same operators: "+strings.Join(skeleton, " "))
		return
	}
	for _, other := range b.groups {
		s := other.f.Signature.Skeleton
		switch {
		case s == nil || f.Signature.Placed() && other.f.Signature.Placed(): // then the stacks tell
			continue
		case slices.Equal(s, skeleton):
			c.settle(other, f, "reduced to the same operators: "+strings.Join(s, " "))
			return
		case !complete && triage.Within(s, skeleton):
			c.settle(other, f, "its reduction ended early and has all operators of the other one: "+strings.Join(s, " "))
			return
		case c.explains(&other.f.Signature, skeleton):
			c.settle(other, f, fmt.Sprintf("reduced to %s, which has all of the other one: %s", strings.Join(skeleton, " "), strings.Join(s, " ")))
			return
		}
	}
	g.bucket = nil
	if !f.Signature.Placed() {
		f.Slug = triage.RefinedSlug(f.Slug, skeleton)
	}
	c.joinBucket(g)
	c.store(g)
	c.reducedEvent(f)
	c.joinCauses(g)
	c.tellKnown(f.Signature.BucketKey())
}

// explains reports whether the cause of a group is taken for that of a case that was reduced to more operators. A call that
// solvers die in beside the checks says so much that a case without any operator explains all others.
func (c *coordinator) explains(s *triage.Signature, skeleton []string) bool {
	if len(s.Skeleton) == 1 && s.Skeleton[0] == triage.Nothing {
		return triage.DiedInACall(s.Text) && !slices.Contains(skeleton, triage.Nothing)
	}
	return len(s.Skeleton) < len(skeleton) && triage.Explains(s.Skeleton, skeleton, c.tally.Rare)
}

// joinBucket makes a group known by its signature and in its bucket.
func (c *coordinator) joinBucket(g *group) {
	key := g.f.Signature.Key
	if c.groups[key] == nil {
		c.groups[key] = g
	}
	if !slices.Contains(c.order, g) {
		c.order = append(c.order, g)
	}
	if !g.f.Signature.Vague && !g.f.Signature.Placed() {
		return
	}
	coarse := g.f.Signature.BucketKey()
	b := c.buckets[coarse]
	if b == nil {
		b = &bucket{}
		c.buckets[coarse] = b
		c.bucketOrder = append(c.bucketOrder, coarse)
		if c.groups[coarse] == nil {
			c.groups[coarse] = g
		}
	}
	if !slices.Contains(b.groups, g) {
		b.groups = append(b.groups, g)
	}
}

// refine gives a finding whose reduction is over the signature that it deserves.
func (c *coordinator) refine(g *group) {
	f := g.f
	if !f.Signature.Vague && !f.Signature.Placed() || f.Signature.Skeleton != nil || f.Min == nil {
		return
	}
	f.Signature = f.Signature.Refine(skeletonOf(f))
	c.groups[f.Signature.Key] = g
	g.changed = true
	c.update(g)
	c.joinCauses(g)
	c.tellKnown(f.Signature.BucketKey())
}

// skeletonOf returns the skeleton of the smallest case of a finding.
func skeletonOf(f *finding.Finding) []string {
	w := f.Case
	if f.Min != nil {
		w = f.Min
	}
	out := f.Operators
	_ = campaign.Protect(func() { // the case of a worker may be anything
		if small, err := w.Case(nil); err == nil {
			out = triage.Skeleton(small.Script, f.Logic)
		}
	})
	return out
}

// hold remembers a verdict that is not settled; false when the disk is full.
func (c *coordinator) hold(f *finding.Finding) bool {
	k := c.keeper()
	if k == nil {
		return true
	}
	if err := k.Hold(f); err != nil {
		c.unheld = append(c.unheld, f.Case.Origin.Number)
		c.rescue(f, err)
		return false
	}
	return true
}

// unhold settles a verdict that is held. It is forgotten with the next checkpoint, together with what follows from it.
func (c *coordinator) unhold(f *finding.Finding) {
	if c.keeper() != nil {
		c.settledQ = append(c.settledQ, f)
	}
}
