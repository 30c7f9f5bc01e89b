package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// coordinator runs a campaign: it routes the reports of workers to the parts below, and hands out the work that these
// parts request. One goroutine, that of Run, owns all of it; readers of worker output only send to it.
type coordinator struct {
	cfg       Config
	plan      *finding.Plan // nil until a worker has loaded the campaign; the parts below it are there from then on
	life      lifecycle
	stats     metrics.Stats
	journal   journal
	crew      crew
	cases     casePlan
	publisher publisher

	dispatcher *dispatcher
	results    *results
	settling   *settling

	deathsInRow int // number of worker deaths since the last result
}

// Interrupted is the stop reason of a campaign ended by a signal.
const Interrupted = "interrupted"

// Run runs a campaign until one of its stop conditions holds or ctx is done; then it drains. The statistics are
// complete even after an error; they are nil only if the campaign could not be loaded. Errors with a known fault are of
// type *LoadError.
func Run(ctx context.Context, cfg Config) (*metrics.Stats, error) {
	if err := cfg.setDefaults(); err != nil {
		return nil, err
	}
	c := newCoordinator(cfg)
	defer c.crew.killAll()
	if l := c.cfg.Loaded; l != nil { // loaded by a worker that has already checked the options with the solvers
		c.crew.vouched = true
		c.startCampaign(l.Plan, l.Sources)
	}
	for range c.cfg.Workers {
		if err := c.spawnWorker(false); err != nil {
			return nil, &campaign.LoadError{Fault: campaign.FaultInternal, Err: err}
		}
	}
	err := c.runLoop(ctx)
	if c.plan == nil {
		return nil, err
	}
	if !c.life.endsAt().IsZero() { // ending the workers counts toward the user's time limit
		c.crew.killAll()
	}
	c.finishCampaign()
	return c.stats.Clone(), c.life.err
}

func newCoordinator(cfg Config) *coordinator {
	c := &coordinator{cfg: cfg}
	c.stats = metrics.Stats{Progress: metrics.Progress{Version: metrics.StatsVersion, File: cfg.File, State: metrics.StateLoading, Seed: fmt.Sprintf("0x%x", cfg.Options.Seed)}, CaseStats: metrics.CaseStats{SkippedBy: map[string]uint64{}}}
	c.stats.Started = time.Now()
	c.life = lifecycle{stats: &c.stats, now: c.stats.Started}
	c.journal = journal{log: cfg.Log, print: cfg.Print, stats: &c.stats, onDiskError: c.diskError, printed: campaign.Printed{MaxLines: campaign.AllPrintLines, MaxBytes: campaign.AllPrintBytes}}
	c.crew = crew{cfg: &c.cfg, life: &c.life, events: make(chan event, 64), books: account.Open()}
	c.cases = casePlan{jobQueue: jobQueue{closed: cfg.Settle}, only: cfg.Case, given: &c.cfg.Options}
	return c
}

// buildParts creates the parts of the coordinator that need the plan: settling, results and dispatcher.
func (c *coordinator) buildParts(p *finding.Plan, sources *finding.Sources) {
	c.plan = p
	c.settling = newSettling(settling{
		control: c, cfg: &c.cfg, life: &c.life, plan: p, stats: &c.stats, journal: &c.journal, sources: sources,
	})
	c.results = &results{
		control: c, cfg: &c.cfg, plan: p, stats: &c.stats, journal: &c.journal, cases: &c.cases, settles: c.settling, broken: map[string]bool{},
	}
	c.dispatcher = &dispatcher{
		cfg: &c.cfg, life: &c.life, plan: p, cases: &c.cases, queue: c.settling.queue, ledger: c.settling.ledger,
		histories: c.settling.histories, journal: &c.journal, growthFailed: c.diskError,
	}
}

