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

// announced is the case that a worker runs, for its own goroutines and, in memory that they share, for the coordinator:
// 0 while it runs none, else the case's number plus 1.
type announced struct{ n *atomic.Uint64 }

func (a *announced) begin(n uint64) { a.n.Store(n + 1) }

func (a *announced) end() { a.n.Store(0) }

// stuck reports a script that outgrew its budget and cannot be ended otherwise than with the process: as an error of
// the case that the worker runs, of the campaign file while it is loaded, and as why the worker died elsewhere.
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
