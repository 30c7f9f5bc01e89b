package coordinator

import (
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/finding"
)

// checkpointEvery is how often a campaign notes which cases are done. After a kill the cases since then are run again.
const checkpointEvery = 2 * time.Second

// keeper returns the store as a Keeper; nil when it is none, or when the campaign is a single case.
func (c *coordinator) keeper() finding.Keeper {
	if c.cfg.Case != nil {
		return nil
	}
	k, _ := c.cfg.Store.(finding.Keeper)
	return k
}

// progress says which cases are done: all that were handed out, less those that are running and those that came back.
func (c *coordinator) progress() finding.Progress {
	p := finding.Progress{Next: c.queue.next}
	open := jobQueue{}
	for _, s := range c.queue.back {
		open.giveBack(s)
	}
	for _, w := range c.workers {
		if !w.gone && w.job != nil && w.job.kind == wire.OrderCases {
			open.giveBack(span{w.job.next, w.job.to, 0})
		}
	}
	for _, n := range c.unheld {
		open.giveBack(span{n, n + 1, 0})
	}
	for _, s := range open.back {
		p.Open = append(p.Open, [2]uint64{s.from, s.to})
	}
	return p
}

// checkpoint notes the progress when it is due.
func (c *coordinator) checkpoint(now bool) {
	k := c.keeper()
	if k == nil || c.plan == nil || !now && c.now.Sub(c.noted) < checkpointEvery {
		return
	}
	c.noted = c.now
	if err := k.Checkpoint(c.progress(), c.counted(), c.settledQ); err != nil {
		c.diskError(err)
		return
	}
	c.settledQ = nil
}

// counted returns the findings, and the verdicts on their way to become some, that verdicts were counted at since the last
// checkpoint.
func (c *coordinator) counted() (out []*finding.Finding) {
	add := func(f *finding.Finding) {
		if f.Count > f.Booked {
			out = append(out, f)
		}
	}
	for _, g := range c.order {
		add(g.f)
	}
	for _, key := range c.bucketOrder {
		b := c.buckets[key]
		for _, f := range b.candidates {
			add(f)
		}
		if b.busy != nil {
			add(b.busy.f)
		}
	}
	return out
}

// resume takes up what an earlier run left: the cases to come, the verdicts that were not settled, the findings that were
// not reduced; and it looks at the open findings again.
func (c *coordinator) resume() {
	k := c.keeper()
	if k == nil {
		return
	}
	if p := c.cfg.Resume; p != nil {
		c.queue.next = p.Next
		for _, s := range p.Open {
			c.queue.giveBack(span{s[0], s[1], 0})
		}
		if end := c.queue.end; end > 0 { // a run with a later end came before
			for i := range c.queue.back {
				c.queue.back[i].to = min(c.queue.back[i].to, end)
			}
			c.queue.dropEmpty()
		}
	}
	tried, err := k.InVain()
	if err != nil {
		c.diskError(err)
		return
	}
	c.histories = tried
	held, err := k.Held()
	if err != nil {
		c.diskError(err)
		return
	}
	for _, f := range held {
		f.Booked = f.Count
		c.takeUp(f)
	}
	again, err := k.Again()
	if err != nil {
		c.diskError(err)
		return
	}
	for _, f := range again {
		if c.plan.CanJudge(f) {
			c.recheckQ = append(c.recheckQ, f)
			if g := c.groups[f.Signature.Key]; g != nil {
				g.awaited = f.Unfinished() && c.plan.Reducible(f)
			}
		}
	}
}

// takeUp goes on with a verdict that an earlier run had not settled.
func (c *coordinator) takeUp(f *finding.Finding) {
	if g := c.groups[f.Signature.Key]; g != nil && !f.Signature.Vague { // it was stored meanwhile
		g.f.Count += f.Count
		g.changed = true
		c.unhold(f)
		return
	}
	f.Plan = c.plan
	c.stats.Findings.Verdicts++
	if g := c.groups[f.Signature.Key]; g != nil {
		c.addCandidate(g, f, true)
		return
	}
	g := &group{f: f}
	c.addGroup(g)
	c.toConfirm(g)
}

// rechecked takes in what came of looking at a stored finding again.
func (c *coordinator) rechecked(f *finding.Finding, r *wire.Report) {
	defer c.unawait(c.groups[f.Signature.Key])
	if r.Text != "" {
		c.event("recheck", map[string]any{"number": f.Number, "error": r.Text})
	}
	if len(r.Checks) == 0 {
		return
	}
	c.plan.IdentifyChecks(r.Checks)
	text, err := c.keeper().Checked(f, r.Checks)
	if err != nil {
		c.diskError(err)
		return
	}
	hits := 0
	for _, k := range r.Checks {
		hits += k.Hits
	}
	c.event("recheck", map[string]any{"number": f.Number, "checks": r.Checks, "status": text})
	if text != "" {
		c.cfg.Print(LineFinding, text)
	}
	g := c.groups[f.Signature.Key]
	if hits == 0 {
		return
	}
	if c.placeKnown(f, r.Stack); g != nil {
		g = c.groups[f.Signature.Key]
	}
	if g != nil && g.state == groupKnown && !g.seen {
		c.seenAgain(g, f.Case.Origin.Number, f.Verdict.Summary)
	}
	if g != nil && f.Unfinished() && c.plan.Reducible(f) {
		f.Plan, f.Known = c.plan, false
		f.Booked = f.Count + g.f.Booked
		f.Count += g.f.Count
		g.f, g.state, g.old = f, groupConfirmed, true
		c.reduceQ = append(c.reduceQ, g)
	}
}

// unawait ends the wait for a finding of an earlier run to be looked at again: from here on its state says whether it will
// be reduced.
func (c *coordinator) unawait(g *group) {
	if g != nil && g.awaited {
		g.awaited = false
		c.tellKnown(g.f.Signature.BucketKey())
	}
}

// seenAgain counts a finding of an earlier campaign, once.
func (c *coordinator) seenAgain(g *group, n uint64, summary string) {
	g.seen = true
	c.stats.Findings.Known++
	c.event("known", map[string]any{"n": n, "number": g.f.Number, "summary": summary, "signature": g.f.Signature})
	c.cfg.Print(LineFinding, fmt.Sprintf("seen again: %s: %s", g.f.Dir, summary))
	c.listFindings()
}
