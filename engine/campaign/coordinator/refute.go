package coordinator

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
)

// refutations is what a campaign knows of refuted claims.
type refutations struct {
	distrust    wire.Distrust
	unexplained int // claims that no seed's label explains
}

// maxUnexplained is how many claims may be refuted without any seed's label being wrong before the campaign file is to blame.
const maxUnexplained = 20

// add takes in a refuted claim, and returns the seeds that are not trusted any more, with the reason, and are new.
func (r *refutations) add(x *finding.Refutation) wire.Distrust {
	seeds, why := x.Seeds, "the label of the seed is wrong: its answer is not "+x.Claimed
	if len(seeds) == 0 {
		r.unexplained++
		seeds, why = x.Of, "a claim about another case of this seed was refuted"
	}
	fresh := wire.Distrust{}
	for _, s := range seeds {
		if _, known := r.distrust[s]; known {
			continue
		}
		if r.distrust == nil {
			r.distrust = wire.Distrust{}
		}
		r.distrust[s], fresh[s] = why, why
	}
	return fresh
}

// refuted takes in that a verdict claims what is not so: it becomes no finding, and cases that rest on the same word end.
// The next verdict like it is looked at anew.
func (c *coordinator) refuted(g *group, r *wire.Report) {
	x := r.Refuted
	c.unhold(g.f)
	if g.bucket == nil && len(g.f.Examples) > 1 { // what was counted as the same may be right
		c.stats.Findings.Duplicates -= min(c.stats.Findings.Duplicates, uint64(g.f.Count-1))
		for _, n := range g.f.Examples[1:] {
			c.runAgain(n)
		}
	}
	if g.bucket != nil {
		g.bucket.busy = nil
	} else {
		g.state = groupRefuted
		c.tellWorkers(&wire.Order{Type: wire.OrderForget, Keys: []string{g.f.Signature.BucketKey()}})
	}
	fresh := c.refutations.add(x)
	if len(fresh) > 0 {
		c.tellWorkers(&wire.Order{Type: wire.OrderDistrust, Distrust: fresh})
	}
	s := &c.stats
	s.Findings.Refuted++
	for _, name := range x.Seeds {
		if !slices.Contains(s.MislabelledSeeds, name) && len(s.MislabelledSeeds) < finding.MaxBroken {
			s.MislabelledSeeds = append(s.MislabelledSeeds, name)
		}
	}
	text := x.Text()
	if (len(fresh) > 0 || len(x.Of) == 0) && len(s.RefutedList) < finding.MaxBroken { // others are the same once more
		s.RefutedList = append(s.RefutedList, *x)
		c.cfg.Print(LineWarning, "no finding, but a wrong claim: "+text)
	}
	c.event("refuted", map[string]any{"n": x.Number, "claimed": x.Claimed, "by": x.By, "seeds": x.Seeds, "of": x.Of, "steps": x.Steps, "assumed": x.Assumed, "model": x.Model})
	if c.refutations.unexplained >= maxUnexplained && !c.cfg.KeepGoing {
		c.fail(&campaign.LoadError{Fault: campaign.FaultScript, Err: fmt.Errorf("%d answers that cases are said to have are wrong, by evaluation, and no seed's label explains it: what the campaign says keeps answers (keeps_answer, with_answer) does not. The last one: %s\n%s",
			c.refutations.unexplained, text, c.replay(x.Number))})
	}
}

// runAgain has a case made again whose verdict was not looked at. It counts once.
func (c *coordinator) runAgain(n uint64) {
	if c.stats.State == metrics.StateRunning && c.cfg.Case == nil && c.stats.Cases > 0 {
		c.queue.giveBack(span{n, n + 1, 0})
		c.stats.Cases--
	}
}

// tellWorkers sends an order to all workers that live.
func (c *coordinator) tellWorkers(o *wire.Order) {
	for _, w := range c.workers {
		if !w.gone && w.why == "" {
			c.send(w, o)
		}
	}
}
