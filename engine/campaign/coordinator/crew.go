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

// crew manages the workers of a campaign.
type crew struct {
	cfg     *Config
	life    *lifecycle
	events  chan event
	workers []*workerState
	nextID  int
	books   *account.Books

	// voucher is the worker that asks solvers, while it loads the campaign, whether they accept the options of the
	// campaign file; nil before there is one. vouched says that it has finished; no case begins earlier.
	voucher *workerState
	vouched bool

	checked   time.Time // when their memory was looked at
	orphansAt time.Time // when background programs left by solvers were last ended
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
	at      string    // place in the campaign file that it is executing, if that takes long
	gone    bool
	// breached says that another machine, acting for this worker, broke the worker protocol.
	breached bool
	prints   []string // while loading
	now      string   // its current activity, as reported by itself
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
	now       string // the activity that the worker reported last
	stage     string // how far a confirmation or a reduction has got
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

// addWorker adds a worker and starts the goroutines that send its orders and receive its reports.
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

// readReports passes on the reports of a worker, all available ones together.
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

// hasJobOf reports whether any worker has a job with an order of type O.
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

// openCases returns the cases that workers were given and have not finished.
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
		case w.loading || w.job == nil && w.why == "": // this idle worker can do the work
			return false
		default:
			n++
		}
	}
	return n < max(1, int(settleShare*float64(c.cfg.capacity())))
}

// killWorker kills a worker. The coordinator handles the worker's end after reading all of its output.
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

// endCases cuts cases that still run caseGrace after draining began, and kills workers that do not obey.
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
				go w.worker.EndOrphans() // in a goroutine, as it reads the system's list of all processes
			}
		}
	}
	sample := now.Sub(c.checked) >= 200*time.Millisecond
	if sample {
		c.checked = now
	}
	for _, w := range c.workers {
		if w.gone || w.why != "" || w.away { // the machine that started a process watches it
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

// addPlace adds a worker that has its jobs done by joined machines.
func (c *crew) addPlace(settles bool, plan *finding.Plan) {
	worker := c.cfg.Remote.NewWorker(func(o wire.Order) time.Duration { return c.cfg.silenceWith(o, plan) })
	c.addWorker(worker, settles).away = true
}

// openPlaces adds enough workers to keep the joined machines busy with cases. It returns the number of further jobs
// that may be handed out now.
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
