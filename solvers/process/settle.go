package process

import (
	"cmp"

	"github.com/smtlark/smtlark/solvers"
)

// settleEndedRun settles the class of a run whose process has ended.
func settleEndedRun(r *reader, c *child, lim solvers.Limits, complete bool) {
	run := r.run
	run.ExitCode, run.Signal = c.exitAndSignal()
	run.CPU = c.cpuTime()
	run.PeakMemory = c.samplePeak()
	killed, detail := c.killedFor()
	r.settleClass(killed, detail, lim, complete, true)
}

// settleClass decides the class. complete says that every reply has come, dead that the process has ended (by itself
// unless killed is set).
func (r *reader) settleClass(killed solvers.Class, detail string, lim solvers.Limits, complete, dead bool) {
	run := r.run
	exit := run.ExitCode
	if !dead {
		exit = 0
	}
	c, m := r.profile.Classify(solvers.Evidence{
		Errors: r.errs.String(), Stderr: run.Stderr, ExitCode: exit, Signal: run.Signal,
		PeakMemory: run.PeakMemory, MemoryLimit: lim.Memory,
	})
	switch {
	case killed != solvers.Invalid:
		run.Class, run.Message = killed, detail
		if c == solvers.Assertion { // the solver reported a failed assertion before it was killed
			run.Class, run.Message = c, m
		}
	case c.IsBug() || dead && (run.Signal != "" || c == solvers.OutOfMemory || c == solvers.Timeout):
		run.Class, run.Message = c, m
	case r.class != solvers.Invalid:
		run.Class, run.Message = r.class, r.message
	case r.bareError:
		run.Class, run.Message = c, m
	case r.garbage != "" && complete:
		run.Class, run.Message = solvers.Garbage, r.garbage
	case r.garbage+r.beside != "" && !complete && exit == 0 && (c == solvers.OK || c == solvers.SolverError):
		run.Class, run.Message = solvers.Garbage, cmp.Or(r.garbage, r.beside)
	case complete:
		run.Class, run.Message = solvers.OK, r.message
	case r.endedInValue && (c == solvers.Refusal || c == solvers.Unsupported || c == solvers.SolverError ||
		c == solvers.ParseError):
		run.Class, run.Message = solvers.OK, m
	case c != solvers.OK:
		run.Class, run.Message = c, m
	default:
		run.Class, run.Message = solvers.Garbage, "ended without the answers due"
	}
}
