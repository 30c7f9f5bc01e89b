package campaign

import (
	"context"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/claim"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// maxRefutedModel bounds the model of a refutation, in bytes.
const maxRefutedModel = 2000

// settle holds what a verdict claims against the models of all solvers at hand. It returns what refuted it; or the case as it
// is known then: with a witness where one was found for an answer that was only assumed, without assumptions where the
// evaluator proves what is claimed.
func (w *worker) settle(ctx context.Context, c *testcase.Case, v *oracle.Verdict) (*finding.Refutation, *testcase.Case) {
	list := claim.Of(c, v)
	if len(list) == 0 {
		return nil, c
	}
	asked, done := w.modelGivers(v)
	defer done()
	for i := range list {
		k := &list[i]
		switch r := k.Settle(ctx, asked, w.plan.Limits); {
		case r.Standing == claim.Refuted:
			out := &finding.Refutation{Number: c.Origin.Number, Claimed: k.Want.String(), By: r.By, Of: c.Origin.Seeds, Steps: c.Origin.Steps, Assumed: c.Origin.Assumed}
			if r.Model != nil {
				out.Model = finding.Clip(r.Model.Text(), maxRefutedModel)
			}
			seeds, by := w.wronglyLabelled(ctx, c.Origin.Seeds, k.Want, asked)
			if out.Seeds = seeds; len(by) > 0 {
				out.Assumed = by
			}
			return out, c
		case r.Standing == claim.Proven && k.Want == smtlib.Unsat && len(list) == 1 && len(c.Expect) == 1:
			known := *c
			known.Origin.Assumed = nil
			return nil, &known
		case r.Standing == claim.Proven && k.Want == smtlib.Sat && k.Witness == nil && v.IsWrongAnswer() && onlySat(c):
			known := *c
			known.Witness = r.Model
			return nil, &known
		}
	}
	return nil, c
}

// refutes reports whether a model refutes what a verdict claims of a case.
func (w *worker) refutes(ctx context.Context, c *testcase.Case, v *oracle.Verdict) bool {
	asked, done := w.modelGivers(v)
	defer done()
	return slices.ContainsFunc(claim.Of(c, v), func(k claim.Claim) bool {
		return k.Want == smtlib.Unsat && k.Settle(ctx, asked, w.plan.Limits).Standing == claim.Refuted
	})
}

// refutation says what refutes the answer that a reproduction takes to be right; "" when nothing does.
func (w *worker) refutation(ctx context.Context, p *Reproduction) string {
	if !p.Want.Decided() || p.Oracle != nil || p.Against != nil || p.AnyFault || p.Class != solvers.Invalid || p.Want == smtlib.Sat && p.Case.Witness == nil {
		return ""
	}
	k := claim.Claim{Script: p.Case.Script, Check: p.Check, Want: p.Want, Witness: p.Case.Witness}
	r := k.Settle(ctx, []solvers.Target{p.Target}, w.plan.Limits)
	switch {
	case r.Standing != claim.Refuted:
		return ""
	case r.Model != nil:
		return fmt.Sprintf("the case is not %s: by exact evaluation, a model that %s gives satisfies it", p.Want, r.By)
	}
	return fmt.Sprintf("nothing shows that the case is %s: its witness does not satisfy it, or it contradicts itself", p.Want)
}

// settleSides blames the side of a disagreement that is wrong where a model shows it, whatever the majority is.
func (w *worker) settleSides(ctx context.Context, c *testcase.Case, r *report) {
	for i := range r.Verdicts {
		v := &r.Verdicts[i].Verdict
		if v.Kind != oracle.KindDisagreement {
			continue
		}
		asked, done := w.modelGivers(v)
		k := claim.Claim{Script: c.Script, Check: max(0, v.Check), Want: smtlib.Unsat}
		if ruling := k.Settle(ctx, asked, w.plan.Limits); ruling.Standing == claim.Refuted {
			v.BlameUnsat(ruling.By)
		}
		done()
	}
}

// onlySat reports whether a case expects sat once and nothing else: then a model of that check is its witness.
func onlySat(c *testcase.Case) bool {
	n := 0
	for _, a := range c.Expect {
		if a.Decided() {
			n++
		}
	}
	return n == 1 && slices.Contains(c.Expect, smtlib.Sat)
}

// modelGivers returns the solvers that are asked for models, each once and in a new process: first those that answer sat to
// the case of a verdict, then the other targets, then those that vouch for answers.
func (w *worker) modelGivers(v *oracle.Verdict) (out []solvers.Target, done func()) {
	var names, seen []string
	sat, others := v.Targets, v.Against
	if v.Got == smtlib.Unsat {
		sat, others = others, sat
	}
	for _, n := range slices.Concat(sat, others) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, t := range w.plan.Targets {
		if !slices.Contains(names, t.Name()) {
			names = append(names, t.Name())
		}
	}
	add := func(t solvers.Target) {
		name := t.Name()
		if s := t.Solver(); s != nil {
			name = s.Name
		}
		if slices.Contains(seen, name) {
			_ = t.Close()
			return
		}
		seen, out = append(seen, name), append(out, t)
	}
	for _, r := range w.right(names) {
		add(r.run)
	}
	if w.plan.Vouchers != nil {
		for _, t := range w.plan.Vouchers() {
			add(t)
		}
	}
	return out, func() {
		for _, t := range out {
			_ = t.Close()
		}
	}
}

// wronglyLabelled returns the seeds that do not have the answer that was taken to be theirs, and who says that they have.
func (w *worker) wronglyLabelled(ctx context.Context, names []string, want smtlib.Answer, asked []solvers.Target) (out, by []string) {
	if w.plan.Seed == nil {
		return nil, nil
	}
	var said testcase.Origin
	for _, name := range names {
		seed, err := w.plan.Seed(name)
		if err != nil || slices.Contains(out, name) {
			continue
		}
		for i := range seed.Script.CheckSats() {
			if said := seed.ExpectAt(i); said.Decided() && said != want {
				continue // it is not said to have the answer
			}
			k := claim.Claim{Script: seed.Script, Check: i, Want: want}
			if k.Settle(ctx, asked, w.plan.Limits).Standing == claim.Refuted {
				out, said = append(out, name), said.Assume(seed.Origin.Assumed...)
				break
			}
		}
	}
	return out, said.Assumed
}

// distrust is the seeds of whose answers no case of this run may claim anything any more, with the reason.
type distrust map[string]string

// skips says why a case is not run: it claims an answer that rests on such a seed; "" if it does not.
func (d distrust) skips(c *testcase.Case) string {
	if len(d) == 0 || !slices.ContainsFunc(c.Expect, smtlib.Answer.Decided) || len(c.Origin.Assumed) == 0 {
		return ""
	}
	if c.Witness != nil && !slices.Contains(c.Expect, smtlib.Unsat) {
		return "" // the witness shows it, whatever the seed's label says
	}
	for _, s := range c.Origin.Seeds {
		if why, ok := d[s]; ok {
			return why
		}
	}
	return ""
}

// refutations is what a campaign knows of refuted claims.
type refutations struct {
	distrust    distrust
	unexplained int // claims that no seed's label explains
}

// maxUnexplained is how many claims may be refuted without any seed's label being wrong before the campaign file is to blame.
const maxUnexplained = 20

// add takes in a refuted claim, and returns the seeds that are not trusted any more, with the reason, and are new.
func (r *refutations) add(x *finding.Refutation) distrust {
	seeds, why := x.Seeds, "the label of the seed is wrong: its answer is not "+x.Claimed
	if len(seeds) == 0 {
		r.unexplained++
		seeds, why = x.Of, "a claim about another case of this seed was refuted"
	}
	fresh := distrust{}
	for _, s := range seeds {
		if _, known := r.distrust[s]; known {
			continue
		}
		if r.distrust == nil {
			r.distrust = distrust{}
		}
		r.distrust[s], fresh[s] = why, why
	}
	return fresh
}

// refuted takes in that a verdict claims what is not so: it becomes no finding, and cases that rest on the same word end.
// The next verdict like it is looked at anew.
func (c *coordinator) refuted(g *group, r *report) {
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
		c.tellWorkers(&order{Type: orderForget, Keys: []string{g.f.Signature.BucketKey()}})
	}
	fresh := c.refutations.add(x)
	if len(fresh) > 0 {
		c.tellWorkers(&order{Type: orderDistrust, Distrust: fresh})
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
		c.fail(&LoadError{FaultScript, fmt.Errorf("%d answers that cases are said to have are wrong, by evaluation, and no seed's label explains it: what the campaign says keeps answers (keeps_answer, with_answer) does not. The last one: %s\n%s",
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
func (c *coordinator) tellWorkers(o *order) {
	for _, w := range c.workers {
		if !w.gone && w.why == "" {
			c.send(w, o)
		}
	}
}
