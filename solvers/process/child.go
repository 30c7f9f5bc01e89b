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

// pipeGrace is the time for which the output of a dead process is still read when a grandchild that left the process
// group keeps the pipe open.
const pipeGrace = 100 * time.Millisecond

// child is one solver process.
type child struct {
	process osProcess
	stdin   *os.File // nil for processes that read a file
	stdout  *waitedPipe
	prompt  *PromptReader // of stdout, nil for processes that answer once
	errs    *capture      // stderr
	// captures is set if stderr is read as data arrives. Only the goroutine that runs the process uses it.
	captures bool
	watch    *backtrace.Watch

	done chan struct{} // closed once it is reaped
	end  end           // final then

	mu       sync.Mutex
	dead     bool
	why      solvers.Class // why smtlark killed it; Invalid if it did not
	detail   string        // the message for that
	deadline time.Time     // of reads of stdout
	grace    time.Time     // until when stdout of a dead process is read
	peak     int64
	wait     sync.WaitGroup
}

// launched is a process that was started, with our ends of its pipes.
type launched struct {
	process       osProcess
	stdin, stderr *os.File // stdin is nil for processes that read a file
	stdout        *waitedPipe
}

// end is the end of a process, with the resources it had used.
type end struct {
	exit   int    // -1 for a signal
	signal string // its name, "" if none
	cpu    time.Duration
	peak   int64 // of resident memory in bytes, 0 if it is not known
}

// startChild runs argv in folder dir with its limits, confined by the starter, and watched if the context asks for it.
// If input is true, the child reads from a pipe, otherwise from the null device.
func startChild(ctx context.Context, by *confine.Starter, argv, env []string, dir string, input bool,
	lim solvers.Limits, memory string) (*child, error) {
	argv, watch := backtrace.Command(ctx, argv, dir)
	l, err := launch(by, argv, env, dir, input, lim)
	if err != nil {
		return nil, err
	}
	c := &child{process: l.process, stdin: l.stdin, stdout: l.stdout, watch: watch, done: make(chan struct{})}
	if input {
		c.prompt = NewPromptReader(c.stdout.file)
	}
	c.process.setFixedLimits()
	c.process.setMemoryLimit(lim, memory)
	c.process.setCPULimit(0, lim)
	c.errs = newCapture(l.stderr, lim.Output, func() {
		c.killGroupFor(solvers.OutputLimit, "killed after too many bytes of output on stderr")
	})
	running.add(c)
	if input {
		c.captureErrors()
	}
	c.wait.Go(c.awaitAndReap)
	return c, nil
}

// captureErrors begins to read stderr as data arrives. If the process ends soon, the contents of the pipe are read
// after its end.
func (c *child) captureErrors() {
	if !c.captures {
		c.captures = true
		c.wait.Go(c.errs.readUntilEnd)
	}
}

// awaitAndReap waits for the end of the process. While it is still a zombie its number cannot be reused, so this is the
// moment to kill the rest of its group.
func (c *child) awaitAndReap() {
	c.process.awaitEnd()
	c.mu.Lock()
	c.process.killGroup()
	running.reapAndRemove(c)
	c.dead = true
	c.grace = time.Now().Add(pipeGrace)
	c.errs.setDeadline(c.grace)
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

// lookAgain is the time after which a read checks whether the process has died: its children may keep the pipe open.
const lookAgain = 100 * time.Millisecond

// readOutput reads stdout until the time set by readUntil, when it returns os.ErrDeadlineExceeded.
func (c *child) readOutput(buf []byte) (int, error) {
	for prompt := c.prompt; ; prompt = nil {
		until, dead := c.readDeadline()
		now := time.Now()
		// A process that keeps writing small amounts must not prevent the caller from checking its limits.
		if !dead && !now.Before(until) {
			return 0, os.ErrDeadlineExceeded
		}
		if prompt != nil {
			if n := prompt.ReadPrompt(buf); n > 0 {
				return n, nil
			}
		}
		look := now.Add(lookAgain)
		if until.Before(look) {
			look = until
		}
		n, err := c.stdout.readBefore(buf, look)
		if !errors.Is(err, os.ErrDeadlineExceeded) || dead && !look.Before(until) {
			return n, err
		}
	}
}

// readUntil sets the time at which reads of stdout end with os.ErrDeadlineExceeded.
func (c *child) readUntil(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
}

// readDeadline returns the time until which stdout is read. Once the process is dead, this is c.grace, so that its last
// output is still read after the deadline.
func (c *child) readDeadline() (until time.Time, dead bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return c.grace, true
	}
	return c.deadline, false
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
	c.stdout.file.Close()
	c.errs.close()
	c.wait.Wait()
	c.process.close()
	c.watch.Collect()
}

// exitGrace is the time for which a process may keep running after it closes its output.
const exitGrace = time.Second

// awaitsEnd waits for a process whose output has ended, and reports whether the process ended. If it is exiting when
// the time is up, awaitsEnd keeps waiting: on a busy machine exiting may take long, and how the process died matters.
func (c *child) awaitsEnd(lim solvers.Limits) bool {
	timer := time.NewTimer(min(max(lim.Wall, time.Millisecond), exitGrace))
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

// samplePeak reads the peak of the memory, in bytes. It keeps the last value known, because a dead process may have
// none.
func (c *child) samplePeak() int64 {
	c.mu.Lock()
	if !c.dead {
		c.peak = max(c.peak, c.process.peakMemory())
	}
	c.mu.Unlock()
	if c.isDead() {
		c.peak = max(c.peak, c.end.peak)
	}
	return c.peak
}

// exitAndSignal describes how a reaped process ended: its exit code, or -1 and the name of the signal.
func (c *child) exitAndSignal() (exit int, signal string) { return c.end.exit, c.end.signal }