// runLoop handles events of workers and timer ticks until the campaign has ended.
func (c *coordinator) runLoop(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	done := ctx.Done()
	for {
		c.assignJobs()
		if c.plan == nil && c.life.err != nil {
			return c.life.err
		}
		if c.life.isDraining() && !c.crew.hasJobs() && c.settling.queue.countUnsettled() == 0 && c.settling.ledger.CandidatesLeft() == 0 { // nothing is left to do
			return c.life.err
		}
		select {
		case ev := <-c.crew.events:
			c.life.now = time.Now()
			c.handleEvent(ev)
		case <-tick.C:
			c.life.now = time.Now()
		case <-done:
			done = nil
			c.life.now = time.Now()
			if c.plan == nil {
				return ctx.Err()
			}
			c.drainFor(Interrupted, c.cfg.Drain/3)
		}
		c.checkDue()
		if c.plan != nil && c.life.timeIsOver() {
			c.life.awaits = cmp.Or(strings.Join(c.crew.describeActivities(), ", "), c.life.awaits)
		}
	}
}

// spawnWorker starts a worker and sends it the facts that the existing workers know. A worker with settles set makes no
// cases.
func (c *coordinator) spawnWorker(settles bool) error {
	if settles && c.cfg.Remote != nil {
		c.crew.addPlace(true, c.plan)
		return nil
	}
	w, err := c.crew.startWorker(settles)
	if err != nil || c.plan == nil {
		return err
	}
	if o := c.settling.ledger.AllKnown(); o != nil {
		err = c.crew.sendOrder(w, o)
	}
	if c.cases.growth != nil && !settles {
		for _, change := range c.cases.growth.All() {
			err = errors.Join(err, c.crew.sendOrder(w, &wire.Grow{News: *change}))
		}
	}
	if d := c.settling.distrust; len(d) > 0 {
		err = errors.Join(err, c.crew.sendOrder(w, &wire.DistrustSeeds{Seeds: d}))
	}
	return err
}

// tellWorkers implements controls.
func (c *coordinator) tellWorkers(o wire.Order) {
	if err := c.crew.sendAll(o); err != nil {
		c.failWith(err)
	}
}

// assignJobs gives work to workers that have none.
func (c *coordinator) assignJobs() {
	if c.plan == nil || !c.crew.vouched {
		return
	}
	free := c.crew.openPlaces(c.plan)
	for _, w := range c.crew.workers {
		if w.gone || w.loading || w.job != nil || w.why != "" || w.away && !w.settles && free <= 0 {
			continue
		}
		j := c.dispatcher.nextJob(w.settles, c.stats.Cases+c.stats.Skipped, c.stats.Workers.Alive)
		if j == nil {
			continue
		}
		w.job, w.since = j, c.life.now
		if w.away && !w.settles {
			free--
		}
		for _, change := range c.cases.takeNews() { // sent before the first order of the epoch
			c.stats.Grown.Seeds = c.cases.growth.Seeds()
			c.tellWorkers(&wire.Grow{News: *change})
		}
		if err := c.crew.sendOrder(w, j.order); err != nil {
			c.failWith(err)
		}
	}
	if c.dispatcher.wantsSettler() && c.crew.needSettler() {
		if err := c.spawnWorker(true); err != nil {
			c.failWith(&campaign.LoadError{Fault: campaign.FaultInternal, Err: err})
		}
	}
}

// checkDue does the work that is due by time: limits, stop conditions, statistics.
func (c *coordinator) checkDue() {
	if c.plan == nil {
		c.crew.killHanging(nil)
		c.publishLoading()
		return
	}
	if c.life.isRunning() {
		c.stopConditions()
	}
	if c.life.isDraining() {
		c.drainLimits()
	}
	c.crew.killHanging(c.plan)
	c.settling.nextCandidates()
	if c.settling.isCheckpointDue() {
		c.writeCheckpoint()
	}
	c.publishStats(false)
}

// writeCheckpoint stores the numbers of the cases that are done.
func (c *coordinator) writeCheckpoint() {
	c.settling.writeCheckpoint(c.cases.progress(c.crew.openCases(), c.settling.unheld), c.settling.ledger.Unbooked())
}

// stopConditions ends the campaign when one of them holds.
func (c *coordinator) stopConditions() {
	if why, patient := c.life.stopReason(c.life.stop); why != "" {
		limit := c.cfg.Drain
		if patient {
			limit *= 10
		}
		c.drainFor(why, limit)
		return
	}
	allDone := c.cases.allHandedOut() && c.cases.isEmpty() && !hasJobOf[*wire.MakeCases](&c.crew)
	if allDone && len(c.settling.queue.rechecks) == 0 && !hasJobOf[*wire.Recheck](&c.crew) {
		if c.cfg.Settle {
			c.drainFor(everythingSettled, settleTime)
			return
		}
		reason := "all cases are done"
		if n := c.stats.Killed; n > 0 {
			reason = fmt.Sprintf("all cases are done but %d that workers did not survive", n)
		}
		c.drainFor(reason, 10*c.cfg.Drain)
	}
}

