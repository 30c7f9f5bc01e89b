package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// announced holds the case that a worker is running: the case's number plus 1, or 0 if none is running. The worker's
// own goroutines read it and, through shared memory, the coordinator.
type announced struct{ n *atomic.Uint64 }

func (a *announced) begin(n uint64) { a.n.Store(n + 1) }

func (a *announced) end() { a.n.Store(0) }

// stuck reports a script that exceeded its budget and can only be ended together with the process. The error is
// reported for the running case, or for the campaign file while it is being loaded; otherwise, it is the reason for the
// worker's death.
func (w *worker) stuck(err error) {
	if errors.Is(err, context.Canceled) {
		return // the coordinator decides how long it waits for a job that it cut
	}
	text := finding.Clip(err.Error(), finding.MaxOutput)
	switch n := w.running.n.Load(); {
	case w.plan == nil:
		_ = w.out.Line(&wire.Failed{Fault: campaign.FaultScript, Text: text}, true)
	case n > 0:
		_ = w.out.Line(&wire.CaseFailed{N: n - 1, Fault: campaign.FaultScript, Text: text, OverBudget: true}, true)
	default:
		fmt.Fprintln(os.Stderr, text)
	}
	os.Exit(1)
}
