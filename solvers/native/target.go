package native

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/coverage"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

const (
	// defaultRuns is the number of runs of one child with solvers of their own. State from earlier runs in a library is
	// the main cause of findings that cannot be reproduced, and a start costs as much as some ten of these runs.
	defaultRuns = 500
	// aloneWear is the number of runs with a shared solver that count as one with a solver of its own: a start costs as
	// much as some hundred of them.
	aloneWear = 8
	// growth is the resident size, in bytes, above which a child is replaced before the next run.
	growth = 512 << 20
	// grace is the time that a library has to end a check when told to, before the child is killed. For short limits,
	// the grace is shorter, too.
	grace = 300 * time.Millisecond
)

// plainOption is smtlark's own option that turns the choice between equivalent calls off.
const plainOption = "smtlark.plain"

// target is a solvers.Target over children that hold a library.
type target struct {
	name   string
	solver *solvers.Solver
	opt    process.TargetOptions
	broken string
	folder *process.Folder
	worker *process.Worker
	wear   int             // wear of the worker: 1 for each run with a shared solver, aloneWear for each other run
	ahead  bool            // keep a second child that has its library loaded when the first one dies
	spare  *process.Worker // that child
	// counter counts the edges that children take, from the first run on that asks for it.
	counter process.Counter

	clock  bool          // for benchmarks: measure what time goes into the library, and count its calls
	inside time.Duration // that time
	calls  uint64
}

// New makes a target of a library that Discover found. It starts nothing; whatever is wrong shows as runs of class
// StartFailure.
func New(s *solvers.Solver, opt process.TargetOptions) solvers.Target {
	opt.Mode = solvers.Native
	opt.Limits = opt.Limits.Or(process.DefaultLimits)
	if opt.MaxRuns <= 0 {
		opt.MaxRuns = defaultRuns
	}
	t := &target{name: process.NameOf(s, opt), solver: s, opt: opt}
	switch {
	case s.Unusable != "":
		t.broken = s.Unusable
	case s.Library == "":
		t.broken = fmt.Sprintf("%s is a program, not a library: mode native needs lib%s.so", s.Name, s.Profile.Name)
	}
	return t
}

func (t *target) Name() string            { return t.name }
func (t *target) Solver() *solvers.Solver { return t.solver }
func (t *target) Mode() solvers.Mode      { return solvers.Native }

// Limits returns the limits of runs that give none.
func (t *target) Limits() solvers.Limits { return t.opt.Limits }

// Close ends the child and removes the target's folder.
func (t *target) Close() error {
	t.dropWorker()
	t.endWorker(t.spare)
	t.spare, t.ahead = nil, false
	t.counter.Close()
	if t.folder == nil {
		return nil
	}
	err := t.folder.Close()
	t.folder = nil
	return err
}

// Renew makes the next run use a new child. From then on, a spare child is started in advance, for callers that need
// many new children.
func (t *target) Renew() {
	t.dropWorker()
	t.ahead = true
}

func (t *target) dropWorker() {
	t.endWorker(t.worker)
	t.worker = nil
}

// endWorker ends a child and removes its files; nil is none.
func (t *target) endWorker(w *process.Worker) {
	if w == nil {
		return
	}
	w.Close()
	_ = os.Remove(filepath.Join(t.folder.Dir, logName(w.PID())))
	_ = os.Remove(filepath.Join(t.folder.Dir, stderrName(w.PID())))
}

// childArgv returns the argument vector that starts a child.
func (t *target) childArgv() []string {
	return append(append([]string{}, t.solver.Exec...), t.solver.Args...)
}

// shownArgv returns the argument vector for a user who wants to repeat a run: it includes the options, which otherwise
// are in requests.
func (t *target) shownArgv() []string {
	argv := append([]string{t.solver.Path}, t.solver.Args...)
	var options []string
	for _, o := range t.opt.SMTOptions {
		if o.Name != plainOption {
			options = append(options, "-o", o.Name+"="+o.Value)
		} else if o.Value == "true" {
			options = append(options, "--plain")
		}
	}
	return slices.Insert(argv, len(argv)-2, options...) // before the kind and the library
}

// openFolder makes the folder of the target.
func (t *target) openFolder() error {
	if t.folder != nil {
		return nil
	}
	f, err := process.NewFolder(t.opt.TempDir)
	if err == nil {
		t.folder = f
	}
	return err
}

// Counts implements solvers.Counter.
func (t *target) Counts(ctx context.Context) (int, error) {
	if t.broken != "" || !process.CanCount(t.solver, t.opt.Coverage) {
		return 0, nil
	}
	err := t.prepareCounter(ctx)
	return t.counter.Size(), err
}