// everythingSettled is the stop reason of a settle-only run that leaves nothing unsettled.
const everythingSettled = "everything is settled"

// settleTime bounds a run that only settles and has no limit of its own.
const settleTime = 1000 * time.Hour

// drainFor implements controls.
func (c *coordinator) drainFor(reason string, limit time.Duration) {
	if !c.life.beginDraining(reason, limit, c.cfg.Drain) {
		return
	}
	for _, w := range c.crew.workers {
		if !w.gone && w.job != nil && w.job.cases != nil {
			if err := c.crew.sendOrder(w, &wire.StopRange{}); err != nil {
				c.failWith(err)
			}
		}
	}
	c.journal.logEvent("stop", map[string]any{"reason": reason})
}

// drainLimits cuts jobs, and later kills workers, that take too long while the campaign drains.
func (c *coordinator) drainLimits() {
	c.crew.endCases()
	if c.life.now.Before(c.life.cutAt) {
		return
	}
	if !c.life.cutSent {
		c.life.cutSent = true
		for _, w := range c.crew.workers {
			if !w.gone && w.job != nil {
				c.crew.cutJob(w)
			}
		}
		c.settling.giveUp()
	}
	if c.life.now.After(c.life.killAt) {
		for _, w := range c.crew.workers {
			if !w.gone && w.job != nil {
				c.crew.killWorker(w, "it did not end when the campaign did")
			}
		}
	}
}

// failWith implements controls.
func (c *coordinator) failWith(err error) {
	if c.life.err == nil {
		c.life.err = err
	}
	if c.plan != nil {
		c.drainFor(c.life.reasonFor(err), c.cfg.Drain/3)
	}
}

// diskError implements controls.
func (c *coordinator) diskError(err error) {
	if c.life.err != nil {
		return
	}
	c.failWith(&campaign.LoadError{Fault: campaign.FaultDisk, Err: err})
}

// runAgain implements controls. The case counts once.
func (c *coordinator) runAgain(n uint64) {
	if c.life.isRunning() && c.cfg.Case == nil && c.stats.Cases > 0 {
		c.cases.giveBack(span{n, n + 1, 0})
		c.stats.Cases--
	}
}

// replayCommand implements controls.
func (c *coordinator) replayCommand(n uint64) string {
	again := cmp.Or(c.cfg.Options.Command, "smtlark run "+c.stats.File)
	return fmt.Sprintf("case %d, seed %s; replay: %s --seed %s --case %d%s", n, c.stats.Seed, again, c.stats.Seed, n, c.cases.mixFlags(n))
}

// finishCampaign does the last work of a campaign: it gives up unsettled verdicts, reports findings and closes the
// parts.
func (c *coordinator) finishCampaign() {
	c.life.now = time.Now()
	c.settling.giveUp()
	for _, g := range c.settling.ledger.Groups() {
		c.settling.tellFinding(g)
	}
	if g := c.cases.growth; g != nil {
		if err := g.Close(); err != nil {
			c.diskError(err)
		}
	}
	if text := c.journal.printed.Over("the campaign file"); text != "" {
		c.cfg.Print(LinePrint, text)
	}
	if c.results != nil {
		c.results.edges.countFiles(c.results.stats)
	}
	c.stats.State, c.stats.Late = metrics.StateDone, c.life.lateText()
	if left := c.leftText(); c.cfg.Settle && left != "" {
		if c.stats.StopReason == everythingSettled {
			c.stats.StopReason = "the time was over"
		}
		c.stats.StopReason += "; " + left + " left"
	}
	c.publishStats(true)
	c.journal.logEvent("end", map[string]any{"cases": c.stats.Cases, "new": c.stats.Findings.New, "flaky": c.stats.Findings.Flaky})
}

