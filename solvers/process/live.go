package process

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// live is a session over the pipes of one process: a command at a time, each with its marker.
type live struct {
	t            *persistent
	s            *session
	a            *smt.Arena
	ctx          context.Context
	lim          solvers.Limits
	left         time.Duration // of the limit: others may be asked between the calls
	calls        int
	text         smtlib.Printer
	buf          []byte
	dead, closed bool
	run          solvers.Run // what it cost
	// declared is, by symbol, the number of its latest declaration: what a name means in replies where symbols share it.
	declared     map[smt.Symbol]int
	declarations int
	byName       map[string]smt.Symbol // the symbol that was declared latest with a name
}

// Open implements solvers.Opener. The limit of wall time is for all calls of the session together; options that produce models, cores
// and the like are the caller's to set. The process is the session's own.
func (t *processTarget) Open(ctx context.Context, a *smt.Arena, lim solvers.Limits) (solvers.Session, error) {
	fail := func(c solvers.Class, m string) error {
		return &solvers.SessionError{Class: c, Message: m, Call: "start", Dead: true}
	}
	if t.broken != "" {
		return nil, fail(solvers.StartFailure, t.broken)
	}
	if err := t.openFolder(); err != nil {
		return nil, fail(solvers.StartFailure, err.Error())
	}
	if len(t.solver.Profile.SessionArgs) == 0 && t.solver.Profile.Name == "" {
		return nil, fail(solvers.StartFailure, t.solver.Name+" reads no commands from a pipe")
	}
	s, err := t.lasting.idleOrNewSession(ctx, "live", true, true)
	if err != nil {
		return nil, fail(solvers.StartFailure, err.Error())
	}
	t.lasting.pool = slices.DeleteFunc(t.lasting.pool, func(x *session) bool { return x == s }) // it is the caller's
	lim = lim.Or(t.opt.Limits)
	l := &live{t: &t.lasting, s: s, a: a, ctx: ctx, lim: lim, declared: map[smt.Symbol]int{}, byName: map[string]smt.Symbol{}}
	l.left = lim.Wall
	l.run = *t.newRun(&solvers.Query{})
	l.run.Argv, l.run.Preamble = s.argv, joinLines(t.extra)
	if !t.lasting.prepareSession(ctx, s, &l.run, &solvers.Query{}, t.extra, &facts{}, true) {
		s.close()
		return nil, fail(l.run.Class, l.run.Message)
	}
	return l, nil
}

func (l *live) Arena() *smt.Arena { return l.a }

// sendCommand sends one command and reads its reply.
func (l *live) sendCommand(call, text string, reply solvers.Reply) (smtlib.Answer, string, error) {
	return l.sendCommands(call, []solvers.Command{{Text: text, Reply: reply}})
}

// Renew implements solvers.Renewer.
func (l *live) Renew() {
	l.left, l.run.Stdout = l.lim.Wall, ""
	l.s.child.errs.beginRun(l.lim.Output)
}

// CheckAfter implements solvers.Batcher.
func (l *live) CheckAfter(commands []smtlib.Command, assumptions []smt.Term) (smtlib.Answer, error) {
	check := smtlib.CheckCommand(assumptions)
	all := make([]solvers.Command, 0, len(commands)+1)
	ends := make([]int, 0, len(commands)+1)
	l.buf = l.buf[:0]
	for i := range commands {
		l.noteDeclared(&commands[i])
		l.buf = l.text.Command(l.buf, l.a, &commands[i])
		ends = append(ends, len(l.buf))
	}
	l.buf = l.text.Command(l.buf, l.a, &check)
	text, start := string(l.buf), 0 // one string for all commands
	for _, end := range ends {
		all = append(all, solvers.Command{Text: text[start:end]})
		start = end
	}
	a, _, err := l.sendCommands(check.Kind.String(), append(all, solvers.Command{Text: text[start:], Reply: solvers.AnswerReply}))
	return a, err
}

