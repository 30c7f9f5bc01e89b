package coordinator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/severity"
)

// controls is what may be asked of the campaign by those who settle its verdicts.
type controls interface {
	// tellWorkers sends an order to all workers.
	tellWorkers(wire.Order)
	// runAgain has a case made again whose verdict was not looked at.
	runAgain(n uint64)
	// replayCommand says how to run one case again.
	replayCommand(n uint64) string
	// drainFor stops handing out cases. What was found is confirmed and reduced for as long as limit.
	drainFor(reason string, limit time.Duration)
	// failWith ends the campaign because of an error, and diskError because something could not be stored.
	failWith(error)
	diskError(error)
}

// register counts and stores what groups of verdicts have become, and tells of it.
type register struct {
	controls
	*journal
	*archive
	life   *lifecycle
	plan   *finding.Plan
	ledger *ledger.Ledger
	tellOf func(*finding.Finding) // each new finding; it may be nil
	shown  bool                   // a small case
}

// countDuplicate counts a verdict of case n at a group that is there already.
func (r *register) countDuplicate(g *ledger.Group, v *finding.SignedVerdict, n uint64, why string) {
	r.stats.Findings.Duplicates++
	if g.State == ledger.Known && !g.Seen {
		r.seenAgain(g, n, v.Verdict.Summary)
	}
	g.Count(n, v.Verdict.Targets, why)
}

// settleAsDuplicate counts a candidate as a duplicate of a group.
func (r *register) settleAsDuplicate(g *ledger.Group, f *finding.Finding, why string) {
	r.countDuplicate(g, &f.SignedVerdict, f.Case.Origin.Number, why)
	g.Finding.Count += f.Count - 1 // 0 where its case is made again
	r.releaseVerdict(f)
}

// seenAgain counts a finding of an earlier campaign, once.
func (r *register) seenAgain(g *ledger.Group, n uint64, summary string) {
	g.Seen = true
	r.stats.Findings.Known++
	r.logEvent("known", map[string]any{"n": n, "number": g.Finding.Number, "summary": summary, "signature": g.Finding.Signature})
	r.print(LineFinding, fmt.Sprintf("seen again: %s: %s", g.Finding.Dir, summary))
	r.listFindings()
}

// tellKnown tells the workers which cases they need not send.
func (r *register) tellKnown(keys ...string) {
	if o := r.ledger.Known(keys); o != nil {
		r.tellWorkers(o)
	}
}

// storeConfirmed stores a confirmed finding.
func (r *register) storeConfirmed(g *ledger.Group) {
	f := g.Finding
	flaky := f.Flaky
	f.Flaky = false
	if !r.saveFinding(f) {
		return
	}
	if flaky {
		r.stats.Findings.Flaky--
	}
	if f.Known {
		r.stats.Findings.Known++
		g.State, g.Seen = ledger.Known, true
	} else {
		r.stats.AddFound(&f.Case.Origin, r.life.elapsed().Seconds())
	}
	r.listFindings()
	r.logEvent("finding", map[string]any{
		"number": f.Number, "dir": f.Dir, "kind": f.Verdict.Kind, "summary": f.Verdict.Summary, "signature": f.Signature,
		"hits": f.Hits, "tries": f.Tries, "mode": f.Mode, "n": f.Case.Origin.Number,
	})
	r.print(LineFinding, fmt.Sprintf("finding %s: %s (reproduced %d of %d)", f.Dir, f.Verdict.Summary, f.Hits, f.Tries))
}

// storeFlaky stores a verdict that did not reproduce, the first time.
func (r *register) storeFlaky(g *ledger.Group) {
	f := g.Finding
	if g.Silent() {
		r.tellKnown(f.Signature.Key)
	}
	if f.Flaky {
		g.Changed = true
		r.releaseVerdict(f)
		return
	}
	f.Flaky = true
	if !r.saveFinding(f) {
		return
	}
	if f.Known {
		g.State = ledger.Known
		return
	}
	r.stats.Findings.Flaky++
	r.listFindings()
	r.logEvent("flaky", map[string]any{"number": f.Number, "dir": f.Dir, "summary": f.Verdict.Summary, "signature": f.Signature, "tries": f.Tries, "n": f.Case.Origin.Number})
}

// refineSignature stores a finding whose reduction is over under the signature that it deserves.
func (r *register) refineSignature(g *ledger.Group) {
	if r.ledger.Refine(g) {
		r.updateGroup(g)
		r.joinCauses(g)
		r.tellKnown(g.Finding.Signature.BucketKey())
	}
}

