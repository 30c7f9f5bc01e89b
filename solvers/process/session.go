package process

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// session is a persistent process that takes one case after the other.
type session struct {
	child  *child
	key    string // cases with another key need another process
	argv   []string
	runs   int
	memory int64         // the limit in force
	cpu    time.Duration // at the end of the last run
	write  chan []byte
	wrote  chan struct{}
	idle   bool // the writer waits for work
}

// persistent runs cases one after the other in long-lived processes. It keeps idle processes for later cases with the
// same key.
type persistent struct {
	*launcher
	plan   planner
	frame  framer
	pool   []*session // most recently used last
	shares int        // how many of sharedProcesses are in the pool
}

// Cases of another logic or with other options need another process, and z3 takes 13 ms to start one. Seeds of many
// logics would start one for nearly each case. So targets may keep more idle processes than TargetOptions.Processes:
// together at most maxShared, and none that ever used more memory than sharedMemory.
const (
	maxShared    = 12
	sharedMemory = 128 << 20
)

var sharedProcesses atomic.Int32

// takesShare reports whether the target may keep one more of the shared processes, and counts it.
func (t *persistent) takesShare() bool {
	if sharedProcesses.Add(1) > maxShared {
		sharedProcesses.Add(-1)
		return false
	}
	t.shares++
	return true
}

// returnShare gives a shared process back, if the target has one.
func (t *persistent) returnShare() {
	if t.shares > 0 {
		t.shares--
		sharedProcesses.Add(-1)
	}
}

// runCases runs a case in modes reset and incremental.
func (t *persistent) runCases(ctx context.Context, run *solvers.Run, q *solvers.Query, f *facts, lim solvers.Limits) {
	pre := t.preambleOf(q)
	run.Preamble = joinLines(pre)
	incremental := t.opt.Mode == solvers.Incremental
	isolated := incremental && f.unsafe != ""
	// The key includes everything that a process cannot undo: cases that differ in it get processes of their own.
	key := strings.Join(pre, "\n")
	switch {
	case incremental:
		key += "\x00" + f.key
	case t.solver.Profile.ResetKeepsOptions:
		key += "\x00" + f.options
	}
	if f.incremental && !incremental && len(t.solver.Profile.IncrementalArgs) > 0 {
		// These arguments are given at the start of a process.
		key += "\x00incremental"
	}
	if t.counter.Size() > 0 { // processes started earlier do not count edges
		key += "\x00counts"
	}
	for attempt := 0; ; attempt++ {
		s, err := t.idleOrNewSession(ctx, key, isolated, incremental || f.incremental)
		if err != nil {
			run.Class, run.Message = solvers.StartFailure, err.Error()
			return
		}
		run.Argv = s.argv
		if s.runs == 0 && !t.prepareSession(ctx, s, run, q, pre, f, isolated) {
			t.dropSession(s)
			return
		}
		served := s.runs
		keep, started := t.runCase(ctx, s, run, q, pre, f, lim, isolated)
		if !keep || t.shares > 0 && run.PeakMemory > sharedMemory {
			t.dropSession(s)
		}
		// The process was killed from outside before the case began, so its death has nothing to do with this case.
		if run.Class == solvers.Killed && !started && served > 0 && attempt == 0 {
			*run = solvers.Run{
				Target: run.Target, Solver: run.Solver, Version: run.Version, RoundsReals: run.RoundsReals, Mode: run.Mode,
				ExitCode: -1, Preamble: run.Preamble,
				Answers: make([]smtlib.Answer, len(run.Answers)), Values: make([]string, len(run.Values)),
			}
			continue
		}
		return
	}
}

