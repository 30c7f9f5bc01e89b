package coordinator

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// handle takes in what a worker wrote.
func (c *coordinator) handle(ev event) {
	w := ev.w
	for _, r := range ev.reports {
		if w.why != "" && !c.counts(r) {
			continue
		}
		if err := c.report(w, r); err != nil {
			c.event("protocol-error", map[string]any{"worker": w.id, "error": err.Error()})
			c.kill(w, "it broke the worker protocol: "+err.Error())
			break
		}
	}
	switch {
	case ev.ended:
		c.ended(w, ev.err.Error())
	case ev.err != nil && !errors.Is(ev.err, io.EOF) && !errors.Is(ev.err, io.ErrUnexpectedEOF):
		c.kill(w, ev.err.Error())
	}
}

// counts reports whether a report of a worker that is being killed still counts: results that are complete do.
func (c *coordinator) counts(r *wire.Report) bool {
	return r.Type == wire.ReportResult || r.Type == wire.ReportSkip || r.Type == wire.ReportCase
}

// report takes in one report; an error is a breach of the protocol.
func (c *coordinator) report(w *workerState, r *wire.Report) error {
	c.heard(w, r)
	if r.Type == wire.ReportBeat {
		return nil
	}
	if r.Type == wire.ReportAt { // no sign of life
		w.at = r.Text
		return nil
	}
	w.since, w.at = c.now, ""
	switch r.Type {
	case wire.ReportHello:
		if r.Protocol != wire.ProtocolVersion {
			return fmt.Errorf("version %d, want %d", r.Protocol, wire.ProtocolVersion)
		}
		return nil
	case wire.ReportPlan:
		return c.loaded(w, r)
	case wire.ReportFailed:
		return c.failed(w, r)
	case wire.ReportPrint:
		if !w.loading {
			c.show(r.Text)
		} else if c.plan == nil && len(w.prints) < maxPrints {
			w.prints = append(w.prints, r.Text)
		}
		return nil
	}
	j := w.job
	if j == nil {
		return fmt.Errorf("%q without a job", finding.Clip(r.Type, 40))
	}
	switch r.Type {
	case wire.ReportStage:
		j.stage = finding.Clip(campaign.OneLine(r.Text), 200)
		return nil
	case wire.ReportCase, wire.ReportResult, wire.ReportSkip, wire.ReportError, wire.ReportStop:
		if j.kind != wire.OrderCases {
			return fmt.Errorf("%q in a job that has no cases", r.Type)
		}
		return c.caseReport(w, j, r)
	case wire.ReportDone:
		return c.jobDone(w, j, r)
	case wire.ReportRechecked:
		if j.kind != wire.OrderRecheck || r.Job != j.id {
			return fmt.Errorf("%q for a job it was not given", r.Type)
		}
		w.job = nil
		c.spend(j)
		c.rechecked(j.finding, r)
		return nil
	case wire.ReportConfirmed, wire.ReportBest, wire.ReportReduced:
		if r.Job != j.id || j.group == nil || (j.kind == wire.OrderConfirm) != (r.Type == wire.ReportConfirmed) {
			return fmt.Errorf("%q for a job it was not given", r.Type)
		}
		if r.Type == wire.ReportBest {
			j.group.improve(r)
			return nil
		}
		w.job = nil
		c.spend(j)
		if r.Type == wire.ReportConfirmed {
			c.confirmed(j.group, r)
		} else {
			c.reduced(j.group, r, j.short || j.cut)
		}
		return nil
	}
	return fmt.Errorf("an unknown report %q", finding.Clip(r.Type, 40))
}

// loaded takes in a worker's plan; the first one starts the campaign.
func (c *coordinator) loaded(w *workerState, r *wire.Report) error {
	if !w.loading || r.Plan == nil {
		return errors.New("a plan out of turn")
	}
	w.loading = false
	c.stats.Workers.Alive = c.making()
	if c.plan != nil {
		if len(r.Plan.Targets) != len(c.plan.Targets) || !slices.EqualFunc(r.Plan.Targets, c.plan.Targets, func(a, b finding.Target) bool { return a.Name == b.Name }) {
			c.fail(&campaign.LoadError{Fault: campaign.FaultScript, Err: errors.New("the campaign file gives other targets each time it is loaded, or a solver has disappeared")})
		}
		return nil
	}
	c.showPrints(w)
	if err := fits(r.Plan, &wire.Order{Type: wire.OrderCases}); err != nil {
		c.fail(err)
		return nil
	}
	c.sources = r.Sources
	c.start(r.Plan)
	return nil
}