// joinCauses joins a group that was just reduced, and those that have its cause.
func (r *register) joinCauses(g *ledger.Group) {
	m, ok := r.store.(finding.Merger)
	if !ok || g.Finding.Dir == "" || g.Joined != nil {
		return
	}
	var done []int // a finding of an earlier run is a group for each signature that was joined to it
	for _, other := range slices.Clone(r.ledger.Groups()) {
		if g.Joined != nil {
			break
		}
		to, from, why := r.ledger.OneCause(g, other)
		if why == "" {
			continue
		}
		if slices.Contains(done, from.Finding.Number) {
			from.Joined = to
			r.ledger.Supersede(from, to)
			continue
		}
		if joined, err := r.joinGroups(m, to, from, why); err != nil {
			r.diskError(err)
			return
		} else if joined {
			done = append(done, from.Finding.Number)
		}
	}
	r.listFindings()
}

// joinGroups makes a finding a duplicate of another one.
func (r *register) joinGroups(m finding.Merger, to, from *ledger.Group, why string) (bool, error) {
	r.updateGroup(to)
	r.updateGroup(from)
	joined, err := m.Join(to.Finding, from.Finding, why)
	if err != nil || !joined {
		return false, err
	}
	from.Joined = to
	r.ledger.Supersede(from, to)
	switch {
	case from.Seen:
		r.stats.Findings.Known--
	case from.State == ledger.Confirmed: // of this run
		r.stats.Findings.New--
	}
	r.stats.Findings.Duplicates += uint64(from.Finding.Count)
	to.Finding.Count, to.Changed = to.Finding.Count+from.Finding.Count, true
	to.Finding.Booked += from.Finding.Count // what is not booked yet is booked by the other's signature, which is this finding's now
	r.logEvent("joined", map[string]any{"number": from.Finding.Number, "to": to.Finding.Number, "reason": why})
	r.print(LineFinding, fmt.Sprintf("finding %s is a duplicate of %s: %s", from.Finding.Dir, to.Finding.Dir, why))
	return true, nil
}

// tellFinding passes a new finding to OnFinding, once. The store remembers that, so the next run does not tell it again.
func (r *register) tellFinding(g *ledger.Group) {
	f := g.Finding
	unstored := f.Dir == "" || g.Joined != nil
	if r.tellOf == nil || g.State != ledger.Confirmed || f.Told || f.Known || unstored || r.plan.OnlyReferences(f.Verdict.Targets) {
		return
	}
	f.Told, g.Changed = true, true
	r.updateGroup(g)
	r.tellOf(f)
}

// maxShown bounds the case that is shown, in bytes.
const maxShown = 500

// tellReduced logs what a reduction came to, and shows the first case that is small enough to be read at a glance.
func (r *register) tellReduced(f *finding.Finding) {
	if !r.shown && f.Min != nil && f.Number > 0 && len(f.Min.Script) <= maxShown {
		r.shown = true
		r.print(LinePrint, fmt.Sprintf("finding %d in %d bytes; each is reduced like this one:\n  %s", f.Number, len(f.Min.Script), strings.ReplaceAll(strings.TrimSpace(f.Min.Script), "\n", "\n  ")))
	}
	r.logEvent("reduced", map[string]any{"number": f.Number, "from": f.Reduced.From, "to": f.Reduced.To, "tests": f.Reduced.Tests, "reason": f.Reduced.Reason})
}

// updateGroups stores the counts of all groups; of many groups only at the end, since each costs a few syncs of the disk.
func (r *register) updateGroups(final bool) {
	const many = 50
	for i, g := range r.ledger.Groups() {
		if i >= many && !final {
			break
		}
		if g.State != ledger.Confirming {
			r.updateGroup(g)
		}
	}
	r.listFindings()
}

// maxLines bounds the findings listed in the statistics.
const maxLines = 200

// listFindings brings the list of findings up to date: those that count come first, and of them the most serious.
func (r *register) listFindings() {
	type ranked struct {
		line metrics.FindingLine
		rank severity.Severity
	}
	var list []ranked
	r.stats.Findings.NewOfReferences, r.stats.Findings.KnownOfReferences = 0, 0
	for _, g := range r.ledger.Groups() {
		f := g.Finding
		unstored := f.Dir == "" && r.store != nil
		if g.Joined != nil || unstored || g.State == ledger.Confirming || g.State == ledger.Refuted || g.State == ledger.Known && !g.Seen {
			continue
		}
		ofReferences := r.plan.OnlyReferences(f.Verdict.Targets)
		switch {
		case !ofReferences || f.Flaky:
		case f.Known || g.State == ledger.Known:
			r.stats.Findings.KnownOfReferences++
		default:
			r.stats.Findings.NewOfReferences++
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
		list = append(list, ranked{l, severity.Of(&f.Verdict, severity.Default)})
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
	r.stats.Findings.List = r.stats.Findings.List[:0]
	for i := range min(len(list), maxLines) {
		r.stats.Findings.List = append(r.stats.Findings.List, list[i].line)
	}
}
