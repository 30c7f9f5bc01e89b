package native

import (
	"context"
	"errors"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// openSession starts a live session; later commands declare its names.
func (c *childState) openSession(q *request) *reply {
	c.beginRun()
	c.arena = smt.NewArena()
	c.mark = c.arena.Mark()
	c.scope = smtlib.NewScope(c.arena)
	c.sess = driver.NewSession(c.api, c.arena)
	c.sess.TimeLimit, c.sess.Settings.Resources = q.TimeLimit, q.Resources
	if q.Wall > 0 {
		c.sess.Deadline = time.Now().Add(q.Wall)
	}
	for _, o := range q.Options {
		if err := c.sess.SetOption(o.Name, o.Value); err != nil {
			return c.withError(&reply{}, err)
		}
	}
	return &reply{}
}

// withError puts an error into a reply.
func (c *childState) withError(a *reply, err error) *reply {
	a.Stderr = c.printedText()
	if err == nil {
		return a
	}
	var e *solvers.SessionError
	if errors.As(err, &e) {
		a.Class, a.Message, a.Last = e.Class, e.Message, e.Dead
	} else {
		a.Class, a.Message = solvers.ParseError, solvers.Normalize(firstLine(err.Error()))
	}
	return a
}

// callSession makes one call of the live session.
func (c *childState) callSession(q *request, text string) *reply {
	s := c.sess
	a := &reply{}
	if s == nil {
		return &reply{Error: "no session is open"}
	}
	if q.Wall > 0 {
		s.Deadline = time.Now().Add(q.Wall)
	}
	switch q.Op {
	case "close":
		c.sess = nil
		_, err := s.Close()
		return c.withError(a, err)
	case "sort":
		so, err := c.scope.Sort(text)
		if err == nil {
			_, err = s.Call(context.Background(), &solvers.Call{Kind: solvers.CallMakeSort, Seed: q.Seed, Sort: so})
		}
		return c.withError(a, err)
	case "term":
		return c.withError(a, c.makeTerm(q, text))
	}
	cmds, err := c.scope.Commands(text)
	if err != nil {
		return c.withError(a, err)
	}
	for i := range cmds {
		if err = c.runCommand(a, q.Seed, &cmds[i]); err != nil {
			break
		}
	}
	return c.withError(a, err)
}

// makeTerm makes a term that may have free variables.
func (c *childState) makeTerm(q *request, text string) error {
	m := c.scope.Mark()
	defer c.scope.Reset(m)
	for _, v := range q.Vars {
		so, err := c.scope.Sort(v.Value)
		if err != nil {
			return err
		}
		c.scope.BindVar(c.arena.Var(v.Name, so))
	}
	t, err := c.scope.Term(text)
	if err != nil {
		return err
	}
	_, err = c.sess.Call(context.Background(), &solvers.Call{Kind: solvers.CallMakeTerm, Seed: q.Seed, Term: t})
	return err
}

// runCommand executes a command and puts its result into the reply.
func (c *childState) runCommand(a *reply, seed uint64, command *smtlib.Command) error {
	call := solvers.Call{Kind: solvers.CallCommand, Seed: seed, Command: *command}
	r, err := c.sess.Call(context.Background(), &call)
	switch {
	case call.Due() == solvers.AnswerReply:
		a.Answers = append(a.Answers, r.Answer)
	case command.Kind == smtlib.CmdGetValue:
		a.Values = r.Values
	case command.Kind == smtlib.CmdGetUnsatCore, command.Kind == smtlib.CmdGetUnsatAssumptions:
		a.Numbers = r.Numbers
	case call.Due() == solvers.ValueReply, command.Kind == smtlib.CmdOther:
		a.Values = append(a.Values, r.Text)
	}
	return err
}