// maxPrints bounds the lines that a campaign file prints while it is loaded.
const maxPrints = 1000

// showPrints shows what the campaign file printed while one worker loaded it: all workers print the same.
func (c *coordinator) showPrints(w *workerState) {
	for _, text := range w.prints {
		c.show(text)
	}
	w.prints = nil
}

// start begins the campaign that a plan describes.
func (c *coordinator) start(p *finding.Plan) {
	if c.cfg.Store != nil {
		p.IdentifyBuilds()
	}
	c.plan, c.begun = p, c.now
	c.stop = c.cfg.Stop.Or(p.Stop)
	c.queue.end = c.stop.Cases
	if len(p.Parts) > 0 {
		from := uint64(0)
		if c.cfg.Resume != nil {
			from = c.cfg.Resume.Next
		}
		c.bandit = mixture.NewBandit(p.Parts, from)
		if err := mixture.NeedWeights(p.Parts, c.cfg.Case, c.cfg.Options.Weights); err != nil {
			c.fail(err)
			return
		}
	}
	if n := c.cfg.Case; n != nil {
		c.queue.next, c.queue.end = *n, *n+1
	}
	s := &c.stats
	s.State, s.Campaign, s.Technique, s.File = metrics.StateRunning, p.Name, p.Technique, p.File
	s.Labels = p.Labels
	s.Seeds, s.BrokenSeeds = p.Seeds, p.Broken-len(p.BrokenSeeds)
	s.Workers.Wanted = c.cfg.Workers
	s.API.Begin(p.Claims)
	for _, t := range p.Targets {
		s.Targets = append(s.Targets, metrics.TargetStats{Name: t.Name, Classes: map[string]uint64{}})
	}
	if c.cfg.OnPlan != nil {
		c.cfg.OnPlan(p)
	}
	if text := p.Labels.Text(); text != "" && c.cfg.Case == nil {
		c.cfg.Print(LinePrint, text)
	}
	c.event("start", map[string]any{"plan": p, "options": c.cfg.Options, "workers": c.cfg.Workers})
	c.brokenSeeds(p.BrokenSeeds) // after OnPlan, which opens the log
	if c.cfg.Store == nil {
		return
	}
	if k, ok := c.cfg.Store.(interface {
		Cells(campaign string) (*metrics.CellStats, error)
	}); ok {
		var err error
		if c.earlier, err = k.Cells(p.Name); err != nil {
			c.diskError(err)
		}
	}
	known, err := c.cfg.Store.Known()
	if err != nil {
		c.diskError(err)
		return
	}
	for _, f := range known {
		f.Count, f.Booked, f.Examples = 0, 0, nil
		c.knows(f)
	}
	c.resume()
	c.tellKnown()
}

// failed takes in that a worker could not load the campaign.
func (c *coordinator) failed(w *workerState, r *wire.Report) error {
	err := &campaign.LoadError{Fault: r.Fault, Err: errors.New(r.Text)}
	if c.plan == nil && c.err == nil {
		c.showPrints(w)
	} else {
		c.event("load-error", map[string]any{"worker": w.id, "error": r.Text})
	}
	w.why = "it could not load the campaign"
	c.fail(err)
	return nil
}

