package property

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/solvers"
)

// Runner asks targets about candidates, as many at a time as there are sets of targets. A candidate counts only if it
// shows the property in a new process. Starting a process that holds a C library takes longer than most candidates do,
// so there the next candidate runs in the same process; if it shows the property, it runs again in a new one.
type Runner struct {
	prop  Property
	sets  chan *targetSet
	limit time.Duration // of a run at first

	mu      sync.Mutex
	now     time.Duration // current limit of a run
	cpu     time.Duration // limit of the CPU time of a run, 0 for none
	repeats driver.Repeats
}

// targetSet are the targets of one candidate at a time.
type targetSet struct {
	targets []solvers.Target
	keeps   bool // processes may be used again
	used    bool // they have been
}

// NewRunner makes a Runner. Each set has the same targets, in the order that the property expects; limit is the
// wall-clock time of a run. It shrinks with the run times of accepted candidates unless the property is about time. So
// does a limit of CPU time, which ends hanging runs long before that.
func NewRunner(p Property, sets [][]solvers.Target, limit time.Duration) *Runner {
	r := &Runner{prop: p, sets: make(chan *targetSet, len(sets)), limit: limit, now: limit}
	for _, s := range sets {
		foreign := func(t solvers.Target) bool { return t.Mode() != solvers.Native }
		r.sets <- &targetSet{targets: s, keeps: len(s) > 0 && !p.Timed && !slices.ContainsFunc(s, foreign)}
	}
	return r
}

// Tries returns how often a candidate is run before it counts as not showing the property.
func (r *Runner) Tries() int { return r.repeats.Tries() }

// Limit returns the present wall-clock limit of a run.
func (r *Runner) Limit() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Measure runs the case n times, less often if the context ends, and returns how often it ran to its end and how often
// that showed the property. Where that is not always, candidates are run more often, see driver.Repeats.
func (r *Runner) Measure(ctx context.Context, c *driver.Candidate, n int) (shown, ran int) {
	longest := time.Duration(0)
	for ran < n {
		reply := r.once(ctx, c, true)
		if ctx.Err() != nil {
			break
		}
		ran++
		longest = max(longest, reply.CPU)
		if reply.Holds {
			shown++
		}
	}
	r.Accepted(driver.Observation{Took: r.limit, CPU: longest})
	r.repeats.Measured(shown, ran)
	return shown, ran
}

// Ask implements driver.Asker.
func (r *Runner) Ask(ctx context.Context, c *driver.Candidate) driver.Observation {
	var reply driver.Observation
	reply.Runs = r.repeats.Until(func() bool {
		one := r.once(ctx, c, false)
		reply.TimedOut = reply.TimedOut || one.TimedOut
		reply.Holds, reply.Cut = one.Holds, one.Cut
		reply.Took, reply.CPU = max(reply.Took, one.Took), max(reply.CPU, one.CPU)
		return reply.Holds || reply.Cut
	})
	return reply
}

// These are the smallest limits of runs, whatever the runs before them took. A process also needs time to start, and on
// a busy machine it waits; mainly the CPU time is limited.
const (
	leastWall = 5 * time.Second
	leastCPU  = 300 * time.Millisecond
)

// Accepted implements driver.Asker: smaller cases should not take much longer than the one they are made of.
func (r *Runner) Accepted(reply driver.Observation) {
	if r.prop.Timed {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = min(r.limit, 3*reply.Took+leastWall)
	r.cpu = 3*reply.CPU + leastCPU
}

// limits returns the current limits of a run.
func (r *Runner) limits() solvers.Limits {
	r.mu.Lock()
	defer r.mu.Unlock()
	return solvers.Limits{Wall: r.now, CPU: r.cpu}
}

// once asks about a candidate once. If anew is true, it uses only processes that have not run another candidate.
func (r *Runner) once(ctx context.Context, c *driver.Candidate, anew bool) (reply driver.Observation) {
	var set *targetSet
	select {
	case set = <-r.sets:
		defer func() { r.sets <- set }()
	case <-ctx.Done():
		return driver.Observation{Cut: true}
	}
	if anew {
		set.renew()
	}
	again := set.used
	reply = r.run(ctx, c, set)
	if reply.Holds && again {
		set.renew()
		first := reply
		reply = r.run(ctx, c, set)
		reply.Took, reply.CPU = max(reply.Took, first.Took), max(reply.CPU, first.CPU)
	}
	return reply
}

// renew makes the next run one in a new process.
func (s *targetSet) renew() {
	for _, t := range s.targets {
		Renew(t, s.keeps)
	}
	s.used = false
}

func (r *Runner) run(ctx context.Context, c *driver.Candidate, set *targetSet) (reply driver.Observation) {
	tc, q := &testcase.Case{Expect: c.Expect}, c.Query
	if r.prop.reads || q == nil {
		var err error
		if tc, err = c.Case(); err != nil {
			return reply // smtlark can parse its own output; tests ensure that
		}
	}
	if q == nil {
		q = tc.Query()
	}
	if r.prop.Models {
		q = q.WithModel()
	}
	runs := ask(ctx, set.targets, q, r.limits(), set.keeps)
	ended := func(run *solvers.Run) bool { return run.Class == solvers.Cancelled }
	if set.used && ctx.Err() == nil && slices.ContainsFunc(runs, ended) { // that was meant for the candidate before this one
		set.renew()
		runs = ask(ctx, set.targets, q, r.limits(), set.keeps)
	}
	set.used = set.keeps
	for _, run := range runs {
		reply.Took, reply.CPU = max(reply.Took, run.Wall), max(reply.CPU, run.CPU)
		if run.Class.IsBug() {
			set.used = false
		}
		reply.TimedOut = reply.TimedOut || run.Class == solvers.Timeout && !r.prop.Timed
	}
	if ctx.Err() != nil {
		reply.Cut = true
		return reply
	}
	reply.Holds = r.prop.holds(tc, runs)
	return reply
}

// Flakiness says in words how often a case showed its property.
func Flakiness(shown, n, tries int) string {
	if shown == n {
		return fmt.Sprintf("shows in %d of %d runs", shown, n)
	}
	return fmt.Sprintf("shows in %d of %d runs: each candidate is run up to %d times", shown, n, tries)
}
