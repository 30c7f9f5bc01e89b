package solver

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

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
	for _, limit := range []struct {
		name string
		of   time.Duration
	}{{"timeout", opt.Limits.Wall}, {"cpu", opt.Limits.CPU}, {"time_limit", opt.TimeLimit}} {
		if limit.of != 0 {
			parts = append(parts, limit.name+" = "+quote(strconv.FormatFloat(limit.of.Seconds(), 'f', -1, 64)+"s"))
		}
	}
	if opt.Limits.Memory != 0 {
		parts = append(parts, fmt.Sprintf("memory = %d", opt.Limits.Memory))
	}
	if opt.Resources != 0 {
		parts = append(parts, fmt.Sprintf("resources = %d", opt.Resources))
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

// absolute returns names of programs for those who work in another folder: a path is relative to this one.
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
				text = quote(v.P.Name)
			}
		case starlark.Iterable:
			if k == "binaries" {
				text = listOf(absolute(v))
			}
		}
		parts = append(parts, k+" = "+text)
	}
	return "solver.profile(" + strings.Join(parts, ", ") + ")"
}