// leftText describes the verdicts and reductions that are left undone, "" if there are none.
func (c *coordinator) leftText() string {
	if c.settling == nil {
		return ""
	}
	verdicts, findings := c.settling.ledger.CandidatesLeft()+c.settling.left, len(c.settling.queue.reduces)+c.settling.queue.reducing+c.settling.unreduced
	switch {
	case verdicts > 0 && findings > 0:
		return fmt.Sprintf("%d verdicts and %d findings to reduce are", verdicts, findings)
	case verdicts > 0:
		return fmt.Sprintf("%d verdicts are", verdicts)
	case findings > 0:
		return fmt.Sprintf("%d findings to reduce are", findings)
	}
	return ""
}

// The intervals for writing the log and for publishing statistics.
const (
	logEvery     = 10 * time.Second
	publishEvery = 200 * time.Millisecond
)

// publisher remembers when statistics were passed on.
type publisher struct {
	window    metrics.Window
	published time.Time
	logged    time.Time
	nextPoint float64 // run time of the next progress event
}

// publishStats brings the statistics up to date and passes them on.
func (c *coordinator) publishStats(final bool) {
	p, s, now := &c.publisher, &c.stats, c.life.now
	p.window.Add(now, s.Cases)
	if !final && now.Sub(p.published) < publishEvery {
		return
	}
	p.published = now
	s.Updated, s.Elapsed = now, c.life.elapsed().Seconds()
	if end := c.life.endsAt(); !end.IsZero() {
		s.Left = max(0, end.Sub(now).Seconds())
	}
	s.Rate = p.window.Rate(now, s.Cases)
	s.Workers.Alive, s.Next, s.Workers.Doing = c.crew.countMaking(), c.cases.next, c.crew.describeActivities()
	if c.cfg.Remote != nil {
		s.Workers.Wanted, s.Workers.Machines = c.cfg.capacity(), c.cfg.Remote.Machines()
		if s.Workers.Wanted == 0 {
			s.Workers.Doing = append(s.Workers.Doing, "waiting for machines to join")
		}
	}
	s.Findings.Settling = c.dispatcher.toSettle(c.settling.left, c.settling.unreduced).Seconds()
	if c.cfg.Settle && !final {
		s.Workers.Doing = append(s.Workers.Doing, c.dispatcher.progressBar(hasJobOf[*wire.Recheck](&c.crew)))
	}
	if text := c.dispatcher.describePause(); text != "" {
		s.Workers.Doing = append(s.Workers.Doing, text)
	}
	s.Findings.Waiting = c.settling.ledger.CandidatesLeft() + c.settling.left
	s.Findings.WaitingLikeKnown = c.settling.ledger.CandidatesLeft() + c.settling.leftLikeKnown
	s.Findings.Pending, s.Findings.Reducing = c.settling.queue.confirmed, len(c.settling.queue.reduces)+c.settling.queue.reducing+c.settling.unreduced
	total := c.crew.books.Sum()
	s.CPU.SetTotal(&total)
	s.Health = s.Warnings()
	c.cfg.Publish(s.Clone())
	if s.Elapsed >= p.nextPoint || final {
		c.journal.logEvent("progress", map[string]any{"stats": s.Point()})
		p.nextPoint = metrics.NextPoint(s.Elapsed)
	}
	if p.logged.IsZero() {
		p.logged = now
	}
	if final || now.Sub(p.logged) >= logEvery {
		p.logged = now
		c.writeCheckpoint() // before updateGroups, which stores the findings with their counts
		c.settling.updateGroups(final)
		c.journal.keepStats()
	}
}

// publishLoading publishes the activity of workers before there is a plan. Loading can be slow on a new machine, where
// smtlark first probes which input the solvers accept.
func (c *coordinator) publishLoading() {
	p, s, now := &c.publisher, &c.stats, c.life.now
	if now.Sub(p.published) < publishEvery {
		return
	}
	p.published = now
	s.Updated, s.Elapsed = now, now.Sub(s.Started).Seconds()
	s.Workers.Alive, s.Workers.Wanted = c.crew.countMaking(), c.cfg.Workers
	if doing := c.crew.describeActivities(); len(doing) > 0 { // all workers do the same
		s.Workers.Doing = doing[:1]
	}
	c.cfg.Publish(s.Clone())
}
