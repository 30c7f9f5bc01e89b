package coordinator

import (
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
)

// heard takes in what a worker says of its spending and of what it does.
func (c *coordinator) heard(w *workerState, r *wire.Report) {
	c.books.Told(w.id, r.Spent)
	if r.Type != wire.ReportBeat {
		return
	}
	if asked := r.Spent[account.Options].Times; asked > w.asked { // some thousand short questions to one solver are no hang
		w.asked, w.since = asked, c.now
	}
	if w.now = finding.Clip(campaign.OneLine(r.Text), 200); w.job != nil {
		w.job.now = w.now
	}
}
