package reduce

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// Runner asks targets about candidates: each run is in a new process, and as many candidates at a time as there are sets
// of targets.
type Runner struct {
	prop  Property
	sets  chan []solvers.Target
	limit time.Duration // of a run at first

	mu    sync.Mutex
	now   time.Duration // limit of a run as things are
	tries int
}

// NewRunner makes a Runner. Each set has the same targets, in the order that the property expects; limit is the
// wall-clock time of a run, which shrinks with the runs of what was accepted unless the property is about time.
func NewRunner(p Property, sets [][]solvers.Target, limit time.Duration) *Runner {
	r := &Runner{prop: p, sets: make(chan []solvers.Target, len(sets)), limit: limit, now: limit, tries: 1}
	for _, s := range sets {
		r.sets <- s
	}
	return r
}

// Tries is how often a candidate is run before it counts as not showing the property.
func (r *Runner) Tries() int { return r.tries }

// Limit is the wall-clock limit of a run as things are.
func (r *Runner) Limit() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Measure runs the case n times and returns how often it showed the property. Where that is not always, candidates are
// run until the chance to miss one that shows it as often is below 2 %, but not more than 20 times.
func (r *Runner) Measure(ctx context.Context, c *Candidate, n int) (shown int, longest time.Duration) {
	for range n {
		if ctx.Err() != nil {
			break
		}
		reply := r.once(ctx, c, r.limit)
		longest = max(longest, reply.Took)
		if reply.Holds {
			shown++
		}
	}
	if shown > 0 && shown < n {
		miss := 1 - float64(shown)/float64(n)
		r.tries = min(20, int(math.Ceil(math.Log(0.02)/math.Log(miss))))
	}
	return shown, longest
}

// Ask implements Asker.
func (r *Runner) Ask(ctx context.Context, c *Candidate) Reply {
	var reply Reply
	for i := range r.tries {
		one := r.once(ctx, c, r.Limit())
		reply.TimedOut = reply.TimedOut || one.TimedOut
		reply.Cut = one.Cut
		reply.Took = max(reply.Took, one.Took)
		reply.Runs = i + 1
		if reply.Holds = one.Holds; reply.Holds || reply.Cut {
			break
		}
	}
	return reply
}

// Accepted implements Asker: smaller cases should not take much longer than the one they are made of.
func (r *Runner) Accepted(reply Reply) {
	if r.prop.Timed {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = min(r.limit, 3*reply.Took+time.Second)
}

func (r *Runner) once(ctx context.Context, c *Candidate, limit time.Duration) (reply Reply) {
	var set []solvers.Target
	select {
	case set = <-r.sets:
		defer func() { r.sets <- set }()
	case <-ctx.Done():
		return Reply{Cut: true}
	}
	tc, q := &testcase.Case{Expect: c.Expect}, c.Query
	if r.prop.reads || q == nil {
		var err error
		if tc, err = c.Case(); err != nil {
			return reply // what we print ourselves is read back; tests see to that
		}
	}
	if q == nil {
		q = tc.Query()
	}
	if r.prop.Models {
		q = q.WithModel()
	}
	runs := ask(ctx, set, q, solvers.Limits{Wall: limit})
	for _, run := range runs {
		reply.Took = max(reply.Took, run.Wall)
		reply.TimedOut = reply.TimedOut || run.Class == solvers.Timeout && !r.prop.Timed
	}
	if ctx.Err() != nil {
		reply.Cut = true
		return reply
	}
	reply.Holds = r.prop.holds(tc, runs)
	return reply
}

// Detach makes a candidate of a case.
func Detach(c *testcase.Case) *Candidate {
	if t := c.LiveTrace(); t != nil {
		return &Candidate{Text: c.Text(), Trace: t.AppendTo(nil), Expect: c.Expect}
	}
	return &Candidate{Query: c.Query(), Text: c.Text(), Expect: c.Expect}
}

// Flakiness says in words how often a case showed its property.
func Flakiness(shown, n, tries int) string {
	if shown == n {
		return fmt.Sprintf("shows in %d of %d runs", shown, n)
	}
	return fmt.Sprintf("shows in %d of %d runs: each candidate is run up to %d times", shown, n, tries)
}
