package coordinator

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/confirm"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/process"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
)

// coordinator runs a campaign. One goroutine, that of Run, owns all of it; readers of worker output only send to it.
type coordinator struct {
	cfg     Config
	plan    *finding.Plan
	sources *finding.Sources // of the campaign file
	stop    finding.Stop
	events  chan event
	workers []*workerState
	nextID  int
	queue   jobQueue
	bandit  *mixture.Bandit // nil: weights do not follow the yield
	jobs    uint64

	refutations refutations
	groups      map[string]*group // by signature, and by that of the bucket
	buckets     map[string]*bucket
	bucketOrder []string
	tally       metrics.Tally
	earlier     *metrics.CellStats // what the runs before in this folder had answered
	prints      campaign.Printed   // of the campaign file
	recheckQ    []*finding.Finding
	histories   histories
	looked      bool               // the latest of a finding of the store and a reduction was the former
	settling    share              // of confirming, reducing and looking again
	unreduced   int                // findings whose reduction is left to the next run
	left        int                // verdicts that are left to the next run
	noted       time.Time          // when the progress was noted
	settledQ    []*finding.Finding // held verdicts that are settled, until the next checkpoint
	unheld      []uint64           // cases whose verdicts could not be stored: the next run makes them again
	order       []*group           // in the order of their first verdict
	confirmQ    []*group
	reduceQ     []*group
	reducing    int
	waiting     int // groups being confirmed
	stats       metrics.Stats
	window      metrics.Window
	books       *account.Books
	broken      map[string]bool

	begun     time.Time // when the plan was there
	now       time.Time
	drainFrom time.Time
	awaits    string    // what workers were at when the time was over, the last that is known
	cutAt     time.Time // running jobs are cut
	killAt    time.Time // and their workers killed
	cutSent   bool
	err       error // ends the campaign
	inRow     int   // deaths of workers without a result in between
	logged    time.Time
	published time.Time
	nextPoint float64 // run time of the next progress event
	checked   time.Time
	orphansAt time.Time // see watch
}

// event is what a worker wrote, or its end.
type event struct {
	w       *workerState
	reports []*wire.Report
	err     error
	ended   bool
}

// workerState is a worker as the coordinator sees it.
type workerState struct {
	id      int
	proc    *process.Process
	orders  chan []byte // to its writer
	loading bool
	settles bool // it confirms and reduces while others make cases
	job     *job
	since   time.Time // when it last began something
	asked   uint64    // questions about options that it has asked, ever
	why     string    // why the coordinator killed it
	at      string    // where its script is, if that takes long
	gone    bool
	prints  []string // while loading
	now     string   // what it says it does
}

// Run runs a campaign until one of its stop conditions holds or ctx is done; then it drains. The statistics are complete
// in any case; they are nil only when the campaign could not be loaded. Errors that have a fault are *LoadError.
func Run(ctx context.Context, cfg Config) (*metrics.Stats, error) {
	c := &coordinator{cfg: cfg, prints: campaign.Printed{MaxLines: campaign.AllPrintLines, MaxBytes: campaign.AllPrintBytes}, events: make(chan event, 64), groups: map[string]*group{}, buckets: map[string]*bucket{}, books: account.Open(), histories: histories{}, broken: map[string]bool{}}
	if err := c.cfg.fill(); err != nil {
		return nil, err
	}
	c.stats = metrics.Stats{Version: metrics.StatsVersion, File: cfg.File, State: metrics.StateLoading, SkippedBy: map[string]uint64{}, Seed: fmt.Sprintf("0x%x", cfg.Options.Seed)}
	c.stats.Started = time.Now()
	c.now = c.stats.Started
	defer c.killAll()
	for range c.cfg.Workers {
		if err := c.spawn(false); err != nil {
			return nil, &campaign.LoadError{Fault: campaign.FaultInternal, Err: err}
		}
	}
	err := c.loop(ctx)
	if c.plan == nil {
		return nil, err
	}
	if !c.endsAt().IsZero() { // the ends of workers are part of the time that the user gave
		c.killAll()
	}
	c.finish()
	return c.stats.Clone(), c.err
}

