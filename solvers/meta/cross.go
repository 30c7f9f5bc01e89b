package meta

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Cross is a session over several: each gets every call, and the answer is that of the majority of those that decide. A
// solver that dies is left out from then on; one that refuses a part of the problem has no vote until (reset), for it
// has another problem. Neither hides what the others do.
type Cross struct {
	relay
	all      []solvers.Session
	dead     []bool
	voided   []bool
	said     []smtlib.Answer // of each, to the latest check-sat
	voted    smtlib.Answer
	Problems []Problem
	// Names are those of the solvers, for Measure; nil: numbers.
	Names []string
}

// NewCross returns a session over others, which share the arena. There is at least one.
func NewCross(all ...solvers.Session) *Cross {
	x := &Cross{all: all, dead: make([]bool, len(all)), voided: make([]bool, len(all)), said: make([]smtlib.Answer, len(all))}
	x.relay = relay{all[0].Arena(), x.forward}
	return x
}

// forward makes the call on all solvers. The error is that of the first one, or one that says that all are dead. A reply is
// that of the first solver that says what the vote was.
func (x *Cross) forward(c *smtlib.Command) (smtlib.Answer, string, error) {
	answers := make([]smtlib.Answer, len(x.all))
	reply, spoken, alive := "", false, 0
	var first error
	for i, s := range x.all {
		if x.dead[i] {
			continue
		}
		a, text, err := on(s, c)
		if err != nil {
			x.note(i, c, err)
			if i == 0 {
				first = err
			}
		} else if !spoken && x.speaks(i) {
			reply, spoken = text, true
		}
		if !x.dead[i] {
			alive++
			if err == nil && !x.voided[i] {
				answers[i] = a
			}
		}
		if c.Kind == smtlib.CmdReset && err == nil {
			x.voided[i] = false
		}
	}
	if alive == 0 {
		return smtlib.None, "", &solvers.SessionError{Class: solvers.SolverError, Message: "all solvers have ended", Call: c.Kind.String(), Dead: true}
	}
	if solvers.ReplyTo(c.Kind, c.Name) == solvers.AnswerReply {
		x.said, x.voted = answers, x.vote(answers)
		return x.voted, "", nil
	}
	if first != nil && !spoken && !solvers.DeadAfter(first) {
		return smtlib.None, reply, first
	}
	return smtlib.None, reply, nil
}

// speaks reports whether a solver is of the opinion that the vote had: what it says of the answer fits.
func (x *Cross) speaks(i int) bool {
	return !x.dead[i] && !x.voided[i] && (!x.voted.Decided() || x.said[i] == x.voted)
}

// first asks the solvers of the vote's opinion one after the other until one has what f wants.
func first[T any](x *Cross, call smtlib.Kind, f func(solvers.Session) (T, error)) (out T, err error) {
	err = solvers.ErrUnsupported(call.String())
	for i, s := range x.all {
		if !x.speaks(i) {
			continue
		}
		if out, err = f(s); err == nil {
			return out, nil
		}
		x.note(i, &smtlib.Command{Kind: call}, err)
	}
	return out, err
}

// Values implements solvers.Valuer.
func (x *Cross) Values(ts []smt.Term) ([]string, error) {
	return first(x, smtlib.CmdGetValue, func(s solvers.Session) ([]string, error) {
		if v, ok := s.(solvers.Valuer); ok {
			return v.Values(ts)
		}
		return nil, solvers.ErrUnsupported("get-value")
	})
}

// UnsatCore implements solvers.Corer.
func (x *Cross) UnsatCore() ([]smt.Term, error) {
	return first(x, smtlib.CmdGetUnsatCore, func(s solvers.Session) ([]smt.Term, error) {
		if k, ok := s.(solvers.Corer); ok {
			return k.UnsatCore()
		}
		return nil, solvers.ErrUnsupported("get-unsat-core")
	})
}

