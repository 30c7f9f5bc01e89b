package process

import (
	"time"

	"github.com/smtlark/smtlark/solvers"
)

// ownMemoryLimit reports whether a limit of memory is enforced by looking at the process now and then: the job does.
func ownMemoryLimit(string) bool { return false }

// setFixedLimits does nothing: there are no such limits. The job ends the process with us, at the latest.
func (c *child) setFixedLimits() {}

func (c *child) setMemoryLimit(lim solvers.Limits, _ string) { _ = c.kernel.job.Limit(lim.Memory) }

// setCPULimit does nothing: a process that nobody looks at any more has ended with its job.
func (c *child) setCPULimit(time.Duration, solvers.Limits) {}
