package solving

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/solvers/rule"
)

// OutKey is the slot of the folder that a campaign writes to.
var OutKey = registry.NewKey[string]("the folder of the campaign", "files are relative to the working folder")

// TargetsKey is the slot of the targets of the campaign that a thread makes cases for.
var TargetsKey = registry.NewKey[[]*target.Solver]("the targets", "no campaign runs")

// TargetsOf returns the targets of the campaign; none outside of one.
func TargetsOf(th *starlark.Thread) []*target.Solver {
	targets, err := TargetsKey.Get(th)
	if err != nil {
		return nil
	}
	return targets
}

// AvoidedKey is the slot of the shapes that the current case avoids.
var AvoidedKey = registry.NewKey[[]rule.Lack]("what is avoided", "no campaign runs")

// AvoidedOf returns the shapes that the current case avoids; nothing outside of a campaign.
func AvoidedOf(th *starlark.Thread) []rule.Lack {
	shapes, err := AvoidedKey.Get(th)
	if err != nil {
		return nil
	}
	return shapes
}

// NoteFacts records that the case being made depends on the learned facts about the targets.
func NoteFacts(s *value.ThreadState, targets []*target.Solver) {
	for _, fact := range target.FactsOf(targets) {
		s.NoteAnswer(fact)
	}
}

// QuestionItDiedOf returns a question that killed one of the targets while smtlark learned which input it accepts. The
// question becomes one of the first cases of a campaign, so that the death is a finding like any other. For all other
// cases the result is nil.
func QuestionItDiedOf(th *starlark.Thread, r *value.Rng) (starlark.Value, error) {
	turn := r.Turn()
	if turn == nil {
		return nil, nil
	}
	script := target.QuestionItDiedOf(TargetsOf(th), turn.Number)
	if script == "" {
		return nil, nil
	}
	c, err := value.ParseCase(target.Question, []byte(script))
	if err == nil {
		value.SessionOf(th).Use(c.Store())
	}
	return c, err
}
