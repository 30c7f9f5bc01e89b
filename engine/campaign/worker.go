package campaign

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// worker is the other side of the protocol: it loads the campaign file, makes cases, and runs everything that can die.
type worker struct {
	// Of a mixture whose weights follow the yield: the weights, the epoch they are for, the features of its cases, and those
	// of the epochs before.
	weights  []uint32
	avoid    []string // see hazard.Avoided
	epoch    int
	feats    map[uint32]bool
	oldFeats map[uint32]bool
	ctx      context.Context
	load     Loader
	out      lineWriter
	plan     *Plan
	opts     finding.Options
	hash     bool
	models   bool
	base     *rng.Source
	info     triage.Info
	down     []int // by target: runs in a row that could not start
	paces    []pace
	runs     []*solvers.Run
	asked    []int // the targets of runs
	cases    uint64
	repeats  repeats
	broken   map[string]bool // seeds that were reported
	past     past
	cover    metrics.Coverage
	cells    metrics.CellCoverage
	tally    metrics.Tally
	ledger   *account.Ledger
	distrust distrust         // guarded by mu
	ahead    finding.Sequence // what replicas are given ahead of each run

	running announced
	prints  printed

	stop   atomic.Bool // end the running range after its case
	cutNow atomic.Bool // and that case, too
	mu     sync.Mutex
	known  map[string]*knownGroup
	cut    context.CancelFunc // of the current job; nil between jobs
}

// orphanGrace is how long a worker without a coordinator may take to clean up.
const orphanGrace = 2 * time.Second

// errWorkerDone ends a worker without an error.
var errWorkerDone = errors.New("worker is done")

// Work serves a coordinator: it reads orders from in and writes reports to out until in ends or the campaign cannot be
// loaded. When in ends in the middle of a job, everything is cancelled; orphan, if not nil, is then called as soon as that
// took longer than orphanGrace (the coordinator is gone, so nobody else would end the process).
func Work(ctx context.Context, in io.Reader, out io.Writer, load Loader, orphan func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &worker{ctx: ctx, load: load, known: map[string]*knownGroup{}, prints: printed{maxLines: casePrintLines, maxBytes: casePrintBytes}}
	w.out.w = out
	w.ledger = account.NewLedger()
	w.ctx = account.With(w.ctx, w.ledger)
	if err := w.out.line(&report{Type: reportHello, Protocol: protocolVersion, PID: os.Getpid()}, true); err != nil {
		return err
	}
	orders := make(chan *order, 16)
	done := make(chan struct{})
	defer close(done)
	go w.beat(done)
	var readErr error
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

// closePlan closes the targets and the plan; nobody is left to hear of errors.
func closePlan(p *Plan) {
	for _, t := range p.Targets {
		_ = t.Close()
	}
	if p.Close != nil {
		_ = p.Close()
	}
}

// read hands out orders; those that must not wait for the running job it obeys itself.
func (w *worker) read(in io.Reader, orders chan<- *order, done <-chan struct{}) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var long []byte
	for {
		line, err := readLine(r, &long)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("worker: reading orders: %w", err)
		}
		o := &order{}
		if err := json.Unmarshal(line, o); err != nil {
			return fmt.Errorf("worker: an order that is none: %w", err)
		}
		switch o.Type {
		case orderStop:
			w.stop.Store(true)
		case orderCut:
			w.stop.Store(true)
			w.cutNow.Store(true)
			w.mu.Lock()
			if w.cut != nil {
				w.cut()
			}
			w.mu.Unlock()
		case orderForget:
			w.mu.Lock()
			for _, k := range o.Keys {
				delete(w.known, k)
			}
			w.mu.Unlock()
		case orderDistrust:
			w.mu.Lock()
			if w.distrust == nil {
				w.distrust = distrust{}
			}
			maps.Copy(w.distrust, o.Distrust)
			w.mu.Unlock()
		case orderKnown:
			w.mu.Lock()
			for _, k := range o.Keys {
				g := &knownGroup{}
				if old := w.known[k]; old != nil {
					g.seen = old.seen
				}
				g.skeletons, g.vague = o.Skeletons[k], o.Skeletons != nil && hasKey(o.Skeletons, k)
				w.known[k] = g
			}
			w.mu.Unlock()
		default:
			w.stop.Store(false) // here and not where the job begins: a stop may follow at once
			w.cutNow.Store(false)
			select {
			case orders <- o:
			case <-done:
				return nil
			}
		}
	}
}

