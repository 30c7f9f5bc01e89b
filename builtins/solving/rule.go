package solving

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/solvers/rule"
)

// RuleValue is an element of a list of a profile, such as api_exclude: solver.lacks, solver.option and their kin make
// it. It prints as the call that makes it.
type RuleValue struct {
	registry.Object[*RuleValue]
	rule.Element
}

// Hash implements starlark.Value.
func (r *RuleValue) Hash() (uint32, error) { return starlark.String(r.Call()).Hash() }

func (r *RuleValue) String() string { return r.Call() }

// Attr implements starlark.HasAttrs.
func (r *RuleValue) Attr(name string) (starlark.Value, error) { return RuleType.Attr(r, name) }

// RuleType describes the attributes of rules.
var RuleType = registry.NewType[*RuleValue]("solver_rule", "A rule in a list of a solver profile, made by solver.lacks, solver.option and others.", []registry.Builtin{
	{Name: "line", Doc: "The rule as text, as for machine.exclude and in the output of `smtlark solvers NAME`.", Ret: "str",
		Example: `solver.lacks(operator = "bvnego", before = "4.13").line  # -> "operator bvnego before 4.13"`,
		Get: func(v starlark.Value) (starlark.Value, error) {
			return starlark.String(v.(*RuleValue).Element.String()), nil
		}},
})
