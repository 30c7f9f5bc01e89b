package solver

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/ground/expression"
	rules "github.com/smtlark/smtlark/solvers/rule"
)

// checkRules looks at the rules of a profile: each has to be in a field that takes it. It returns what to tell the author of
// texts in the place of rules, which a later version does not take any more.
func checkRules(kwargs map[string]starlark.Value) (warnings []string, err error) {
	for _, field := range keywordOrder(kwargs) {
		list, ok := kwargs[field].(starlark.Iterable)
		if !ok {
			continue
		}
		old, example, count := "", "", 0
		i := -1
		for v := range starlark.Elements(list) {
			i++
			if x, ok := v.(*rule); ok {
				if !slices.Contains(x.fields, field) {
					return nil, fmt.Errorf("for keyword %s: element %d: %s is for %s", field, i, x, strings.Join(x.fields, ", "))
				}
				continue
			}
			if text, ok := starlark.AsString(v); ok {
				if call := rules.CallOf(field, text); call != "" {
					if count++; count == 1 {
						old, example = text, call
					}
				}
			}
		}
		if count > 0 {
			warnings = append(warnings, fmt.Sprintf("warning: %s: texts are taken for one more release only: in the place of %s write %s (%d such)", field, expression.Text(old), example, count))
		}
	}
	return warnings, nil
}

func keywordOrder(kwargs map[string]starlark.Value) []string {
	var names []string
	for name := range kwargs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