// idleOrNewSession finds an idle process for the key, or starts one.
func (t *persistent) idleOrNewSession(ctx context.Context, key string, isolated,
	incrementalArgs bool) (*session, error) {
	for i := len(t.pool) - 1; i >= 0 && !isolated; i-- {
		s := t.pool[i]
		if s.key != key {
			continue
		}
		if s.runs < t.opt.MaxRuns && s.isQuiet() {
			t.pool = append(slices.Delete(t.pool, i, i+1), s)
			return s, nil
		}
		t.dropSession(s)
	}
	for len(t.pool) >= t.opt.Processes+t.shares && !isolated && !t.takesShare() {
		t.dropSession(t.pool[0])
	}
	p := t.solver.Profile
	argv := slices.Concat([]string{t.solver.Path}, t.args, p.SessionArgs)
	if incrementalArgs {
		argv = append(argv, p.IncrementalArgs...)
	}
	lim := t.opt.Limits
	c, err := t.start(ctx, argv, true, lim)
	if err != nil {
		return nil, err
	}
	s := &session{child: c, key: key, argv: argv, memory: lim.Memory, write: make(chan []byte, 1),
		wrote: make(chan struct{}, 1), idle: true}
	c.wait.Go(s.writeOverflow)
	t.pool = append(t.pool, s)
	return s, nil
}

// dropSession ends a session's process and takes it out of the pool; one that is not in the pool has ended already.
func (t *persistent) dropSession(s *session) {
	if i := slices.Index(t.pool, s); i >= 0 {
		t.pool = slices.Delete(t.pool, i, i+1)
		s.close()
		if len(t.pool) < t.opt.Processes+t.shares { // an isolated one had taken no share
			t.returnShare()
		}
	}
}

// dropAll ends all processes.
func (t *persistent) dropAll() {
	for _, s := range t.pool {
		s.close()
		t.returnShare()
	}
	t.pool = nil
}

func (s *session) close() {
	s.child.killGroupFor(solvers.Cancelled, "target closed")
	close(s.write)
	s.child.killAndClose()
}

// writeOverflow writes the text that does not fit into the pipe at once, so that a full pipe never keeps us from
// reading the output of the process. If the text cannot be written because the process has ended, the reader sees the
// end of its output.
func (s *session) writeOverflow() {
	for text := range s.write {
		_, _ = s.child.stdin.Write(text)
		s.wrote <- struct{}{}
	}
}

// sendText writes text; the part that the pipe does not accept at once goes to the writer. It returns false if the
// writer is still busy with the last text although the solver has replied to it.
func (s *session) sendText(text []byte) bool {
	if !s.isWriterIdle() {
		return false
	}
	n, err := writeNow(s.child.stdin, text)
	if err != nil || n == len(text) {
		return true
	}
	s.idle = false
	s.write <- text[n:]
	return true
}

// isWriterIdle reports whether the writer is idle. A solver that has replied to the last command has read all of it, so
// the writer only needs to be scheduled.
func (s *session) isWriterIdle() bool {
	if s.idle {
		return true
	}
	timer := time.NewTimer(pipeGrace)
	defer timer.Stop()
	select {
	case <-s.wrote:
		s.idle = true
	case <-timer.C:
	}
	return s.idle
}

// isQuiet reports whether the process is alive and has printed nothing since the last run, or only "success" (some
// solvers confirm reset late). Any other output could not be told apart from later replies.
func (s *session) isQuiet() bool {
	if s.child.isDead() {
		return false
	}
	if ready, err := hasPendingInput(s.child.stdout.file); !ready || err != nil {
		return err == nil
	}
	var block [4096]byte
	s.child.readUntil(time.Now().Add(pipeGrace))
	n, err := s.child.readOutput(block[:])
	return err == nil && strings.TrimSpace(strings.ReplaceAll(string(block[:n]), "success", "")) == ""
}