// caseReport takes in what became of a case.
func (c *coordinator) caseReport(w *workerState, j *job, r *wire.Report) error {
	if r.Type == wire.ReportCase {
		if j.announced || r.N != j.next || r.N >= j.to {
			return fmt.Errorf("case %d announced, %d expected", r.N, j.next)
		}
		j.announced, j.now = true, ""
		return nil
	}
	if !j.announced || r.N != j.next {
		return fmt.Errorf("%s for case %d, which was not announced", r.Type, r.N)
	}
	switch r.Type {
	case wire.ReportResult:
		runs, err := metrics.ParseRunCodes(r.Runs, len(c.plan.Targets))
		if err != nil {
			return fmt.Errorf("case %d: %w", r.N, err)
		}
		for _, v := range r.Verdicts {
			if r.Case == nil && c.groups[v.Signature.Key] == nil {
				return fmt.Errorf("case %d: a new verdict without its case", r.N)
			}
		}
		for i := range runs {
			if runs[i].Class != solvers.Invalid {
				c.stats.Targets[i].AddRun(&runs[i])
			}
		}
		c.stats.AddCase(metrics.CaseMade{Technique: r.Technique, Steps: r.Steps, Repeat: r.Repeat, Verdicts: len(r.Verdicts), Seconds: float64(r.Make) / 1e6})
		if c.cfg.OnCase != nil {
			c.cfg.OnCase(r.N, r.Hash)
		}
		if c.cfg.Case != nil {
			for _, d := range r.Details {
				c.cfg.Print(LineDetail, fmt.Sprintf("%s\t%s\t%.3f s", d.Target, d.Outcome, d.Wall))
			}
		}
		for _, by := range r.Suppressed {
			c.suppressed(by)
		}
		for i := range r.Verdicts {
			c.verdict(&r.Verdicts[i], r)
		}
	case wire.ReportSkip:
		c.skip(r)
	case wire.ReportStop:
		c.stats.Skipped++
		c.drain("the campaign file: "+r.Text, 10*c.cfg.Drain)
	case wire.ReportError:
		c.caseError(r)
	}
	c.settled(r.N, r)
	j.next++
	j.announced = false
	c.inRow = 0
	return nil
}

// suppressed counts a verdict that the campaign file suppresses.
func (c *coordinator) suppressed(by string) {
	f := &c.stats.Findings
	if f.SuppressedBy == nil {
		f.SuppressedBy = map[string]uint64{}
	}
	f.Suppressed++
	f.SuppressedBy[by]++
}

func (c *coordinator) skip(r *wire.Report) {
	reason := c.stats.AddSkip(r.Text)
	if c.cfg.Case != nil {
		c.cfg.Print(LineDetail, "case skipped: "+reason)
	}
	if c.stats.Skipped == maxSkipped && c.stats.Cases == 0 && c.cfg.Resume == nil && !c.cfg.KeepGoing {
		c.fail(&campaign.LoadError{Fault: campaign.FaultScript, Err: nothingMade(&c.stats)})
	}
}

// maxSkipped is how many cases may be skipped before the first one is made.
const maxSkipped = 1000

// nothingMade is the error of a campaign that makes no cases.
func nothingMade(s *metrics.Stats) error {
	reasons := slices.SortedFunc(maps.Keys(s.SkippedBy), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.SkippedBy[b], s.SkippedBy[a]), cmp.Compare(a, b))
	})
	const shown = 5
	var b strings.Builder
	fmt.Fprintf(&b, "not one of the first %d cases was made: the technique skipped them all", s.Skipped)
	for _, r := range reasons[:min(len(reasons), shown)] {
		fmt.Fprintf(&b, "\n  %8d  %s", s.SkippedBy[r], r)
	}
	if n := len(reasons) - shown; n > 0 {
		fmt.Fprintf(&b, "\n  and %d more reasons", n)
	}
	b.WriteString("\ngive it seeds that it can use, or other arguments. ")
	if l := s.Labels; l.Unknown > 0 && l.Status+l.Folder+l.Trusted == 0 {
		fmt.Fprintf(&b, "Nothing is said of the answers of the %d seeds: put them into folders sat/ and unsat/, take them for one answer (seeds = corpus.files(...).trust(\"sat\"), or --oracle), or use answer = \"unknown\". ", l.Unknown)
	}
	b.WriteString("--keep-going goes on all the same")
	return errors.New(b.String())
}

// Bounds on what goes wrong before a campaign gives up.
const (
	maxInternal   = 20 // internal errors
	maxListed     = 10 // errors and deaths that are listed
	maxLoadDeaths = 3  // deaths in a row before any plan
)

// caseError takes in that the campaign file or smtlark itself failed on a case.
func (c *coordinator) caseError(r *wire.Report) {
	c.stats.Errors++
	text := r.Text
	if !strings.Contains(text, "; replay: ") { // the host of campaign files says it itself
		text += "\n" + c.replay(r.N)
	}
	text += r.Expect
	c.event("error", map[string]any{"n": r.N, "fault": r.Fault, "error": r.Text})
	ends := r.Fault != campaign.FaultInternal && !c.cfg.KeepGoing // then whoever runs the campaign says why it ended, as the last thing
	c.listError(text, !ends)
	if r.Fault == campaign.FaultInternal {
		c.stats.Internal++
		if c.stats.Internal >= maxInternal {
			c.fail(&campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("%d internal errors, the last one: %s", c.stats.Internal, text)})
		}
		return
	}
	if ends {
		c.fail(&campaign.LoadError{Fault: r.Fault, Err: errors.New(text)})
	}
}