func (w *worker) serve(orders <-chan *order) error {
	for o := range orders {
		var err error
		switch {
		case o.Type == orderHello:
			err = w.hello(o)
		case w.plan == nil:
			err = fmt.Errorf("worker: order %q before hello", o.Type)
		default:
			err = w.job(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) job(o *order) error {
	ctx, cancel := context.WithCancel(w.ctx)
	w.setCut(cancel)
	if w.cutNow.Load() { // the order to cut was read before the job began
		cancel()
	}
	defer func() {
		w.setCut(nil)
		cancel()
	}()
	w.ahead = finding.Sequence{}
	defer w.ledger.Begin(purposes[o.Type], "")()
	switch o.Type {
	case orderCases:
		return w.range_(ctx, o)
	case orderConfirm:
		return w.confirm(ctx, o)
	case orderReduce:
		w.ahead = o.Sequence
		return w.reduce(ctx, o)
	case orderRecheck:
		return w.recheck(ctx, o)
	case orderReproduce:
		return w.reproduce(ctx, o)
	case orderShow:
		return w.show(ctx, o)
	}
	return fmt.Errorf("worker: unknown order %q", o.Type)
}

func (w *worker) setCut(cancel context.CancelFunc) {
	w.mu.Lock()
	w.cut = cancel
	w.mu.Unlock()
}

// hello loads the campaign.
func (w *worker) hello(o *order) error {
	if o.Protocol != protocolVersion {
		return w.failed(&LoadError{FaultInternal, fmt.Errorf("the coordinator speaks version %d of the worker protocol, this worker %d: they are different builds of smtlark", o.Protocol, protocolVersion)})
	}
	defer w.ledger.Begin(account.Loading, "")()
	w.opts, w.hash = *o.Options, o.Hash
	w.opts.Stuck, w.opts.At = w.stuck, w.at
	plan, err := w.loadPlan(o.File)
	w.printsEnd("the campaign file, while it is loaded,")
	if err != nil {
		return w.failed(err)
	}
	w.plan = plan
	w.avoid = w.opts.Avoid
	w.setWeights(w.opts.Weights, 0)
	w.broken = map[string]bool{}
	for _, s := range plan.Seeds.Broken {
		w.broken[s.File] = true
	}
	w.models = oracle.NeedsModels(plan.Oracles)
	w.base = rng.New(w.opts.Seed)
	w.down = make([]int, len(plan.Targets))
	w.paces = make([]pace, len(plan.Targets))
	w.info = triage.Info{Solvers: map[string]triage.Solver{}}
	for _, t := range plan.Targets {
		if s := t.Solver(); s != nil {
			w.info.Solvers[t.Name()] = triage.Solver{Name: s.Name, Version: s.Version}
		}
	}
	return w.out.line(&report{Type: reportPlan, Plan: planInfo(plan), Sources: plan.Sources, Spent: w.spent()}, true)
}

// loadPlan calls the loader; a panic is a fault of smtlark.
func (w *worker) loadPlan(file string) (p *Plan, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, &LoadError{FaultInternal, panicError(r)}
		}
	}()
	p, err = w.load(w.ctx, file, w.opts, w.print)
	if err == nil {
		err = p.Validate()
	}
	return p, err
}

// newlyBroken returns the broken seeds that were not reported yet.
func (w *worker) newlyBroken() []finding.BrokenSeed {
	if w.plan.Broken == nil {
		return nil
	}
	var out []finding.BrokenSeed
	for _, s := range w.plan.Broken() {
		if !w.broken[s.File] {
			w.broken[s.File] = true
			s.Error = finding.Clip(s.Error, 1000)
			out = append(out, s)
		}
	}
	return out
}

// newlyCovered returns what was counted since the last call.
func (w *worker) newlyCovered() *metrics.Coverage {
	if w.cover.Operators == nil {
		return nil
	}
	v := w.cover
	w.cover = metrics.Coverage{}
	return &v
}

// failed reports that the campaign cannot start or go on, and ends the worker.
func (w *worker) failed(err error) error {
	fault := FaultScript
	var le *LoadError
	if errors.As(err, &le) {
		fault = le.Fault
	}
	if e := w.out.line(&report{Type: reportFailed, Fault: fault, Text: finding.Clip(err.Error(), finding.MaxOutput)}, true); e != nil {
		return e
	}
	return errWorkerDone
}

// planInfo describes a plan for the coordinator.
func planInfo(p *Plan) *finding.Plan {
	i := &finding.Plan{
		Name: p.Name, File: p.File, Seeds: p.Seeds.Count, SeedSource: p.Seeds.Source, Labels: p.Seeds.Labels, Broken: len(p.Seeds.Broken),
		BrokenSeeds: p.Seeds.Broken[:min(len(p.Seeds.Broken), finding.MaxBroken)], Stop: p.Stop, Limits: p.Limits, Confirm: p.Confirm,
		ReduceFor: p.ReduceFor, Reduces: p.Reducer != nil, Reproductions: len(p.Reproductions),
		Machine: machine(), Claims: p.Claims,
	}
	if p.Technique != nil {
		i.Technique = p.Technique.Name()
		if m, ok := p.Technique.(Mixture); ok {
			i.Parts = m.Parts()
		}
	}
	for _, o := range p.Oracles {
		i.Oracles = append(i.Oracles, o.Name())
	}
	for _, s := range p.Suppress {
		if shape := s.Shape(); len(shape) > 0 {
			i.Shapes = append(i.Shapes, shape)
		}
	}
	for _, t := range p.Targets {
		i.Targets = append(i.Targets, targetInfo(p, t))
	}
	if i.Confirm == 0 {
		i.Confirm = DefaultConfirm
	}
	if i.ReduceFor == 0 {
		i.ReduceFor = DefaultReduceFor
	}
	return i
}

func targetInfo(p *Plan, t solvers.Target) finding.Target {
	i := finding.Target{Name: t.Name(), Mode: string(t.Mode()), Exec: 1}
	if s := t.Solver(); s != nil {
		i.Exec = max(1, len(s.Exec))
		i.Solver, i.Version, i.Path = s.Name, s.Version, s.Path
		if s.Profile != nil {
			i.Kind, i.CheckSatUsing, i.ChecksStatus, i.Env = s.Profile.Name, s.Profile.CheckSatUsing, s.Profile.ChecksStatus, s.Profile.Env
			i.Files = s.Files()
		}
	}
	if i.Kind == "" {
		i.Kind = oracle.KindOfSolver(i.Solver, i.Version)
	}
	if p.Expr != nil {
		i.Expr = p.Expr(t)
	}
	if i.Expr == "" {
		i.Expr = fmt.Sprintf("solver(%q, version = %q, mode = %q)", i.Kind, i.Version, i.Mode)
	}
	return i
}

func hasKey[V any](m map[string]V, key string) bool {
	_, ok := m[key]
	return ok
}
