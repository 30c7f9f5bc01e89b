package target

import (
	"strconv"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
	"github.com/smtlark/smtlark/solvers/process"
)

// frontRefusals are the errors of a front end that do not say that the input is wrong.
var frontRefusals = []string{`needs \(set-option`, `needs a check-sat`, `has nothing to say`, `no solver has an answer`, `latest answer is not unknown`, `put together here`}

// NewFrontend returns a front end over other solvers. Each of them runs in mode incremental or, if it has no such mode,
// in its own. If name is empty, the front end is named after the others.
func NewFrontend(name string, members []*Solver, o frontend.Options) *Solver {
	p := &solvers.Profile{Name: "frontend", Doc: "a front end over other solvers"}
	p.Binaries = []string{"smtlark"}
	p.Refusal, p.Errors = frontRefusals, "stdout"
	call, version := overMembers("solver.frontend", p, members)
	if o.Mode != frontend.Incremental {
		call.Text("tell", string(o.Mode))
	}
	call.Flag("portfolio", o.Portfolio).Flag("check", o.Check)
	if o.Timeout > 0 {
		call.Text("timeout", strconv.FormatFloat(o.Timeout.Seconds(), 'f', -1, 64)+"s")
	}
	name = nameOfMeta(name, "frontend", call, members...)
	found := &solvers.Solver{Profile: p, Name: name, Version: version}
	out := &Solver{Found: found, Opt: process.TargetOptions{Name: name, Mode: solvers.Reset}, Expr: call.String(), Members: members}
	out.New = func(opt process.TargetOptions) solvers.Target {
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
