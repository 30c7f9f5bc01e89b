package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/finding"

	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

// Place gives a crash its signature after its stack was unwound. If a finding already has that signature, Place returns
// the finding's group, which replaces the crash's own: a crash is identified by the functions that it died in, whatever
// else differs. Otherwise it returns nil.
func (l *Ledger) Place(g *Group, stack *backtrace.CallStack) (home *Group, why string) {
	f := g.Finding
	if stack == nil {
		return nil, ""
	}
	f.Stack = stack
	placed := f.Signature.At(&f.Verdict, f.Plan.Signed(), stack)
	if !placed.Placed() || f.Signature.Placed() {
		return nil, ""
	}
	home = l.groups[placed.Key]
	for _, shape := range l.plan.Shapes {
		if home != nil && parted(home.Finding.Signature.Skeleton, f.Operators, shape) {
			placed = placed.Without(shape)
			home = l.groups[placed.Key]
		}
	}
	if home == nil {
		home = l.inPlace(g, &placed)
	}
	f.Signature, g.Changed = placed, true
	if home == nil || home == g {
		l.groups[placed.Key] = g
		f.Slug = triage.PlacedSlug(f.Slug, &placed)
		return nil, ""
	}
	if home.Joined != nil {
		home = home.Joined
	}
	if b := g.Bucket; b != nil {
		b.Busy = nil
	}
	l.Supersede(g, home)
	return home, diedInTheSame(&placed)
}

func diedInTheSame(placed *triage.Signature) string {
	return "died in the same functions: " + strings.Join(placed.Frames, " < ")
}

// PlaceKnown makes a finding that was stored without its stack known by the stack as well. If another stored finding
// already has that stack, it returns both and the reason why they are one: from is a duplicate of to.
func (l *Ledger) PlaceKnown(f *finding.Finding, stack *backtrace.CallStack) (to, from *Group, why string) {
	g := l.groups[f.Signature.Key]
	placed := f.Signature.At(&f.Verdict, f.Plan.Signed(), stack)
	if g == nil || g.Joined != nil || !placed.Placed() {
		return nil, nil, ""
	}
	other := l.groups[placed.Key]
	if other == nil {
		l.groups[placed.Key] = g
		return nil, nil, ""
	}
	if other.Joined != nil || other.Finding.Number == g.Finding.Number || other.Finding.Dir == "" || g.Finding.Dir == "" {
		return nil, nil, ""
	}
	to, from = other, g
	if graver(g.Finding, other.Finding) {
		to, from = g, other
	}
	return to, from, diedInTheSame(&placed)
}

// inPlace returns a group of the same solver that died in the same place, with more or fewer functions above it; nil
// for none.
func (l *Ledger) inPlace(g *Group, placed *triage.Signature) *Group {
	kind, _, _ := strings.Cut(placed.Text, triage.PlaceMark)
	for _, other := range l.order {
		s := &other.Finding.Signature
		if other == g || other.Joined != nil || !s.Placed() || !strings.HasPrefix(s.Text, kind+triage.PlaceMark) || !triage.SamePlace(s.Frames, placed.Frames) {
			continue
		}
		if !slices.ContainsFunc(l.plan.Shapes, func(shape []string) bool { return parted(s.Skeleton, g.Finding.Operators, shape) }) {
			return other
		}
	}
	return nil
}

// parted reports whether the campaign file suppresses a shape that a reduced finding has and another case has not: then
// they are never merged.
func parted(skeleton, operators, shape []string) bool {
	return triage.HasShape(skeleton, shape) && !triage.HasShape(operators, shape)
}

// explains reports whether the cause of a group is assumed for a case that was reduced to more operators. If solvers
// die in a call other than a check, that call is so telling that a case without any operator explains all others.
func (l *Ledger) explains(s *triage.Signature, skeleton []string) bool {
	if len(s.Skeleton) == 1 && s.Skeleton[0] == triage.Nothing {
		return triage.DiedInACall(s.Text) && !slices.Contains(skeleton, triage.Nothing)
	}
	return len(s.Skeleton) < len(skeleton) && triage.Explains(s.Skeleton, skeleton, l.Tally.Rare)
}

// OneCause reports whether a group that was just reduced and another one have one cause: why says so, and from is the
// one that is a duplicate of the other. why is "" where nothing tells.
func (l *Ledger) OneCause(g, other *Group) (to, from *Group, why string) {
	f, o := g.Finding, other.Finding
	if other.Joined != nil || o.Number == f.Number || o.Signature.Skeleton == nil && !other.Reduced || o.Dir == "" || o.Flaky {
		return nil, nil, ""
	}
	x, y := f.Signature.Skeleton, o.Signature.Skeleton
	if slices.ContainsFunc(l.plan.Shapes, func(shape []string) bool { return parted(x, y, shape) || parted(y, x, shape) }) {
		return nil, nil, ""
	}
	if x != nil && y != nil && o.Signature.BucketKey() == f.Signature.BucketKey() && !f.Signature.Placed() && !o.Signature.Placed() && l.explains(&f.Signature, y) {
		return g, other, fmt.Sprintf("it was reduced to %s, which has all of the other one: %s", strings.Join(y, " "), strings.Join(x, " "))
	}
	why = triage.OneCause(g.reducedOf(l.plan), other.reducedOf(l.plan), l.Tally.Frequency)
	if why != "" && !graver(f, o) {
		return other, g, why
	}
	return g, other, why
}

// graver reports whether the first of two findings with one cause is the one to be shown.
func graver(a, b *finding.Finding) bool {
	x, y := triage.SeverityOf(&a.Verdict, triage.DefaultSetting), triage.SeverityOf(&b.Verdict, triage.DefaultSetting)
	if x == y && (a.Min == nil) != (b.Min == nil) && !a.Known && !b.Known {
		return a.Min != nil
	}
	return x < y || x == y && a.Number < b.Number
}
