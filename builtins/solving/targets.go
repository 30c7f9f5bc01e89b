package solving

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
)

// TargetsKey is the slot of the targets of the campaign that a thread makes cases for.
var TargetsKey = registry.NewKey[[]*Solver]("the targets", "no campaign runs")

// TargetsOf returns the targets of the campaign; none outside of one.
func TargetsOf(th *starlark.Thread) []*Solver {
	targets, err := TargetsKey.Get(th)
	if err != nil {
		return nil
	}
	return targets
}

// AvoidedKey is the slot of the operators and commands that the case at hand does without, named as triage.Operators does.
var AvoidedKey = registry.NewKey[[]string]("what is avoided", "no campaign runs")

// AvoidedOf returns what the case at hand does without; nothing outside of a campaign.
func AvoidedOf(th *starlark.Thread) []string {
	names, err := AvoidedKey.Get(th)
	if err != nil {
		return nil
	}
	return names
}
