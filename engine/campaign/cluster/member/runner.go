package member

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/process"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/solvers/confine"
)

// runner is a worker process that has loaded the campaign of an assignment.
type runner struct {
	assignment *assignment
	process    *process.Process
	number     uint64 // of the process, unlike that of all others of this machine
	orders     chan []byte
	lines      chan []byte   // that it has written
	jobs       atomic.Uint64 // that it was given
	dropped    atomic.Bool   // its job is not wanted any more
	full       atomic.Bool   // it does not read its orders
	closing    sync.Once

	slot int
	turn chan struct{} // empty while the process has a job, or tries a case for another one
	mu   sync.Mutex
	use  use
}

// use is an activity of a worker, now or next.
type use struct {
	wanted bool   // for a job
	helps  string // the worker that it tries a case for; "": none
	task   string // that its process knows of
	dead   bool   // its process has not survived
}

// helpsWith says whom the worker helps, and whether it is idle.
func (r *runner) helpsWith() (helps string, idle bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.use.helps, !r.use.wanted && r.use.helps == "" && !r.use.dead
}

// beginHelp has the process try a case for another worker, unless it has something else to do.
func (r *runner) beginHelp(helps, task string, assist, try []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.use.wanted || r.use.helps != "" || r.use.dead {
		return false
	}
	<-r.turn
	if r.use.task != task {
		r.use.task = task
		r.send(assist)
	}
	r.use.helps = helps
	r.send(try)
	return true
}

// cutHelp ends the process's work on a case for another worker.
func (r *runner) cutHelp(helps string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.use.helps == helps {
		r.order(&wire.Cut{})
	}
}

// endHelp says that the case was tried.
func (r *runner) endHelp(out *outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.use.helps, r.use.dead = "", out.died != "" || out.dropped
	r.turn <- struct{}{}
}

// beginJob waits until the process can do a job; a case that it tries for another worker is cut.
func (r *runner) beginJob() {
	r.mu.Lock()
	r.use.wanted, r.use.task = true, ""
	if r.use.helps != "" {
		r.order(&wire.Cut{})
	}
	r.mu.Unlock()
	<-r.turn
}

// endJob says that the process has nothing to do.
func (r *runner) endJob() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.use.wanted = false
	r.turn <- struct{}{}
}

// isDead reports whether the process has not survived a case that it tried for another worker.
func (r *runner) isDead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.use.dead
}

// outcome is the result of a job.
type outcome struct {
	text    []byte // reports, a line each
	died    string // how the process died; "": it lives
	number  uint64 // the case that ran then plus 1
	dropped bool   // nobody waits for it
}

var runners atomic.Uint64

