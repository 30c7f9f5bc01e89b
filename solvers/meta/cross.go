package meta

import (
	"fmt"

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
	Problems []Problem
}

// NewCross returns a session over others, which share the arena. There is at least one.
func NewCross(all ...solvers.Session) *Cross {
	x := &Cross{all: all, dead: make([]bool, len(all)), voided: make([]bool, len(all))}
	x.relay = relay{all[0].Arena(), x.forward}
	return x
}

// forward makes the call on all solvers. The error is that of the first one, or one that says that all are dead.
func (x *Cross) forward(c *smtlib.Command) (smtlib.Answer, string, error) {
	answers := make([]smtlib.Answer, len(x.all))
	reply, alive := "", 0
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
		} else if text != "" && reply == "" {
			reply = text
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
	if first != nil && !solvers.DeadAfter(first) && solvers.ReplyTo(c.Kind, c.Name) != solvers.AnswerReply {
		return smtlib.None, reply, first
	}
	return x.vote(answers), reply, nil
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
		return smtlib.Unknown
	case len(lose) == 0:
		return win
	case len(out) == len(lose):
		x.Problems = append(x.Problems, Problem{"disagreement", -1, fmt.Sprintf("solvers %v say sat, %v unsat", sat, unsat)})
		return smtlib.Unknown
	}
	for _, i := range lose {
		x.Problems = append(x.Problems, Problem{"disagreement", i, fmt.Sprintf("it says %s, %d others %s", answers[i], len(out), win)})
	}
	return win
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
