package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// Ledger keeps the groups and buckets of one campaign.
type Ledger struct {
	Tally metrics.Tally // how often the cases of the campaign have which operators

	plan        *finding.Plan
	refines     bool
	groups      map[string]*Group // by signature, and by that of the bucket
	order       []*Group          // in the order of their first verdict
	buckets     map[string]*Bucket
	bucketOrder []string
}

// New returns an empty ledger. refines says that the groups of vague signatures are told apart: reduced cases are
// needed for that.
func New(plan *finding.Plan, refines bool) *Ledger {
	return &Ledger{plan: plan, refines: refines, groups: map[string]*Group{}, buckets: map[string]*Bucket{}}
}

// Refines reports whether the groups of vague signatures are told apart.
func (l *Ledger) Refines() bool { return l.refines }

// Group returns the group of a signature; nil when there is none.
func (l *Ledger) Group(key string) *Group { return l.groups[key] }

// Groups returns all groups, in the order of their first verdict.
func (l *Ledger) Groups() []*Group { return l.order }

// Bucket returns the bucket of a vague signature; nil when there is none.
func (l *Ledger) Bucket(key string) *Bucket { return l.buckets[key] }

// BucketOf returns the bucket that a group's signature belongs to; nil when there is none.
func (l *Ledger) BucketOf(g *Group) *Bucket { return l.buckets[g.Finding.Signature.BucketKey()] }

// Add makes a group known by its signature and in its bucket.
func (l *Ledger) Add(g *Group) {
	key := g.Finding.Signature.Key
	if l.groups[key] == nil {
		l.groups[key] = g
	}
	if !slices.Contains(l.order, g) {
		l.order = append(l.order, g)
	}
	if !g.Finding.Signature.Vague && !g.Finding.Signature.Placed() {
		return
	}
	coarse := g.Finding.Signature.BucketKey()
	b := l.buckets[coarse]
	if b == nil {
		b = &Bucket{}
		l.buckets[coarse] = b
		l.bucketOrder = append(l.bucketOrder, coarse)
		if l.groups[coarse] == nil {
			l.groups[coarse] = g
		}
	}
	if !slices.Contains(b.groups, g) {
		b.groups = append(b.groups, g)
	}
}

// AddKnown takes in a finding of an earlier run.
func (l *Ledger) AddKnown(f *finding.Finding) { l.Add(&Group{Finding: f, State: Known}) }

// Refine gives a group whose reduction has ended its refined signature. It returns false if the group already has that
// signature.
func (l *Ledger) Refine(g *Group) bool {
	f := g.Finding
	if !f.Signature.Vague && !f.Signature.Placed() || f.Signature.Skeleton != nil || f.Min == nil {
		return false
	}
	f.Signature = f.Signature.Refine(skeletonOf(f))
	l.groups[f.Signature.Key] = g
	g.Changed = true
	return true
}

// Supersede replaces a group, which ceases to exist, by another one wherever verdicts are counted.
func (l *Ledger) Supersede(gone, by *Group) {
	for key, g := range l.groups {
		if g == gone {
			l.groups[key] = by
		}
	}
	for _, b := range l.buckets {
		if i := slices.Index(b.groups, gone); i >= 0 {
			b.groups = slices.Delete(b.groups, i, i+1)
			if !slices.Contains(b.groups, by) {
				b.groups = slices.Insert(b.groups, i, by)
			}
		}
	}
	if b := l.BucketOf(gone); b != nil && !slices.Contains(b.groups, by) { // of a candidate
		b.groups = append(b.groups, by)
	}
	if gone.Finding.Dir == "" {
		l.order = slices.DeleteFunc(l.order, func(g *Group) bool { return g == gone })
	}
}

