package coordinator

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers"
)

// results processes the reports about cases.
type results struct {
	control controls
	cfg     *Config
	plan    *finding.Plan
	stats   *metrics.Stats
	journal *journal
	cases   *casePlan
	settles *settling
	earlier *metrics.CellStats // answers of the earlier runs in this folder
	broken  map[string]bool    // seeds, by their files
	edges   edgeCount

	askedAgain map[uint64]bool // cases that end the campaign according to one machine

	overBudget int // cases that exceeded their budget without ending the campaign
}

// takeCaseReport processes one report about a case of a job. An error means that the worker broke the protocol. away
// says that a joined machine sent the report.
func (t *results) takeCaseReport(j *job, r wire.Report, away bool) error {
	if r, ok := r.(*wire.Counted); ok {
		return t.takeSum(j, r)
	}
	n := numberOf(r)
	if _, ok := r.(*wire.CaseBegun); ok {
		if j.announced || n != j.next || n >= j.cases.to {
			return fmt.Errorf("case %d announced, %d expected", n, j.next)
		}
		j.announced, j.now = true, ""
		return nil
	}
	if !j.announced || n != j.next {
		return fmt.Errorf("%s for case %d, which was not announced", r.Kind(), n)
	}
	switch r := r.(type) {
	case *wire.CaseResult:
		if err := t.countResult(r); err != nil {
			return fmt.Errorf("case %d: %w", n, err)
		}
		t.cases.recordSettled(n, r.Technique, r)
	case *wire.CaseSkipped:
		t.countSkipped(r)
		t.cases.recordSettled(n, r.Technique, nil)
	case *wire.CaseStopped:
		if away && t.asksAgain(n) {
			break
		}
		t.stats.Skipped++
		t.control.drainFor("the campaign file: "+r.Reason, 10*t.cfg.Drain)
		t.cases.recordSettled(n, "", nil)
	case *wire.CaseFailed:
		if away && r.Fault != campaign.FaultInternal && t.asksAgain(n) {
			break
		}
		t.caseError(r)
		t.cases.recordSettled(n, "", nil)
	}
	j.next++
	j.announced = false
	return nil
}

// maxAskedAgain bounds the number of cases that are repeated because a machine reported that they end the campaign.
const maxAskedAgain = 1000

// asksAgain gives back a case that, according to a joined machine, ends the campaign. The case is made once more, and
// the campaign ends only if the second result says so, too. Case n is the same on every machine, so a false report
// succeeds only if the same machine gets the case both times.
func (t *results) asksAgain(n uint64) bool {
	if t.askedAgain[n] || len(t.askedAgain) >= maxAskedAgain {
		return false
	}
	if t.askedAgain == nil {
		t.askedAgain = map[uint64]bool{}
	}
	t.askedAgain[n] = true
	t.cases.giveBack(span{n, n + 1, 0})
	return true
}

// takeSum processes the summed results of several cases of a job. An error means that the machine broke the protocol.
func (t *results) takeSum(j *job, r *wire.Counted) error {
	n := r.Cases()
	if j.announced || r.N != j.next || n == 0 || n > j.cases.to-j.next {
		return fmt.Errorf("%d cases from %d summed up, %d to %d expected", n, r.N, j.next, j.cases.to)
	}
	if err := t.stats.AddSum(&r.Sum); err != nil {
		return fmt.Errorf("cases from %d: %w", r.N, err)
	}
	if t.cases.modes != nil {
		for i := range n {
			t.cases.settleMode(r.N+i, nil)
		}
	}
	j.next += n
	return nil
}

// numberOf is the number of the case that a report is about.
func numberOf(r wire.Report) uint64 {
	switch r := r.(type) {
	case *wire.CaseBegun:
		return r.N
	case *wire.CaseResult:
		return r.N
	case *wire.CaseSkipped:
		return r.N
	case *wire.CaseStopped:
		return r.N
	case *wire.CaseFailed:
		return r.N
	}
	return 0
}