// prepareSession sends the first commands to a new process; in mode incremental, these are the settings shared by all
// its cases. It returns false if the process cannot be used; run then has the result.
func (t *persistent) prepareSession(ctx context.Context, s *session, run *solvers.Run, q *solvers.Query, pre []string,
	f *facts, isolated bool) bool {
	b := &t.plan
	b.beginPlan(&solvers.Query{})
	b.addPreamble(pre)
	if t.opt.Mode == solvers.Incremental && !isolated {
		shared := solvers.Query{Commands: q.Commands[:f.leading]}
		b.addCommands(&shared, 0, true)
	}
	b.openSegment(ending, smtlib.None)
	b.closeSegment()
	scratch := *run
	scratch.Answers, scratch.Values = nil, nil
	r := &reader{run: &scratch, profile: t.solver.Profile, talks: len(t.opt.Args) > 0}
	lim := t.opt.Limits
	lim.Wall = t.opt.StartTimeout
	complete := t.sendAndRead(ctx, s, r, lim)
	if complete && r.class == solvers.Invalid && r.garbage == "" {
		return true
	}
	s.awaitOrKill(lim)
	s.recordUsage(r)
	killed, detail := s.child.killedFor()
	r.settleClass(killed, detail, lim, complete, true)
	run.Class, run.Message = scratch.Class, scratch.Message
	run.Stdout, run.Stderr, run.ExitCode, run.Signal = scratch.Stdout, scratch.Stderr, scratch.ExitCode, scratch.Signal
	run.CPU, run.Wall, run.PeakMemory = scratch.CPU, scratch.Wall, scratch.PeakMemory
	switch run.Class {
	case solvers.Crash, solvers.Assertion, solvers.Cancelled, solvers.OutOfMemory:
	case solvers.Refusal, solvers.Unsupported, solvers.ParseError: // of the settings of the case
	default:
		run.Class, run.Message = solvers.StartFailure, "at the start: "+run.Message
	}
	return false
}

// runCase sends a case to a prepared process and reads its replies. keep reports whether the process can take another
// case; started reports whether it sent any reply to this one.
func (t *persistent) runCase(ctx context.Context, s *session, run *solvers.Run, q *solvers.Query, pre []string,
	f *facts,
	lim solvers.Limits, isolated bool) (keep, started bool) {
	p := t.solver.Profile
	b := &t.plan
	b.beginPlan(q)
	incremental := t.opt.Mode == solvers.Incremental && !isolated
	switch {
	case incremental:
		b.openSegment(problem, smtlib.None)
		b.addLine("(push 1)")
		b.addCommands(q, f.leading, true)
		b.openSegment(ending, smtlib.None)
		// The pop is part of the text of the case, so that its marker shows that the process is ready for the next
		// case.
		b.addLine("(pop " + strconv.Itoa(f.depth+1) + ")")
		b.closeSegment()
	default:
		b.addCommands(q, 0, true)
		if !isolated && p.HasReset {
			b.openSegment(ending, smtlib.None)
			b.addLine("(reset)")
			// (reset) undoes the options of the preamble, so they are sent again.
			for _, text := range pre {
				b.addLine(text)
			}
			b.closeSegment()
		}
	}
	s.runs++
	if lim.Memory != s.memory {
		s.child.process.setMemoryLimit(lim, t.solver.MemoryLimit())
		s.memory = lim.Memory
	}
	s.child.process.setCPULimit(s.cpu, lim)
	s.child.errs.beginRun(lim.Output)
	r := &reader{run: run, profile: p, talks: len(t.opt.Args) > 0}
	if q.Counts {
		t.counter.Begin()
	}
	complete := t.sendAndRead(ctx, s, r, lim)
	if q.Counts {
		run.Coverage = t.counter.End()
	}
	started = t.frame.next > 0
	dead := false
	killed, _ := s.child.killedFor()
	if !complete && t.frame.broken == "" || killed != solvers.Invalid {
		s.awaitOrKill(lim)
		dead = true
	}
	s.recordUsage(r)
	killed, detail := s.child.killedFor()
	if killed == solvers.Garbage { // our own kill: the process had closed its output and went on
		killed = solvers.Invalid
		// The signal and the exit code would be mistaken for something that the solver did by itself.
		r.takeStray("closed its output and went on")
		run.Signal, run.ExitCode = "", 0
	}
	r.settleClass(killed, detail, lim, complete, dead)
	keep = complete && !dead && !isolated && s.isWriterIdle() && run.Class != solvers.Garbage &&
		(p.HasReset || incremental)
	if incremental && r.class != solvers.Invalid {
		keep = false // an error may have left its stack unbalanced
	}
	keep = keep && !mentionsAny(q, t.solver.Outlives(incremental))
	return keep, started
}

