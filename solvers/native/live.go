package native

import (
	"context"
	"encoding/json"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/process"
)

// live is a session with a child of its own: one message a call. It is for callers that need each reply before the next
// call; Run plays a complete trace in one message.
type live struct {
	t        *target
	w        *process.Worker
	a        *smt.Arena
	left     time.Duration // remaining time of the limit; only time within calls counts
	lim      solvers.Limits
	printer  smtlib.Printer
	asserted smt.Stack[smt.Term]
	assumed  []smt.Term
	run      solvers.Run
	dead     *solvers.SessionError
}

// closing is the time that a library has to delete the solver of a closed session before its process is killed, which
// loses nothing. z3 and cvc5 take milliseconds.
const closing = 2 * time.Second

// Open implements solvers.Opener.
func (t *target) Open(ctx context.Context, a *smt.Arena, lim solvers.Limits) (solvers.Session, error) {
	fail := func(m string) error {
		return &solvers.SessionError{Class: solvers.StartFailure, Message: m, Call: "start", Dead: true}
	}
	if t.broken != "" {
		return nil, fail(t.broken)
	}
	own := *t // a separate child in a separate folder
	own.folder, own.worker, own.counter = nil, nil, process.Counter{}
	w, err := own.readyWorker(ctx)
	if err != nil {
		return nil, fail(err.Error())
	}
	lim = lim.Or(t.opt.Limits)
	l := &live{t: &own, w: w, a: a, lim: lim, left: lim.Wall}
	l.run = solvers.Run{Target: t.name, Solver: t.solver.Name, Version: t.solver.Version, Mode: solvers.Native,
		ExitCode: -1,
		Argv:     t.shownArgv()}
	r := request{Op: "open", TimeLimit: t.opt.TimeLimit, Resources: t.opt.Resources}
	for _, o := range t.opt.SMTOptions {
		if o.Name != plainOption {
			r.Options = append(r.Options, setting2(o))
		}
	}
	if _, err := l.sendCall(ctx, "start", &r, ""); err != nil {
		_ = own.Close()
		return nil, err
	}
	return l, nil
}

// sendCall makes a call.
func (l *live) sendCall(ctx context.Context, call string, r *request, text string) (*reply, error) {
	if l.dead != nil {
		return nil, &solvers.SessionError{Class: l.dead.Class, Message: l.dead.Message, Call: call, Dead: true}
	}
	lim := l.lim
	if lim.EachCall {
		l.left = lim.Wall
	}
	if lim.Wall > 0 {
		r.Wall = max(l.left, time.Millisecond)
		// The child interrupts its library at the limit and survives; it is killed only if the interrupt fails.
		lim.Wall = r.Wall + grace
	}
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	body, err := l.w.Exchange(ctx, append(append(head, '\n'), text...), lim)
	took := time.Since(begun)
	l.run.Wall += took
	// The time limit is that of the whole run, and calls share the rest of it.
	l.left -= took
	l.run.CPU, l.run.PeakMemory = l.w.CPU(), l.w.Peak()
	if err != nil {
		l.t.explainDeath(&l.run, l.w, l.lim)
		l.dead = &solvers.SessionError{Class: l.run.Class, Message: l.run.Message, Call: call, Dead: true}
		return nil, l.dead
	}
	var a reply
	if err := json.Unmarshal(body, &a); err != nil {
		l.dead = &solvers.SessionError{Class: solvers.Garbage, Message: err.Error(), Call: call, Dead: true}
		return nil, l.dead
	}
	l.run.Stderr = a.Stderr
	switch {
	case a.Error != "":
		l.dead = &solvers.SessionError{Class: solvers.StartFailure, Message: a.Error, Call: call, Dead: true}
		return nil, l.dead
	case a.Class != solvers.OK && a.Class != solvers.Invalid:
		class, message := a.Class, a.Message
		if class == solvers.SolverError || class == solvers.Refusal {
			class, message = l.t.classifyMessage(class, message)
		}
		e := &solvers.SessionError{Class: class, Message: message, Call: call, Dead: a.Last}
		if a.Last {
			l.dead = e
		}
		return &a, e
	}
	return &a, nil
}

// Arena implements solvers.Caller.
func (l *live) Arena() *smt.Arena { return l.a }