// Known returns the order that tells workers which cases they need not send: those with the given signatures, and for
// vague ones those described at Bucket. It returns nil if there is nothing to tell.
func (l *Ledger) Known(keys []string) *wire.Known {
	if len(keys) == 0 {
		return nil
	}
	o := &wire.Known{Keys: keys}
	if !l.refines {
		return o
	}
	for _, key := range keys {
		if b := l.buckets[key]; b != nil {
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

// AllKnown is Known of all groups of which more cases are of no interest.
func (l *Ledger) AllKnown() *wire.Known {
	var keys []string
	for _, g := range l.order {
		if g.Silent() {
			keys = append(keys, g.Finding.Signature.BucketKey())
		}
	}
	return l.Known(keys)
}

// TakeSides gives a disagreement the signature of a wrong answer, after a model has shown which side is wrong. If
// groups with that signature exist, it returns the first of them, which replaces the disagreement's group; otherwise it
// returns nil.
func (l *Ledger) TakeSides(g *Group) *Group {
	f := g.Finding
	if g.Bucket != nil || f.Verdict.Kind != oracle.KindDisagreement || !f.Verdict.Settled {
		return nil
	}
	signature := triage.Of(&f.Verdict, f.Plan.Signed())
	if signature.Key == f.Signature.BucketKey() {
		return nil
	}
	f.Signature, g.Changed = signature, true
	b := l.buckets[signature.Key]
	if b == nil || len(b.groups) == 0 || !l.refines {
		l.Add(g)
		return nil
	}
	l.Supersede(g, b.First())
	return b.First()
}

// TakeCandidates takes candidates out of the buckets whose groups have their skeletons: settle is given those that may
// have the cause of a group, with why, and confirm one of each bucket that may have a cause of its own.
func (l *Ledger) TakeCandidates(settle func(home *Group, f *finding.Finding, why string), confirm func(*Group)) {
	for _, key := range l.bucketOrder {
		b := l.buckets[key]
		if len(b.candidates) == 0 {
			continue
		}
		if _, ready := b.skeletons(); !ready {
			continue
		}
		for len(b.candidates) > 0 && b.Busy == nil {
			f := b.candidates[0]
			b.candidates = b.candidates[1:]
			if g, why := b.Match(f.Operators); g != nil && !f.Sampled {
				settle(g, f, why)
				continue
			}
			b.Busy = &Group{Finding: f, Bucket: b}
			confirm(b.Busy)
		}
	}
}

// DropCandidates drops the candidates that were not worked on, and returns their number.
func (l *Ledger) DropCandidates() (n int) {
	for _, key := range l.bucketOrder {
		b := l.buckets[key]
		n += len(b.candidates)
		b.candidates = nil
	}
	return n
}

// CandidatesLeft counts the candidates that wait or are looked at.
func (l *Ledger) CandidatesLeft() (n int) {
	for _, key := range l.bucketOrder {
		b := l.buckets[key]
		n += len(b.candidates)
		if b.Busy != nil {
			n++
		}
	}
	return n
}

// Unbooked returns the findings, and the verdicts that may become findings, whose counts have changed since the last
// report to the store.
func (l *Ledger) Unbooked() (out []*finding.Finding) {
	add := func(f *finding.Finding) {
		if f.Count > f.Booked {
			out = append(out, f)
		}
	}
	for _, g := range l.order {
		add(g.Finding)
	}
	for _, key := range l.bucketOrder {
		b := l.buckets[key]
		for _, f := range b.candidates {
			add(f)
		}
		if b.Busy != nil {
			add(b.Busy.Finding)
		}
	}
	return out
}

// HomeOf decides about a candidate that was confirmed and reduced, or could not be: it returns the group with the same
// cause, and the reason. It returns nil if the candidate has a cause of its own; from then on it is a group of its own.
func (l *Ledger) HomeOf(g *Group) (*Group, string) {
	b, f := g.Bucket, g.Finding
	b.Busy = nil
	if f.Hits == 0 || g.NotApart {
		if home, why := b.Match(f.Operators); home != nil {
			return home, why
		}
		return b.First(), "same " + b.First().VagueText() + "; it did not reproduce"
	}
	skeleton, complete := skeletonOf(f), f.Min != nil && f.Reduced.Reason == ""
	f.Signature = f.Signature.Refine(skeleton)
	if home := l.groups[f.Signature.Key]; home != nil && home != g { // perhaps of a finding that was joined to it
		return home, "reduced to the same operators: " + strings.Join(skeleton, " ")
	}
	for _, other := range b.groups {
		s := other.Finding.Signature.Skeleton
		switch {
		case s == nil || f.Signature.Placed() && other.Finding.Signature.Placed(): // then the stacks tell
			continue
		case slices.Equal(s, skeleton):
			return other, "reduced to the same operators: " + strings.Join(s, " ")
		case !complete && triage.Within(s, skeleton):
			return other, "its reduction ended early and has all operators of the other one: " + strings.Join(s, " ")
		case l.explains(&other.Finding.Signature, skeleton):
			return other, fmt.Sprintf("reduced to %s, which has all of the other one: %s", strings.Join(skeleton, " "), strings.Join(s, " "))
		}
	}
	g.Bucket = nil
	if !f.Signature.Placed() {
		f.Slug = triage.RefinedSlug(f.Slug, skeleton)
	}
	l.Add(g)
	return nil, ""
}
