package worker

import (
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/wire"
)

// beatEvery is how often a worker says what it has spent and what it does.
const beatEvery = time.Second

// beat does so until done is closed.
func (w *worker) beat(done <-chan struct{}) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			spent, purpose, what := w.ledger.Read()
			if w.out.Line(&wire.Beat{Spending: wire.Spending{Spent: spent}, Text: doing(spent, purpose, what)}, true) != nil {
				return // the coordinator is gone, which ends the worker elsewhere
			}
		}
	}
}

// doing says in words what a case is waiting for, or how far a reduction has come; "" where nothing is to be added.
func doing(spent account.Account, purpose account.Purpose, what string) string {
	switch purpose {
	case account.Models:
		return fmt.Sprintf("models of %d seeds, now %s", spent[purpose].Times, what)
	case account.Options:
		return what
	case account.Questions:
		return "the campaign file asks " + what
	case account.Cases, account.Reduction:
		return what
	}
	return ""
}

// spent is what the worker has spent so far.
func (w *worker) spent() wire.Spending {
	a, _, _ := w.ledger.Read()
	return wire.Spending{Spent: a}
}

// purposeOf is what a job spends CPU time for.
func purposeOf(o wire.Order) account.Purpose {
	switch o.(type) {
	case *wire.Confirm, *wire.Reproduce:
		return account.Confirmation
	case *wire.Reduce:
		return account.Reduction
	case *wire.Recheck:
		return account.Recheck
	}
	return account.Cases
}
