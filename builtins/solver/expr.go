package solver

import (
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// expr returns the call that makes a target again, for repro.star. The first argument is what the script gave, or the
// solver's kind; a path is kept, everything else follows from the version.
func expr(first, path string, s *solvers.Solver, opt process.Options) string {
	if first == "" {
		first = quote(s.Profile.Name)
	}
	parts := []string{first}
	if path != "" {
		parts = append(parts, "path = "+quote(path))
	} else if s.Version != "" {
		parts = append(parts, "version = "+quote(s.Version))
	}
	parts = append(parts, "mode = "+quote(string(opt.Mode)))
	if len(opt.SMTOptions) > 0 {
		var opts []string
		for _, o := range opt.SMTOptions {
			opts = append(opts, quote(o.Name)+": "+quote(o.Value))
		}
		parts = append(parts, "options = {"+strings.Join(opts, ", ")+"}")
	}
	if len(opt.Args) > 0 {
		parts = append(parts, "args = "+listOf(opt.Args))
	}
	return "solver(" + strings.Join(parts, ", ") + ")"
}

func quote(s string) string { return starlark.String(s).String() }

func listOf(ss []string) string {
	q := make([]string, len(ss))
	for i, s := range ss {
		q[i] = quote(s)
	}
	return "[" + strings.Join(q, ", ") + "]"
}

// profileExpr returns the call that makes a profile again.
func profileExpr(kwargs map[string]starlark.Value) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(kwargs)) {
		text := kwargs[k].String()
		if p, ok := kwargs[k].(*Profile); ok {
			text = quote(p.P.Name)
		}
		parts = append(parts, k+" = "+text)
	}
	return "solver.profile(" + strings.Join(parts, ", ") + ")"
}