// sendCommands sends commands of which at most the last one is due a reply, and reads that.
func (l *live) sendCommands(call string, commands []solvers.Command) (smtlib.Answer, string, error) {
	if l.dead {
		return smtlib.None, "", &solvers.SessionError{Class: solvers.SolverError, Message: "the session has ended", Call: call, Dead: true}
	}
	lim := l.lim
	// The session has one limit of wall time for all of its calls together.
	lim.Wall = max(time.Millisecond, l.left)
	begun := time.Now()
	q := (&solvers.Query{Commands: commands}).WithoutFiles(l.t.solver.Profile)
	b := &l.t.plan
	b.beginPlan(q)
	l.calls++
	b.prefix += strconv.Itoa(l.calls) + "-" // what is late cannot be taken for a reply to the next command
	b.addCommands(q, 0, true)
	if len(b.segments) == 0 { // a command that must not be sent
		return smtlib.None, "", nil
	}
	run := solvers.Run{Answers: make([]smtlib.Answer, 1), Values: make([]string, 1)}
	r := &reader{run: &run, profile: l.t.solver.Profile, talks: len(l.t.opt.Args) > 0}
	l.s.runs++
	l.s.child.process.setCPULimit(l.s.cpu, lim)
	complete := l.t.sendAndRead(l.ctx, l.s, r, lim)
	l.left -= time.Since(begun)
	killed, _ := l.s.child.killedFor()
	dead := false
	if !complete && l.t.frame.broken == "" || killed != solvers.Invalid {
		l.s.awaitOrKill(lim)
		dead = true
	}
	if dead {
		l.s.recordUsage(r)
	}
	// Asked once more: awaitOrKill may have ended it since.
	killed, detail := l.s.child.killedFor()
	if killed == solvers.Garbage { // ours, to end what had closed its output
		killed = solvers.Invalid
	}
	run.Stderr = l.s.child.errs.textSinceBegin()
	r.settleClass(killed, detail, lim, complete, dead)
	l.addCost(&run, dead)
	err := l.sessionError(call, r, dead || !complete)
	if l.dead = dead || !complete || run.Class == solvers.Garbage; l.dead {
		l.run.ExitCode, l.run.Signal = run.ExitCode, run.Signal
	}
	return run.Answers[0], run.Values[0], err
}

// addCost adds what a command cost.
func (l *live) addCost(run *solvers.Run, dead bool) {
	l.run.Stdout += run.Stdout
	l.run.Stderr = run.Stderr
	if dead {
		l.run.ExitCode, l.run.Signal = run.ExitCode, run.Signal
	}
}

// sessionError makes an error of what the reader found.
func (l *live) sessionError(call string, r *reader, dead bool) error {
	e := &solvers.SessionError{Class: r.run.Class, Message: r.run.Message, Call: call, Dead: dead || r.run.Class == solvers.Garbage}
	if e.Class == solvers.OK {
		if r.message != "" { // a setting was refused
			name, m, ok := strings.Cut(r.message, ": ")
			c, known := solvers.ParseClass(name)
			if !ok || !known {
				c, m = solvers.Unsupported, r.message
			}
			e.Class, e.Message = c, m
			return e
		}
		if v := r.run.Values[0]; strings.HasPrefix(v, "(error") || v == "unsupported" {
			e.Class, e.Message = r.profile.Classify(solvers.Evidence{Errors: v})
			if e.Class == solvers.OK {
				e.Class = solvers.SolverError
			}
			if v == "unsupported" {
				e.Class, e.Message = solvers.Unsupported, v
			}
			return e
		}
		if !dead {
			return nil
		}
	}
	return e
}

// noteDeclared notes what a command declares.
func (l *live) noteDeclared(c *smtlib.Command) {
	for _, list := range [][]smt.Symbol{c.Symbols, c.Named} {
		for _, f := range list {
			l.declarations++
			l.declared[f], l.byName[l.a.SymbolName(f)] = l.declarations, f
		}
	}
}

// sendWithoutReply sends a command that is due no reply.
func (l *live) sendWithoutReply(c smtlib.Command) error {
	l.noteDeclared(&c)
	l.buf = l.text.Command(l.buf[:0], l.a, &c)
	_, _, err := l.sendCommand(c.Kind.String(), string(l.buf), solvers.NoReply)
	return err
}

