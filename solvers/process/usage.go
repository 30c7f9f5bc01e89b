package process

import (
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// running has the solver processes that are not yet reaped. The CPU time of a process moves from its own clock to the
// total of all ended children while the lock is held, so it is never counted twice.
var running = children{alive: map[*child]bool{}}

type children struct {
	mu    sync.Mutex
	alive map[*child]bool
	ended time.Duration // CPU time of those that ended
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

// ChildrenCPU returns the CPU time of all children of this process so far: of those that have ended, with the
// descendants that they waited for, and of the solvers that still run. It may lag behind by the time that children of
// running solvers have used. If the system does not account for children, only solvers are counted.
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
