package solvers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// Player plays calls on sessions and records the result of them, as a Run does for a text.
type Player struct {
	// Open opens a further solver for CallNew; nil: there is only one.
	Open func() (Session, error)
	// Before is called ahead of each call that is made, so that a death names its call. It may be nil.
	Before func(n int, c *Call)
	// After is called with the result of a call. It may be nil.
	After func(n int, c *Call, err error)
	// Custom plays a CallCustom; nil: such calls are left out.
	Custom func(ctx context.Context, s Session, c *Call) error
	// Stop is asked before each call whether to end early. It may be nil.
	Stop func() bool

	sessions map[int]Session
	last     map[int]smtlib.Answer
	known    map[int]*scope.Declared // the symbols declared to each solver, if there are several
	broken   map[int]bool            // a further solver whose problem is another one than was meant
	run      *Run
	voided   bool
}

// Play plays calls on a session, which is solver 0, and fills the run. Further solvers are closed at the end.
func (p *Player) Play(ctx context.Context, s Session, calls []Call, run *Run) {
	p.sessions, p.last, p.run, p.voided = map[int]Session{0: s}, map[int]smtlib.Answer{}, run, false
	p.known, p.broken = nil, map[int]bool{}
	if (&Trace{Calls: calls}).Several() {
		p.known = map[int]*scope.Declared{0: {}}
	}
	defer func() {
		for n, x := range p.sessions {
			if n != 0 {
				_, _ = x.Close()
			}
		}
	}()
	for i := range calls {
		c := &calls[i]
		if p.Stop != nil && p.Stop() {
			break
		}
		skip := c.When != smtlib.None && c.When != p.last[c.Instance]
		if !skip {
			if p.Before != nil {
				p.Before(i, c)
			}
			err := p.makeCall(ctx, c)
			if p.After != nil {
				p.After(i, c, err)
			}
			if DeadAfter(err) {
				p.fillMissingSlots(calls[i+1:])
				break
			}
			continue
		}
		p.fillSlots(c)
	}
	if run.Class == Invalid {
		run.Class = OK
	}
}

// fillMissingSlots fills the slots of calls that were never made.
func (p *Player) fillMissingSlots(calls []Call) {
	for i := range calls {
		p.fillSlots(&calls[i])
	}
}

func (p *Player) fillSlots(c *Call) {
	if c.Kind != CallCommand || c.Instance != 0 {
		return
	}
	switch c.Due() {
	case AnswerReply:
		p.run.Answers = append(p.run.Answers, smtlib.None)
	case ValueReply:
		p.run.Values = append(p.run.Values, "")
	}
}

// noteError notes an error of a call.
func (p *Player) noteError(err error, voids bool) {
	var e *SessionError
	if !errors.As(err, &e) {
		e = &SessionError{Class: SolverError, Message: err.Error()}
	}
	p.voided = p.voided || voids
	if p.run.Class == Invalid || e.Class.IsBug() && !p.run.Class.IsBug() {
		p.run.Class, p.run.Message = e.Class, e.Message
	}
}

// makeCall makes one call.
func (p *Player) makeCall(ctx context.Context, c *Call) error {
	s := p.sessions[c.Instance]
	if c.Kind == CallNew {
		if s != nil || p.Open == nil {
			return nil
		}
		opened, err := p.Open()
		if err == nil {
			p.sessions[c.Instance] = opened
			p.known[c.Instance], p.broken[c.Instance] = &scope.Declared{}, false
		}
		return nil // failing to open a further solver is not an error of the first one
	}
	if s == nil {
		return nil
	}
	var err error
	switch c.Kind {
	case CallDelete:
		_, err = s.Close()
		delete(p.sessions, c.Instance)
		return err
	case CallMakeSort, CallMakeTerm:
		_, err = s.Call(ctx, c)
	case CallCustom:
		if p.Custom != nil {
			err = p.Custom(ctx, s, c)
		}
		var failed *ExpectationError
		if errors.As(err, &failed) {
			p.run.Failed = append(p.run.Failed, Failure{Message: c.Name + ": " + failed.Message})
			return nil
		}
	case CallTransfer:
		if from := p.sessions[c.From]; from != nil && from != s && p.known[c.Instance] != nil {
			err = p.transferTerms(ctx, c, from, s)
		}
	case CallCommand:
		return p.playCommand(ctx, s, c)
	}
	// If making a term fails, any call that uses the term fails too, so most errors are not noted here.
	if err != nil && (ClassOf(err).IsBug() || DeadAfter(err)) {
		p.noteError(err, false)
	}
	return err
}

