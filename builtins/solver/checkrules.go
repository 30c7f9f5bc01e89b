package solver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/ground/expression"
	rules "github.com/smtlark/smtlark/solvers/rule"
)

// checkRules looks at the rules of a profile: each has to be in a field that takes it. The line of a rule in its place is an error
// that says the call to write.
func checkRules(kwargs map[string]starlark.Value) error {
	for _, field := range slices.Sorted(maps.Keys(kwargs)) {
		list, ok := kwargs[field].(starlark.Iterable)
		if !ok {
			continue
		}
		i := -1
		for v := range starlark.Elements(list) {
			i++
			if x, ok := v.(*rule); ok && !slices.Contains(x.fields, field) {
				return fmt.Errorf("for keyword %s: element %d: %s is for %s", field, i, x, strings.Join(x.fields, ", "))
			}
			text, isText := starlark.AsString(v)
			if call := rules.CallOf(field, text); isText && call != "" {
				return fmt.Errorf("for keyword %s: element %d: in the place of %s write %s", field, i, expression.Text(text), call)
			}
		}
	}
	return nil
}
