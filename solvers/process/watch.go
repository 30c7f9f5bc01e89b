package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/smtlark/smtlark/solvers"
)

// readToEnd reads the output of a process until its end, and kills it at a limit.
func readToEnd(ctx context.Context, c *child, lim solvers.Limits, resident bool) []byte {
	defer c.killWith(ctx)()
	out, begun := make([]byte, 0, 4096), time.Now()
	step := firstLook
	if !resident {
		step = laterLook
	}
	tick := newTicker(c, step, resident, lim, 0)
	for {
		out = slices.Grow(out, 4096)
		n, err := c.readOutput(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if n > 0 && time.Since(begun) > noPeak {
			c.samplePeak()
		}
		c.checkOutput(int64(len(out)), lim)
		if errors.Is(err, os.ErrDeadlineExceeded) && !c.isDead() {
			tick.checkLimits()
			continue
		}
		if err != nil {
			break
		}
	}
	// Its output has ended, but it may still run.
	for !c.isDead() {
		timer := time.NewTimer(time.Until(tick.nextLook()))
		select {
		case <-c.done:
		case <-timer.C:
			tick.checkLimits()
		}
		timer.Stop()
	}
	return out[:min(int64(len(out)), lim.Output)]
}

// killWith kills the process when the context ends, until the returned function is called.
func (c *child) killWith(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { c.killGroupFor(solvers.Cancelled, context.Cause(ctx).Error()) })
}

// checkOutput kills the process when it has written too much.
func (c *child) checkOutput(stdout int64, lim solvers.Limits) {
	if stdout+c.errs.size() > lim.Output {
		c.killGroupFor(solvers.OutputLimit, fmt.Sprintf("killed after %d bytes of output", lim.Output))
	}
}

// firstLook is the time until a ticker first looks at a process. laterLook is that time for a process of a single run
// whose memory the kernel limits: most of these have ended by then, and a timer and a look cost a twentieth of a run.
const (
	firstLook = 10 * time.Millisecond
	laterLook = 30 * time.Millisecond
)

// noPeak is a run time too short to fill memory; for shorter runs, reading the memory peak is not worth its cost.
const noPeak = 5 * time.Millisecond

// ticker looks at a running process now and then, and ends it when a limit is exceeded.
type ticker struct {
	child    *child
	end      time.Time
	resident bool // smtlark enforces the memory limit by polling
	lim      solvers.Limits
	used     time.Duration // CPU time of earlier runs
	step     time.Duration
	at       time.Time
}

// newTicker starts the wall time of a run.
func newTicker(c *child, step time.Duration, resident bool, lim solvers.Limits, used time.Duration) *ticker {
	t := &ticker{child: c, end: time.Now().Add(lim.Wall), resident: resident, lim: lim, used: used, step: step}
	t.scheduleLook()
	return t
}

func (t *ticker) nextLook() time.Time { return t.at }

// scheduleLook sets the time of the next look: after the first step, then in longer ones up to 100 ms.
func (t *ticker) scheduleLook() {
	t.at = time.Now().Add(t.step)
	t.step = min(2*t.step, 100*time.Millisecond)
	if t.at.After(t.end) {
		t.at = t.end
	}
	t.child.readUntil(t.at)
}

// checkLimits is called when the time set by scheduleLook has come.
func (t *ticker) checkLimits() {
	c := t.child
	c.captureErrors()
	peak := c.samplePeak()
	switch {
	case !time.Now().Before(t.end):
		c.killGroupFor(solvers.Timeout, fmt.Sprintf("killed after %v", t.lim.Wall))
		t.end = time.Now().Add(time.Hour) // only the end of the process counts now
	case t.lim.CPU > 0 && c.cpuTime()-t.used > t.lim.CPU:
		c.killGroupFor(solvers.Timeout, fmt.Sprintf("killed after %v of CPU time", t.lim.CPU))
	case t.resident && peak > t.lim.Memory:
		c.killGroupFor(solvers.OutOfMemory, fmt.Sprintf("killed at %d bytes of memory", t.lim.Memory))
	}
	t.scheduleLook()
}
