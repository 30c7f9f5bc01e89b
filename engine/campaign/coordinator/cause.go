package coordinator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/severity"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

// place gives a crash whose stack was unwound its signature. Where a finding has that already it counts it there, and reports
// true: whatever else differs, it is known by the functions that it died in.
func (c *coordinator) place(g *group, stack *backtrace.Stack) bool {
	f := g.f
	if stack == nil {
		return false
	}
	f.Stack = stack
	placed := f.Signature.At(&f.Verdict, f.Plan.Signed(), stack)
	if !placed.Placed() || f.Signature.Placed() {
		return false
	}
	home := c.groups[placed.Key]
	for _, shape := range c.plan.Shapes {
		if home != nil && parted(home.f.Signature.Skeleton, f.Operators, shape) {
			placed = placed.Without(shape)
			home = c.groups[placed.Key]
		}
	}
	if home == nil {
		home = c.inPlace(g, &placed)
	}
	f.Signature, g.changed = placed, true
	if home == nil || home == g {
		c.groups[placed.Key] = g
		f.Slug = triage.PlacedSlug(f.Slug, &placed)
		return false
	}
	if home.joined != nil {
		home = home.joined
	}
	if b := g.bucket; b != nil {
		b.busy = nil
	}
	c.supersede(g, home)
	c.settle(home, f, "it died in the same functions: "+strings.Join(placed.Frames, " < "))
	c.tellKnown(placed.BucketKey())
	return true
}

// knows takes in a finding of an earlier run, which is known by its signature as it was written and as it is written today.
func (c *coordinator) knows(f *finding.Finding) {
	c.addGroup(&group{f: f, state: groupKnown})
	if renewed := f.Signature.Renewed(); renewed.Key != f.Signature.Key {
		again := *f
		again.Signature = renewed
		c.addGroup(&group{f: &again, state: groupKnown})
	}
}

// placeKnown makes a finding that was stored without its stack known by that as well. Where another finding is, they are one.
func (c *coordinator) placeKnown(f *finding.Finding, stack *backtrace.Stack) {
	g := c.groups[f.Signature.Key]
	placed := f.Signature.At(&f.Verdict, f.Plan.Signed(), stack)
	if g == nil || g.joined != nil || !placed.Placed() {
		return
	}
	other := c.groups[placed.Key]
	if other == nil {
		c.groups[placed.Key] = g
		return
	}
	m, ok := c.cfg.Store.(finding.Merger)
	if !ok || other.joined != nil || other.f.Number == g.f.Number || other.f.Dir == "" || g.f.Dir == "" {
		return
	}
	to, from := other, g
	if graver(g.f, other.f) {
		to, from = g, other
	}
	if _, err := c.join(m, to, from, "they died in the same functions: "+strings.Join(placed.Frames, " < ")); err != nil {
		c.diskError(err)
	}
	c.listFindings()
}

// inPlace returns a group of the same solver that died in the same place, with more or fewer functions above it; nil for none.
func (c *coordinator) inPlace(g *group, placed *triage.Signature) *group {
	kind, _, _ := strings.Cut(placed.Text, triage.PlaceMark)
	for _, other := range c.order {
		s := &other.f.Signature
		if other == g || other.joined != nil || !s.Placed() || !strings.HasPrefix(s.Text, kind+triage.PlaceMark) || !triage.SamePlace(s.Frames, placed.Frames) {
			continue
		}
		if !slices.ContainsFunc(c.plan.Shapes, func(shape []string) bool { return parted(s.Skeleton, g.f.Operators, shape) }) {
			return other
		}
	}
	return nil
}

// parted reports whether the campaign file suppresses a shape that a reduced finding has and another case has not: then nothing
// makes them one.
func parted(skeleton, operators, shape []string) bool {
	return triage.HasShape(skeleton, shape) && !triage.HasShape(operators, shape)
}

// supersede puts a group in the place of another one, which is no more, wherever verdicts are counted.
func (c *coordinator) supersede(gone, by *group) {
	for key, g := range c.groups {
		if g == gone {
			c.groups[key] = by
		}
	}
	for _, b := range c.buckets {
		if i := slices.Index(b.groups, gone); i >= 0 {
			b.groups = slices.Delete(b.groups, i, i+1)
			if !slices.Contains(b.groups, by) {
				b.groups = slices.Insert(b.groups, i, by)
			}
		}
	}
	if b := c.buckets[gone.f.Signature.BucketKey()]; b != nil && !slices.Contains(b.groups, by) { // of a candidate
		b.groups = append(b.groups, by)
	}
	if gone.f.Dir == "" {
		c.order = slices.DeleteFunc(c.order, func(g *group) bool { return g == gone })
	}
}

