package solving

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/ground/expression"
)

// absolute makes names of programs usable from another folder: it resolves relative paths against the current folder.
func absolute(list starlark.Iterable) (out []string) {
	for v := range starlark.Elements(list) {
		name, _ := starlark.AsString(v)
		if strings.Contains(name, "/") {
			if abs, err := filepath.Abs(name); err == nil {
				name = abs
			}
		}
		out = append(out, name)
	}
	return out
}

// profileExpr returns the call that makes a profile again.
func profileExpr(kwargs map[string]starlark.Value) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(kwargs)) {
		text := kwargs[k].String()
		switch v := kwargs[k].(type) {
		case *profile:
			if text = v.expr; text == "" {
				text = expression.Text(v.P.Name)
			}
		case starlark.Iterable:
			if k == "binaries" {
				text = expression.List(absolute(v))
			}
		}
		parts = append(parts, k+" = "+text)
	}
	return "solver.profile(" + strings.Join(parts, ", ") + ")"
}
