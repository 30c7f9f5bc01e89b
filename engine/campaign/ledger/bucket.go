package ledger

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// Bucket is the groups with one vague signature.
type Bucket struct {
	Busy  *Group        // the candidate that is being confirmed or reduced
	Spent time.Duration // time spent on confirming and reducing its verdicts

	groups     []*Group
	candidates []*finding.Finding
}

// First returns the group that the bucket began with.
func (b *Bucket) First() *Group { return b.groups[0] }

// Wait adds a candidate.
func (b *Bucket) Wait(f *finding.Finding) { b.candidates = append(b.candidates, f) }

// Waiting counts the candidates that wait.
func (b *Bucket) Waiting() int { return len(b.candidates) }

// skeletons are those of the groups of a bucket; ready is false while one of them is still to be reduced.
func (b *Bucket) skeletons() (list [][]string, ready bool) {
	for _, g := range b.groups {
		if s := g.Finding.Signature.Skeleton; s != nil {
			list = append(list, s)
		} else if g.Awaited || g.State == Confirming || g.State == Confirmed && !g.Reduced {
			return nil, false
		}
	}
	return list, b.Busy == nil
}

// Match returns the group of the bucket that a case with the given operators may belong to, and why; nil when none.
func (b *Bucket) Match(operators []string) (*Group, string) {
	for _, g := range b.groups {
		if s := g.Finding.Signature.Skeleton; s != nil && triage.Within(s, operators) {
			return g, fmt.Sprintf("same %s; its operators include those of the reduced case: %s", g.VagueText(), strings.Join(s, " "))
		}
	}
	return nil, ""
}

// Apart returns the findings whose skeletons lie entirely within the given operators of a case.
func (b *Bucket) Apart(operators []string) (list []wire.Apart) {
	for _, g := range b.groups {
		f := g.Finding
		if s := f.Signature.Skeleton; s != nil && f.Min != nil && triage.Within(s, operators) {
			list = append(list, wire.Apart{Skeleton: s, Case: f.Min})
		}
	}
	return list
}

// WithCase returns the verdict of a case that waits in the bucket, and that no run has counted; nil when there is none.
func (b *Bucket) WithCase(n uint64) *finding.Finding {
	for f, state := range b.ofCase(n) {
		if f.Count == 0 && state == Confirming {
			return f
		}
	}
	return nil
}

// OfCase returns a verdict of a case in the bucket, settled or not; nil when there is none.
func (b *Bucket) OfCase(n uint64) *finding.Finding {
	for f := range b.ofCase(n) {
		return f
	}
	return nil
}

// ofCase yields the verdicts of a case, those of groups first.
func (b *Bucket) ofCase(n uint64) iter.Seq2[*finding.Finding, State] {
	return func(yield func(*finding.Finding, State) bool) {
		is := func(f *finding.Finding) bool { return f.Case != nil && f.Case.Origin.Number == n }
		for _, g := range b.groups {
			if is(g.Finding) && !yield(g.Finding, g.State) {
				return
			}
		}
		if b.Busy != nil && is(b.Busy.Finding) && !yield(b.Busy.Finding, Confirming) {
			return
		}
		for _, f := range b.candidates {
			if is(f) && !yield(f, Confirming) {
				return
			}
		}
	}
}