// UseStatistics implements solvers.Counter: libraries tell no statistics.
func (t *target) UseStatistics() {}

// Modules implements solvers.Counter.
func (t *target) Modules(ctx context.Context) ([]coverage.Module, error) {
	if err := t.prepareCounter(ctx); err != nil {
		return nil, err
	}
	w, err := t.readyWorker(ctx)
	if err != nil {
		return nil, err
	}
	return process.AwaitModules(ctx, w.PID(), t.solver.Library, w.Dead)
}

// prepareCounter makes the map that children count in; children started earlier do not count edges, so they are ended.
func (t *target) prepareCounter(ctx context.Context) error {
	if err := t.openFolder(); err != nil {
		return err
	}
	had := t.counter.Size()
	err := t.counter.Prepare(ctx, t.solver, t.opt.Coverage, t.childArgv(), childEnv(), t.folder)
	if t.counter.Size() != had {
		t.dropWorker()
		t.endWorker(t.spare)
		t.spare = nil
	}
	return err
}

// readyWorker returns a child for the next run.
func (t *target) readyWorker(ctx context.Context) (*process.Worker, error) {
	if err := t.openFolder(); err != nil {
		return nil, err
	}
	if w := t.worker; w != nil && (w.Dead() || t.wear >= aloneWear*t.opt.MaxRuns || w.Peak() > growth) {
		t.dropWorker()
	}
	if t.spare != nil && t.spare.Dead() {
		t.endWorker(t.spare)
		t.spare = nil
	}
	if t.worker == nil {
		t.worker, t.spare, t.wear = t.spare, nil, 0
	}
	for _, w := range []**process.Worker{&t.worker, &t.spare} {
		if *w != nil || w == &t.spare && !t.ahead {
			continue
		}
		started, err := process.StartWorker(ctx, t.childArgv(), append(childEnv(), t.counter.Environ()...), t.folder,
			t.opt.Limits)
		if err != nil {
			return nil, err
		}
		*w = started
	}
	return t.worker, nil
}

// childEnv returns the environment of a child: little parallelism for the garbage collector, and untranslated messages
// of the C library.
func childEnv() []string {
	return confine.SolverEnviron("LC_ALL=C", "GOGC=400", "GOMAXPROCS=2")
}

// Run implements solvers.Target.
func (t *target) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	run := &solvers.Run{Target: t.name, Solver: t.solver.Name, Version: t.solver.Version, Mode: solvers.Native,
		ExitCode: -1}
	lim = lim.Or(t.opt.Limits)
	defer func() {
		// Fill missing replies after a death, too: readers of the run match replies to the commands of the case.
		for len(run.Answers) < q.Count(solvers.AnswerReply) {
			run.Answers = append(run.Answers, smtlib.None)
		}
		for len(run.Values) < q.Count(solvers.ValueReply) {
			run.Values = append(run.Values, "")
		}
	}()
	switch {
	case t.broken != "":
		run.Class, run.Message = solvers.StartFailure, t.broken
		return run
	case ctx.Err() != nil:
		run.Class, run.Message = solvers.Cancelled, ctx.Err().Error()
		return run
	}
	if q.Counts {
		if err := t.prepareCounter(ctx); err != nil && t.opt.Coverage != nil {
			run.Class, run.Message = solvers.StartFailure, err.Error()
			return run
		}
	}
	w, err := t.readyWorker(ctx)
	if err != nil {
		run.Class, run.Message = solvers.StartFailure, err.Error()
		return run
	}
	run.Argv = t.shownArgv()
	message := t.runRequest(q, lim)
	before, begun := w.CPU(), time.Now()
	hard := lim
	// The child interrupts its library at the limit and lives on; it is killed only where that does not help.
	hard.Wall += min(grace, max(lim.Wall, grace/4))
	if q.Counts {
		t.counter.Begin()
	}
	body, err := w.Exchange(ctx, message, hard)
	if q.Counts {
		run.Coverage = t.counter.End()
	}
	run.Wall, run.CPU, run.PeakMemory = time.Since(begun), max(0, w.CPU()-before), w.Peak()
	if err != nil {
		t.explainDeath(run, w, lim)
		return run
	}
	t.recordReply(run, body)
	return run
}

