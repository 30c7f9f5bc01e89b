package search

import (
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// repairWork bounds the nodes visited for each step of a repair, on average.
const repairWork = 1 << 8

// Repairer changes models so that they satisfy formulas that differ little from those they satisfied, with the steps of
// GuidedModel. It is meant for many small calls over one arena. It caches facts about the arena's terms, so a new
// Repairer is needed after a Release of the arena.
type Repairer struct{ search *localSearch }

// NewRepairer returns a repairer, whose random numbers begin with a seed.
func NewRepairer(a *smt.Arena, seed uint64) *Repairer {
	g := NewGenerator(a, nil, rng.New(seed))
	s := &localSearch{Generator: g, ev: eval.New(a, g.m), movable: map[smt.Term]bool{}}
	s.ev.SetCompletion(true)
	s.ev.Limits = searchLimits
	return &Repairer{s}
}

// Repair returns a model that satisfies the conjuncts, made of another one by at most that many steps; nil if it finds
// none. Symbols that a model does not interpret have their default values, as with eval.Evaluator.SetCompletion.
func (r *Repairer) Repair(from *model.Model, conjuncts []smt.Term, steps int) *model.Model {
	s := r.search
	*s.m = *from.Clone()
	s.ev.Reset(s.m)
	s.goals = conjuncts
	s.findMovable(slices.DeleteFunc(slices.Clone(conjuncts), func(t smt.Term) bool { _, known := s.movable[t]; return known }))
	s.work = s.ev.Visited() + int64(steps)*repairWork
	for range steps {
		open := s.open()
		if len(open) == 0 {
			return s.m.Clone()
		}
		if s.ev.Visited() > s.work || !s.force(open[s.r.Intn(len(open))], value.Bool(true)) {
			return nil
		}
		s.ev.Reset(s.m)
	}
	if len(s.open()) > 0 {
		return nil
	}
	return s.m.Clone()
}
