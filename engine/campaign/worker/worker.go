package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/confirm"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/solvers/parcel"
)

// worker is the worker's side of the protocol: it loads the campaign file, makes cases, and runs all code that may
// crash.
type worker struct {
	ctx        context.Context
	load       campaign.Loader
	out        wire.Writer
	opts       finding.Inputs
	hash       bool
	models     bool
	ledger     *account.Ledger
	report     *reporter
	broken     map[string]bool // seeds that were reported as broken
	counts     counts
	known      knowledge
	grown      grown
	helpers    confirm.Helpers
	edges      *edges
	running    announced
	interrupts interrupts

	// Set by hello:
	plan      *campaign.Plan
	maker     *maker
	asker     *asker
	signer    *signer
	confirmer *confirm.Confirmer
}

// counts has a worker's counters of its cases between reports.
type counts struct {
	repeats repeats
	cover   metrics.Coverage
	cells   metrics.CellCoverage
	options metrics.OptionStats
	tally   metrics.Tally
	refused metrics.Refusals
}

// interrupts end a job early. They are set while the job runs.
type interrupts struct {
	stop   atomic.Bool // end the running range after its case
	cutNow atomic.Bool // and that case, too
	mu     sync.Mutex
	cut    context.CancelFunc // of the current job; nil between jobs
}

// now ends the job at once, without finishing the running case.
func (i *interrupts) now() {
	i.stop.Store(true)
	i.cutNow.Store(true)
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.cut != nil {
		i.cut()
	}
}

// reset clears interrupts that were meant for the previous job.
func (i *interrupts) reset() {
	i.stop.Store(false)
	i.cutNow.Store(false)
}

// begin sets the function that cuts the starting job; nil means that the job has ended.
func (i *interrupts) begin(cut context.CancelFunc) {
	i.mu.Lock()
	i.cut = cut
	i.mu.Unlock()
	if cut != nil && i.cutNow.Load() { // the order to cut was read before the job began
		cut()
	}
}

// announceWithin bounds the delay of reports about cases that end in quick succession.
const announceWithin = 10 * time.Millisecond

// orphanGrace is the time that a worker without a coordinator may take to clean up.
const orphanGrace = 2 * time.Second

// errWorkerDone ends a worker without an error.
var errWorkerDone = errors.New("worker is done")

// Work serves a coordinator: it reads orders from in and writes reports to out until in ends or the campaign cannot be
// loaded. When in ends in the middle of a job, everything is cancelled. If that takes longer than orphanGrace, orphan
// is called, unless it is nil: the coordinator is gone, so nobody else would end the process. number, if not nil, is
// memory that the coordinator can read after a death: the number of the running case plus 1, or 0.
func Work(ctx context.Context, in io.Reader, out io.Writer, load campaign.Loader, number *atomic.Uint64, orphan func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &worker{ctx: ctx, load: load, ledger: account.NewLedger()}
	w.out.Out = out
	if number == nil {
		number = &atomic.Uint64{}
	} else {
		w.out.Wait = announceWithin
	}
	w.running.n = number
	w.report = &reporter{out: &w.out, ledger: w.ledger, prints: campaign.Printed{MaxLines: campaign.CasePrintLines, MaxBytes: campaign.CasePrintBytes}}
	w.ctx = account.With(w.ctx, w.ledger)
	if err := w.out.Line(&wire.Hello{Protocol: wire.ProtocolVersion, PID: os.Getpid()}, true); err != nil {
		return err
	}
	orders := make(chan wire.Order, 16)
	done := make(chan struct{})
	defer close(done)
	go w.report.beat(done)
	var readErr error
	// Orders are read while a case runs, so that the end of the input stops it at once.
	go func() {
		readErr = w.read(in, orders, done)
		close(orders)
		cancel()
		if orphan != nil {
			select {
			case <-done:
			case <-time.After(orphanGrace):
				orphan()
			}
		}
	}()
	err := w.serve(orders)
	if w.plan != nil {
		w.confirmer.Close()
		closePlan(w.plan)
	}
	switch {
	case err == nil:
		return readErr
	case errors.Is(err, errWorkerDone), errors.Is(err, context.Canceled):
		return nil
	}
	return err
}

// closePlan closes the targets and the plan. It ignores errors, since there is nobody left to report them to.
func closePlan(p *campaign.Plan) {
	for _, t := range p.Targets {
		_ = t.Close()
	}
	if p.Close != nil {
		_ = p.Close()
	}
}

// read passes orders on. It executes those that must not wait for the running job itself.
func (w *worker) read(in io.Reader, orders chan<- wire.Order, done <-chan struct{}) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var long []byte
	for {
		line, err := wire.ReadLine(r, &long)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("worker: reading orders: %w", err)
		}
		o, err := wire.ParseOrder(line)
		if err != nil {
			return fmt.Errorf("worker: an order that cannot be read: %w", err)
		}
		switch o := o.(type) {
		case *wire.StopRange:
			w.interrupts.stop.Store(true)
		case *wire.Cut:
			w.interrupts.now()
		case *wire.Forget:
			w.known.forget(o.Keys)
		case *wire.DistrustSeeds:
			w.known.distrustSeeds(o.Seeds)
		case *wire.Known:
			w.known.learn(o)
		case *wire.Grow:
			w.grown.learn(&o.News)
		case *wire.HelperCount:
			w.helpers.Count(o)
		case *wire.Tried:
			w.helpers.Hear(o)
		default:
			w.interrupts.reset() // reset here and not at the start of the job, since a stop may follow at once
			select {
			case orders <- o:
			case <-done:
				return nil
			}
		}
	}
}

