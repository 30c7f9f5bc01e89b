package worker

import (
	"context"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// maker makes cases by their numbers.
type maker struct {
	plan  *campaign.Plan
	opts  *finding.Inputs
	base  *rng.Source
	avoid []string // see hazard.Avoided
	// For a mixture whose weights follow the yield: the weights, their epoch, and the shapes reported for its cases.
	weights []uint32
	epoch   int
	shapes  shapes
}

// productOf returns the product that case n is made for, "" if each case goes to all targets.
func (m *maker) productOf(n uint64) string {
	if m.plan.Roster == nil {
		return ""
	}
	return m.plan.Roster.Turn(m.opts.Seed, n).Product
}

// seedAsItIs makes case n from a seed without changing the seed.
func (m *maker) seedAsItIs(n uint64) (*testcase.Case, error) {
	c, err := m.plan.SeedAt(int(n))
	if err != nil {
		return nil, &campaign.SkipError{Reason: "the seed cannot be read: " + err.Error(), By: seedsTechnique}
	}
	c.Origin.Technique = seedsTechnique
	return c, nil
}

// seedsTechnique is the technique name of cases that are unchanged seeds.
const seedsTechnique = "seeds"

// make makes case n without the avoided shapes. Techniques that cannot avoid them skip the cases that contain them.
func (m *maker) make(ctx context.Context, n uint64) (*testcase.Case, error) {
	if n < uint64(m.plan.SeedsFirst) {
		return m.seedAsItIs(n)
	}
	avoided := m.avoidedIn(n)
	if a, ok := m.plan.Technique.(campaign.Avoider); ok {
		a.SetAvoided(avoided)
	}
	c, err := m.plan.Technique.Make(ctx, n, m.base.Split(n))
	if err != nil || len(avoided) == 0 {
		return c, err
	}
	if shape, has := acceptance.FirstOf(avoided, c.Script); has && c.Script.Name != target.Question {
		return nil, &campaign.SkipError{Reason: "it has a shape that is avoided: " + shape.String(), By: c.Origin.Technique}
	}
	return c, nil
}

// avoidedIn returns the shapes that case n must avoid.
func (m *maker) avoidedIn(n uint64) []rule.Lack {
	entries := slices.Concat(m.plan.Deadly, m.avoid)
	if len(entries) == 0 {
		return nil
	}
	return hazard.Avoided(entries, m.productOf(n), m.opts.Seed, n)
}

// recordFailure returns a note with the shapes of c and how c made a target fail, so that later cases can avoid these
// shapes. It returns nil if there is nothing to record. A verdict takes precedence over a refusal, and a death over any
// other verdict.
func (m *maker) recordFailure(n uint64, c *testcase.Case, runs []*solvers.Run, verdicts []oracle.Verdict, ranAway bool) *hazard.CaseNote {
	if a, ok := m.plan.Technique.(campaign.Avoider); m.weights == nil && !(ok && a.Generates()) {
		return nil
	}
	died := func(v oracle.Verdict) bool { return v.Class.IsBug() || v.Kind == oracle.KindRunaway }
	failure := hazard.None
	switch {
	case ranAway || slices.ContainsFunc(verdicts, died):
		failure = hazard.Died
	case len(verdicts) > 0:
		failure = hazard.Wrong
	case slices.ContainsFunc(runs, m.isRefusal):
		failure = hazard.Refused
	}
	if failure == hazard.None && !hazard.Sampled(n) {
		return nil
	}
	product, shapes := m.productOf(n), acceptance.Shapes(c.Script)
	for _, l := range shapes {
		if slices.Contains(m.plan.Deadly, hazard.Entry(l, product)) {
			return nil // the cause of the failure is known already
		}
	}
	return &hazard.CaseNote{For: product, Shapes: shapes, Failure: failure}
}

// isRefusal reports whether a target refused its case in a run. References do not count: they may lack any feature.
func (m *maker) isRefusal(r *solvers.Run) bool {
	return r.Class.IsRefused() && !slices.Contains(m.plan.References, r.Target)
}

// complete fills in the fields that every case of the campaign has.
func (m *maker) complete(c *testcase.Case, n uint64) {
	c.Origin.Campaign, c.Origin.Seed, c.Origin.Number = m.plan.Name, m.opts.Seed, n
	if c.Origin.Technique == "" {
		c.Origin.Technique = m.plan.Technique.Name()
	}
	c.Origin.Weights, c.Origin.Avoid = m.weights, m.avoid
}

// growFrom gives the technique the grown seeds for the epoch of case n. It returns the edges that have become known
// since the last call.
func (m *maker) growFrom(g *grown, n uint64) (known []growth.Covered) {
	epoch, _ := mixture.EpochOf(n)
	seeds, known := g.seedsOf(epoch)
	if m.opts.Grown != nil {
		seeds = m.opts.Grown
	}
	if t, ok := m.plan.Technique.(campaign.Grower); ok {
		t.SetGrown(seeds, m.opts.Change != nil)
	}
	return known
}

// otherCaseError says that a case may not be the one that the user means. It includes the origin of the case that was
// made instead.
type otherCaseError struct {
	campaign.LoadError
	origin testcase.Origin
}

// Unwrap returns the LoadError, so that errors.As finds it.
func (e *otherCaseError) Unwrap() error { return &e.LoadError }

func otherCase(c *testcase.Case, format string, args ...any) error {
	e := &otherCaseError{LoadError: campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf(format, args...)}, origin: c.Origin}
	e.origin.Identity = c.Identity()
	return e
}

// checkIdentity reports an error if c is not the case that --expect names.
func (m *maker) checkIdentity(c *testcase.Case, n uint64) error {
	if m.opts.Expect == "" {
		if a := c.Origin.Answers.Contradicts(m.opts.Recorded); a != nil {
			return otherCase(c, "case %d of seed 0x%x is a finding here that was made with another %s; --answers FILE takes the answers that were recorded, answers.json in the folder of the finding; --expect %s takes the case as it is made here and now", n, m.opts.Seed, a, c.Identity())
		}
		if m.opts.Asked && len(m.opts.Recorded) == 0 {
			if on := c.Origin.Answers.RestsOn(); on != "" {
				return otherCase(c, "case %d of seed 0x%x rests on %s: other solvers make another case of it, so say which one is meant. --expect %s is the one that is made here and now; a finding names its own in README.md, and --answers FILE takes the answers that were recorded with it (answers.json in its folder)", n, m.opts.Seed, on, c.Identity())
			}
		}
		return nil
	}
	if why := c.Differs(m.opts.Expect); why != "" {
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("case %d of seed 0x%x is not the case that was recorded (its identity is %s here): %s", n, m.opts.Seed, c.Identity(), why)}
	}
	return nil
}

// setWeights sets the weights of the technique, if it is a mixture, and of the cases that it makes.
func (m *maker) setWeights(weights []uint32, epoch int) {
	mix, ok := m.plan.Technique.(campaign.Mixture)
	if !ok || mix.Parts() == nil {
		return
	}
	mix.SetWeights(weights)
	m.weights = weights
	if epoch != m.epoch {
		m.epoch = epoch
		m.shapes.end()
	}
}
