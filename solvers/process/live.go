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
	"github.com/smtlark/smtlark/solvers/rule"
)

// live is a session over the pipes of one process: a command at a time, each with its marker.
type live struct {
	t            *persistent
	s            *session
	a            *smt.Arena
	lim          solvers.Limits
	left         time.Duration // remaining time of the limit; only time within calls counts
	calls        int
	text         smtlib.Printer
	buf          []byte
	dead, closed bool
	run          solvers.Run // the resource usage so far
	// declared maps a symbol to the number of its latest declaration. It decides what a name means in replies if
	// several symbols share it.
	declared     map[smt.Symbol]int
	declarations int
	byName       map[string]smt.Symbol // the symbol that was declared latest with a name
}

// Open implements solvers.Opener. The caller sets the options that produce models, cores and the like. The session has
// a process of its own.
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
	l := &live{t: &t.lasting, s: s, a: a, lim: lim, declared: map[smt.Symbol]int{}, byName: map[string]smt.Symbol{}}
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

// Call implements solvers.Caller.
func (l *live) Call(ctx context.Context, c *solvers.Call) (solvers.Reply, error) {
	if c.Kind != solvers.CallCommand || solvers.SaysNothing(&c.Command) { // terms and sorts come with what uses them
		return solvers.Reply{}, nil
	}
	commands, err := l.textOf(c)
	if err != nil {
		return solvers.Reply{}, err
	}
	answer, text, err := l.sendCommands(ctx, c.CommandName(), commands)
	reply := solvers.Reply{Answer: answer, Text: text}
	switch c.Command.Kind {
	case smtlib.CmdGetValue:
		return l.readValues(c.Command.Terms, text, err)
	case smtlib.CmdGetUnsatCore, smtlib.CmdGetUnsatAssumptions:
		return l.readTerms(c, text, err)
	}
	return reply, err
}

// textOf returns the commands of a call as they are sent: one string for all of them.
func (l *live) textOf(c *solvers.Call) ([]solvers.PrintedCommand, error) {
	p := l.t.solver.Profile
	command := c.Command
	switch command.Kind {
	case smtlib.CmdReset:
		if !p.HasReset {
			return nil, solvers.ErrUnsupported("reset")
		}
		commands := []solvers.PrintedCommand{{Text: "(reset)"}}
		if !p.ResetKeepsOptions { // (reset) drops the options that the session was opened with
			for _, text := range l.t.extra {
				commands = append(commands, solvers.PrintedCommand{Text: text})
			}
		}
		return commands, nil
	case smtlib.CmdSetOption: // options of SMT-LIB by set-option, others as the profile says
		name := strings.TrimPrefix(command.Name, ":")
		text, isCommand := p.OptionText(rule.Setting{Name: name, Value: command.Text})
		if !isCommand || smtlibOption[name] {
			text = "(set-option :" + name + " " + command.Text + ")"
		}
		return []solvers.PrintedCommand{{Text: text}}, nil
	case smtlib.CmdCheckSatUsing: // only z3 has it, and check-sat asks the same
		command = smtlib.CheckCommand(command.Terms)
	}
	all := make([]solvers.PrintedCommand, 0, len(c.Before)+1)
	ends := make([]int, 0, len(c.Before)+1)
	l.buf = l.buf[:0]
	for i := range c.Before {
		l.noteDeclared(&c.Before[i])
		l.buf = l.text.Command(l.buf, l.a, &c.Before[i])
		ends = append(ends, len(l.buf))
	}
	due := c.Due()
	if due == solvers.NoReply {
		l.noteDeclared(&command)
	}
	l.buf = l.text.Command(l.buf, l.a, &command)
	text, start := string(l.buf), 0
	for _, end := range ends {
		all = append(all, solvers.PrintedCommand{Text: text[start:end]})
		start = end
	}
	return append(all, solvers.PrintedCommand{Text: text[start:], Reply: due}), nil
}

