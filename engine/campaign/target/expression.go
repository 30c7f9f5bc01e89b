package target

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/expression"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// Expression returns the call that makes a target again in a campaign file. Its first argument is first, or the
// solver's kind if first is empty. A path is kept; everything else follows from the version.
func Expression(first, path string, s *solvers.Solver, opt process.TargetOptions) string {
	if first == "" {
		first = expression.Text(s.Profile.Name)
	}
	call := expression.NewCall("solver").Set("", first)
	if path != "" {
		call.Text("path", path)
	} else if s.Version != "" {
		call.Text("version", s.Version)
	}
	call.Text("mode", string(opt.Mode))
	if len(opt.SMTOptions) > 0 {
		var options []string
		for _, o := range opt.SMTOptions {
			options = append(options, o.Name, o.Value)
		}
		call.Set("options", expression.Dict(options...))
	}
	if len(opt.Args) > 0 {
		call.List("args", opt.Args)
	}
	for _, limit := range []struct {
		name string
		of   time.Duration
	}{{"timeout", opt.Limits.Wall}, {"cpu", opt.Limits.CPU}, {"time_limit", opt.TimeLimit}} {
		if limit.of != 0 {
			call.Text(limit.name, strconv.FormatFloat(limit.of.Seconds(), 'f', -1, 64)+"s")
		}
	}
	if opt.Limits.Memory != 0 {
		call.Set("memory", fmt.Sprint(opt.Limits.Memory))
	}
	if opt.Resources != 0 {
		call.Set("resources", fmt.Sprint(opt.Resources))
	}
	return call.String()
}

// nameOfMeta returns the name of a meta solver: the given name, or one built from the names of its members. A given
// name is also added to the call that makes the solver again.
func nameOfMeta(given, kind string, call *expression.CallText, members ...*Solver) string {
	if given != "" {
		call.Text("name", given)
		return given
	}
	var names []string
	for _, s := range members {
		names = append(names, s.Name())
	}
	return kind + "(" + strings.Join(names, ", ") + ")"
}

// memberExpression returns the expression of a solver inside a meta solver. The expression includes the solver's given
// name, if any, which verdicts refer to.
func memberExpression(s *Solver) string {
	call, ok := strings.CutSuffix(s.Expr, ")")
	if s.Opt.Name == "" || s.Members != nil || !ok {
		return s.Expr
	}
	return call + ", name = " + expression.Text(s.Opt.Name) + ")"
}