// Call implements solvers.Caller.
func (l *live) Call(ctx context.Context, c *solvers.Call) (solvers.Reply, error) {
	r := &request{Seed: c.Seed}
	switch c.Kind {
	case solvers.CallMakeSort:
		r.Op = "sort"
		_, err := l.sendCall(ctx, c.CommandName(), r, l.a.SortString(c.Sort))
		return solvers.Reply{}, err
	case solvers.CallMakeTerm:
		return solvers.Reply{}, l.makeTerm(ctx, c.CommandName(), c.Seed, c.Term)
	case solvers.CallTransfer: // the other solver is in another process
		for _, t := range c.Args {
			if err := l.makeTerm(ctx, c.CommandName(), c.Seed, t); err != nil {
				return solvers.Reply{}, err
			}
		}
		return solvers.Reply{}, nil
	}
	if solvers.SaysNothing(&c.Command) {
		return solvers.Reply{}, nil
	}
	switch {
	case c.Command.Kind == smtlib.CmdReset: // also where it fails
		l.asserted.Clear()
	case c.Due() == solvers.AnswerReply:
		l.assumed = append(l.assumed[:0], c.Command.Terms...)
	}
	var text []byte
	for i := range c.Before {
		text = append(l.printer.Command(text, l.a, &c.Before[i]), '\n')
	}
	r.Op = "call"
	answered, err := l.sendCall(ctx, c.CommandName(), r, string(l.printer.Command(text, l.a, &c.Command)))
	if err != nil {
		return solvers.Reply{}, err
	}
	for i := range c.Before { // after a refusal it is not known which took effect, so the session is unusable
		l.noteCommand(&c.Before[i])
	}
	l.noteCommand(&c.Command)
	return l.replyOf(c, answered), nil
}

// makeTerm makes the child make a term.
func (l *live) makeTerm(ctx context.Context, call string, seed uint64, t smt.Term) error {
	r := &request{Op: "term", Seed: seed}
	for _, v := range l.a.FreeVars(t) {
		r.Vars = append(r.Vars, setting2{l.a.VarName(v), l.a.SortString(l.a.Sort(v))})
	}
	_, err := l.sendCall(ctx, call, r, smtlib.TermText(l.a, t))
	return err
}

// replyOf returns the reply to a call.
func (l *live) replyOf(c *solvers.Call, answered *reply) solvers.Reply {
	switch c.Command.Kind {
	case smtlib.CmdGetValue:
		return solvers.ReplyOfValues(l.a, c.Command.Terms, answered.Values)
	case smtlib.CmdGetUnsatCore:
		var core []smt.Term
		asserted := l.asserted.Items()
		for _, n := range answered.Numbers {
			if n >= len(asserted) {
				continue
			}
			t := asserted[n]
			if f := driver.NameOf(l.a, t); f != 0 {
				t = l.a.Const(f)
			}
			core = append(core, t)
		}
		return solvers.ReplyOfTerms(l.a, core)
	case smtlib.CmdGetUnsatAssumptions:
		var failed []smt.Term
		for _, n := range answered.Numbers {
			if n < len(l.assumed) {
				failed = append(failed, l.assumed[n])
			}
		}
		return solvers.ReplyOfTerms(l.a, failed)
	}
	var out solvers.Reply
	if len(answered.Answers) == 1 {
		out.Answer = answered.Answers[0]
	}
	if len(answered.Values) == 1 {
		out.Text = answered.Values[0]
	}
	return out
}

// noteCommand tracks the solver's assertions, since cores are lists of their numbers.
func (l *live) noteCommand(c *smtlib.Command) {
	if c.Kind == smtlib.CmdAssert {
		l.asserted.Add(c.Terms[0])
		return
	}
	smtlib.FollowLevels(&l.asserted, c)
}

// Close ends the solver and its process.
func (l *live) Close() (*solvers.Run, error) {
	if l.dead == nil {
		ctx, end := context.WithTimeout(context.Background(), closing)
		defer end()
		_, _ = l.sendCall(ctx, "delete", &request{Op: "close"}, "")
	}
	l.dead = &solvers.SessionError{Class: solvers.SolverError, Message: "the session is closed", Call: "delete",
		Dead: true}
	return &l.run, l.t.Close()
}
