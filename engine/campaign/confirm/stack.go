package confirm

import (
	"context"
	"time"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

// stackTime bounds running a case once more to unwind the stack of a crash, and stackTries how often that is tried.
const (
	stackTime  = 30 * time.Second
	stackTries = 3
)

// stackOf runs a case that makes a solver crash once more, on new processes, and unwinds the stack; nil where that is
// not possible, or the case does not crash.
func (w *repeater) stackOf(ctx context.Context, c *testcase.Case, v *oracle.Verdict, mode solvers.Mode, ahead finding.Sequence) *backtrace.CallStack {
	if v.Kind != oracle.KindCrash || len(v.Targets) == 0 {
		return nil
	}
	defer func(before finding.Sequence) { w.ahead = before }(w.ahead)
	w.ahead = ahead
	w.tellStage("where it dies")
	ctx, cancel := context.WithTimeout(ctx, stackTime)
	defer cancel()
	ctx, seen := backtrace.Observe(ctx)
	for range stackTries {
		rs := w.replicasIn(v.Targets[:1], mode)
		for _, run := range askReplicas(ctx, rs, w.queryFor(c), w.repetitionLimits(rs)) {
			if run.Class == solvers.StartFailure { // what traces it could not be started
				return nil
			}
		}
		closeReplicas(rs)
		if s := seen.Stack(); s != nil || ctx.Err() != nil {
			return s
		}
	}
	return nil
}
