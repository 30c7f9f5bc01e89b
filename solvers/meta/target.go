package meta

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// crossTarget is a target that asks several, each in its own mode, and votes.
type crossTarget struct {
	name    string
	solver  *solvers.Solver
	mode    solvers.Mode
	members []solvers.Target
	names   []string
}

// NewCrossTarget returns a target that asks all members. The answer to a check-sat is that of the majority of the
// members that decide, unknown in a tie; Run.Failed names those that contradict it. A member that crashes, hangs or
// refuses has no vote. A crash makes the run a crash that names the member, with the answers of the others. Values and
// output are those of the first member that agrees with the vote. s describes the target as a solver; Close closes the
// members.
func NewCrossTarget(name string, s *solvers.Solver, mode solvers.Mode, members ...solvers.Target) solvers.Target {
	t := &crossTarget{name: name, solver: s, mode: mode, members: members}
	for _, m := range members {
		t.names = append(t.names, m.Name())
	}
	return t
}

func (t *crossTarget) Name() string            { return t.name }
func (t *crossTarget) Solver() *solvers.Solver { return t.solver }
func (t *crossTarget) Mode() solvers.Mode      { return t.mode }

// Limits returns the limits of runs that give none: those of the first member.
func (t *crossTarget) Limits() solvers.Limits { return solvers.LimitsOf(t.members[0]) }

// Run implements solvers.Target.
func (t *crossTarget) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	var runs []*solvers.Run
	for _, m := range t.members {
		runs = append(runs, askMember(ctx, m, q, lim))
	}
	n := q.Count(solvers.AnswerReply)
	out := &solvers.Run{Target: t.name, Solver: t.solver.Name, Version: t.solver.Version, Mode: t.mode, ExitCode: -1,
		Answers: make([]smtlib.Answer, n), Values: make([]string, q.Count(solvers.ValueReply))}
	for i := range n {
		answers, any := make([]smtlib.Answer, len(runs)), false
		for k, r := range runs {
			if i < len(r.Answers) {
				answers[k] = r.Answers[i]
				any = any || answers[k] != smtlib.None
			}
		}
		if !any {
			continue
		}
		a, problems := majority(answers, t.names)
		out.Answers[i] = a
		if len(problems) > 0 && !t.isOneBuild() && leavesValuesOpen(q) { // solvers may differ and all be right
			continue
		}
		for _, p := range problems {
			text := p.Kind + ": " + p.Message
			if p.Solver >= 0 {
				text = t.names[p.Solver] + ": " + text
			}
			out.Failed = append(out.Failed, solvers.Failure{Message: text})
		}
	}
	t.takeOverReplies(out, runs)
	addCosts(out, runs)
	for k, r := range runs {
		for _, f := range r.Failed {
			out.Failed = append(out.Failed, solvers.Failure{Message: t.names[k] + ": " + f.Message, Want: f.Want})
		}
	}
	return out
}

// isOneBuild reports whether all members are of one version of one solver.
func (t *crossTarget) isOneBuild() bool {
	first := t.members[0].Solver()
	return first != nil && !slices.ContainsFunc(t.members, func(m solvers.Target) bool {
		s := m.Solver()
		return s == nil || s.Name != first.Name || s.Version != first.Version
	})
}

// leavesValuesOpen reports whether a query has operators whose values for some arguments depend on the solver.
func leavesValuesOpen(q *solvers.Query) bool {
	var terms []smt.Term
	for _, c := range q.Calls() {
		terms = append(append(terms, c.Args...), c.Command.Terms...)
	}
	return q.Script != nil && model.AnyFixedBySome(q.Script.Arena, terms)
}

// askMember asks a member unless its profile declines the query.
func askMember(ctx context.Context, m solvers.Target, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	if s := m.Solver(); s != nil && s.Profile != nil {
		if why := s.Profile.Declines(q); why != "" {
			return &solvers.Run{Target: m.Name(), Solver: s.Name, Version: s.Version, Class: solvers.Unsupported,
				Message: "not asked: " + why, ExitCode: -1}
		}
	}
	return m.Run(ctx, q, lim)
}

// takeOverReplies copies the values and output, or the death, of a single member into the run.
func (t *crossTarget) takeOverReplies(out *solvers.Run, runs []*solvers.Run) {
	var died, ok, spoke *solvers.Run
	for k, r := range runs {
		switch {
		case r.Class.IsBug() && died == nil:
			died = r
		case r.Class.IsBug():
			out.Failed = append(out.Failed, solvers.Failure{Message: t.names[k] + ": " + r.Class.String() + ": " + r.Message})
		case r.Class == solvers.OK && ok == nil:
			ok = r
		}
		if spoke == nil && r.Class == solvers.OK && agreesWith(r, out) {
			spoke = r
		}
	}
	if spoke != nil {
		copy(out.Values, spoke.Values)
	}
	from := runs[0]
	for _, r := range []*solvers.Run{died, spoke, ok} {
		if r != nil {
			from = r
			break
		}
	}
	out.Class, out.Message = from.Class, from.Message
	takeOverOutput(out, from)
	switch { // the crash becomes that of the run; if other faults were found, too, only the message names the member
	case died != nil && len(out.Failed) == 0:
		out.Solver, out.Version = died.Solver, died.Version
	case died != nil:
		out.Message = died.Target + ": " + died.Message
	}
}

