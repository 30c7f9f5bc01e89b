package native

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/process"
)

// live is a session with a child of its own: one message a call. It is for those who have to look at a reply before they
// make the next call; a trace that is known is played by Run in one message.
type live struct {
	t        *target
	w        *process.Worker
	a        *smt.Arena
	ctx      context.Context
	left     time.Duration // of the limit: others may be asked between the calls
	lim      solvers.Limits
	seed     uint64
	printer  smtlib.Printer
	asserted []smt.Term
	levels   []int
	assumed  []smt.Term
	run      solvers.Run
	dead     *solvers.SessionError
}

// Open implements solvers.Opener. The limit of wall time is for all calls of the session together.
func (t *target) Open(ctx context.Context, a *smt.Arena, lim solvers.Limits) (solvers.Session, error) {
	fail := func(m string) error {
		return &solvers.SessionError{Class: solvers.StartFailure, Message: m, Call: "start", Dead: true}
	}
	if t.broken != "" {
		return nil, fail(t.broken)
	}
	own := *t // a child of its own, in a folder of its own
	own.folder, own.worker, own.counter = nil, nil, process.Counter{}
	w, err := own.readyWorker(ctx)
	if err != nil {
		return nil, fail(err.Error())
	}
	lim = lim.Or(t.opt.Limits)
	l := &live{t: &own, w: w, a: a, ctx: ctx, lim: lim, left: lim.Wall}
	l.run = solvers.Run{Target: t.name, Solver: t.solver.Name, Version: t.solver.Version, Mode: solvers.Native, ExitCode: -1,
		Argv: t.shownArgv()}
	r := request{Op: "open", TimeLimit: t.opt.TimeLimit, Resources: t.opt.Resources}
	for _, o := range t.opt.SMTOptions {
		if o.Name != plainOption {
			r.Options = append(r.Options, setting2(o))
		}
	}
	if _, err := l.sendCall("start", &r, ""); err != nil {
		_ = own.Close()
		return nil, err
	}
	return l, nil
}

// sendCall makes a call.
func (l *live) sendCall(call string, r *request, text string) (*reply, error) {
	if l.dead != nil {
		return nil, &solvers.SessionError{Class: l.dead.Class, Message: l.dead.Message, Call: call, Dead: true}
	}
	lim := l.lim
	if lim.Wall > 0 {
		r.Wall = max(l.left, time.Millisecond)
		// The child interrupts its library at the limit and lives on; it is killed only where that does not help.
		lim.Wall = r.Wall + grace
	}
	r.Call, r.Seed = call, l.seed
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	body, err := l.w.Exchange(l.ctx, append(append(head, '\n'), text...), lim)
	took := time.Since(begun)
	l.run.Wall += took
	// The time limit is that of the whole run, and calls share what is left of it.
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

// sendCommand makes the call of a command without reply.
func (l *live) sendCommand(c *smtlib.Command) error {
	name := driver.CommandName(c)
	_, err := l.sendCall(name, &request{Op: "call"}, string(l.printer.Command(nil, l.a, c)))
	return err
}

// Arena implements solvers.Session.
func (l *live) Arena() *smt.Arena { return l.a }

// Seed implements solvers.Seeded.
func (l *live) Seed(n uint64) { l.seed = n }

// SetLogic implements solvers.Session.
func (l *live) SetLogic(name string) error {
	return l.sendCommand(&smtlib.Command{Kind: smtlib.CmdSetLogic, Text: name})
}

// SetOption implements solvers.Session.
func (l *live) SetOption(name, value string) error {
	return l.sendCommand(&smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":" + strings.TrimPrefix(name, ":"), Text: value})
}

// DeclareSort implements solvers.Session.
func (l *live) DeclareSort(s smt.SortSymbol) error {
	return l.sendCommand(&smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{s}})
}

// DeclareDatatypes implements solvers.Session.
func (l *live) DeclareDatatypes(group []smt.SortSymbol) error {
	return l.sendCommand(&smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: group})
}

// Declare implements solvers.Session.
func (l *live) Declare(f smt.Symbol) error {
	c := smtlib.DeclareCommand(l.a, f)
	return l.sendCommand(&c)
}

// Define implements solvers.Session.
func (l *live) Define(fs []smt.Symbol) error {
	c := smtlib.DefineCommand(l.a, fs...)
	return l.sendCommand(&c)
}

// Assert implements solvers.Session.
func (l *live) Assert(t smt.Term) error {
	return l.callAndNote(&smtlib.Command{Kind: smtlib.CmdAssert, Terms: []smt.Term{t}})
}

// CheckSat implements solvers.Session.
func (l *live) CheckSat(assumptions []smt.Term) (smtlib.Answer, error) {
	c := smtlib.CheckCommand(assumptions)
	l.assumed = append(l.assumed[:0], assumptions...)
	a, err := l.sendCall("check-sat", &request{Op: "call"}, string(l.printer.Command(nil, l.a, &c)))
	if err != nil || len(a.Answers) != 1 {
		return smtlib.None, err
	}
	return a.Answers[0], nil
}

// Renew implements solvers.Renewer.
func (l *live) Renew() { l.left = l.lim.Wall }