// listError lists an error, unless the same one was there with another case, and shows it where asked.
func (c *coordinator) listError(text string, show bool) {
	known := slices.ContainsFunc(c.stats.ErrorList, func(s string) bool { return withoutCase(s) == withoutCase(text) })
	if known || len(c.stats.ErrorList) >= maxListed {
		return
	}
	c.stats.ErrorList = append(c.stats.ErrorList, text)
	if show {
		c.cfg.Print(LineWarning, text)
	}
}

// withoutCase cuts the line of an error that names its case.
func withoutCase(text string) string {
	if i := strings.LastIndex(text, "\ncase "); i >= 0 {
		return text[:i]
	}
	return text
}

// replay says how to run one case again.
func (c *coordinator) replay(n uint64) string {
	weights := ""
	if c.bandit != nil {
		epoch, _ := mixture.EpochOf(n)
		weights = testcase.Origin{Weights: c.bandit.Weights[epoch], Avoid: c.bandit.Avoid[epoch]}.MixFlags()
	}
	again := cmp.Or(c.cfg.Options.Command, "smtlark run "+c.stats.File)
	return fmt.Sprintf("case %d, seed %s; replay: %s --seed %s --case %d%s", n, c.stats.Seed, again, c.stats.Seed, n, weights)
}

// jobDone takes in the end of a range.
func (c *coordinator) jobDone(w *workerState, j *job, r *wire.Report) error {
	if r.Job != j.id || j.kind != wire.OrderCases {
		return errors.New("done with a job it was not given")
	}
	cut := j.announced && r.Next == j.next
	if r.Next != j.next || j.announced && !cut {
		return fmt.Errorf("done up to case %d, but there are results up to %d", r.Next, j.next)
	}
	c.brokenSeeds(r.Broken)
	c.stats.API.Add(r.Coverage)
	c.stats.Cells.Add(r.Cells, c.earlier, c.plan.Targets)
	c.tally.Join(r.Tally)
	if r.Next < j.to {
		c.queue.giveBack(span{j.next, j.to, 0})
	}
	w.job = nil
	return nil
}

// brokenSeeds counts seeds that workers found broken, each once, and lists the first ones.
func (c *coordinator) brokenSeeds(seeds []finding.BrokenSeed) {
	for _, s := range seeds {
		if c.broken[s.File] {
			continue
		}
		c.broken[s.File] = true
		c.stats.BrokenSeeds++
		if len(c.stats.Broken) < finding.MaxBroken {
			c.stats.Broken = append(c.stats.Broken, s)
		}
		c.event("broken-seed", map[string]any{"file": s.File, "error": s.Error})
	}
}

// ended takes in the death of a worker: its case is tried once more, the rest of its job goes to others.
func (c *coordinator) ended(w *workerState, how string) {
	w.gone = true
	c.books.Ended(w.id)
	close(w.orders)
	why := w.why
	if why == "" {
		why = how
	}
	why = whyAt(why, w.at)
	j := w.job
	w.job = nil
	c.stats.Workers.Alive = c.making()
	if c.plan == nil || w.loading {
		c.diedLoading(w, why)
		return
	}
	c.inRow++
	fields := map[string]any{"worker": w.id, "pid": w.proc.PID(), "reason": why}
	if j != nil {
		fields["job"] = j.kind
		c.spend(j)
		switch {
		case j.kind == wire.OrderCases:
			if j.announced {
				fields["case"] = j.next
			}
			c.lostCases(j, why)
		case j.kind == wire.OrderConfirm:
			c.lostConfirm(j, why)
		case j.kind == wire.OrderRecheck:
			fields["number"] = j.finding.Number
			c.unawait(c.groups[j.finding.Signature.Key])
		case j.kind == wire.OrderReduce:
			c.reduced(j.group, &wire.Report{Text: "its worker died: " + firstLine(why)}, j.short || j.cut)
		}
	}
	c.event("worker-death", fields)
	if len(c.stats.Workers.Deaths) < maxListed {
		c.stats.Workers.Deaths = append(c.stats.Workers.Deaths, firstLine(why))
	}
	c.replace(w, why)
}