func (w *worker) serve(orders <-chan wire.Order) error {
	for o := range orders {
		var err error
		load, first := o.(*wire.Load)
		switch {
		case first:
			err = w.hello(load)
		case w.plan == nil:
			err = fmt.Errorf("worker: order %q before hello", o.Kind())
		default:
			err = w.job(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) job(o wire.Order) error {
	ctx, cancel := context.WithCancel(w.ctx)
	w.interrupts.begin(cancel)
	defer func() {
		w.interrupts.begin(nil)
		cancel()
	}()
	defer w.ledger.Begin(purposeOf(o), "")()
	switch o := o.(type) {
	case *wire.MakeCases:
		return w.makeCases(ctx, o)
	case *wire.Show:
		return w.show(ctx, o)
	}
	return w.confirmer.Do(ctx, o)
}

// hello loads the campaign.
func (w *worker) hello(o *wire.Load) error {
	if o.Protocol != wire.ProtocolVersion {
		return w.report.failed(&campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("the coordinator speaks version %d of the worker protocol, this worker %d: they are different builds of smtlark", o.Protocol, wire.ProtocolVersion)})
	}
	defer w.ledger.Begin(account.Loading, "")()
	w.opts, w.hash = *o.Options, o.Hash
	w.opts.Stuck, w.opts.At = w.stuck, w.report.at
	var files noted
	if o.Files {
		w.opts.Noted = files.note
	}
	plan, err := w.loadPlan(o.File)
	w.report.printsEnd("the campaign file, while it is loaded,")
	if err != nil {
		return w.report.failed(err)
	}
	w.plan = plan
	w.maker = &maker{plan: plan, opts: &w.opts, base: rng.New(w.opts.Seed), avoid: w.opts.Avoid}
	w.maker.setWeights(w.opts.Weights, 0)
	w.broken = map[string]bool{}
	for _, s := range plan.BrokenSeeds {
		w.broken[s.File] = true
	}
	w.models = oracle.NeedsModels(plan.Oracles)
	w.confirmer = confirm.NewConfirmer(plan, &w.out, w.ledger, &w.helpers)
	w.asker = newAsker(plan, w.ledger, w.opts.Seed)
	w.signer = newSigner(plan, &w.known, w.models)
	w.edges = &edges{}
	if w.opts.Coverage != finding.CoverageOff && plan.Technique != nil {
		w.edges = newEdges(w.ctx, plan, w.opts.Coverage == finding.CoverageStatistics)
		if o.Modules {
			w.edges.findModules(w.ctx, plan)
		}
		if w.opts.Change != nil {
			w.edges.first = uint64(plan.SeedsFirst)
		}
	}
	info := plan.Info()
	info.Counting = w.edges.solvers
	loaded := &wire.Loaded{Plan: info, Sources: plan.Sources, Files: files.list(), Spending: w.report.spent()}
	if o.Ship && plan.Trier != nil {
		loaded.Solvers = packSolvers(plan, w.report.print)
	}
	return w.out.Line(loaded, true)
}

// packSolvers lists the solvers that a plan may use, and says which cannot be sent to other machines.
func packSolvers(plan *campaign.Plan, print func(string)) (out []wire.Packed) {
	for _, s := range plan.Trier.Known(plan.Targets) {
		p, err := parcel.Of(s)
		if err != nil {
			print(fmt.Sprintf("%s is not sent to other machines: %v", s.Name, err))
			continue
		}
		packed := wire.Packed{Parcel: *p}
		for _, f := range p.Files {
			packed.Paths = append(packed.Paths, f.Path)
		}
		out = append(out, packed)
	}
	return out
}

// loadPlan calls the loader. It turns a panic into an error that blames smtlark itself.
func (w *worker) loadPlan(file string) (p *campaign.Plan, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, &campaign.LoadError{Fault: campaign.FaultInternal, Err: campaign.PanicError(r)}
		}
	}()
	p, err = w.load(w.ctx, file, w.opts, w.report.print)
	if err == nil {
		err = p.Validate()
	}
	return p, err
}

// newlyBroken returns the broken seeds that were not reported yet.
func (w *worker) newlyBroken() []finding.BrokenSeed {
	if w.plan.BrokenSoFar == nil {
		return nil
	}
	var out []finding.BrokenSeed
	for _, s := range w.plan.BrokenSoFar() {
		if !w.broken[s.File] {
			w.broken[s.File] = true
			s.Error = finding.Clip(s.Error, 1000)
			out = append(out, s)
		}
	}
	return out
}

// newlyCovered returns the counts since the last call.
func (c *counts) newlyCovered() *metrics.Coverage {
	if c.cover.Operators == nil {
		return nil
	}
	v := c.cover
	c.cover = metrics.Coverage{}
	return &v
}
