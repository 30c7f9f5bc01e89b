package coordinator

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// handleEvent processes the reports, or the end, of a worker.
func (c *coordinator) handleEvent(ev event) {
	w := ev.w
	for _, r := range ev.reports {
		if w.why != "" && !countsAfterKill(r) {
			continue
		}
		if err := c.takeReport(w, r); err != nil {
			c.journal.logEvent("protocol-error", map[string]any{"worker": w.id, "machine": w.worker.Machine(), "error": err.Error()})
			c.breach(w, err)
			break
		}
	}
	switch {
	case ev.ended:
		c.takeWorkerEnd(w, ev.err.Error())
	case ev.err != nil && !errors.Is(ev.err, io.EOF) && !errors.Is(ev.err, io.ErrUnexpectedEOF):
		c.crew.killWorker(w, ev.err.Error())
	}
}

// breach ends a worker that broke the protocol. If another machine acted for the worker, this does not count as a
// death. Otherwise, any machine that may send results could end the campaign with a few bad ones.
func (c *coordinator) breach(w *workerState, err error) {
	who := "it"
	if machine := w.worker.Machine(); machine != "" {
		who, w.breached = machine, true
		c.journal.print(LineWarning, fmt.Sprintf("%s broke the worker protocol: %v; what it has done of its job is done again", machine, err))
	}
	c.crew.killWorker(w, who+" broke the worker protocol: "+err.Error())
}

// countsAfterKill reports whether a report of a worker that is being killed still counts. Reports about cases do.
func countsAfterKill(r wire.Report) bool {
	switch r.(type) {
	case *wire.CaseResult, *wire.Counted, *wire.CaseSkipped, *wire.CaseBegun:
		return true
	}
	return false
}

// takeReport processes one report. An error means that the worker broke the protocol.
func (c *coordinator) takeReport(w *workerState, r wire.Report) error {
	if s, ok := r.(interface{ Account() account.Account }); ok {
		c.crew.books.Told(cmp.Or(w.worker.Spender(), w.id), s.Account())
	}
	switch r := r.(type) { // these two do not count as signs of life
	case *wire.Beat:
		w.takeBeat(r, c.life.now)
		return nil
	case *wire.ScriptAt:
		w.at = r.Place
		return nil
	}
	w.since, w.at = c.life.now, ""
	switch r := r.(type) {
	case *wire.Hello:
		if r.Protocol != wire.ProtocolVersion {
			return fmt.Errorf("version %d, want %d", r.Protocol, wire.ProtocolVersion)
		}
		return nil
	case *wire.Loaded:
		return c.takePlan(w, r)
	case *wire.Failed:
		if !w.loading { // it loads once
			return fmt.Errorf("%q when it had loaded the campaign", r.Kind())
		}
		c.takeLoadFailure(w, r)
		return nil
	case *wire.Printed:
		if w.away {
			return fmt.Errorf("%q by a machine that has joined", r.Kind())
		}
		if !w.loading {
			c.journal.showPrint(r.Text)
		} else if c.plan == nil && len(w.prints) < maxPrints {
			w.prints = append(w.prints, r.Text)
		}
		return nil
	}
	if w.job == nil {
		return fmt.Errorf("%q without a job", r.Kind())
	}
	return c.jobReport(w, w.job, r)
}

// jobReport processes a worker's report about its job. An error means that the worker broke the protocol.
func (c *coordinator) jobReport(w *workerState, j *job, r wire.Report) error {
	switch r := r.(type) {
	case *wire.Stage:
		j.stage = finding.Clip(campaign.OneLine(r.Text), 200)
	case *wire.CaseBegun, *wire.CaseResult, *wire.Counted, *wire.CaseSkipped, *wire.CaseFailed, *wire.CaseStopped:
		if j.cases == nil {
			return fmt.Errorf("%q in a job that has no cases", r.Kind())
		}
		if err := c.results.takeCaseReport(j, r, w.away); err != nil {
			return err
		}
		// A case ran to its end, so the campaign file itself does not kill workers.
		if !j.announced { // it is done
			c.deathsInRow = 0
		}
	case *wire.RangeDone:
		if err := c.results.rangeDone(j, r); err != nil {
			return err
		}
		w.job = nil
	case *wire.Confirmed:
		if _, ok := j.order.(*wire.Confirm); !ok || r.Job != j.id {
			return notGiven(r)
		}
		c.dispatcher.endJob(w)
		c.settling.takeConfirmation(j.group, r, w.worker.Machine())
	case *wire.Smaller:
		if _, ok := j.order.(*wire.Reduce); !ok || r.Job != j.id {
			return notGiven(r)
		}
		j.group.Improve(&r.Smallest)
	case *wire.Reduced:
		if _, ok := j.order.(*wire.Reduce); !ok || r.Job != j.id {
			return notGiven(r)
		}
		c.dispatcher.endJob(w)
		c.settling.takeReduction(j.group, r, j.short || j.cut, w.worker.Machine())
	case *wire.Rechecked:
		if _, ok := j.order.(*wire.Recheck); !ok || r.Job != j.id {
			return notGiven(r)
		}
		c.dispatcher.endJob(w)
		c.settling.takeRecheck(j.finding, r)
	default:
		return fmt.Errorf("a report that it was not asked for: %q", r.Kind())
	}
	return nil
}