// Tell implements solvers.Teller.
func (l *live) Tell(c *smtlib.Command) error { return l.sendWithoutReply(*c) }

func (l *live) SetLogic(name string) error {
	return l.sendWithoutReply(smtlib.Command{Kind: smtlib.CmdSetLogic, Text: name})
}

// SetOption sets an option of SMT-LIB by its command, others as the profile says.
func (l *live) SetOption(name, value string) error {
	text, isCommand := l.t.solver.Profile.OptionText(solvers.Option{Name: name, Value: value})
	if !isCommand || smtlibOption[name] {
		text = "(set-option :" + name + " " + value + ")"
	}
	_, _, err := l.sendCommand("set-option", text, solvers.NoReply)
	return err
}

// smtlibOption are the options of SMT-LIB 2.7 (section 4.1.7) that bear on answers.
var smtlibOption = map[string]bool{
	"produce-models": true, "produce-unsat-cores": true, "produce-unsat-assumptions": true, "produce-assignments": true,
	"produce-assertions": true, "produce-proofs": true, "global-declarations": true, "random-seed": true,
}

func (l *live) DeclareSort(s smt.SortSymbol) error {
	return l.sendWithoutReply(smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{s}})
}

func (l *live) DeclareDatatypes(group []smt.SortSymbol) error {
	return l.sendWithoutReply(smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: group})
}

func (l *live) Declare(f smt.Symbol) error { return l.sendWithoutReply(smtlib.DeclareCommand(l.a, f)) }

func (l *live) Define(fs []smt.Symbol) error {
	return l.sendWithoutReply(smtlib.DefineCommand(l.a, fs...))
}

func (l *live) Assert(t smt.Term) error { return l.sendWithoutReply(smtlib.AssertCommand(t)) }

func (l *live) CheckSat(assumptions []smt.Term) (smtlib.Answer, error) {
	c := smtlib.CheckCommand(assumptions)
	l.buf = l.text.Command(l.buf[:0], l.a, &c)
	a, _, err := l.sendCommand(c.Kind.String(), string(l.buf), solvers.AnswerReply)
	return a, err
}

func (l *live) Push(n int) error {
	return l.sendWithoutReply(smtlib.Command{Kind: smtlib.CmdPush, N: n})
}
func (l *live) Pop(n int) error { return l.sendWithoutReply(smtlib.Command{Kind: smtlib.CmdPop, N: n}) }

// Reset implements solvers.Resetter.
func (l *live) Reset() error {
	if !l.t.solver.Profile.HasReset {
		return solvers.ErrUnsupported("reset")
	}
	commands := []solvers.Command{{Text: "(reset)"}}
	if !l.t.solver.Profile.ResetKeepsOptions { // what the session was opened with
		for _, text := range l.t.extra {
			commands = append(commands, solvers.Command{Text: text})
		}
	}
	_, _, err := l.sendCommands("reset", commands)
	return err
}

// ResetAssertions implements solvers.AssertionResetter.
func (l *live) ResetAssertions() error {
	return l.sendWithoutReply(smtlib.Command{Kind: smtlib.CmdResetAssertions})
}

// Ask implements solvers.Asker.
func (l *live) Ask(c *smtlib.Command) (string, error) {
	l.buf = l.text.Command(l.buf[:0], l.a, c)
	reply := solvers.ReplyTo(c.Kind, c.Name)
	name := c.Kind.String()
	if name == "" {
		name = c.Name
	}
	_, v, err := l.sendCommand(name, string(l.buf), reply)
	return v, err
}

// Model implements solvers.Modeler.
func (l *live) Model() (string, error) { return l.Ask(&smtlib.Command{Kind: smtlib.CmdGetModel}) }