// loop is the life of the campaign.
func (c *coordinator) loop(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	done := ctx.Done()
	for {
		c.schedule()
		if c.plan == nil && c.err != nil {
			return c.err
		}
		if c.stats.State == metrics.StateDraining && c.idle() {
			return c.err
		}
		select {
		case ev := <-c.events:
			c.now = time.Now()
			c.handle(ev)
		case <-tick.C:
			c.now = time.Now()
		case <-done:
			done = nil
			c.now = time.Now()
			if c.plan == nil {
				return ctx.Err()
			}
			c.drain("interrupted", c.cfg.Drain/3)
		}
		c.look()
		if end := c.endsAt(); c.plan != nil && !end.IsZero() && c.now.After(end) {
			c.awaits = cmp.Or(strings.Join(c.working(), ", "), c.awaits)
		}
	}
}

// spawn starts a worker and lets it load the campaign; settles says that it makes no cases.
func (c *coordinator) spawn(settles bool) error {
	p, err := process.Start(c.cfg.Command, c.cfg.Env, c.cfg.WorkerMemory)
	if err != nil {
		return err
	}
	c.nextID++
	w := &workerState{id: c.nextID, proc: p, orders: make(chan []byte, 256), loading: true, settles: settles, since: c.now}
	c.workers = append(c.workers, w)
	go c.read(w)
	go w.write()
	o := c.cfg.Options
	o.Worker = w.id
	c.send(w, &wire.Order{Type: wire.OrderHello, Protocol: wire.ProtocolVersion, File: c.cfg.File, Options: &o, Hash: c.cfg.OnCase != nil})
	var keys []string
	for _, g := range c.order {
		if g.silent() {
			keys = append(keys, g.f.Signature.BucketKey())
		}
	}
	if o := c.knownOrder(keys); o != nil {
		c.send(w, o)
	}
	if d := c.refutations.distrust; len(d) > 0 {
		c.send(w, &wire.Order{Type: wire.OrderDistrust, Distrust: d})
	}
	return nil
}

// send writes an order. It never waits: a worker that does not read its orders is stopped or hangs, and is killed.
func (c *coordinator) send(w *workerState, o *wire.Order) {
	text, err := json.Marshal(o)
	if err != nil { // only possible for values that JSON cannot hold
		c.fail(&campaign.LoadError{Fault: campaign.FaultInternal, Err: err})
		return
	}
	select {
	case w.orders <- append(text, '\n'):
	default:
		c.kill(w, "it does not read its orders")
	}
}

// write carries orders to the worker until the coordinator closes them. Errors show as the worker's end.
func (w *workerState) write() {
	for text := range w.orders {
		_, _ = w.proc.In.Write(text)
	}
	w.proc.In.Close()
}

// read passes on what a worker writes, all complete lines that are there at once.
func (c *coordinator) read(w *workerState) {
	r := bufio.NewReaderSize(w.proc.Out, 256<<10)
	var long []byte
	ev := event{w: w}
	for {
		line, err := wire.ReadLine(r, &long)
		if err == nil {
			var rep *wire.Report
			if rep, err = wire.ParseReport(line); err == nil {
				ev.reports = append(ev.reports, rep)
				if r.Buffered() > 0 && len(ev.reports) < 64 {
					continue
				}
				c.events <- ev
				ev.reports = nil
				continue
			}
			err = fmt.Errorf("a report that is none (%v): %s", err, finding.Clip(string(line), 200))
		}
		ev.err = err
		break
	}
	c.events <- ev
	w.proc.Out.Close()
	c.events <- event{w: w, err: errors.New(w.proc.Wait()), ended: true}
}

// alive counts the workers that were not found dead.
func (c *coordinator) alive() int {
	n := 0
	for _, w := range c.workers {
		if !w.gone {
			n++
		}
	}
	return n
}

// making counts the workers that make cases.
func (c *coordinator) making() int {
	n := 0
	for _, w := range c.workers {
		if !w.gone && !w.settles {
			n++
		}
	}
	return n
}

// idle reports whether nothing is left to do.
func (c *coordinator) idle() bool {
	for _, w := range c.workers {
		if !w.gone && w.job != nil {
			return false
		}
	}
	return len(c.confirmQ) == 0 && len(c.reduceQ) == 0 && c.candidatesLeft() == 0 && (c.queue.empty() || c.stats.State == metrics.StateDraining)
}

// look does what is due by time: limits, stop conditions, statistics.
func (c *coordinator) look() {
	if c.plan == nil {
		c.watch()
		return
	}
	if c.stats.State == metrics.StateRunning {
		c.stopConditions()
	}
	if c.stats.State == metrics.StateDraining {
		c.drainLimits()
	}
	c.watch()
	c.nextCandidates()
	c.checkpoint(false)
	c.publish(false)
}