// mentionsAny reports whether a command of the query contains one of the texts.
func mentionsAny(q *solvers.Query, texts []string) bool {
	for _, text := range texts {
		for i := range q.Commands {
			if strings.Contains(q.Commands[i].Text, text) {
				return true
			}
		}
	}
	return false
}

// awaitOrKill waits for the end of a process whose output has ended. One that goes on nevertheless is killed after a
// while, with Garbage as the reason.
func (s *session) awaitOrKill(lim solvers.Limits) {
	if !s.child.awaitsEnd(lim) {
		s.child.killGroupFor(solvers.Garbage, "")
		<-s.child.done
	}
}

// recordUsage fills the measured fields of the run.
func (s *session) recordUsage(r *reader) {
	run := r.run
	run.Stderr = s.child.errs.textSinceBegin()
	cpu := s.child.cpuTime()
	run.CPU, s.cpu = max(0, cpu-s.cpu), cpu
	// The peak only grows: it is enough to look after long runs and now and then.
	if run.Wall > 2*time.Millisecond || s.runs%16 == 1 || s.child.isDead() {
		s.child.samplePeak()
	}
	run.PeakMemory = s.child.peak
	if s.child.isDead() {
		run.ExitCode, run.Signal = s.child.exitAndSignal()
	}
}

// sendAndRead sends the plan and reads replies until the last marker. False: the output ended before, or the framing
// was violated.
func (t *persistent) sendAndRead(ctx context.Context, s *session, r *reader, lim solvers.Limits) bool {
	c := s.child
	begun := time.Now()
	defer c.killWith(ctx)()
	defer func() { r.run.Wall = time.Since(begun) }()
	f, p := &t.frame, &t.plan.plan
	f.beginRun(p.prefix, len(p.segments))
	resident, step := ownMemoryLimit(t.solver.MemoryLimit()), lim.Wall
	if resident || lim.CPU > 0 { // otherwise no limit needs frequent polling
		step = firstLook
	}
	tick := newTicker(c, step, resident, lim, s.cpu)
	var shown strings.Builder
	defer func() { r.run.Stdout = shown.String() }()
	// Output is counted here because the framer removes segments from its buffer.
	total := int64(0)
	sent := 0
	for i := range p.segments {
		g := &p.segments[i]
		if g.when != smtlib.None && g.when != r.last {
			f.next++ // not asked, so its marker will not come
			sent = max(sent, g.end)
			continue
		}
		if sent < g.end {
			// Send as much as possible at once: each write that wakes the solver costs two context switches.
			to := batchEnd(p, i)
			// The writer still holds the text, so this cannot be a reply to it: the framing is lost.
			if !s.sendText(p.text[sent:to]) {
				r.takeStray("replied to commands it had not read")
				return false
			}
			sent = to
		}
		for {
			part, ok := f.cutAtMarker()
			if ok {
				shown.Write(part)
				r.readSegment(g, part)
				break
			}
			if f.broken != "" {
				r.takeStray(f.broken)
				return false
			}
			f.buf = slices.Grow(f.buf, 4096)
			n, err := c.readOutput(f.buf[len(f.buf):cap(f.buf)])
			f.buf = f.buf[:len(f.buf)+n]
			total += int64(n)
			c.checkOutput(total, lim)
			if errors.Is(err, os.ErrDeadlineExceeded) && !c.isDead() {
				tick.checkLimits()
				continue
			}
			if err != nil && n == 0 {
				rest := f.buf[:min(int64(len(f.buf)), lim.Output)]
				shown.Write(rest)
				r.readPartial(g, rest, i == lastReply(p))
				return false
			}
		}
	}
	if rest := strings.TrimSpace(string(f.buf)); rest != "" && rest != "success" {
		shown.Write(f.buf)
		r.takeStray(rest)
	}
	return true
}

// batchEnd returns the end of the segments from number i on that can be sent at once: up to the next one that waits
// for an answer.
func batchEnd(p *plan, i int) int {
	to := p.segments[i].end
	for _, g := range p.segments[i+1:] {
		if g.when != smtlib.None {
			break
		}
		to = g.end
	}
	return to
}
