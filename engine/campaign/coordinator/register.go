package coordinator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// countDuplicate counts a verdict of case n as a duplicate in an existing group.
func (s *settling) countDuplicate(g *ledger.Group, v *finding.SignedVerdict, n uint64, why string) {
	s.stats.Findings.Duplicates++
	if g.State == ledger.Known && !g.Seen {
		s.seenAgain(g, n, v.Verdict.Summary)
	}
	g.Count(n, v.Verdict.Targets, why)
}

// settleAsDuplicate counts a candidate as a duplicate of a group.
func (s *settling) settleAsDuplicate(g *ledger.Group, f *finding.Finding, why string) {
	s.countDuplicate(g, &f.SignedVerdict, f.Case.Origin.Number, why)
	g.Finding.Count += f.Count - 1 // adds 0 for a case that is made again
	s.releaseVerdict(f)
}

// seenAgain counts and reports, once, that a finding of an earlier campaign has occurred again.
func (s *settling) seenAgain(g *ledger.Group, n uint64, summary string) {
	g.Seen = true
	s.stats.Findings.Known++
	s.journal.logEvent("known", map[string]any{"n": n, "number": g.Finding.Number, "summary": summary, "signature": g.Finding.Signature})
	s.journal.print(LineFinding, fmt.Sprintf("seen again: %s: %s", g.Finding.Dir, summary))
	s.listFindings()
}

// tellKnown tells the workers which cases they need not send.
func (s *settling) tellKnown(keys ...string) {
	if o := s.ledger.Known(keys); o != nil {
		s.control.tellWorkers(o)
	}
}

// storeConfirmed stores a confirmed finding.
func (s *settling) storeConfirmed(g *ledger.Group) {
	f := g.Finding
	flaky := f.Flaky
	f.Flaky = false
	if !s.saveFinding(f) {
		return
	}
	if flaky {
		s.stats.Findings.Flaky--
	}
	if f.Known {
		s.stats.Findings.Known++
		g.State, g.Seen = ledger.Known, true
	} else {
		s.stats.AddFound(&f.Case.Origin, s.life.elapsed().Seconds())
	}
	s.listFindings()
	s.journal.logEvent("finding", map[string]any{
		"number": f.Number, "dir": f.Dir, "kind": f.Verdict.Kind, "summary": f.Verdict.Summary, "signature": f.Signature,
		"hits": f.Hits, "tries": f.Tries, "mode": f.Mode, "n": f.Case.Origin.Number,
	})
	s.journal.print(LineFinding, fmt.Sprintf("finding %s: %s (reproduced %d of %d)", f.Dir, f.Verdict.Summary, f.Hits, f.Tries))
}

// storeFlaky stores a verdict as flaky when it fails to reproduce for the first time.
func (s *settling) storeFlaky(g *ledger.Group) {
	f := g.Finding
	if g.Silent() {
		s.tellKnown(f.Signature.Key)
	}
	if f.Flaky {
		g.Changed = true
		s.releaseVerdict(f)
		return
	}
	f.Flaky = true
	if !s.saveFinding(f) {
		return
	}
	if f.Known {
		g.State = ledger.Known
		return
	}
	s.stats.Findings.Flaky++
	s.listFindings()
	s.journal.logEvent("flaky", map[string]any{"number": f.Number, "dir": f.Dir, "summary": f.Verdict.Summary, "signature": f.Signature, "tries": f.Tries, "n": f.Case.Origin.Number})
}

// refineSignature stores a finding under its refined signature once its reduction is over.
func (s *settling) refineSignature(g *ledger.Group) {
	if s.ledger.Refine(g) {
		s.updateGroup(g)
		s.joinCauses(g)
		s.tellKnown(g.Finding.Signature.BucketKey())
	}
}

// joinCauses joins a group that was just reduced with the groups that have the same cause.
func (s *settling) joinCauses(g *ledger.Group) {
	m, ok := s.cfg.Store.(finding.Merger)
	if !ok || g.Finding.Dir == "" || g.Joined != nil {
		return
	}
	var done []int // a finding of an earlier run has one group for each signature that was joined to it
	for _, other := range slices.Clone(s.ledger.Groups()) {
		if g.Joined != nil {
			break
		}
		to, from, why := s.ledger.OneCause(g, other)
		if why == "" {
			continue
		}
		if slices.Contains(done, from.Finding.Number) {
			from.Joined = to
			s.ledger.Supersede(from, to)
			continue
		}
		if joined, err := s.joinGroups(m, to, from, why); err != nil {
			s.control.diskError(err)
			return
		} else if joined {
			done = append(done, from.Finding.Number)
		}
	}
	s.listFindings()
}