// stopConditions ends the campaign when one of them holds.
func (c *coordinator) stopConditions() {
	if why, patient := c.holds(c.stop); why != "" {
		limit := c.cfg.Drain
		if patient {
			limit *= 10
		}
		c.drain(why, limit)
		return
	}
	switch {
	case c.queue.done() && c.queue.empty() && !c.casesRunning() && len(c.recheckQ) == 0 && !c.checksRunning():
		reason := "all cases are done"
		if n := c.stats.Killed; n > 0 {
			reason = fmt.Sprintf("all cases are done but %d that workers did not survive", n)
		}
		c.drain(reason, 10*c.cfg.Drain)
	}
}

// holds says which part of a condition holds, "" for none, and whether there is time to settle what was found. The number
// of cases at the top is the queue's business.
func (c *coordinator) holds(s finding.Stop) (why string, patient bool) {
	run := c.now.Sub(c.begun)
	quiet := run - time.Duration(c.stats.Findings.Last*float64(time.Second))
	switch {
	case s.After > 0 && run >= s.After:
		return "time is over", false
	case s.Quiet > 0 && quiet >= s.Quiet && c.stats.Findings.Pending == 0:
		return "no new finding for " + s.Quiet.String(), false
	case s.Findings > 0 && c.stats.Findings.New >= s.Findings:
		return fmt.Sprintf("%d findings", c.stats.Findings.New), true
	case s.Sets == nil:
		return "", false
	}
	for _, set := range *s.Sets {
		why = ""
		for _, part := range set {
			one, _ := c.holds(part)
			if done := c.stats.Cases + c.stats.Skipped + c.stats.Killed + c.stats.Errors; one == "" && part.Cases > 0 && done >= part.Cases {
				one = fmt.Sprintf("%d cases", part.Cases)
			}
			if one == "" {
				why = ""
				break
			}
			if why != "" {
				why += ", "
			}
			why += one
		}
		if why != "" {
			return why, false
		}
	}
	return "", false
}

func (c *coordinator) casesRunning() bool {
	for _, w := range c.workers {
		if !w.gone && w.job != nil && w.job.kind == wire.OrderCases {
			return true
		}
	}
	return false
}

func (c *coordinator) checksRunning() bool {
	return slices.ContainsFunc(c.workers, func(w *workerState) bool { return !w.gone && w.job != nil && w.job.kind == wire.OrderRecheck })
}

// drain stops handing out cases. What was found is confirmed and reduced for as long as limit.
func (c *coordinator) drain(reason string, limit time.Duration) {
	if c.stats.State != metrics.StateRunning {
		return
	}
	c.stats.State, c.stats.StopReason, c.drainFrom = metrics.StateDraining, reason, c.now
	c.cutAt = c.now.Add(limit)
	c.killAt = c.cutAt.Add(c.cfg.Drain / 6)
	if end := c.endsAt(); !end.IsZero() && end.Before(c.killAt) { // the time that the user gave is for all of it
		c.cutAt = end
		c.killAt = end.Add(min(endGrace, c.cfg.Drain/6))
	}
	for _, w := range c.workers {
		if !w.gone && w.job != nil && w.job.kind == wire.OrderCases {
			c.send(w, &wire.Order{Type: wire.OrderStop})
		}
	}
	c.event("stop", map[string]any{"reason": reason})
}

// endsAt is when the time is over that the campaign was given; zero without such a limit.
func (c *coordinator) endsAt() time.Time {
	if c.stop.After == 0 {
		return time.Time{}
	}
	return c.begun.Add(c.stop.After)
}

// lateText says why the campaign took over two seconds more than the time that it was given; "" where it did not.
func (c *coordinator) lateText() string {
	end := c.endsAt()
	late := c.now.Sub(end)
	loaded := c.begun.Sub(c.stats.Started)
	if end.IsZero() || late+loaded <= lateAfter {
		return ""
	}
	var why []string
	if loaded > lateAfter/2 {
		why = append(why, fmt.Sprintf("it loaded for %.1f s, which do not count", loaded.Seconds()))
	}
	if late > lateAfter/2 {
		why = append(why, fmt.Sprintf("%.1f s went to what had to end first: %s", late.Seconds(), cmp.Or(c.awaits, "findings were written, or its processes did not end on a busy machine")))
	}
	return fmt.Sprintf("%.1f s more than the %v that it was given: %s", (late + loaded).Seconds(), c.stop.After, strings.Join(why, "; "))
}

