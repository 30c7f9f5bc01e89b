package coordinator

import (
	"errors"
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/confirm"
	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/process"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// crew is the workers of a campaign.
type crew struct {
	cfg     *Config
	life    *lifecycle
	events  chan event
	workers []*workerState
	nextID  int
	books   *account.Books

	// voucher is the worker that asks solvers, while it loads the campaign, whether they accept the options of the
	// campaign file; nil before there is one. vouched says that it has done so: no case begins before that.
	voucher *workerState
	vouched bool

	checked   time.Time // when their memory was looked at
	orphansAt time.Time // when what solvers leave behind was ended
}

// event is a message of a worker, or its end.
type event struct {
	w       *workerState
	reports []wire.Report
	err     error
	ended   bool
}

// workerState is a worker as the coordinator sees it.
type workerState struct {
	id      int
	worker  Worker
	away    bool        // a joined machine does its jobs
	orders  chan []byte // to its writer
	loading bool
	settles bool // it confirms and reduces while others make cases
	job     *job
	since   time.Time // when it last began something
	asked   uint64    // questions about options that it has asked, ever
	why     string    // why the coordinator killed it
	at      string    // where its script is, if that takes long
	gone    bool
	// breached says that another machine, acting for this worker, broke the worker protocol.
	breached bool
	prints   []string // while loading
	now      string   // what it says it does
}

// job is the present work of one worker.
type job struct {
	id        uint64
	order     wire.Order
	cases     *span            // of MakeCases
	next      uint64           // the first case without a result
	announced bool             // next has begun
	group     *ledger.Group    // of Confirm and Reduce
	finding   *finding.Finding // of Recheck
	cut       bool
	short     bool // a reduction with less time than the campaign gives each
	begun     time.Time
	now       string // what its worker said last that it does
	stage     string // what a confirmation or a reduction has come to
}

// startWorker starts a worker and lets it load the campaign; settles says that it makes no cases.
func (c *crew) startWorker(settles bool) (*workerState, error) {
	p, err := process.Start(c.cfg.Command, c.cfg.Env, c.cfg.WorkerMemory)
	if err != nil {
		return nil, err
	}
	w := c.addWorker(newPiped(p), settles)
	w.loading = true
	o := c.cfg.Options
	o.Worker = 2
	if !c.vouched && (c.voucher == nil || c.voucher.gone) {
		c.voucher, o.Worker = w, 1
	}
	return w, c.sendOrder(w, &wire.Load{Protocol: wire.ProtocolVersion, File: c.cfg.File, Options: &o, Hash: c.cfg.OnCase != nil, Modules: c.life.stats.State == metrics.StateLoading})
}

// addWorker begins to send orders to a worker and to take in what it reports.
func (c *crew) addWorker(worker Worker, settles bool) *workerState {
	c.nextID++
	w := &workerState{id: c.nextID, worker: worker, orders: make(chan []byte, 256), settles: settles, since: c.life.now}
	c.workers = append(c.workers, w)
	go c.readReports(w)
	go w.writeOrders()
	return w
}

// sendOrder writes an order. It never waits: a worker that does not read its orders is stopped or hangs, and is killed.
// An error is a fault of smtlark: it occurs only for values that JSON cannot hold.
func (c *crew) sendOrder(w *workerState, o wire.Order) error {
	text, err := wire.Marshal(o)
	if err != nil {
		return &campaign.LoadError{Fault: campaign.FaultInternal, Err: err}
	}
	select {
	case w.orders <- append(text, '\n'):
	default:
		c.killWorker(w, "it does not read its orders")
	}
	return nil
}

// sendAll sends an order to all workers that live, and to all joined machines.
func (c *crew) sendAll(o wire.Order) (err error) {
	for _, w := range c.workers {
		if !w.gone && !w.away && w.why == "" {
			err = errors.Join(err, c.sendOrder(w, o))
		}
	}
	if c.cfg.Remote != nil {
		err = errors.Join(err, c.cfg.Remote.Tell(o))
	}
	return err
}

// writeOrders carries orders to the worker until the coordinator closes them. Errors show as the worker's end.
func (w *workerState) writeOrders() {
	for text := range w.orders {
		_ = w.worker.Send(text)
	}
	w.worker.CloseOrders()
}

// readReports passes on what a worker reports, all that is there at once.
func (c *crew) readReports(w *workerState) {
	for {
		reports, err := w.worker.Receive()
		if len(reports) > 0 {
			c.events <- event{w: w, reports: reports}
		}
		if err != nil {
			c.events <- event{w: w, err: err}
			break
		}
	}
	c.events <- event{w: w, err: errors.New(w.worker.Wait()), ended: true}
}

// countWorkers counts the workers that were not found dead and for which holds returns true.
func (c *crew) countWorkers(holds func(*workerState) bool) (n int) {
	for _, w := range c.workers {
		if !w.gone && holds(w) {
			n++
		}
	}
	return n
}

// countMaking counts the workers that make cases: those of this machine, and the processes that joined machines offer.
func (c *crew) countMaking() int {
	n := c.countWorkers(func(w *workerState) bool { return !w.settles && !w.away })
	if c.cfg.Remote != nil {
		n += c.cfg.Remote.Slots()
	}
	return n
}

// hasJobOf reports whether a worker has a job of a kind.
func hasJobOf[O wire.Order](c *crew) bool {
	return c.countWorkers(func(w *workerState) bool {
		if w.job == nil {
			return false
		}
		_, ok := w.job.order.(O)
		return ok
	}) > 0
}

// hasJobs reports whether a worker has any job.
func (c *crew) hasJobs() bool {
	return c.countWorkers(func(w *workerState) bool { return w.job != nil }) > 0
}

// openCases are the cases that workers were given and have not done.
func (c *crew) openCases() (out []span) {
	for _, w := range c.workers {
		if !w.gone && w.job != nil && w.job.cases != nil {
			out = append(out, span{w.job.next, w.job.cases.to, 0})
		}
	}
	return out
}

// needSettler reports whether to start one more worker that confirms and reduces, provided that there is work for it.
func (c *crew) needSettler() bool {
	n := 0
	for _, w := range c.workers {
		switch {
		case w.gone || !w.settles:
		case w.loading || w.job == nil && w.why == "": // it takes what there is
			return false
		default:
			n++
		}
	}
	return n < max(1, int(settleShare*float64(c.cfg.capacity())))
}

// killWorker ends a worker; its end is handled when its output has been read to the end.
func (c *crew) killWorker(w *workerState, why string) {
	if w.why == "" {
		w.why = why
		go w.worker.Kill()
	}
}

// cutJob cancels the job of a worker, once.
func (c *crew) cutJob(w *workerState) {
	if !w.job.cut {
		w.job.cut = true
		_ = c.sendOrder(w, &wire.Cut{}) // which JSON can hold
	}
}

// How long running cases may go on when a campaign ends, and how long workers may then take to obey.
const (
	caseGrace = 3 * time.Second
	cutGrace  = 5 * time.Second
	endGrace  = 1200 * time.Millisecond // after the time that the user gave
)

// endCases cuts cases that go on after the campaign has begun to end, and kills workers that do not obey.
func (c *crew) endCases() {
	since := c.life.now.Sub(c.life.drainFrom)
	for _, w := range c.workers {
		switch {
		case w.gone || w.job == nil || w.job.cases == nil:
		case since > caseGrace && !w.job.cut:
			c.cutJob(w)
		case since > caseGrace+cutGrace:
			c.killWorker(w, "its case did not end when the campaign did")
		}
	}
}

// orphansEvery is the interval at which background programs that solvers have left behind are ended.
const orphansEvery = 2 * time.Second

// killHanging kills workers that hang or use too much memory. plan is nil as long as there is none.
func (c *crew) killHanging(plan *finding.Plan) {
	now := c.life.now
	if now.Sub(c.orphansAt) >= orphansEvery {
		c.orphansAt = now
		for _, w := range c.workers {
			if !w.gone && !w.away && w.why == "" {
				go w.worker.EndOrphans() // reads what the system says of all processes
			}
		}
	}
	sample := now.Sub(c.checked) >= 200*time.Millisecond
	if sample {
		c.checked = now
	}
	for _, w := range c.workers {
		if w.gone || w.why != "" || w.away { // who has started a process looks after it
			continue
		}
		if limit := c.silenceLimit(w, plan); limit > 0 && now.Sub(w.since) > limit {
			c.killWorker(w, fmt.Sprintf("no sign of life for %v", limit.Round(time.Second)))
		} else if sample {
			if m := w.worker.Memory(); m > c.cfg.WorkerMemory {
				c.killWorker(w, fmt.Sprintf("%d MiB of memory; the limit is %d MiB", m>>20, c.cfg.WorkerMemory>>20))
			}
		}
	}
}

// silenceLimit returns the time for which a worker may be silent.
func (c *crew) silenceLimit(w *workerState, plan *finding.Plan) time.Duration {
	switch {
	case w.loading:
		return c.cfg.LoadTime
	case w.job == nil:
		return 0
	}
	return c.cfg.silenceWith(w.job.order, plan)
}

// silenceWith returns the time for which a worker may be silent while it obeys an order.
func (c *Config) silenceWith(o wire.Order, plan *finding.Plan) time.Duration {
	wall := plan.Limits.Wall
	if wall == 0 {
		wall = time.Minute
	}
	runs := wall * time.Duration(max(1, len(plan.Targets)))
	switch o.(type) {
	case *wire.Confirm, *wire.Recheck:
		return c.Watchdog + confirm.MaxSequenceTime + 4*runs*time.Duration(plan.Confirm)
	case *wire.Reduce:
		return c.Watchdog + plan.ReduceFor + 2*runs
	}
	return c.Watchdog + 2*runs
}

// killAll ends all workers and waits for their ends.
func (c *crew) killAll() {
	for _, w := range c.workers {
		if !w.gone {
			close(w.orders) // ends its input, so it closes its solvers and removes its folders
		}
	}
	deadline := time.After(2 * time.Second)
	for c.countWorkers(func(*workerState) bool { return true }) > 0 {
		select {
		case ev := <-c.events:
			if ev.ended {
				ev.w.gone = true
				c.books.Ended(ev.w.id) // its time is in that of the ended processes now: it counts once
			}
		case <-deadline:
			for _, w := range c.workers {
				if !w.gone {
					c.killWorker(w, "the end")
				}
			}
		}
	}
}

// addPlace adds a worker whose jobs joined machines do.
func (c *crew) addPlace(settles bool, plan *finding.Plan) {
	worker := c.cfg.Remote.NewWorker(func(o wire.Order) time.Duration { return c.cfg.silenceWith(o, plan) })
	c.addWorker(worker, settles).away = true
}

// openPlaces opens places for as many jobs of cases as keep the joined machines busy. It returns how many more jobs may
// be given now.
func (c *crew) openPlaces(plan *finding.Plan) (free int) {
	if c.cfg.Remote == nil {
		return 0
	}
	places, wanted := 0, c.cfg.Remote.Wanted()
	for _, w := range c.workers {
		if w.away && !w.settles && !w.gone {
			places++
			if w.job != nil {
				free--
			}
		}
	}
	for ; places < wanted; places++ {
		c.addPlace(false, plan)
	}
	return free + wanted
}
