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

// Player plays calls on sessions and records what came of them, as a Run does for a text.
type Player struct {
	// Open opens a further solver for CallNew; nil: there is only one.
	Open func() (Session, error)
	// Before is called ahead of each call that is made, so that a death names its call. It may be nil.
	Before func(n int, c *Call)
	// After is called with what came of a call. It may be nil.
	After func(n int, c *Call, err error)
	// Custom plays a CallCustom; nil: such calls are left out.
	Custom func(s Session, c *Call) error
	// Stop is asked before each call whether to end early. It may be nil.
	Stop func() bool

	sessions map[int]Session
	last     map[int]smtlib.Answer
	known    map[int]*scope.Declared // what the solvers were told, if there are several
	broken   map[int]bool            // a further solver whose problem is another one than was meant
	run      *Run
	voided   bool
}

// Play plays calls on a session, which is solver 0, and fills the run. Further solvers are closed at the end.
func (p *Player) Play(s Session, calls []Call, run *Run) {
	p.sessions, p.last, p.run, p.voided = map[int]Session{0: s}, map[int]smtlib.Answer{}, run, false
	p.known, p.broken = nil, map[int]bool{}
	if (&Trace{Calls: calls}).Several() {
		p.known = map[int]*scope.Declared{0: {}}
	}
	defer func() {
		for n, x := range p.sessions {
			if n != 0 {
				_ = x.Close()
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
			err := p.makeCall(c)
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
	switch ReplyTo(c.Command.Kind, c.Command.Name) {
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
func (p *Player) makeCall(c *Call) error {
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
		return nil // a further solver that cannot be had is no error of the first
	}
	if s == nil {
		return nil
	}
	// What a session draws by itself comes from the seed of the call, so that a trace without some calls draws the same
	// for the others.
	if x, ok := s.(Seeded); ok {
		x.Seed(c.Seed)
	}
	var err error
	switch c.Kind {
	case CallDelete:
		err = s.Close()
		delete(p.sessions, c.Instance)
		return err
	case CallMakeSort:
		if m, ok := s.(TermMaker); ok {
			err = m.MakeSort(c.Sort)
		}
	case CallMakeTerm:
		if m, ok := s.(TermMaker); ok {
			err = m.MakeTerm(c.Term)
		}
	case CallCustom:
		if p.Custom != nil {
			err = p.Custom(s, c)
		}
		var failed *ExpectationError
		if errors.As(err, &failed) {
			p.run.Failed = append(p.run.Failed, Failure{Message: c.Name + ": " + failed.Message})
			return nil
		}
	case CallTransfer:
		if from := p.sessions[c.From]; from != nil && from != s && p.known[c.Instance] != nil {
			err = transferTerms(from, s, c.Args, p.known[c.Instance])
		}
	case CallCommand:
		return p.playCommand(s, c)
	}
	// A term that could not be made fails again where it is used, if it is used.
	if err != nil && (ClassOf(err).IsBug() || DeadAfter(err)) {
		p.noteError(err, false)
	}
	return err
}

// playCommand makes the call of a command and records its reply.
func (p *Player) playCommand(s Session, c *Call) error {
	switch reply := ReplyTo(c.Command.Kind, c.Command.Name); reply {
	case AnswerReply:
		a, err := s.CheckSat(c.Command.Terms)
		p.last[c.Instance] = a
		if c.Instance == 0 {
			if p.voided || err != nil {
				a = smtlib.None
			}
			p.run.Answers = append(p.run.Answers, a)
		} else if err == nil && !p.broken[c.Instance] && (a == smtlib.Sat && c.Expect == smtlib.Unsat || a == smtlib.Unsat && c.Expect == smtlib.Sat) {
			p.run.Failed = append(p.run.Failed, Failure{fmt.Sprintf("a further solver answers %s, the answer is %s", a, c.Expect), c.Expect})
		}
		if err != nil {
			p.noteError(err, false)
		}
		return err
	case ValueReply:
		text, err := AskFor(s, &c.Command)
		if c.Instance == 0 {
			p.run.Values = append(p.run.Values, text)
		}
		if cl := ClassOf(err); cl.IsBug() || cl == OutOfMemory || cl == Timeout || DeadAfter(err) {
			p.noteError(err, false)
		}
		return err
	}
	err := Do(s, &c.Command)
	if err == nil && p.known[c.Instance] != nil {
		p.known[c.Instance].Note(&c.Command)
	}
	if err != nil {
		k := c.Command.Kind
		// A solver that declines a setting goes on with what the trace does; after any other refusal its answers are about something else.
		setting := k == smtlib.CmdSetOption || k == smtlib.CmdSetInfo || k == smtlib.CmdSetLogic
		p.broken[c.Instance] = p.broken[c.Instance] || !setting
		if !setting || ClassOf(err).IsBug() || DeadAfter(err) {
			p.noteError(err, !setting && c.Instance == 0)
		}
	}
	return err
}

// Do makes the call of a command that is due no reply.
func Do(s Session, c *smtlib.Command) error {
	if t, ok := s.(Teller); ok && c.IsAsWritten() {
		return t.Tell(c)
	}
	switch c.Kind {
	case smtlib.CmdSetLogic:
		return s.SetLogic(c.Text)
	case smtlib.CmdSetOption:
		return s.SetOption(strings.TrimPrefix(c.Name, ":"), c.Text)
	case smtlib.CmdSetInfo, smtlib.CmdDefineSort, smtlib.CmdDeclareSortParameter, smtlib.CmdExit:
		return nil // says nothing to a session: sorts are expanded
	case smtlib.CmdDeclareConst, smtlib.CmdDeclareFun:
		return s.Declare(c.Symbols[0])
	case smtlib.CmdDeclareSort:
		return s.DeclareSort(c.Sorts[0])
	case smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
		return s.DeclareDatatypes(c.Sorts)
	case smtlib.CmdDefineConst, smtlib.CmdDefineFun, smtlib.CmdDefineFunRec, smtlib.CmdDefineFunsRec:
		return s.Define(c.Symbols)
	case smtlib.CmdAssert:
		return s.Assert(c.Terms[0])
	case smtlib.CmdPush:
		return s.Push(c.N)
	case smtlib.CmdPop:
		return s.Pop(c.N)
	case smtlib.CmdReset:
		if r, ok := s.(Resetter); ok {
			return r.Reset()
		}
	case smtlib.CmdResetAssertions:
		if r, ok := s.(AssertionResetter); ok {
			return r.ResetAssertions()
		}
	case smtlib.CmdOther:
		if a, ok := s.(Asker); ok {
			_, err := a.Ask(c)
			return err
		}
	}
	return ErrUnsupported(c.Kind.String())
}

// AskFor makes the call of a command that is due a reply, and returns it as SMT-LIB spells it.
func AskFor(s Session, c *smtlib.Command) (string, error) {
	switch c.Kind {
	case smtlib.CmdGetModel:
		if m, ok := s.(Modeler); ok {
			return m.Model()
		}
	case smtlib.CmdGetValue:
		if v, ok := s.(Valuer); ok {
			values, err := v.Values(c.Terms)
			if err != nil {
				return "", err
			}
			return ValuePairs(s.Arena(), c.Terms, values), nil
		}
	case smtlib.CmdGetUnsatCore:
		if k, ok := s.(Corer); ok {
			ts, err := k.UnsatCore()
			return listReply(s.Arena(), ts, err)
		}
	case smtlib.CmdGetUnsatAssumptions:
		if k, ok := s.(AssumptionCorer); ok {
			ts, err := k.UnsatAssumptions()
			return listReply(s.Arena(), ts, err)
		}
	}
	if a, ok := s.(Asker); ok {
		return a.Ask(c)
	}
	return "", ErrUnsupported(c.Kind.String())
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

// listReply spells a list of terms; a list that was not to be had is no empty one.
func listReply(a *smt.Arena, ts []smt.Term, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return termList(a, ts), nil
}

// termList spells a list of terms; those with a name by their name.
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

// RunLive plays what a query asks for on a session that the target opens, and returns the run. It never returns nil; a
// target that opens no sessions is a StartFailure. custom plays the calls of kind CallCustom; it may be nil.
func RunLive(ctx context.Context, t Target, q *Query, lim Limits, custom func(Session, *Call) error) *Run {
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
	p := Player{Custom: custom, Stop: func() bool { return ctx.Err() != nil }, Open: func() (Session, error) { return o.Open(ctx, a, lim) }}
	p.Play(s, q.Calls(), run)
	err = s.Close()
	if err != nil && run.Class == OK {
		run.Class, run.Message = ClassOf(err), err.Error()
	}
	class, message := run.Class, run.Message
	if m, ok := s.(Measured); ok {
		m.Measure(run)
	}
	run.Class, run.Message = class, message
	return run
}
