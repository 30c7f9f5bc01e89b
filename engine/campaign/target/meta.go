package target

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/expression"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/meta"
	"github.com/smtlark/smtlark/solvers/process"
)

// Plain returns the solvers of this machine behind some targets, each once. Meta solvers are replaced by their members.
func Plain(targets []*Solver) []*Solver {
	var out []*Solver
	for _, s := range targets {
		inner := []*Solver{s}
		if s.Members != nil {
			inner = Plain(s.Members)
		}
		for _, x := range inner {
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// memberTarget returns the target of a member for the options passed to its meta solver, whose own mode is own.
func memberTarget(s *Solver, opt process.TargetOptions, own solvers.Mode) solvers.Target {
	x := *s
	x.Opt.Name = s.Name()
	x.Opt.Limits = opt.Limits.Or(s.Opt.Limits)
	if opt.Resources > 0 {
		x.Opt.Resources = opt.Resources
	}
	if opt.Mode != own && s.hasMode(opt.Mode) {
		return x.inMode(opt.Mode)
	}
	return x.Target()
}

// around returns a meta solver that wraps each target of another solver.
func around(name, expr string, s *Solver, wrap func(t solvers.Target) solvers.Target) *Solver {
	out := &Solver{Found: s.Found, Opt: process.TargetOptions{Name: name, Mode: s.Opt.Mode}, Expr: expr, Members: []*Solver{s}}
	out.New = func(opt process.TargetOptions) solvers.Target { return wrap(memberTarget(s, opt, out.Opt.Mode)) }
	return out
}

// NewWriter returns a solver that forwards to s and writes each query as SMT-LIB into a file named by path. As with all
// meta solvers, an empty name means one made from the member's name.
func NewWriter(name string, s *Solver, path string, files meta.Files) *Solver {
	call := expression.NewCall("solver.writer").Set("", memberExpression(s)).Text("", path)
	name = nameOfMeta(name, "writer", call, s)
	return around(name, call.String(), s, func(t solvers.Target) solvers.Target { return meta.NewWriterTarget(name, t, &files) })
}

// NewTee returns a solver that forwards to s and writes each query as a trace, see NewWriter.
func NewTee(name string, s *Solver, path string, files meta.Files) *Solver {
	call := expression.NewCall("solver.tee").Set("", memberExpression(s)).Text("", path)
	name = nameOfMeta(name, "tee", call, s)
	return around(name, call.String(), s, func(t solvers.Target) solvers.Target { return meta.NewTeeTarget(name, t, &files) })
}

// NewCross returns a solver that asks several and votes, see meta.NewCrossTarget.
func NewCross(name string, members []*Solver) *Solver {
	p := &solvers.Profile{Name: "cross", Doc: "several solvers that vote"}
	call, version := overMembers("solver.cross", p, members)
	name = nameOfMeta(name, "cross", call, members...)
	found := &solvers.Solver{Profile: p, Name: name, Version: version}
	out := &Solver{Found: found, Opt: process.TargetOptions{Name: name, Mode: members[0].Opt.Mode}, Expr: call.String(), Members: members}
	out.New = func(opt process.TargetOptions) solvers.Target {
		ts := make([]solvers.Target, len(members))
		for i, s := range members {
			ts[i] = memberTarget(s, opt, out.Opt.Mode)
		}
		return meta.NewCrossTarget(name, found, opt.Mode, ts...)
	}
	return out
}

// overMembers starts the expression of a meta solver over several members. It also adds their theories to its profile
// and joins their versions.
func overMembers(function string, p *solvers.Profile, members []*Solver) (call *expression.CallText, version string) {
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
	return expression.NewCall(function).Set("", "["+strings.Join(expressions, ", ")+"]"), strings.Join(versions, "+")
}

// NewChecked returns a solver that checks the results of s other than answers. Models and values are checked by the
// evaluator. Cores and assumptions are checked alone by the second solver, in a new process; nil means s itself. Only
// the given share of all questions is checked.
func NewChecked(name string, s, second *Solver, share float64) *Solver {
	call := expression.NewCall("solver.checked").Set("", memberExpression(s))
	if second != nil {
		call.Set("by", memberExpression(second))
	} else {
		second = s
	}
	if share < 1 {
		call.Set("probability", strconv.FormatFloat(share, 'g', -1, 64))
	}
	name = nameOfMeta(name, "checked", call, s)
	out := around(name, call.String(), s, func(t solvers.Target) solvers.Target {
		return &checkedTarget{Target: t, name: name, s: s, second: second, share: share}
	})
	if second != s {
		out.Members = append(out.Members, second)
	}
	return out
}

// checkedTarget is the target of NewChecked.
type checkedTarget struct {
	solvers.Target
	name      string
	s, second *Solver
	share     float64
}

func (t *checkedTarget) Name() string { return t.name }

// Limits returns the limits of runs that give none.
func (t *checkedTarget) Limits() solvers.Limits { return solvers.LimitsOf(t.Target) }

// Run implements solvers.Target. It uses the oracles of campaigns and adds their verdicts to Run.Failed, with the name
// of the checked solver.
func (t *checkedTarget) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	asked := q
	if q.Script != nil && !q.Models {
		asked = q.WithModel()
	}
	r := t.Target.Run(ctx, asked, lim)
	if q.Script != nil && ctx.Err() == nil {
		ask := func(_ string, again *solvers.Query, _ solvers.Limits) *solvers.Run {
			who := t.s
			if n := len(again.Commands); n > 0 && again.Commands[n-1].Reply == solvers.AnswerReply {
				who = t.second // the second solver decides whether a core is unsat
			}
			return who.runAfresh(ctx, again, lim)
		}
		h := fnv.New64a()
		h.Write([]byte(q.Text()))
		c := &testcase.Case{Script: q.Script, Origin: testcase.Origin{Number: h.Sum64()}}
		for _, v := range oracle.Judge([]oracle.Oracle{oracle.Model(), oracle.Values(ask, t.share), oracle.Cores(ask, t.share)}, c, []*solvers.Run{r}) {
			r.Failed = append(r.Failed, solvers.Failure{Message: t.Target.Name() + ": " + v.Kind + ": " + v.Summary})
		}
	}
	if asked != q {
		r.Values = unasked(q, r.Values)
	}
	r.Target = t.name
	return r
}

// unasked drops from the values of Query.WithModel the models that the query itself did not ask for.
func unasked(q *solvers.Query, values []string) []string {
	var out []string
	k := 0
	for i := range q.Commands {
		if q.Commands[i].Reply == solvers.NoReply {
			continue
		}
		if q.Commands[i].Reply == solvers.ValueReply && k < len(values) {
			out = append(out, values[k])
		}
		k++
	}
	return out
}

// Open implements solvers.Opener.
func (t *checkedTarget) Open(ctx context.Context, a *smt.Arena, lim solvers.Limits) (solvers.Session, error) {
	s, err := meta.OpenSession(ctx, t.Target, a, lim)
	if err != nil {
		return nil, err
	}
	x := meta.NewChecked(s, func(ctx context.Context) (solvers.Session, error) {
		target := t.second.Target()
		second, err := meta.OpenSession(ctx, target, a, lim)
		if err != nil {
			return nil, errors.Join(err, target.Close())
		}
		return &owner{second, target}, nil
	})
	x.Name = t.Target.Name()
	if found := t.Target.Solver(); found != nil && found.Profile != nil {
		x.RoundsReals = found.Profile.RoundsReals
	}
	return x, nil
}

// owner is a session that closes the target it comes from.
type owner struct {
	solvers.Session
	target solvers.Target
}

// Close implements solvers.Session.
func (o *owner) Close() (*solvers.Run, error) {
	run, err := o.Session.Close()
	return run, errors.Join(err, o.target.Close())
}