// countResult counts a finished case and processes its verdicts.
func (t *results) countResult(r *wire.CaseResult) error {
	runs, err := metrics.ParseRunCodes(r.Runs, len(t.plan.Targets))
	if err != nil {
		return err
	}
	for i := range r.Verdicts {
		if r.Case == nil && !t.settles.isKnown(&r.Verdicts[i]) {
			return errors.New("a new verdict without its case")
		}
	}
	if r.Took != nil {
		if err := t.takeEdges(r); err != nil {
			return err
		}
	}
	for i := range runs {
		if runs[i].Class != solvers.Invalid {
			t.stats.Targets[i].AddRun(&runs[i])
		}
	}
	t.stats.AddCase(metrics.CaseMade{Technique: r.Technique, Steps: r.Steps, Repeat: r.Repeat, Verdicts: len(r.Verdicts), Seconds: float64(r.Make) / 1e6})
	if t.cfg.OnCase != nil {
		t.cfg.OnCase(r.N, r.Hash)
	}
	if t.cfg.Case != nil {
		for _, d := range r.Details {
			t.journal.print(LineDetail, fmt.Sprintf("%s\t%s\t%.3f s", d.Target, d.Outcome, d.Wall))
		}
	}
	for _, by := range r.Suppressed {
		t.countSuppressed(by)
	}
	for i := range r.Verdicts {
		t.settles.takeVerdict(&r.Verdicts[i], r)
	}
	return nil
}

// countSuppressed counts a verdict that the campaign file suppresses.
func (t *results) countSuppressed(by string) {
	f := &t.stats.Findings
	if f.SuppressedBy == nil {
		f.SuppressedBy = map[string]uint64{}
	}
	f.Suppressed++
	f.SuppressedBy[by]++
}

func (t *results) countSkipped(r *wire.CaseSkipped) {
	reason := t.stats.AddSkip(r.Reason)
	if t.cfg.Case != nil {
		t.journal.print(LineDetail, "case skipped: "+reason)
	}
	if t.stats.Skipped == maxSkipped && t.stats.Cases == 0 && t.cfg.Resume == nil && !t.cfg.KeepGoing {
		t.control.failWith(&campaign.LoadError{Fault: campaign.FaultScript, Err: NothingMade(t.stats, false)})
	}
}

// maxSkipped bounds how many cases may be skipped before the first one is made.
const maxSkipped = 1000

// NothingMade returns the error of a campaign whose cases were all skipped; ended says that the campaign reached its
// end this way.
func NothingMade(s *metrics.Stats, ended bool) error {
	reasons := slices.SortedFunc(maps.Keys(s.SkippedBy), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.SkippedBy[b], s.SkippedBy[a]), cmp.Compare(a, b))
	})
	const shown = 5
	var b strings.Builder
	if s.Skipped == 1 {
		b.WriteString("nothing was tested: the technique skipped the only case")
	} else {
		fmt.Fprintf(&b, "nothing was tested: not one of the first %d cases was made: the technique skipped them all", s.Skipped)
	}
	for _, r := range reasons[:min(len(reasons), shown)] {
		fmt.Fprintf(&b, "\n  %8d  %s", s.SkippedBy[r], r)
	}
	if n := len(reasons) - shown; n > 0 {
		fmt.Fprintf(&b, "\n  and %d more reasons", n)
	}
	b.WriteString("\ngive it seeds that it can use, or other arguments")
	if l := s.Labels; l.Unknown > 0 && l.Status+l.Folder+l.Trusted == 0 {
		fmt.Fprintf(&b, ". Nothing is said of the answers of the %d seeds: put them into folders sat/ and unsat/, take them for one answer (seeds = corpus.files(...).trust(\"sat\"), or --oracle), or use answer = \"unknown\"", l.Unknown)
	}
	if !ended {
		b.WriteString(". --keep-going goes on all the same")
	}
	return errors.New(b.String())
}

// maxInternal bounds the internal errors that a campaign survives.
const maxInternal = 20

const (
	// provenCases is the number of cases that must go well before a case that exceeds its budget counts as a hard case
	// instead of a mistake.
	provenCases = 100
	// maxOverBudget bounds how many such cases a campaign survives.
	maxOverBudget = 20
)