// sendCommands sends commands and reads the reply. At most the last command has a reply.
func (l *live) sendCommands(
	ctx context.Context, call string, commands []solvers.PrintedCommand,
) (smtlib.Answer, string, error) {
	if l.dead {
		return smtlib.None, "", &solvers.SessionError{Class: solvers.SolverError, Message: "the session has ended",
			Call: call, Dead: true}
	}
	lim := l.lim
	if lim.EachCall {
		l.left, l.run.Stdout = lim.Wall, ""
		l.s.child.errs.beginRun(lim.Output)
	}
	lim.Wall = max(time.Millisecond, l.left)
	begun := time.Now()
	q := (&solvers.Query{Commands: commands}).WithoutFiles(l.t.solver.Profile)
	b := &l.t.plan
	b.beginPlan(q)
	l.calls++
	b.prefix += strconv.Itoa(l.calls) + "-" // so that a late reply is not taken for one to the next command
	b.addCommands(q, 0, true)
	if len(b.segments) == 0 { // a command that must not be sent
		return smtlib.None, "", nil
	}
	run := solvers.Run{Answers: make([]smtlib.Answer, 1), Values: make([]string, 1)}
	r := &reader{run: &run, profile: l.t.solver.Profile, talks: len(l.t.opt.Args) > 0}
	l.s.runs++
	l.s.child.process.setCPULimit(l.s.cpu, lim)
	complete := l.t.sendAndRead(ctx, l.s, r, lim)
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
	if killed == solvers.Garbage { // our own kill: the process had closed its output and went on
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

// addCost adds the output and resource usage of a command.
func (l *live) addCost(run *solvers.Run, dead bool) {
	l.run.Stdout += run.Stdout
	l.run.Stderr = run.Stderr
	if dead {
		l.run.ExitCode, l.run.Signal = run.ExitCode, run.Signal
	}
}

// sessionError makes an error from the class and message that the reader found.
func (l *live) sessionError(call string, r *reader, dead bool) error {
	e := &solvers.SessionError{Class: r.run.Class, Message: r.run.Message, Call: call, Dead: dead ||
		r.run.Class == solvers.Garbage}
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

// noteDeclared records the symbols that a command declares.
func (l *live) noteDeclared(c *smtlib.Command) {
	for _, list := range [][]smt.Symbol{c.Symbols, c.Named} {
		for _, f := range list {
			l.declarations++
			l.declared[f], l.byName[l.a.SymbolName(f)] = l.declarations, f
		}
	}
}

// smtlibOption is the set of options of SMT-LIB 2.7 (section 4.1.7) that affect answers.
var smtlibOption = map[string]bool{
	"produce-models": true, "produce-unsat-cores": true, "produce-unsat-assumptions": true, "produce-assignments": true,
	"produce-assertions": true, "produce-proofs": true, "global-declarations": true, "random-seed": true,
}

// readValues reads the reply to get-value.
func (l *live) readValues(ts []smt.Term, text string, err error) (solvers.Reply, error) {
	if err != nil {
		return solvers.Reply{}, err
	}
	xs, err := smtlib.ParseSExprs(text)
	if err == nil && len(xs) == 1 && len(xs[0].List) == len(ts) {
		var values []string
		for i := range ts {
			if pair := xs[0].List[i].List; len(pair) == 2 {
				values = append(values, pair[1].String())
			}
		}
		if len(values) == len(ts) {
			return solvers.ReplyOfValues(l.a, ts, values), nil
		}
	}
	message := solvers.Normalize("no reply to get-value: " + text)
	return solvers.Reply{}, &solvers.SessionError{Class: solvers.Garbage, Message: message, Call: "get-value"}
}

// readTerms reads a reply that is a list of terms over the arena's symbols; for an unsat core, these are the names of
// assertions. If symbols share a name, the name means the symbol that was declared latest in this session.
func (l *live) readTerms(c *solvers.Call, text string, err error) (solvers.Reply, error) {
	if err != nil {
		return solvers.Reply{}, err
	}
	bad := func(what any) error {
		message := solvers.Normalize(fmt.Sprintf("reply to %s: %v", c.CommandName(), what))
		return &solvers.SessionError{Class: solvers.Garbage, Message: message, Call: c.CommandName()}
	}
	xs, err := smtlib.ParseSExprs(text)
	if err != nil || len(xs) != 1 || !xs[0].IsList() {
		return solvers.Reply{}, bad(text)
	}
	if out, ok := l.declaredConstants(xs[0].List); ok {
		return solvers.ReplyOfTerms(l.a, out), nil
	}
	sc := smtlib.NewScope(l.a)
	defer sc.Close()
	for f := smt.Symbol(1); int(f) < l.a.NumSymbols(); f++ {
		sc.BindSymbol(f)
	}
	again := slices.SortedFunc(maps.Keys(l.declared), func(f, g smt.Symbol) int {
		return cmp.Or(l.declared[f]-l.declared[g], int(f)-int(g))
	})
	for _, f := range again {
		sc.BindSymbol(f)
	}
	var out []smt.Term
	for i := range xs[0].List {
		t, err := sc.Term(xs[0].List[i].String())
		if err != nil {
			return solvers.Reply{}, bad(err)
		}
		out = append(out, t)
	}
	return solvers.ReplyOfTerms(l.a, out), nil
}

// declaredConstants returns the constants with the names in a list; ok is false if anything else is in it. A scope of
// all symbols is made only for that purpose: otherwise the cost of each core would grow with all declarations of a long
// session.
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

// Close ends the process.
func (l *live) Close() (*solvers.Run, error) {
	l.dead = true
	if !l.closed {
		l.closed = true
		if !l.s.child.isDead() {
			l.s.child.samplePeak()
		}
		l.s.close()
	}
	l.s.cpu = l.s.child.cpuTime()
	l.run.CPU, l.run.Wall, l.run.PeakMemory = l.s.cpu, l.lim.Wall-l.left, l.s.child.peak
	return &l.run, nil
}