// UnsatAssumptions implements solvers.AssumptionCorer.
func (x *Cross) UnsatAssumptions() ([]smt.Term, error) {
	return first(x, smtlib.CmdGetUnsatAssumptions, func(s solvers.Session) ([]smt.Term, error) {
		if k, ok := s.(solvers.AssumptionCorer); ok {
			return k.UnsatAssumptions()
		}
		return nil, solvers.ErrUnsupported("get-unsat-assumptions")
	})
}

// Measure implements solvers.Measured: the sum of what all cost, and what was wrong, in Failed.
func (x *Cross) Measure(r *solvers.Run) {
	var runs []*solvers.Run
	for _, s := range x.all {
		one := &solvers.Run{}
		if m, ok := s.(solvers.Measured); ok {
			m.Measure(one)
		}
		runs = append(runs, one)
	}
	charge(r, runs)
	for _, p := range x.Problems {
		name := "all"
		if p.Solver >= 0 && p.Solver < len(x.Names) {
			name = x.Names[p.Solver]
		} else if p.Solver >= 0 {
			name = fmt.Sprint("solver ", p.Solver)
		}
		r.Failed = append(r.Failed, name+": "+p.Kind+": "+p.Message)
	}
}

// note records the error of a solver.
func (x *Cross) note(i int, c *smtlib.Command, err error) {
	class := solvers.ClassOf(err)
	x.dead[i] = solvers.DeadAfter(err)
	if class.IsBug() {
		x.Problems = append(x.Problems, Problem{class.String(), i, err.Error()})
	}
	switch c.Kind {
	case smtlib.CmdSetOption, smtlib.CmdSetLogic, smtlib.CmdSetInfo:
	default:
		if solvers.ReplyTo(c.Kind, c.Name) == solvers.NoReply {
			x.voided[i] = true
		}
	}
}

// vote returns the answer of the majority and reports those that contradict it; with as many on each side nobody is to
// blame. It is unknown if nobody decides.
func (x *Cross) vote(answers []smtlib.Answer) smtlib.Answer {
	a, problems := vote(answers, x.Names)
	x.Problems = append(x.Problems, problems...)
	return a
}

// vote counts the answers of solvers with these names.
func vote(answers []smtlib.Answer, names []string) (smtlib.Answer, []Problem) {
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
				if i < len(names) {
					ns = append(ns, names[i])
				} else {
					ns = append(ns, fmt.Sprint("solver ", i))
				}
			}
			return strings.Join(ns, ", ")
		}
		return smtlib.Unknown, []Problem{{"disagreement", -1, fmt.Sprintf("%s: sat; %s: unsat", name(sat), name(unsat))}}
	}
	var problems []Problem
	for _, i := range lose {
		problems = append(problems, Problem{"disagreement", i, fmt.Sprintf("it says %s, %d others %s", answers[i], len(out), win)})
	}
	return win, problems
}

// MakeSort implements solvers.TermMaker.
func (x *Cross) MakeSort(s smt.Sort) error {
	return x.each(func(m solvers.TermMaker) error { return m.MakeSort(s) })
}

// MakeTerm implements solvers.TermMaker.
func (x *Cross) MakeTerm(t smt.Term) error {
	return x.each(func(m solvers.TermMaker) error { return m.MakeTerm(t) })
}

func (x *Cross) each(f func(solvers.TermMaker) error) error {
	for i, s := range x.all {
		if m, ok := s.(solvers.TermMaker); ok && !x.dead[i] {
			if err := f(m); err != nil {
				x.note(i, &smtlib.Command{Kind: smtlib.CmdSetInfo}, err)
			}
		}
	}
	return nil
}

// Seed implements solvers.Seeded.
func (x *Cross) Seed(n uint64) {
	for i, s := range x.all {
		if y, ok := s.(solvers.Seeded); ok && !x.dead[i] {
			y.Seed(n)
		}
	}
}

// Close closes all solvers; the error is the first one.
func (x *Cross) Close() error {
	var first error
	for _, s := range x.all {
		if err := s.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
