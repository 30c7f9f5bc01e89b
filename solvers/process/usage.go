package process

import (
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// running are the solver processes that were not reaped yet. What a process has used moves from its own clock to the
// sum of all ended children while the lock is held, so that it is never counted twice.
var running = children{alive: map[*child]bool{}}

type children struct {
	mu    sync.Mutex
	alive map[*child]bool
	ended time.Duration // what those that ended have used
}

func (r *children) add(c *child) {
	r.mu.Lock()
	r.alive[c] = true
	r.mu.Unlock()
}

// reapAndRemove reaps a process.
func (r *children) reapAndRemove(c *child) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.end = c.process.reap()
	delete(r.alive, c)
	r.ended += c.end.cpu
}

// ChildrenCPU returns the CPU time of all children of this process so far: of those that have ended, with all that
// they waited for, and of the solvers that still run. It may lag behind by what children of running solvers have
// used. Where the system does not count for children, it is that of solvers alone.
func ChildrenCPU() time.Duration {
	running.mu.Lock()
	defer running.mu.Unlock()
	total, ok := system.ChildrenCPUTime()
	if !ok {
		total = running.ended
	}
	for c := range running.alive {
		total += c.process.cpuTime()
	}
	return total
}