// caseError handles a case on which the campaign file or smtlark itself failed.
func (t *results) caseError(r *wire.CaseFailed) {
	t.stats.Errors++
	text := r.Text
	if !strings.Contains(text, "; replay: ") { // errors from the host of campaign files already have this text
		text += "\n" + t.control.replayCommand(r.N)
	}
	text += r.Expect
	t.journal.logEvent("error", map[string]any{"n": r.N, "fault": r.Fault, "error": r.Text})
	hard := r.OverBudget && t.stats.Cases >= provenCases && t.overBudget < maxOverBudget
	if hard {
		t.overBudget++
	}
	ends := r.Fault != campaign.FaultInternal && !t.cfg.KeepGoing && !hard // if so, the caller prints the error last, as the reason for the end
	t.journal.listError(text, !ends)
	if r.Fault == campaign.FaultInternal {
		t.stats.Internal++
		if t.stats.Internal >= maxInternal {
			t.control.failWith(&campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("%d internal errors, the last one: %s", t.stats.Internal, text)})
		}
		return
	}
	if ends {
		t.control.failWith(&campaign.LoadError{Fault: r.Fault, Err: errors.New(text)})
	}
}

// rangeDone handles the end of a range of cases. An error means that the worker broke the protocol.
func (t *results) rangeDone(j *job, r *wire.RangeDone) error {
	if r.Job != j.id || j.cases == nil {
		return errors.New("done with a job it was not given")
	}
	cut := j.announced && r.Next == j.next
	if r.Next != j.next || j.announced && !cut {
		return fmt.Errorf("done up to case %d, but there are results up to %d", r.Next, j.next)
	}
	t.brokenSeeds(r.Broken)
	t.stats.API.Add(r.Coverage)
	t.stats.Cells.Add(r.Cells, t.earlier, t.plan.Targets)
	t.stats.Options.Join(r.Options)
	t.stats.Refused.Join(r.Refused)
	t.settles.ledger.Tally.Join(r.Tally)
	if r.Next < j.cases.to {
		t.cases.giveBack(span{j.next, j.cases.to, 0})
	}
	return nil
}

// brokenSeeds counts seeds that workers found broken, each once, and lists the first ones.
func (t *results) brokenSeeds(seeds []finding.BrokenSeed) {
	for _, s := range seeds {
		if t.broken[s.File] {
			continue
		}
		t.broken[s.File] = true
		t.stats.BrokenSeeds++
		if len(t.stats.Broken) < finding.MaxBroken {
			t.stats.Broken = append(t.stats.Broken, s)
		}
		t.journal.logEvent("broken-seed", map[string]any{"file": s.File, "error": s.Error})
	}
}

// giveBackUntold requeues the cases that a dead worker had finished without reporting their results. running is the
// number, plus 1, of the case that it died on; 0 if it did not say.
func (t *results) giveBackUntold(j *job, running uint64) {
	if running <= j.next || running > j.cases.to {
		return
	}
	if running-1 > j.next {
		t.cases.giveBack(span{j.next, running - 1, 0})
	}
	j.next, j.announced = running-1, true
}

// retryLostCases requeues the cases of a dead worker's job. The case that was running is retried once, or more often
// after a kill from outside; the rest goes to others.
func (t *results) retryLostCases(j *job, why string) {
	if !j.announced {
		t.cases.giveBack(span{j.next, j.cases.to, j.cases.attempt})
		return
	}
	t.cases.giveBack(span{j.next + 1, j.cases.to, 0})
	retries := 1
	if strings.HasPrefix(why, "SIGKILL") || strings.HasPrefix(why, "SIGTERM") { // from outside: the case may have no part in it
		retries = 3
	}
	if j.cases.attempt < retries || j.cut { // nothing is known about a case that was cut
		t.cases.giveBack(span{j.next, j.next + 1, j.cases.attempt + 1})
		return
	}
	t.cases.recordSettled(j.next, "", nil)
	t.stats.Killed++
	if len(t.stats.KilledList) < maxListed {
		t.stats.KilledList = append(t.stats.KilledList, metrics.KilledCase{Number: j.next, Reason: firstLine(why)})
	}
	t.journal.logEvent("case-killed", map[string]any{"n": j.next, "reason": why, "replay": t.control.replayCommand(j.next)})
	t.journal.print(LineWarning, fmt.Sprintf("worker killed by case %d: %s", j.next, firstLine(why)))
}
