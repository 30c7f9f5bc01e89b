package value

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