// reducedOf returns what tells the cause of a group. The plan is that of the campaign, for findings that come without theirs.
func (g *group) reducedOf(p *finding.Plan) *triage.Reduced {
	r := &triage.Reduced{Verdict: &g.f.Verdict, Signature: &g.f.Signature, Operators: g.f.Operators, Case: uint64(g.f.Number) << 32}
	if g.f.Case != nil {
		r.Case = g.f.Case.Origin.Number
	}
	if g.f.Plan != nil {
		p = g.f.Plan
	}
	known := p.Signed().Solvers
	for _, t := range g.f.Verdict.Targets {
		name, _, _ := strings.Cut(t, "/")
		if s, ok := known[t]; ok {
			name = s.Name
		}
		r.Solvers = append(r.Solvers, oracle.ProductOf(name))
	}
	slices.Sort(r.Solvers)
	r.Solvers = slices.Compact(r.Solvers)
	return r
}

// joinCauses joins a group that was just reduced, and those that have its cause.
func (c *coordinator) joinCauses(g *group) {
	m, ok := c.cfg.Store.(finding.Merger)
	if !ok || g.f.Dir == "" || g.joined != nil {
		return
	}
	var done []int // a finding of an earlier run is a group for each signature that was joined to it
	for _, other := range slices.Clone(c.order) {
		if g.joined != nil {
			break
		}
		if other.joined != nil || other.f.Number == g.f.Number || other.f.Signature.Skeleton == nil && !other.reduced || other.f.Dir == "" || other.f.Flaky {
			continue
		}
		x, y := g.f.Signature.Skeleton, other.f.Signature.Skeleton
		if slices.ContainsFunc(c.plan.Shapes, func(shape []string) bool { return parted(x, y, shape) || parted(y, x, shape) }) {
			continue
		}
		to, from, why := g, other, ""
		if s := other.f.Signature.Skeleton; x != nil && y != nil && other.f.Signature.BucketKey() == g.f.Signature.BucketKey() && !g.f.Signature.Placed() && !other.f.Signature.Placed() && c.explains(&g.f.Signature, s) {
			why = fmt.Sprintf("it was reduced to %s, which has all of the other one: %s", strings.Join(s, " "), strings.Join(g.f.Signature.Skeleton, " "))
		} else if why = triage.OneCause(g.reducedOf(c.plan), other.reducedOf(c.plan), c.tally.Frequency); why != "" && !graver(g.f, other.f) {
			to, from = other, g
		}
		if why == "" {
			continue
		}
		if slices.Contains(done, from.f.Number) {
			from.joined = to
			c.supersede(from, to)
			continue
		}
		if joined, err := c.join(m, to, from, why); err != nil {
			c.diskError(err)
			return
		} else if joined {
			done = append(done, from.f.Number)
		}
	}
	c.listFindings()
}

// graver reports whether the first of two findings with one cause is the one to be shown.
func graver(a, b *finding.Finding) bool {
	x, y := severity.Of(&a.Verdict, severity.Default), severity.Of(&b.Verdict, severity.Default)
	if x == y && (a.Min == nil) != (b.Min == nil) && !a.Known && !b.Known {
		return a.Min != nil
	}
	return x < y || x == y && a.Number < b.Number
}

// join makes a finding a duplicate of another one.
func (c *coordinator) join(m finding.Merger, to, from *group, why string) (bool, error) {
	c.update(to)
	c.update(from)
	joined, err := m.Join(to.f, from.f, why)
	if err != nil || !joined {
		return false, err
	}
	from.joined = to
	c.supersede(from, to)
	switch {
	case from.seen:
		c.stats.Findings.Known--
	case from.state == groupConfirmed: // of this run
		c.stats.Findings.New--
	}
	c.stats.Findings.Duplicates += uint64(from.f.Count)
	to.f.Count, to.changed = to.f.Count+from.f.Count, true
	to.f.Booked += from.f.Count // what is not booked yet is booked by the other's signature, which is this finding's now
	c.event("joined", map[string]any{"number": from.f.Number, "to": to.f.Number, "reason": why})
	c.cfg.Print(LineFinding, fmt.Sprintf("finding %s is a duplicate of %s: %s", from.f.Dir, to.f.Dir, why))
	return true, nil
}
