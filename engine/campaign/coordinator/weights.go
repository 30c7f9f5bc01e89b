package coordinator

import (
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/wire"
)

// room returns the first case that may not be in the next job, 0 for no bound; ok is false while new cases must wait.
func (c *coordinator) room() (end uint64, ok bool) {
	if c.bandit == nil || c.cfg.Case != nil {
		return 0, true
	}
	epoch, end := mixture.EpochOf(c.queue.next)
	return end, c.bandit.Ready(epoch)
}

// weigh puts the weights for its cases into an order.
func (c *coordinator) weigh(o *wire.Order) {
	if c.bandit == nil {
		return
	}
	if c.cfg.Case != nil || c.cfg.Options.Weights != nil {
		o.Weights, o.Avoid = c.cfg.Options.Weights, c.cfg.Options.Avoid
		return
	}
	epoch, _ := mixture.EpochOf(o.From)
	known := c.bandit.Weights[epoch] != nil
	o.Epoch, o.Weights = epoch, c.bandit.WeightsOf(epoch)
	o.Avoid = c.bandit.Avoid[epoch]
	if !known {
		first := o.From
		c.stats.Lethal = c.bandit.Lethal
		c.event("weights", map[string]any{"epoch": epoch, "first_case": first, "cases": mixture.EpochSize(epoch), "weights": o.Weights, "avoid": o.Avoid})
	}
}

// settled tells the bandit of a case that needs no more work.
func (c *coordinator) settled(n uint64, r *wire.Report) {
	if c.bandit == nil {
		return
	}
	if r == nil {
		r = &wire.Report{}
	}
	c.bandit.Done(n, r.Technique, r.Verdicts, r.Features, r.Hazard)
}