// Values implements solvers.Valuer.
func (l *live) Values(ts []smt.Term) ([]string, error) {
	reply, err := l.Ask(&smtlib.Command{Kind: smtlib.CmdGetValue, Terms: ts})
	if err != nil {
		return nil, err
	}
	xs, err := smtlib.ParseSExprs(reply)
	if err == nil && len(xs) == 1 && len(xs[0].List) == len(ts) {
		var out []string
		for i := range ts {
			if pair := xs[0].List[i].List; len(pair) == 2 {
				out = append(out, pair[1].String())
			}
		}
		if len(out) == len(ts) {
			return out, nil
		}
	}
	return nil, &solvers.SessionError{Class: solvers.Garbage, Message: solvers.Normalize("no reply to get-value: " + reply), Call: "get-value"}
}

// UnsatCore implements solvers.Corer: the named assertions whose names the solver gives.
func (l *live) UnsatCore() ([]smt.Term, error) {
	return l.askTerms(&smtlib.Command{Kind: smtlib.CmdGetUnsatCore})
}

// UnsatAssumptions implements solvers.AssumptionCorer.
func (l *live) UnsatAssumptions() ([]smt.Term, error) {
	return l.askTerms(&smtlib.Command{Kind: smtlib.CmdGetUnsatAssumptions})
}

// askTerms reads a reply that is a list of terms over the arena's symbols. A name that two symbols share is that of the one which was
// declared latest in this session.
func (l *live) askTerms(c *smtlib.Command) ([]smt.Term, error) {
	reply, err := l.Ask(c)
	if err != nil {
		return nil, err
	}
	bad := func(what any) error {
		return &solvers.SessionError{Class: solvers.Garbage, Message: solvers.Normalize(fmt.Sprintf("reply to %s: %v", c.Kind, what)), Call: c.Kind.String()}
	}
	xs, err := smtlib.ParseSExprs(reply)
	if err != nil || len(xs) != 1 || !xs[0].IsList() {
		return nil, bad(reply)
	}
	if out, ok := l.declaredConstants(xs[0].List); ok {
		return out, nil
	}
	sc := smtlib.NewScope(l.a)
	defer sc.Close()
	for f := smt.Symbol(1); int(f) < l.a.NumSymbols(); f++ {
		sc.BindSymbol(f)
	}
	again := slices.SortedFunc(maps.Keys(l.declared), func(f, g smt.Symbol) int { return cmp.Or(l.declared[f]-l.declared[g], int(f)-int(g)) })
	for _, f := range again {
		sc.BindSymbol(f)
	}
	var out []smt.Term
	for i := range xs[0].List {
		t, err := sc.Term(xs[0].List[i].String())
		if err != nil {
			return nil, bad(err)
		}
		out = append(out, t)
	}
	return out, nil
}

// declaredConstants returns the constants with the names in a list; ok is false if anything else is in it. A scope of all symbols is made
// for that only: the cores of a long session would cost what was ever declared in it.
func (l *live) declaredConstants(list []smtlib.SExpr) (out []smt.Term, ok bool) {
	for i := range list {
		f, known := l.byName[list[i].Symbol()]
		if list[i].IsList() || !known || len(l.a.SymbolInfo(f).Params) > 0 {
			return nil, false
		}
		out = append(out, l.a.Const(f))
	}
	return out, true
}

// Measure implements solvers.Measured.
func (l *live) Measure(r *solvers.Run) {
	l.s.cpu = l.s.child.cpuTime()
	r.CPU, r.Wall, r.PeakMemory = l.s.cpu, l.lim.Wall-l.left, l.s.child.peak
	r.Stdout, r.Stderr, r.ExitCode, r.Signal = l.run.Stdout, l.run.Stderr, l.run.ExitCode, l.run.Signal
	r.Argv, r.Preamble = l.run.Argv, l.run.Preamble
	r.Target, r.Solver, r.Version, r.Mode = l.run.Target, l.run.Solver, l.run.Version, l.run.Mode
}

// Close ends the process.
func (l *live) Close() error {
	l.dead = true
	if l.closed {
		return nil
	}
	l.closed = true
	if !l.s.child.isDead() {
		l.s.child.samplePeak()
	}
	l.s.close()
	l.s.cpu = l.s.child.cpuTime()
	return nil
}