// transferTerms declares the symbols that the receiver lacks, and then makes it take the terms over.
func (p *Player) transferTerms(ctx context.Context, c *Call, from, to Session) error {
	known := p.known[c.Instance]
	missing := known.Missing(to.Arena(), c.Args)
	for i := range missing {
		if _, err := to.Call(ctx, &Call{Kind: CallCommand, Seed: c.Seed, Command: missing[i]}); err != nil {
			return err
		}
		known.Note(&missing[i])
	}
	transfer := *c
	transfer.Source = from
	_, err := to.Call(ctx, &transfer)
	return err
}

// playCommand makes the call of a command and records its reply.
func (p *Player) playCommand(ctx context.Context, s Session, c *Call) error {
	reply, err := s.Call(ctx, c)
	switch c.Due() {
	case AnswerReply:
		a := reply.Answer
		p.last[c.Instance] = a
		contradicts := a == smtlib.Sat && c.Expect == smtlib.Unsat || a == smtlib.Unsat && c.Expect == smtlib.Sat
		switch {
		case c.Instance == 0 && (p.voided || err != nil):
			p.run.Answers = append(p.run.Answers, smtlib.None)
		case c.Instance == 0:
			p.run.Answers = append(p.run.Answers, a)
		case err == nil && !p.broken[c.Instance] && contradicts:
			message := fmt.Sprintf("a further solver answers %s, the answer is %s", a, c.Expect)
			p.run.Failed = append(p.run.Failed, Failure{message, c.Expect})
		}
		if err != nil {
			p.noteError(err, false)
		}
	case ValueReply:
		if c.Instance == 0 {
			p.run.Values = append(p.run.Values, reply.Text)
		}
		if cl := ClassOf(err); cl.IsBug() || cl == OutOfMemory || cl == Timeout || DeadAfter(err) {
			p.noteError(err, false)
		}
	default:
		p.noteTold(c, err)
	}
	return err
}

// noteTold notes the result of a command that is due no reply.
func (p *Player) noteTold(c *Call, err error) {
	if err == nil {
		if known := p.known[c.Instance]; known != nil {
			known.Note(&c.Command)
		}
		return
	}
	// A solver that refuses a setting still has the intended problem. After any other refusal, it answers a different
	// problem.
	k := c.Command.Kind
	setting := k == smtlib.CmdSetOption || k == smtlib.CmdSetInfo || k == smtlib.CmdSetLogic
	p.broken[c.Instance] = p.broken[c.Instance] || !setting
	if !setting || ClassOf(err).IsBug() || DeadAfter(err) {
		p.noteError(err, !setting && c.Instance == 0)
	}
}

// ValuePairs spells the reply to get-value.
func ValuePairs(a *smt.Arena, ts []smt.Term, values []string) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, t := range ts {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("(" + smtlib.TermText(a, t) + " " + values[i] + ")")
	}
	b.WriteByte(')')
	return b.String()
}

// termList spells a list of terms; a named term is spelt as its name.
func termList(a *smt.Arena, ts []smt.Term) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, t := range ts {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(smtlib.TermText(a, t))
	}
	b.WriteByte(')')
	return b.String()
}

// RunLive plays the calls of a query on a session that the target opens, and returns the run. It never returns nil; a
// target that opens no sessions is a StartFailure. custom plays the calls of kind CallCustom; it may be nil.
func RunLive(
	ctx context.Context, t Target, q *Query, lim Limits, custom func(context.Context, Session, *Call) error,
) *Run {
	run := &Run{Target: t.Name(), Mode: t.Mode(), ExitCode: -1}
	if s := t.Solver(); s != nil {
		run.Solver, run.Version = s.Name, s.Version
	}
	o, ok := t.(Opener)
	a := q.Arena()
	if !ok || a == nil {
		run.Class, run.Message = StartFailure, "calls cannot be played on "+t.Name()
		return run
	}
	s, err := o.Open(ctx, a, lim)
	if err != nil {
		run.Class, run.Message = ClassOf(err), err.Error()
		return run
	}
	p := Player{
		Custom: custom,
		Stop:   func() bool { return ctx.Err() != nil },
		Open:   func() (Session, error) { return o.Open(ctx, a, lim) },
	}
	p.Play(ctx, s, q.Calls(), run)
	cost, err := s.Close()
	if err != nil && run.Class == OK {
		run.Class, run.Message = ClassOf(err), err.Error()
	}
	if cost != nil {
		run.takeCost(cost)
	}
	return run
}

// takeCost copies the session's resource use and output, and the failures found in it, into the run.
func (r *Run) takeCost(cost *Run) {
	r.CPU, r.Wall, r.PeakMemory = cost.CPU, cost.Wall, cost.PeakMemory
	r.Stdout, r.Stderr, r.ExitCode, r.Signal = cost.Stdout, cost.Stderr, cost.ExitCode, cost.Signal
	r.Argv, r.Preamble = cost.Argv, cost.Preamble
	r.Failed = append(r.Failed, cost.Failed...)
}