// notGiven is the error of a report about a job that its worker does not have.
func notGiven(r wire.Report) error { return fmt.Errorf("%q for a job it was not given", r.Kind()) }

// takePlan processes the plan that a worker has loaded. The first plan starts the campaign.
func (c *coordinator) takePlan(w *workerState, r *wire.Loaded) error {
	if !w.loading || r.Plan == nil {
		return errors.New("a plan out of turn")
	}
	w.loading = false
	if w == c.crew.voucher {
		c.crew.vouched = true
	}
	c.stats.Workers.Alive = c.crew.countMaking()
	if c.plan != nil {
		if len(r.Plan.Targets) != len(c.plan.Targets) || !slices.EqualFunc(r.Plan.Targets, c.plan.Targets, func(a, b finding.Target) bool { return a.Name == b.Name }) {
			c.failWith(&campaign.LoadError{Fault: campaign.FaultScript, Err: errors.New("the campaign file gives other targets each time it is loaded, or a solver has disappeared")})
		}
		return nil
	}
	c.journal.showPrints(w)
	if err := checkOrder(r.Plan, &wire.MakeCases{}); err != nil {
		c.failWith(err)
		return nil
	}
	c.startCampaign(r.Plan, r.Sources)
	return nil
}

// maxPrints bounds the lines that a campaign file prints while it is loaded.
const maxPrints = 1000

// startCampaign begins the campaign that a plan describes.
func (c *coordinator) startCampaign(p *finding.Plan, sources *finding.Sources) {
	if c.cfg.Store != nil {
		p.IdentifyBuilds()
	}
	c.life.begun = c.life.now
	c.life.stop = c.cfg.Stop.Or(p.Stop)
	if err := c.cases.beginAt(c.life.stop, p, c.cfg.Resume); err != nil { // there is no campaign to end yet
		c.failWith(err)
		return
	}
	c.buildParts(p, sources)
	if err := beginEdges(&c.cfg, p, c.results, &c.cases); err != nil {
		c.plan = nil // as if the campaign could not be loaded
		c.failWith(err)
		return
	}
	s := &c.stats
	s.State, s.Campaign, s.Technique, s.File = metrics.StateRunning, p.Name, p.Technique, p.File
	s.Labels = p.Labels
	s.Seeds, s.BrokenSeeds = p.Seeds, p.Broken-len(p.BrokenSeeds)
	s.Workers.Wanted = c.cfg.capacity()
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
	c.journal.logEvent("start", map[string]any{"plan": p, "options": c.settling.options, "workers": c.cfg.Workers})
	c.results.brokenSeeds(p.BrokenSeeds) // after OnPlan, which opens the log
	if c.cfg.Store != nil {
		c.takeStock(p.Name)
	}
}