// agreesWith reports whether a member gave all decided answers of the vote.
func agreesWith(r, voted *solvers.Run) bool {
	for i, a := range voted.Answers {
		if i >= len(r.Answers) || a.Decided() && r.Answers[i] != a {
			return false
		}
	}
	return true
}

// takeOverOutput copies the command line, output and exit status of a run.
func takeOverOutput(out, from *solvers.Run) {
	out.Stdout, out.Stderr, out.ExitCode, out.Signal = from.Stdout, from.Stderr, from.ExitCode, from.Signal
	out.Argv, out.Preamble = from.Argv, from.Preamble
}

// addCosts adds the resource usage of runs.
func addCosts(out *solvers.Run, runs []*solvers.Run) {
	for _, r := range runs {
		out.CPU += r.CPU
		out.Wall += r.Wall
		out.PeakMemory = max(out.PeakMemory, r.PeakMemory)
	}
}

// Open implements solvers.Opener. A member that cannot be opened is left out.
func (t *crossTarget) Open(ctx context.Context, a *smt.Arena, lim solvers.Limits) (solvers.Session, error) {
	var open []solvers.Session
	var names []string
	var problems []sessionProblem
	first := solvers.ErrUnsupported("open")
	for k, m := range t.members {
		s, err := OpenSession(ctx, m, a, lim)
		if err != nil {
			if k == 0 {
				first = err
			}
			if solvers.ClassOf(err).IsBug() {
				problems = append(problems, sessionProblem{solvers.ClassOf(err).String(), -1, t.names[k] + ": " + err.Error()})
			}
			continue
		}
		open, names = append(open, s), append(names, t.names[k])
	}
	if len(open) == 0 {
		return nil, first
	}
	x := NewCross(open...)
	x.Names, x.Problems, x.OneBuild = names, problems, t.isOneBuild()
	return x, nil
}

// OpenSession opens a session of a target, if it has sessions.
func OpenSession(ctx context.Context, t solvers.Target, a *smt.Arena, lim solvers.Limits) (solvers.Session, error) {
	if o, ok := t.(solvers.Opener); ok {
		return o.Open(ctx, a, lim)
	}
	return nil, &solvers.SessionError{Class: solvers.Unsupported, Call: "open", Message: t.Name() +
		" cannot be called live, call by call: use another mode or solver"}
}

// Close closes the members.
func (t *crossTarget) Close() error {
	var errs []error
	for _, m := range t.members {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// around is a target with its own name that calls a function before each run of another target.
type around struct {
	solvers.Target
	name   string
	before func(q *solvers.Query) error
	open   func(s solvers.Session) (solvers.Session, error)
}

func (t *around) Name() string { return t.name }

// Limits returns the limits of runs that give none.
func (t *around) Limits() solvers.Limits { return solvers.LimitsOf(t.Target) }

// Run implements solvers.Target.
func (t *around) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	if err := t.before(q); err != nil {
		return &solvers.Run{Target: t.name, Mode: t.Mode(), Class: solvers.StartFailure, Message: err.Error(), ExitCode: -1,
			Answers: make([]smtlib.Answer, q.Count(solvers.AnswerReply)), Values: make([]string, q.Count(solvers.ValueReply))}
	}
	r := t.Target.Run(ctx, q, lim)
	r.Target = t.name
	return r
}

// Open implements solvers.Opener.
func (t *around) Open(ctx context.Context, a *smt.Arena, lim solvers.Limits) (solvers.Session, error) {
	s, err := OpenSession(ctx, t.Target, a, lim)
	if err != nil {
		return nil, err
	}
	return t.open(s)
}

// NewWriterTarget returns a target that writes the SMT-LIB of every question to files ahead of asking another target.
func NewWriterTarget(name string, t solvers.Target, files *Files) solvers.Target {
	return &around{Target: t, name: name,
		before: func(q *solvers.Query) error {
			return files.writeQuestion(t.Name(), "; asked of "+t.Name()+"\n"+optionCommands(q)+q.Text()+"(reset)\n")
		},
		open: func(s solvers.Session) (solvers.Session, error) {
			w, err := files.openForSession(t.Name())
			if err != nil {
				return nil, err
			}
			x := NewWriterFor(s, w)
			x.file = w
			return x, nil
		}}
}

// optionCommands spells the options for the models and cores that a query asks for.
func optionCommands(q *solvers.Query) string {
	var b strings.Builder
	if q.Models {
		b.WriteString("(set-option :produce-models true)\n")
	}
	if q.Cores {
		b.WriteString("(set-option :produce-unsat-cores true)\n")
	}
	return b.String()
}

// NewTeeTarget returns a target that writes the trace of every question to files ahead of asking another target.
// Queries without calls (text only) are not written.
func NewTeeTarget(name string, t solvers.Target, files *Files) solvers.Target {
	return &around{Target: t, name: name,
		before: func(q *solvers.Query) error {
			calls := q.Calls()
			if calls == nil {
				return nil
			}
			trace := &solvers.Trace{Arena: q.Arena(), Calls: calls, Notes: []string{"target: " + t.Name()}}
			return files.writeQuestion(t.Name(), string(tracetext.AppendTo(nil, trace)))
		},
		open: func(s solvers.Session) (solvers.Session, error) {
			w, err := files.openForSession(t.Name())
			if err != nil {
				return nil, err
			}
			x, err := NewTee(s, w, "target: "+t.Name())
			if err != nil {
				return nil, errors.Join(err, w.Close())
			}
			x.file = w
			return x, nil
		}}
}
