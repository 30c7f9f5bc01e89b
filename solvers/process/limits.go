package process

import (
	"runtime"
	"time"

	"github.com/smtlark/smtlark/solvers"
)

const (
	// stackLimit bounds the stack, in bytes, where the user's own limit is higher: an endless recursion must end in a
	// signal. It is not raised, because the C library makes the stacks of threads as large as this limit, and those
	// count as memory.
	stackLimit = 64 << 20
	fileLimit  = 64 << 20 // bytes a solver may write into one file
)

// DefaultLimits are used for limits that neither the options of a target nor a run sets.
var DefaultLimits = solvers.Limits{Wall: 10 * time.Second, Memory: 2 << 30, Output: 1 << 20}

// cpuLimit returns a limit in CPU seconds that lies so far above used that a run cannot reach it: the limits of the run
// are enforced sooner and more exactly by polling.
func cpuLimit(used time.Duration, lim solvers.Limits) uint64 {
	allow := lim.Wall*time.Duration(runtime.NumCPU()) + 2*time.Second
	return uint64((used + allow) / time.Second)
}