// joinGroups makes a finding a duplicate of another one.
func (s *settling) joinGroups(m finding.Merger, to, from *ledger.Group, why string) (bool, error) {
	s.updateGroup(to)
	s.updateGroup(from)
	joined, err := m.Join(to.Finding, from.Finding, why)
	if err != nil || !joined {
		return false, err
	}
	from.Joined = to
	s.ledger.Supersede(from, to)
	switch {
	case from.Seen:
		s.stats.Findings.Known--
	case from.State == ledger.Confirmed: // of this run
		s.stats.Findings.New--
	}
	s.stats.Findings.Duplicates += uint64(from.Finding.Count)
	to.Finding.Count, to.Changed = to.Finding.Count+from.Finding.Count, true
	to.Finding.Booked += from.Finding.Count // what is not booked yet is booked by the other's signature, which is this finding's now
	s.journal.logEvent("joined", map[string]any{"number": from.Finding.Number, "to": to.Finding.Number, "reason": why})
	s.journal.print(LineFinding, fmt.Sprintf("finding %s is a duplicate of %s: %s", from.Finding.Dir, to.Finding.Dir, why))
	return true, nil
}

// tellFinding passes a new finding to OnFinding, once. The store remembers this, so the next run does not report it
// again.
func (s *settling) tellFinding(g *ledger.Group) {
	f := g.Finding
	unstored := f.Dir == "" || g.Joined != nil
	if s.cfg.OnFinding == nil || g.State != ledger.Confirmed || f.Told || f.Known || unstored || s.plan.OnlyReferences(f.Verdict.Targets) {
		return
	}
	f.Told, g.Changed = true, true
	s.updateGroup(g)
	s.cfg.OnFinding(f)
}

// maxShown bounds the case that is shown, in bytes.
const maxShown = 500

// tellReduced logs the result of a reduction. It also prints the first reduced case that is small enough to read at a
// glance.
func (s *settling) tellReduced(f *finding.Finding) {
	if !s.shown && f.Min != nil && f.Number > 0 && len(f.Min.Script) <= maxShown {
		s.shown = true
		s.journal.print(LinePrint, fmt.Sprintf("finding %d in %d bytes; each is reduced like this one:\n  %s", f.Number, len(f.Min.Script), strings.ReplaceAll(strings.TrimSpace(f.Min.Script), "\n", "\n  ")))
	}
	s.journal.logEvent("reduced", map[string]any{"number": f.Number, "from": f.Reduced.From, "to": f.Reduced.To, "tests": f.Reduced.Tests, "reason": f.Reduced.Reason})
}

// updateGroups stores the counts of the groups. If there are many, it stores the rest only at the end, since each costs
// a few disk syncs.
func (s *settling) updateGroups(final bool) {
	const many = 50
	for i, g := range s.ledger.Groups() {
		if i >= many && !final {
			break
		}
		if g.State != ledger.Confirming {
			s.updateGroup(g)
		}
	}
	s.listFindings()
}

// maxLines bounds the findings listed in the statistics.
const maxLines = 200

// listFindings updates the list of findings: those that count come first, and among them the most serious.
func (s *settling) listFindings() {
	type ranked struct {
		line metrics.FindingLine
		rank triage.Severity
	}
	var list []ranked
	s.stats.Findings.NewOfReferences, s.stats.Findings.KnownOfReferences = 0, 0
	for _, g := range s.ledger.Groups() {
		f := g.Finding
		unstored := f.Dir == "" && s.cfg.Store != nil
		if g.Joined != nil || unstored || g.State == ledger.Confirming || g.State == ledger.Refuted || g.State == ledger.Known && !g.Seen {
			continue
		}
		ofReferences := s.plan.OnlyReferences(f.Verdict.Targets)
		switch {
		case !ofReferences || f.Flaky:
		case f.Known || g.State == ledger.Known:
			s.stats.Findings.KnownOfReferences++
		default:
			s.stats.Findings.NewOfReferences++
		}
		l := metrics.FindingLine{
			Number: f.Number, Dir: f.Dir, Kind: f.Verdict.Kind, Summary: f.Verdict.Summary, Flaky: f.Flaky, Known: f.Known,
			Hits: f.Hits, Tries: f.Tries, Count: f.Count, From: f.Reduced.From, OfReferences: ofReferences,
		}
		switch {
		case f.Min != nil:
			l.To = f.Reduced.To
		case g.Reduced:
			l.NotReduced = f.Reduced.Reason
		}
		list = append(list, ranked{l, triage.SeverityOf(&f.Verdict, triage.DefaultSetting)})
	}
	last := func(x bool) int { return map[bool]int{true: 1}[x] }
	slices.SortStableFunc(list, func(x, y ranked) int {
		return cmp.Or(
			last(x.line.Flaky)-last(y.line.Flaky),
			last(x.line.OfReferences)-last(y.line.OfReferences),
			cmp.Compare(x.rank, y.rank),
			cmp.Compare(x.line.Number, y.line.Number),
		)
	})
	s.stats.Findings.List = s.stats.Findings.List[:0]
	for i := range min(len(list), maxLines) {
		s.stats.Findings.List = append(s.stats.Findings.List, list[i].line)
	}
}