// replace starts a worker in the place of a dead one.
func (c *coordinator) replace(w *workerState, why string) {
	if c.inRow > 10*c.cfg.Workers+10 {
		c.fail(&campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("workers die again and again without any result: %s", why)})
		return
	}
	if c.err != nil || c.stats.State == metrics.StateDraining && len(c.confirmQ)+len(c.reduceQ)+c.candidatesLeft() == 0 {
		return
	}
	c.stats.Workers.Restarts++
	if err := c.spawn(w.settles); err != nil {
		c.fail(&campaign.LoadError{Fault: campaign.FaultInternal, Err: err})
	}
}

// diedLoading takes in that a worker died before it had a plan.
func (c *coordinator) diedLoading(w *workerState, why string) {
	if w.why != "" && c.err != nil { // it said that the campaign cannot be loaded
		return
	}
	c.inRow++
	if c.inRow >= maxLoadDeaths {
		c.fail(&campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("a worker died while it loaded %s: %s", c.cfg.File, why)})
		return
	}
	if c.err == nil {
		c.stats.Workers.Restarts++
		if err := c.spawn(w.settles); err != nil {
			c.fail(&campaign.LoadError{Fault: campaign.FaultInternal, Err: err})
		}
	}
}

// lostCases decides about the cases of a dead worker's job.
func (c *coordinator) lostCases(j *job, why string) {
	if !j.announced {
		c.queue.giveBack(span{j.next, j.to, j.attempt})
		return
	}
	c.queue.giveBack(span{j.next + 1, j.to, 0})
	retries := 1
	if strings.HasPrefix(why, "SIGKILL") || strings.HasPrefix(why, "SIGTERM") { // from outside: the case may have no part in it
		retries = 3
	}
	if j.attempt < retries || j.cut { // nothing is known about a case that was cut
		c.queue.giveBack(span{j.next, j.next + 1, j.attempt + 1})
		return
	}
	c.settled(j.next, nil)
	c.stats.Killed++
	if len(c.stats.KilledList) < maxListed {
		c.stats.KilledList = append(c.stats.KilledList, metrics.KilledCase{Number: j.next, Reason: firstLine(why)})
	}
	c.event("case-killed", map[string]any{"n": j.next, "reason": why, "replay": c.replay(j.next)})
	c.cfg.Print(LineWarning, fmt.Sprintf("worker killed by case %d: %s", j.next, firstLine(why)))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// How often the log is written.
const (
	logEvery     = 10 * time.Second
	publishEvery = 200 * time.Millisecond
)

// publish brings the statistics up to date and passes them on.
func (c *coordinator) publish(final bool) {
	c.window.Add(c.now, c.stats.Cases)
	if !final && c.now.Sub(c.published) < publishEvery {
		return
	}
	c.published = c.now
	s := &c.stats
	s.Updated, s.Elapsed = c.now, c.now.Sub(c.begun).Seconds()
	s.Rate = c.window.Rate(c.now, s.Cases)
	s.Workers.Alive, s.Next, s.Workers.Doing = c.making(), c.queue.next, c.activities()
	s.Findings.Waiting = c.candidatesLeft() + c.left
	s.Findings.Pending, s.Findings.Reducing = c.waiting, len(c.reduceQ)+c.reducing+c.unreduced
	total := c.books.Sum()
	s.CPU.SetTotal(&total)
	s.Health = s.Warnings()
	c.cfg.Publish(s.Clone())
	if s.Elapsed >= c.nextPoint || final {
		c.event("progress", s.PointFields())
		c.nextPoint = metrics.NextPoint(s.Elapsed)
	}
	if c.logged.IsZero() {
		c.logged = c.now
	}
	if final || c.now.Sub(c.logged) >= logEvery {
		c.logged = c.now
		c.writeStats(final)
	}
}

func (c *coordinator) writeStats(final bool) {
	s := &c.stats
	c.checkpoint(true) // first: what is stored of findings has their counts
	c.updateGroups(final)
	if err := c.cfg.Log.Stats(s.Clone()); err != nil {
		c.diskError(err)
	}
}

// event adds to the log.
func (c *coordinator) event(name string, fields map[string]any) {
	if err := c.cfg.Log.Event(name, fields); err != nil {
		c.diskError(err)
	}
}

// diskError ends the campaign because something could not be stored.
func (c *coordinator) diskError(err error) {
	if c.err != nil {
		return
	}
	c.fail(&campaign.LoadError{Fault: campaign.FaultDisk, Err: err})
}
