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
// problem has no vote until (reset), because it has another problem. Neither hides what the others do.
type cross struct {
	below
	dead     []bool
	voided   []bool
	said     []smtlib.Answer // of each, to the latest check-sat
	voted    smtlib.Answer
	Problems []sessionProblem
	// Names are those of the solvers, for the run of the session; nil: numbers.
	Names []string
	// OneBuild: all are of one version of one solver, so that they give what the standard leaves open the same values.
	OneBuild bool
	open     bool // the problem has operators that solvers give values of their own for some arguments
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

// callAll makes the call on all solvers; on those of the vote's opinion, where what is asked is about the answer. The
// error is that of the first one, or one that says that all are dead. A reply is that of the first solver of the
// vote's opinion that has one.
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
		// A solver that was outvoted would speak of another answer than the one that the caller has.
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
			// After a reset nothing is left of what went wrong before.
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

// agreesWithVote reports whether a solver is of the opinion that the vote had: what it says of the answer fits.
func (x *cross) agreesWithVote(i int) bool {
	return !x.dead[i] && !x.voided[i] && (!x.voted.Decided() || x.said[i] == x.voted)
}

// Close implements solvers.Session. The run is the sum of what all cost, what the first one that died, else the first
// one, printed, and what was wrong, in Failed.
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

// noteError records the error of a solver. One that refuses what is part of the problem has another problem from then
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

// takeVote returns the answer of the majority and reports those that contradict it; with as many on each side nobody
// is to blame. It is unknown if nobody decides.
func (x *cross) takeVote(answers []smtlib.Answer) smtlib.Answer {
	a, problems := majority(answers, x.Names)
	if x.open { // they may differ, and be right
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
