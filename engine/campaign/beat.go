package campaign

import (
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/finding"
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
			if w.out.line(&report{Type: reportBeat, Spent: spent, Text: doing(spent, purpose, what)}, true) != nil {
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
func (w *worker) spent() account.Account {
	a, _, _ := w.ledger.Read()
	return a
}

// ended sends the report that ends a job.
func (w *worker) ended(r *report) error {
	r.Spent = w.spent()
	return w.out.line(r, true)
}

// purposes are what jobs spend CPU time for.
var purposes = map[string]account.Purpose{
	orderHello: account.Loading, orderCases: account.Cases, orderConfirm: account.Confirmation, orderReduce: account.Reduction, orderRecheck: account.Recheck,
	orderReproduce: account.Confirmation, orderShow: account.Cases,
}

// heard takes in what a worker says of its spending and of what it does.
func (c *coordinator) heard(w *workerState, r *report) {
	c.books.Told(w.id, r.Spent)
	if r.Type != reportBeat {
		return
	}
	if asked := r.Spent[account.Options].Times; asked > w.asked { // some thousand short questions to one solver are no hang
		w.asked, w.since = asked, c.now
	}
	if w.now = finding.Clip(oneLine(r.Text), 200); w.job != nil {
		w.job.now = w.now
	}
}