// newRunner starts a worker process and lets it load the campaign.
func (s *assignment) newRunner(slot int) (*runner, error) {
	cfg := &s.member.cfg
	env := cfg.Env
	if s.solvers != nil { // they read their own files, and not those of this machine
		env = append(slices.Clone(env), confine.EnvRead+"="+filepath.Join(cfg.Cache, solverFolder))
	}
	p, err := process.Start(cfg.Command, env, s.manifest.Memory)
	if err != nil {
		return nil, err
	}
	r := &runner{assignment: s, process: p, number: runners.Add(1), slot: slot, turn: make(chan struct{}, 1), orders: make(chan []byte, 1024), lines: make(chan []byte, 256)}
	r.turn <- struct{}{}
	go r.read()
	go r.write()
	text, err := wire.Marshal(s.loadOrder(slot))
	if err != nil {
		r.end()
		return nil, err
	}
	r.send(append(text, '\n'))
	if err := r.load(); err != nil {
		r.end()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runners[r] = true
	if len(s.told) > 0 {
		r.send(bytes.Clone(s.told))
	}
	return r, nil
}

// loadOrder returns the order to load the campaign from the place of its files on this machine.
func (s *assignment) loadOrder(slot int) *wire.Load {
	o, file := s.manifest.Options, s.manifest.File
	if o.Text == "" && len(file) > 0 && file[0] != '@' {
		file = below(s.mirror, file)
	}
	o.Below, o.Dir, o.Out = s.mirror, below(s.mirror, s.manifest.Root), below(s.mirror, "/out")
	o.Near, o.Read, o.Solvers = nil, nil, s.solvers
	for _, folder := range s.manifest.Options.Read {
		o.Read = append(o.Read, below(s.mirror, folder))
	}
	const second = 2 // the first worker, that of the coordinator, has found what there is to find in the campaign file
	o.Worker = second + slot
	return &wire.Load{Protocol: wire.ProtocolVersion, File: file, Options: &o, Hash: s.manifest.Hash}
}

// load waits until the campaign is loaded. The error says why it cannot be, or that this machine has other solvers.
func (r *runner) load() error {
	late := time.After(r.assignment.manifest.Load)
	for {
		select {
		case <-r.assignment.ctx.Done():
			return r.assignment.ctx.Err()
		case <-late:
			return fmt.Errorf("the campaign was not loaded within %v", r.assignment.manifest.Load)
		case line, ok := <-r.lines:
			if !ok {
				return fmt.Errorf("a worker died while it loaded the campaign: %s", r.process.Wait())
			}
			report, err := wire.ParseReport(line)
			if err != nil {
				return fmt.Errorf("a worker broke its protocol: %w", err)
			}
			switch report := report.(type) {
			case *wire.Failed:
				return errors.New(report.Text)
			case *wire.Loaded:
				report.Plan.IdentifyBuilds()
				return cluster.Differ(r.assignment.manifest.Builds, cluster.BuildsOf(report.Plan))
			}
		}
	}
}

// read passes on the lines of the process.
func (r *runner) read() {
	reader := bufio.NewReaderSize(r.process.Out, 64<<10)
	var long []byte
	for {
		line, err := wire.ReadLine(reader, &long)
		if err != nil {
			break
		}
		r.lines <- bytes.Clone(line)
	}
	r.process.Out.Close()
	close(r.lines)
}

// write carries orders to the process.
func (r *runner) write() {
	for text := range r.orders {
		_, _ = r.process.In.Write(text)
	}
	r.process.In.Close()
}

// send passes on orders. A process that does not read them is killed.
func (r *runner) send(text []byte) {
	select {
	case r.orders <- text:
	default:
		r.full.Store(true)
		go r.process.Kill()
	}
}

// interrupt ends the running job before its time.
func (r *runner) interrupt(what string) {
	switch what {
	case cluster.ControlStop:
		r.order(&wire.StopRange{})
	case cluster.ControlCut:
		r.order(&wire.Cut{})
	case cluster.ControlDrop:
		r.dropped.Store(true)
		go r.process.Kill()
	}
}

func (r *runner) order(o wire.Order) {
	if text, err := wire.Marshal(o); err == nil {
		r.send(append(text, '\n'))
	}
}

// These are the intervals at which a process is checked, and at which processes that its solvers left behind are ended.
const (
	sampleEvery  = 200 * time.Millisecond
	orphansEvery = 2 * time.Second
)

// finish waits until the process has done its job, or is dead.
func (r *runner) finish(ctx context.Context, silence time.Duration) *outcome {
	out := &outcome{}
	since, swept, why := time.Now(), time.Now(), ""
	var at []byte // where its script was last, if it has said nothing since
	asked := uint64(0)
	sample := time.NewTicker(sampleEvery)
	defer sample.Stop()
	kill := func(reason string) {
		if why == "" {
			why = reason
			go r.process.Kill()
		}
	}
	for {
		select {
		case line, ok := <-r.lines:
			switch {
			case !ok:
				how := r.process.Wait()
				if r.full.Load() {
					how = "it does not read its orders"
				}
				if why != "" {
					how = why
				}
				if at != nil {
					out.text = append(append(out.text, at...), '\n')
				}
				out.died, out.number, out.dropped = how, r.process.Number(), r.dropped.Load()
				return out
			case wire.IsForHelpers(line):
				since, at = time.Now(), nil
				r.assignment.exchange.pass(r, line)
			case wire.IsSign(line):
				report, err := wire.ParseReport(line)
				if err != nil {
					break
				}
				if beat, ok := report.(*wire.Beat); !ok {
					at = line
				} else if n := beat.Spent[account.Options].Times; n > asked { // many short questions to one solver are no hang
					asked, since = n, time.Now()
				}
			default:
				since, at = time.Now(), nil
				out.text = append(append(out.text, line...), '\n')
				if wire.Ends(line) {
					out.dropped = r.dropped.Load()
					return out
				}
				if len(out.text) > maxOutcome {
					kill(fmt.Sprintf("more than %d bytes of reports in one job", maxOutcome))
				}
			}
		case <-sample.C:
			if silence > 0 && time.Since(since) > silence {
				kill(fmt.Sprintf("no sign of life for %v", silence.Round(time.Second)))
			} else if m := r.process.Memory(); m > r.assignment.manifest.Memory {
				kill(fmt.Sprintf("%d MiB of memory; the limit is %d MiB", m>>20, r.assignment.manifest.Memory>>20))
			}
			if time.Since(swept) > orphansEvery {
				swept = time.Now()
				go r.process.EndOrphans()
			}
		case <-ctx.Done():
			r.dropped.Store(true)
			go r.process.Kill()
			ctx = context.Background()
		}
	}
}

// maxOutcome bounds the reports of one job in bytes.
const maxOutcome = cluster.MaxResult

// end ends the process: it closes its solvers and removes its folders, or is killed when that takes long.
func (r *runner) end() {
	r.closing.Do(func() { close(r.orders) })
	go func() { // drain its output, as it may block on writing
		for range r.lines {
		}
	}()
	late := time.AfterFunc(2*time.Second, r.process.Kill)
	defer late.Stop()
	r.process.Wait()
}