// runRequest is the request for a query.
func (t *target) runRequest(q *solvers.Query, lim solvers.Limits) []byte {
	r := request{Op: "run", Models: q.Models, Cores: q.Cores, Wall: lim.Wall, Budget: lim.Budget,
		TimeLimit: t.opt.TimeLimit, Resources: t.opt.Resources, Clock: t.clock, Shares: q.Shares}
	for _, o := range t.opt.SMTOptions {
		if o.Name == plainOption {
			r.Plain = o.Value == "true"
			continue
		}
		r.Options = append(r.Options, setting2(o))
	}
	var text []byte
	switch {
	case q.Trace != nil:
		r.Trace = true
		full := solvers.Trace{Arena: q.Trace.Arena, Calls: q.Calls()}
		text = tracetext.AppendTo(nil, &full)
	default:
		for i := range q.Commands {
			if c := &q.Commands[i]; c.When != smtlib.None {
				if r.When == nil {
					r.When = map[int]string{}
				}
				r.When[i] = c.When.String()
			}
		}
		text = []byte(q.Text())
	}
	return append(packRequest(nil, &r), text...)
}

// recordReply copies the reply of a child into the run.
func (t *target) recordReply(run *solvers.Run, body []byte) {
	a, err := parseReply(body)
	if err != nil {
		run.Class, run.Message = solvers.Garbage, "a reply that cannot be read: "+err.Error()
		t.dropWorker()
		return
	}
	if a.Error != "" {
		run.Class, run.Message = solvers.StartFailure, a.Error
		t.dropWorker()
		return
	}
	if t.wear++; a.Alone {
		t.wear += aloneWear - 1
	}
	t.inside, t.calls = t.inside+a.Inside, t.calls+a.Calls
	run.Answers, run.Values, run.Failed, run.Class, run.Message, run.Stderr = a.Answers, a.Values, a.Failed, a.Class,
		a.Message, a.Stderr
	if run.Class == solvers.SolverError || run.Class == solvers.Refusal {
		run.Class, run.Message = t.classifyMessage(run.Class, run.Message)
	}
	if a.Last {
		t.dropWorker()
	}
}

// parseReply reads a child's reply to a run. A child without a library replies in JSON.
func parseReply(body []byte) (*reply, error) {
	if isPacked(body) {
		return unpackReply(body)
	}
	a := &reply{}
	return a, json.Unmarshal(body, a)
}

// classifyMessage looks for the patterns of the solver's profile in a message of its library.
func (t *target) classifyMessage(class solvers.Class, message string) (solvers.Class, string) {
	c, m := t.solver.Profile.Classify(solvers.Evidence{Errors: "(error \"" + message + "\")", ExitCode: 0})
	if c == solvers.OK || c == solvers.SolverError {
		return class, message
	}
	if strings.HasPrefix(m, "(error") || m == "" {
		m = message
	}
	return c, m
}

// explainDeath sets the class and message of the run of a child that died.
func (t *target) explainDeath(run *solvers.Run, w *process.Worker, lim solvers.Limits) {
	run.ExitCode, run.Signal = w.Death()
	run.PeakMemory = w.Peak()
	printed, _ := os.ReadFile(filepath.Join(t.folder.Dir, stderrName(w.PID())))
	if i := len(printed) - int(lim.Output); i > 0 {
		printed = printed[i:]
	}
	run.Stderr = strings.TrimSpace(string(bytes.ToValidUTF8(printed, []byte("?"))) + "\n" + w.Stderr())
	calls, n, stopped := driver.ReadLog(filepath.Join(t.folder.Dir, logName(w.PID())))
	killed, detail := w.Killed()
	switch {
	case killed != solvers.Invalid:
		run.Class, run.Message = killed, detail
	case stopped && run.Signal != "":
		// A library's behaviour when told to end depends on timing, so it cannot be reproduced.
		run.Class, run.Message = solvers.Timeout, "died of "+run.Signal+" when it was told to end, at the time limit"
	default:
		c, m := t.solver.Profile.Classify(solvers.Evidence{Stderr: run.Stderr, ExitCode: run.ExitCode, Signal: run.Signal,
			PeakMemory: run.PeakMemory, MemoryLimit: lim.Memory})
		if c == solvers.OK {
			c, m = solvers.Garbage, fmt.Sprintf("the library ended the process with exit code %d", run.ExitCode)
		}
		// The message of a failed assertion begins with the name of the process, but smtlark did not fail.
		run.Class, run.Message = c, strings.TrimPrefix(m, filepath.Base(t.solver.Path)+": ")
	}
	if len(calls) > 0 {
		last := calls[len(calls)-1]
		if run.Class.IsBug() {
			run.Message += " in " + last
		}
		run.Stderr = strings.TrimSpace(run.Stderr + "\n" + solvers.LastCalls(calls, n))
	}
	t.dropWorker()
}
