package confirm

import (
	"context"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// maxRefutedModel bounds the model of a refutation, in bytes.
const maxRefutedModel = 2000

// settleVerdict checks the claims of a verdict against the models of all solvers at hand. It returns the refutation of
// a claim, or the case with the new knowledge: with a witness if one was found for an answer that was only assumed, and
// without assumptions if the evaluator proves the claim.
func (w *arbiter) settleVerdict(ctx context.Context, c *testcase.Case, v *oracle.Verdict) (*finding.Refutation, *testcase.Case) {
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

// isRefuted reports whether a model refutes a verdict's claim that a case is unsat.
func (w *arbiter) isRefuted(ctx context.Context, c *testcase.Case, v *oracle.Verdict) bool {
	asked, done := w.modelGivers(v)
	defer done()
	return slices.ContainsFunc(claim.Of(c, v), func(k claim.Claim) bool {
		return k.Want == smtlib.Unsat && k.Settle(ctx, asked, w.plan.Limits).Standing == claim.Refuted
	})
}

// refutationOf says what refutes the answer that a reproduction takes to be right; "" when nothing does.
func (w *arbiter) refutationOf(ctx context.Context, p *campaign.Reproduction) string {
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

// settleSides blames the wrong side of a disagreement if a model or the evaluator shows which side that is, whatever
// the majority is.
func (w *arbiter) settleSides(ctx context.Context, c *testcase.Case, v *oracle.Verdict) {
	if v == nil || v.Kind != oracle.KindDisagreement {
		return
	}
	asked, done := w.modelGivers(v)
	defer done()
	k := claim.Claim{Script: c.Script, Check: max(0, v.Check), Want: smtlib.Unsat}
	switch ruling := k.Settle(ctx, asked, w.plan.Limits); ruling.Standing {
	case claim.Refuted:
		v.BlameUnsat(ruling.By)
	case claim.Proven:
		v.BlameSat()
	}
}

// compareWithSeed checks the relation that a verdict assumes between a case and its seed against the models of all
// solvers at hand. It returns the refutation of the relation, or else the ruling reached so far.
func (w *arbiter) compareWithSeed(ctx context.Context, c *testcase.Case, v *oracle.Verdict) (*finding.Refutation, claim.Ruling) {
	p := claim.ComparisonOf(c, v)
	if p == nil {
		return nil, claim.Ruling{}
	}
	asked, done := w.modelGivers(v)
	defer done()
	r := p.Settle(ctx, asked, w.plan.Limits)
	if r.Standing != claim.Refuted {
		return nil, r
	}
	out := &finding.Refutation{Number: c.Origin.Number, Claimed: string(p.Relation), Relation: string(p.Relation), By: r.By, Of: c.Origin.Seeds, Steps: c.Origin.Steps}
	if r.Model != nil {
		out.Model = finding.Clip(r.Model.Text(), maxRefutedModel)
	}
	return out, r
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

// modelGivers returns the solvers that are asked for models, each once and in a new process: first those that answer
// sat to the case of a verdict, then the other targets, then the reference solvers.
func (w *arbiter) modelGivers(v *oracle.Verdict) (out []solvers.Target, done func()) {
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
	// The modes of a program give the same models: one process of each program is enough.
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
	for _, r := range w.rightTargets(names) {
		add(r.run)
	}
	if w.plan.ReduceReferences != nil {
		for _, t := range w.plan.ReduceReferences() {
			add(t)
		}
	}
	return out, func() {
		for _, t := range out {
			_ = t.Close()
		}
	}
}

// wronglyLabelled returns the seeds that do not have the answer attributed to them, and who says that they have it.
func (w *arbiter) wronglyLabelled(ctx context.Context, names []string, want smtlib.Answer, asked []solvers.Target) (out, by []string) {
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
