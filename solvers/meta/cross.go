package meta

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/solvers"
)

// cross is a session that runs several solvers: each gets every call, and the answer is that of the majority among
// those that answer sat or unsat. A solver that dies is left out from then on. A solver that refuses a part of the
// problem has no vote until (reset), because it has another problem. In both cases, the other solvers go on.
type cross struct {
	below
	dead     []bool
	voided   []bool
	said     []smtlib.Answer // answer of each to the latest check-sat
	voted    smtlib.Answer
	Problems []sessionProblem
	// Names are those of the solvers, for the run of the session; nil: numbers.
	Names []string
	// OneBuild says that all are the same version of one solver, so that they choose the same values where the standard
	// leaves a choice.
	OneBuild bool
	open     bool // the problem has operators whose values for some arguments depend on the solver
}

// NewCross returns a session over others, which share the arena. There is at least one.
func NewCross(all ...solvers.Session) *cross {
	return &cross{
		below:  below{a: all[0].Arena(), sessions: all},
		dead:   make([]bool, len(all)),
		voided: make([]bool, len(all)),
		said:   make([]smtlib.Answer, len(all)),
	}
}

// Call implements solvers.Caller.
func (x *cross) Call(ctx context.Context, c *solvers.Call) (solvers.Reply, error) {
	return solvers.OneByOne(c, func(c *solvers.Call) (solvers.Reply, error) { return x.callAll(ctx, c) })
}

// callAll makes the call on all solvers; if the call is about the answer, only on those that agree with the vote. The
// error is the first solver's, or says that all are dead. The reply is that of the first agreeing solver that has one.
func (x *cross) callAll(ctx context.Context, c *solvers.Call) (solvers.Reply, error) {
	x.open = x.open || !x.OneBuild && model.AnyFixedBySome(x.a, slices.Concat(c.Command.Terms, c.Args))
	answers := make([]smtlib.Answer, len(x.sessions))
	var out solvers.Reply
	var first error
	spoken, alive := false, 0
	for i, s := range x.sessions {
		if x.dead[i] {
			continue
		}
		// An outvoted solver would reply about an answer other than the caller's.
		if asksAboutAnswer(c) && !x.agreesWithVote(i) {
			alive++
			continue
		}
		r, err := s.Call(ctx, x.callFor(i, c))
		if err != nil {
			x.noteError(i, c, err)
			if first == nil && (i == 0 || asksAboutAnswer(c)) {
				first = err
			}
		} else if !spoken && x.agreesWithVote(i) {
			out, spoken = r, true
		}
		if !x.dead[i] {
			alive++
			if err == nil && !x.voided[i] {
				answers[i] = r.Answer
			}
		}
		if err == nil && c.Kind == solvers.CallCommand && c.Command.Kind == smtlib.CmdReset {
			// After a reset, earlier refusals no longer matter.
			x.voided[i] = false
		}
	}
	if alive == 0 {
		ended := &solvers.SessionError{Class: solvers.SolverError, Message: "all solvers have ended", Dead: true}
		ended.Call = c.CommandName()
		return solvers.Reply{}, ended
	}
	if c.Due() == solvers.AnswerReply {
		x.said, x.voted = answers, x.takeVote(answers)
		return solvers.Reply{Answer: x.voted}, nil
	}
	if first != nil && !spoken && !solvers.DeadAfter(first) && c.Kind == solvers.CallCommand {
		return solvers.Reply{}, first
	}
	if !spoken && asksAboutAnswer(c) {
		return solvers.Reply{}, solvers.ErrUnsupported(c.CommandName())
	}
	return out, nil
}

// asksAboutAnswer reports whether a call asks about the latest answer.
func asksAboutAnswer(c *solvers.Call) bool {
	switch c.Command.Kind {
	case smtlib.CmdGetInfo, smtlib.CmdGetOption, smtlib.CmdGetAssertions, smtlib.CmdEcho, smtlib.CmdSimplify:
		return false
	}
	return c.Due() == solvers.ValueReply
}

// agreesWithVote reports whether a solver gave the answer of the vote, if the vote decided, so that its replies about
// the answer fit.
func (x *cross) agreesWithVote(i int) bool {
	return !x.dead[i] && !x.voided[i] && (!x.voted.Decided() || x.said[i] == x.voted)
}

// Close implements solvers.Session. The run has the total cost of all solvers, the output of the first that died or
// else of the first, and all problems in Failed.
func (x *cross) Close() (*solvers.Run, error) {
	runs, err := x.closeAll()
	r := &solvers.Run{}
	from := 0
	for i, one := range runs {
		if one == nil {
			one = &solvers.Run{}
			runs[i] = one
		}
		r.Failed = append(r.Failed, one.Failed...)
		if x.dead[i] && !x.dead[from] {
			from = i
		}
	}
	addCosts(r, runs)
	takeOverOutput(r, runs[from])
	for _, p := range x.Problems {
		name := "all"
		if p.Solver >= 0 {
			name = nameOf(x.Names, p.Solver)
		}
		r.Failed = append(r.Failed, solvers.Failure{Message: name + ": " + p.Kind + ": " + p.Message})
	}
	return r, err
}

// nameOf returns the name of a solver, its number where it has no name.
func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprint("solver ", i)
}

// noteError records the error of a solver. A solver that refuses part of the problem has a different problem from then
// on.
func (x *cross) noteError(i int, c *solvers.Call, err error) {
	class := solvers.ClassOf(err)
	x.dead[i] = solvers.DeadAfter(err)
	if class.IsBug() {
		x.Problems = append(x.Problems, sessionProblem{class.String(), i, err.Error()})
	}
	switch {
	case c.Kind != solvers.CallCommand:
	case c.Command.Kind == smtlib.CmdSetOption, c.Command.Kind == smtlib.CmdSetLogic, c.Command.Kind == smtlib.CmdSetInfo:
	case c.Due() == solvers.NoReply:
		x.voided[i] = true
	}
}

// takeVote returns the majority answer and reports the solvers that contradict it; in a tie, nobody is blamed. The
// answer is unknown if no solver decides.
func (x *cross) takeVote(answers []smtlib.Answer) smtlib.Answer {
	a, problems := majority(answers, x.Names)
	if x.open { // solvers may differ and all be right
		return a
	}
	x.Problems = append(x.Problems, problems...)
	return a
}

// majority counts the answers of solvers with these names.
func majority(answers []smtlib.Answer, names []string) (smtlib.Answer, []sessionProblem) {
	var sat, unsat []int
	for i, a := range answers {
		switch a {
		case smtlib.Sat:
			sat = append(sat, i)
		case smtlib.Unsat:
			unsat = append(unsat, i)
		}
	}
	win, out, lose := smtlib.Sat, sat, unsat
	if len(unsat) > len(sat) {
		win, out, lose = smtlib.Unsat, unsat, sat
	}
	switch {
	case len(out) == 0:
		return smtlib.Unknown, nil
	case len(lose) == 0:
		return win, nil
	case len(out) == len(lose):
		name := func(is []int) string {
			var ns []string
			for _, i := range is {
				ns = append(ns, nameOf(names, i))
			}
			return strings.Join(ns, ", ")
		}
		return smtlib.Unknown, []sessionProblem{{"disagreement", -1, fmt.Sprintf("%s: sat; %s: unsat", name(sat),
			name(unsat))}}
	}
	var problems []sessionProblem
	for _, i := range lose {
		problems = append(problems, sessionProblem{"disagreement", i, fmt.Sprintf("it says %s, %d others %s", answers[i],
			len(out), win)})
	}
	return win, problems
}