// lateAfter is how much more time than it was given a campaign may take without a word.
const lateAfter = 2 * time.Second

// fail drains because of an error.
func (c *coordinator) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	if c.plan != nil {
		reason := firstLine(err.Error())
		if fault := (*campaign.LoadError)(nil); errors.As(err, &fault) && fault.Fault == campaign.FaultScript {
			reason = "an error in the campaign file"
		}
		c.drain(reason, c.cfg.Drain/3)
	}
}

// How long running cases may go on when a campaign ends, and how long workers may then take to obey.
const (
	caseGrace = 3 * time.Second
	cutGrace  = 5 * time.Second
	endGrace  = 1200 * time.Millisecond // after the time that the user gave
)

// drainLimits cuts what takes too long.
func (c *coordinator) drainLimits() {
	for _, w := range c.workers {
		since := c.now.Sub(c.drainFrom)
		switch {
		case w.gone || w.job == nil || w.job.kind != wire.OrderCases:
		case since > caseGrace && !w.job.cut:
			w.job.cut = true
			c.send(w, &wire.Order{Type: wire.OrderCut})
		case since > caseGrace+cutGrace:
			c.kill(w, "its case did not end when the campaign did")
		}
	}
	if c.now.Before(c.cutAt) {
		return
	}
	if !c.cutSent {
		c.cutSent = true
		for _, w := range c.workers {
			if !w.gone && w.job != nil && !w.job.cut {
				w.job.cut = true
				c.send(w, &wire.Order{Type: wire.OrderCut})
			}
		}
		c.giveUp()
	}
	if c.now.After(c.killAt) {
		for _, w := range c.workers {
			if !w.gone && w.job != nil {
				c.kill(w, "it did not end when the campaign did")
			}
		}
	}
}

// kill ends a worker; its end is handled when its output has been read to the end.
func (c *coordinator) kill(w *workerState, why string) {
	if w.why == "" {
		w.why = why
		go w.proc.Kill()
	}
}

// orphansEvery is how often programs are ended that solvers have left behind in the background.
const orphansEvery = 2 * time.Second

// watch kills workers that hang or grow.
func (c *coordinator) watch() {
	if c.now.Sub(c.orphansAt) >= orphansEvery {
		c.orphansAt = c.now
		for _, w := range c.workers {
			if !w.gone && w.why == "" {
				go w.proc.EndOrphans() // reads what the system says of all processes
			}
		}
	}
	sample := c.now.Sub(c.checked) >= 200*time.Millisecond
	if sample {
		c.checked = c.now
	}
	for _, w := range c.workers {
		if w.gone || w.why != "" {
			continue
		}
		if limit := c.patience(w); limit > 0 && c.now.Sub(w.since) > limit {
			c.kill(w, fmt.Sprintf("no sign of life for %v", limit.Round(time.Second)))
		} else if sample {
			if m := w.proc.Memory(); m > c.cfg.WorkerMemory {
				c.kill(w, fmt.Sprintf("%d MiB of memory; the limit is %d MiB", m>>20, c.cfg.WorkerMemory>>20))
			}
		}
	}
}

// patience is how long a worker may be silent.
func (c *coordinator) patience(w *workerState) time.Duration {
	switch {
	case w.loading:
		return c.cfg.LoadTime
	case w.job == nil:
		return 0
	}
	wall := c.plan.Limits.Wall
	if wall == 0 {
		wall = time.Minute
	}
	runs := wall * time.Duration(max(1, len(c.plan.Targets)))
	switch w.job.kind {
	case wire.OrderConfirm, wire.OrderRecheck:
		return c.cfg.Watchdog + confirm.MaxSequenceTime + 4*runs*time.Duration(c.plan.Confirm)
	case wire.OrderReduce:
		return c.cfg.Watchdog + c.plan.ReduceFor + 2*runs
	}
	return c.cfg.Watchdog + 2*runs
}

// killAll ends all workers and waits for their ends.
func (c *coordinator) killAll() {
	for _, w := range c.workers {
		if !w.gone {
			close(w.orders) // ends its input, so it closes its solvers and removes its folders
		}
	}
	deadline := time.After(2 * time.Second)
	for c.alive() > 0 {
		select {
		case ev := <-c.events:
			if ev.ended {
				ev.w.gone = true
				c.books.Ended(ev.w.id) // its time is in that of the ended processes now: it counts once
			}
		case <-deadline:
			for _, w := range c.workers {
				if !w.gone {
					c.kill(w, "the end")
				}
			}
		}
	}
}
