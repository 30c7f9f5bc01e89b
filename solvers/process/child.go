package process

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/backtrace"
	"github.com/smtlark/smtlark/solvers/confine"
)

// pipeGrace is how long the output of a dead process is still read when a grandchild that left the process group
// keeps the pipe open.
const pipeGrace = 100 * time.Millisecond

// child is one solver process.
type child struct {
	process osProcess
	stdin   *os.File // nil for processes that read a file
	stdout  *os.File
	prompt  *PromptReader // of stdout, nil for processes that answer once
	errs    *capture      // stderr
	watch   *backtrace.Watch

	done chan struct{} // closed once it is reaped
	end  end           // final then

	mu       sync.Mutex
	dead     bool
	why      solvers.Class // why smtlark killed it; Invalid if it did not
	detail   string        // the message for that
	deadline time.Time     // of reads of stdout
	armed    bool          // stdout has it
	peak     int64
	late     bool // read has looked once more
	wait     sync.WaitGroup
}

// launched is a process that was started, with our ends of its pipes.
type launched struct {
	process               osProcess
	stdin, stdout, stderr *os.File // stdin is nil for processes that read a file
}

// end is how a process ended and what it had used.
type end struct {
	exit   int    // -1 for a signal
	signal string // its name, "" if none
	cpu    time.Duration
	peak   int64 // of resident memory in bytes, 0 if it is not known
}

// startChild runs argv in folder dir with its limits, confined as by says, and watched where the context asks for it. With input,
// the child reads from a pipe, else from the null device.
func startChild(ctx context.Context, by *confine.Starter, argv, env []string, dir string, input bool, lim solvers.Limits, memory string) (*child, error) {
	argv, watch := backtrace.Command(ctx, argv, dir)
	l, err := launch(by, argv, env, dir, input, lim)
	if err != nil {
		return nil, err
	}
	c := &child{process: l.process, stdin: l.stdin, stdout: l.stdout, watch: watch, done: make(chan struct{})}
	if input {
		c.prompt = NewPromptReader(c.stdout)
	}
	c.process.setFixedLimits()
	c.process.setMemoryLimit(lim, memory)
	c.process.setCPULimit(0, lim)
	c.errs = newCapture(l.stderr, lim.Output, func() { c.killGroupFor(solvers.OutputLimit, "killed after too many bytes of output on stderr") })
	running.add(c)
	c.wait.Go(c.errs.readUntilEnd)
	c.wait.Go(c.awaitAndReap)
	return c, nil
}

// awaitAndReap waits for the end of the process. While it is still a zombie its number cannot be reused, so that the moment to
// kill the rest of its group is then.
func (c *child) awaitAndReap() {
	c.process.awaitEnd()
	c.mu.Lock()
	c.process.killGroup()
	running.reapAndRemove(c)
	c.dead = true
	grace := time.Now().Add(pipeGrace)
	_ = c.stdout.SetReadDeadline(grace)
	c.errs.setDeadline(grace)
	c.mu.Unlock()
	close(c.done)
}

// killGroupFor ends the whole process group; the first reason given is kept.
func (c *child) killGroupFor(why solvers.Class, detail string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return
	}
	if c.why == solvers.Invalid {
		c.why, c.detail = why, detail
	}
	c.process.killGroup()
}

// killedFor returns the reason given to killGroupFor, Invalid if there was none.
func (c *child) killedFor() (solvers.Class, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why, c.detail
}

// readOutput reads stdout. A time set by readUntil that is over when the process is dead may have come before what the process wrote
// last, on a busy machine: then it looks once more.
func (c *child) readOutput(buf []byte) (int, error) {
	// A process that always has a little to say must not keep the one who looks at its limits from doing so.
	if c.prompt != nil && c.hasTime() {
		if n := c.prompt.readPrompt(buf); n > 0 {
			return n, nil
		}
	}
	c.armDeadline()
	n, err := c.stdout.Read(buf)
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && c.isDead() && !c.late {
		c.late = true
		_ = c.stdout.SetReadDeadline(time.Now().Add(pipeGrace))
		n, err = c.stdout.Read(buf)
	}
	return n, err
}

// readUntil sets the time at which reads of stdout end with os.ErrDeadlineExceeded. It takes hold with the first read that has to wait
// long: most replies come before.
func (c *child) readUntil(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline, c.armed = t, false
}

// hasTime reports whether the time set by readUntil has not come.
func (c *child) hasTime() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deadline.IsZero() || time.Now().Before(c.deadline)
}

// armDeadline gives stdout the time set by readUntil. After a death it has another, which stays.
func (c *child) armDeadline() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.armed && !c.dead && !c.deadline.IsZero() {
		_ = c.stdout.SetReadDeadline(c.deadline)
	}
	c.armed = true
}

// isDead reports whether the process has ended.
func (c *child) isDead() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// killAndClose kills the process if it still runs, waits for it and frees everything it held here.
func (c *child) killAndClose() {
	c.killGroupFor(solvers.Cancelled, "target closed")
	<-c.done
	if c.stdin != nil {
		c.stdin.Close()
	}
	c.stdout.Close()
	c.errs.close()
	c.wait.Wait()
	c.process.close()
	c.watch.Collect()
}

// endPatience is how long a process may go on that has closed its output.
const endPatience = time.Second

// awaitsEnd waits for the end of a process whose output has ended, and reports whether it came. One that is on its way out by then
// is waited for: on a busy machine it may be long until that is over, and how it died is what counts.
func (c *child) awaitsEnd(lim solvers.Limits) bool {
	timer := time.NewTimer(min(max(lim.Wall, time.Millisecond), endPatience))
	defer timer.Stop()
	select {
	case <-c.done:
		return true
	case <-timer.C:
	}
	if c.process.isExiting() {
		<-c.done
		return true
	}
	return c.isDead()
}

// cpuTime returns the CPU time used so far.
func (c *child) cpuTime() time.Duration {
	if c.isDead() {
		return c.end.cpu
	}
	return c.process.cpuTime()
}

// samplePeak reads the peak of the memory, in bytes. It keeps the last value known, because a dead process may have none.
func (c *child) samplePeak() int64 {
	c.peak = max(c.peak, c.process.peakMemory())
	if c.isDead() {
		c.peak = max(c.peak, c.end.peak)
	}
	return c.peak
}

// exitAndSignal describes how a reaped process ended: its exit code, or -1 and the name of the signal.
func (c *child) exitAndSignal() (exit int, signal string) { return c.end.exit, c.end.signal }