// takeStock reads the store: the findings of earlier campaigns, and the unfinished work of an earlier run of this one.
func (c *coordinator) takeStock(campaign string) {
	if k, ok := c.cfg.Store.(interface {
		Cells(campaign string) (*metrics.CellStats, error)
	}); ok {
		var err error
		if c.results.earlier, err = k.Cells(campaign); err != nil {
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
		c.settling.ledger.AddKnown(f)
	}
	if c.settling.keeper != nil {
		if err := c.resumeCampaign(c.settling.keeper); err != nil {
			c.diskError(err)
		}
	}
	if o := c.settling.ledger.AllKnown(); o != nil {
		c.tellWorkers(o)
	}
}

// resumeCampaign continues an earlier run: with its remaining cases, its unsettled verdicts and its unreduced findings.
// It also queues rechecks of the open findings.
func (c *coordinator) resumeCampaign(k finding.Keeper) error {
	if c.cfg.Resume != nil {
		c.cases.resumeFrom(c.cfg.Resume)
	}
	tried, err := k.InVain()
	if err != nil {
		return err
	}
	maps.Copy(c.settling.histories, tried)
	held, err := k.Held()
	if err != nil {
		return err
	}
	for _, f := range held {
		f.Booked = f.Count
		c.settling.takeUp(f)
	}
	again, err := k.Again()
	if err != nil {
		return err
	}
	for _, f := range again {
		if c.plan.CanJudge(f) {
			c.settling.queue.rechecks = append(c.settling.queue.rechecks, f)
			if g := c.settling.ledger.Group(f.Signature.Key); g != nil {
				g.Awaited = f.Unfinished() && c.plan.Reducible(f)
			}
		}
	}
	return nil
}

// takeLoadFailure handles the report that a worker could not load the campaign.
func (c *coordinator) takeLoadFailure(w *workerState, r *wire.Failed) {
	if c.plan == nil && c.life.err == nil {
		c.journal.showPrints(w)
	} else {
		c.journal.logEvent("load-error", map[string]any{"worker": w.id, "error": r.Text})
	}
	w.why = "it could not load the campaign"
	c.failWith(&campaign.LoadError{Fault: r.Fault, Err: errors.New(r.Text)})
}

// takeWorkerEnd handles the death of a worker: its case is tried once more, the rest of its job goes to others.
func (c *coordinator) takeWorkerEnd(w *workerState, how string) {
	w.gone = true
	c.crew.books.Ended(w.id)
	close(w.orders)
	why := w.why
	if why == "" {
		why = how
	}
	why = whyAt(why, w.at)
	j := w.job
	w.job = nil
	c.stats.Workers.Alive = c.crew.countMaking()
	if c.plan == nil || w.loading {
		c.diedLoading(w, why)
		return
	}
	if !w.breached {
		c.deathsInRow++
	}
	fields := map[string]any{"worker": w.id, "pid": w.worker.PID(), "reason": why}
	if j != nil {
		c.lostJob(j, w.worker.Number(), why, fields)
	}
	c.journal.logEvent("worker-death", fields)
	if len(c.stats.Workers.Deaths) < maxListed {
		c.stats.Workers.Deaths = append(c.stats.Workers.Deaths, firstLine(why))
	}
	c.replaceWorker(w, why)
}

// lostJob decides what happens to the job of a worker that died, and describes the job in the fields of an event.
// running is the number, plus 1, of the case that the worker ran; 0 if it did not say.
func (c *coordinator) lostJob(j *job, running uint64, why string, fields map[string]any) {
	fields["job"] = j.order.Kind()
	c.dispatcher.bookTime(j)
	switch j.order.(type) {
	case *wire.MakeCases:
		c.results.giveBackUntold(j, running)
		if j.announced {
			fields["case"] = j.next
		}
		c.results.retryLostCases(j, why)
	case *wire.Confirm:
		c.settling.lostConfirm(j.group, why)
	case *wire.Recheck:
		fields["number"] = j.finding.Number
		c.settling.endWait(c.settling.ledger.Group(j.finding.Signature.Key))
	case *wire.Reduce:
		c.settling.lostReduction(j.group, why, j.short || j.cut)
	}
}

// replaceWorker starts a worker in the place of a dead one.
func (c *coordinator) replaceWorker(w *workerState, why string) {
	if c.deathsInRow > 10*c.cfg.capacity()+10 {
		c.failWith(&campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("workers die again and again without any result: %s", why)})
		return
	}
	if c.life.err != nil || c.life.isDraining() && c.settling.queue.countUnsettled()+c.settling.ledger.CandidatesLeft() == 0 {
		return
	}
	c.stats.Workers.Restarts++
	if w.away { // the machine that had it starts another one
		return
	}
	if err := c.spawnWorker(w.settles); err != nil {
		c.failWith(&campaign.LoadError{Fault: campaign.FaultInternal, Err: err})
	}
}

// maxLoadDeaths is the number of consecutive worker deaths before there is a plan that ends a campaign.
const maxLoadDeaths = 3

// diedLoading handles the death of a worker before there is a plan.
func (c *coordinator) diedLoading(w *workerState, why string) {
	if w.why != "" && c.life.err != nil { // it said that the campaign cannot be loaded
		return
	}
	c.deathsInRow++
	if c.deathsInRow >= maxLoadDeaths {
		c.failWith(&campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("a worker died while it loaded %s: %s", c.cfg.File, why)})
		return
	}
	if c.life.err == nil {
		c.stats.Workers.Restarts++
		if err := c.spawnWorker(w.settles); err != nil {
			c.failWith(&campaign.LoadError{Fault: campaign.FaultInternal, Err: err})
		}
	}
}