// CheckAfter implements solvers.Batcher.
func (l *live) CheckAfter(commands []smtlib.Command, assumptions []smt.Term) (smtlib.Answer, error) {
	check := smtlib.CheckCommand(assumptions)
	l.assumed = append(l.assumed[:0], assumptions...)
	var text []byte
	for i := range commands {
		text = append(l.printer.Command(text, l.a, &commands[i]), '\n')
	}
	a, err := l.sendCall("check-sat", &request{Op: "call"}, string(l.printer.Command(text, l.a, &check)))
	if err != nil || len(a.Answers) != 1 {
		return smtlib.None, err
	}
	for i := range commands { // a refusal leaves open which of them were taken: then the session is of no use
		l.noteCommand(&commands[i])
	}
	return a.Answers[0], nil
}

// noteCommand keeps which assertions the solver has, for cores are numbers of them.
func (l *live) noteCommand(c *smtlib.Command) {
	switch c.Kind {
	case smtlib.CmdAssert:
		l.asserted = append(l.asserted, c.Terms[0])
	case smtlib.CmdPush:
		for range c.N {
			l.levels = append(l.levels, len(l.asserted))
		}
	case smtlib.CmdPop:
		if k := len(l.levels) - c.N; c.N > 0 && k >= 0 {
			l.asserted, l.levels = l.asserted[:l.levels[k]], l.levels[:k]
		}
	}
}

// callAndNote makes the call of a command that changes what is asserted.
func (l *live) callAndNote(c *smtlib.Command) error {
	err := l.sendCommand(c)
	if err == nil {
		l.noteCommand(c)
	}
	return err
}

// Push implements solvers.Session.
func (l *live) Push(n int) error { return l.callAndNote(&smtlib.Command{Kind: smtlib.CmdPush, N: n}) }

// Pop implements solvers.Session.
func (l *live) Pop(n int) error { return l.callAndNote(&smtlib.Command{Kind: smtlib.CmdPop, N: n}) }

// Reset implements solvers.Resetter.
func (l *live) Reset() error {
	l.asserted, l.levels = nil, nil
	return l.sendCommand(&smtlib.Command{Kind: smtlib.CmdReset})
}

// ResetAssertions implements solvers.AssertionResetter.
func (l *live) ResetAssertions() error {
	err := l.sendCommand(&smtlib.Command{Kind: smtlib.CmdResetAssertions})
	if err == nil {
		l.asserted, l.levels = nil, nil
	}
	return err
}

// MakeSort implements solvers.TermMaker.
func (l *live) MakeSort(s smt.Sort) error {
	_, err := l.sendCall("mk-sort", &request{Op: "sort"}, l.a.SortString(s))
	return err
}

// MakeTerm implements solvers.TermMaker.
func (l *live) MakeTerm(t smt.Term) error {
	r := &request{Op: "term"}
	for _, v := range l.a.FreeVars(t) {
		r.Vars = append(r.Vars, setting2{l.a.VarName(v), l.a.SortString(l.a.Sort(v))})
	}
	_, err := l.sendCall("mk-term", r, smtlib.TermText(l.a, t))
	return err
}

// callForValue returns the value of a call that has one.
func (l *live) callForValue(call string, c *smtlib.Command) (string, error) {
	a, err := l.sendCall(call, &request{Op: "call"}, string(l.printer.Command(nil, l.a, c)))
	if err != nil || len(a.Values) != 1 {
		return "", err
	}
	return a.Values[0], nil
}

// Model implements solvers.Modeler.
func (l *live) Model() (string, error) {
	return l.callForValue("get-model", &smtlib.Command{Kind: smtlib.CmdGetModel})
}

// Values implements solvers.Valuer.
func (l *live) Values(ts []smt.Term) ([]string, error) {
	c := smtlib.Command{Kind: smtlib.CmdGetValue, Terms: ts}
	a, err := l.sendCall("get-value", &request{Op: "call"}, string(l.printer.Command(nil, l.a, &c)))
	if err != nil {
		return nil, err
	}
	return a.Values, nil
}

// UnsatCore implements solvers.Corer.
func (l *live) UnsatCore() ([]smt.Term, error) {
	a, err := l.sendCall("get-unsat-core", &request{Op: "call"}, "(get-unsat-core)")
	if err != nil {
		return nil, err
	}
	var ts []smt.Term
	for _, n := range a.Numbers {
		if n < len(l.asserted) {
			t := l.asserted[n]
			if f := driver.NameOf(l.a, t); f != 0 {
				t = l.a.Const(f)
			}
			ts = append(ts, t)
		}
	}
	return ts, nil
}

// UnsatAssumptions implements solvers.AssumptionCorer.
func (l *live) UnsatAssumptions() ([]smt.Term, error) {
	a, err := l.sendCall("get-unsat-assumptions", &request{Op: "call"}, "(get-unsat-assumptions)")
	if err != nil {
		return nil, err
	}
	var ts []smt.Term
	for _, n := range a.Numbers {
		if n < len(l.assumed) {
			ts = append(ts, l.assumed[n])
		}
	}
	return ts, nil
}

// Ask implements solvers.Asker.
func (l *live) Ask(c *smtlib.Command) (string, error) {
	return l.callForValue(driver.CommandName(c), c)
}

// Measure implements solvers.Measured.
func (l *live) Measure(r *solvers.Run) {
	answers, values, failed := r.Answers, r.Values, r.Failed
	*r = l.run
	r.Answers, r.Values, r.Failed = answers, values, failed
}

// Close implements solvers.Session.
func (l *live) Close() error {
	if l.dead == nil {
		_, _ = l.sendCall("delete", &request{Op: "close"}, "")
	}
	l.dead = &solvers.SessionError{Class: solvers.SolverError, Message: "the session is closed", Call: "delete", Dead: true}
	return l.t.Close()
}
