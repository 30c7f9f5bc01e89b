package target

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/expression"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
	"github.com/smtlark/smtlark/solvers/process"
)

// frontRefusals are the errors of a front end that do not say that the input is wrong.
var frontRefusals = []string{`needs \(set-option`, `needs a check-sat`, `has nothing to say`, `no solver has an answer`, `latest answer is not unknown`}

// NewFrontend returns a solver that is a front end over others, each called live: in mode incremental, or in its own where it has no
// such mode. It is called name or, if that is empty, by the names of the others.
func NewFrontend(name string, members []*Solver, o frontend.Options) *Solver {
	p := &solvers.Profile{Name: "frontend", Doc: "a front end over other solvers"}
	p.Binaries = []string{"smtlark"}
	p.Refusal, p.Errors = frontRefusals, "stdout"
	var versions, expressions []string
	for _, s := range members {
		expressions = append(expressions, memberExpression(s))
	}
	for _, s := range Plain(members) {
		for _, t := range s.Found.Profile.Theories {
			if !slices.Contains(p.Theories, t) {
				p.Theories = append(p.Theories, t)
			}
		}
		versions = append(versions, s.Found.Version)
	}
	call := expression.NewCall("solver.frontend").Set("", "["+strings.Join(expressions, ", ")+"]")
	if o.Mode == frontend.Batch {
		call.Text("tell", string(o.Mode))
	}
	call.Flag("portfolio", o.Portfolio).Flag("check", o.Check)
	if o.Timeout > 0 {
		call.Text("timeout", strconv.FormatFloat(o.Timeout.Seconds(), 'f', -1, 64)+"s")
	}
	name = nameOfMeta(name, "frontend", call, members...)
	found := &solvers.Solver{Profile: p, Name: name, Version: strings.Join(versions, "+")}
	out := &Solver{Found: found, Opt: process.Options{Name: name, Mode: solvers.Reset}, Expr: call.String(), Members: members}
	out.New = func(opt process.Options) solvers.Target {
		ts := make([]solvers.Target, len(members))
		for i, s := range members {
			live := opt
			live.Mode = out.Opt.Mode
			if s.Opt.Mode != solvers.Native && s.hasMode(solvers.Incremental) {
				live.Mode = solvers.Incremental
			}
			ts[i] = memberTarget(s, live, out.Opt.Mode)
		}
		return dialogue.NewTarget(name, found, opt.Mode, o, ts...)
	}
	return out
}
