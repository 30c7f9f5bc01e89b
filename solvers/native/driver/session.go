package driver

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Session is a solver of a library, driven call by call over the terms of an arena.
type Session struct {
	Translation
	Settings Settings
	TimeLimits
	stack
	dead *solvers.SessionError

	Assumed []Assumption
	Last    smtlib.Answer
}

// stack has the declarations and assertions, with their levels.
type stack struct {
	Declared smt.Stack[smt.Symbol] // constants and functions, for models
	asserted smt.Stack[assertion]
	named    bool // some assertion has a name
}

type assertion struct {
	t    smt.Term
	r    Ref
	name smt.Symbol // 0 without
}

// Assumption is one of the latest check, with its reference.
type Assumption struct {
	Term smt.Term
	r    Ref
}

// NewSession returns a session over a binding, for the terms of an arena.
func NewSession(x API, a *smt.Arena) *Session {
	return &Session{Translation: Translation{a: a, API: x, Functions: map[smt.Symbol]Ref{}, depthOf: map[smt.Term]int{},
		free: map[smt.Term][]smt.Term{}}}
}

// guardCall runs a call and turns its panics into an error.
func (s *Session) guardCall(call string, f func()) (err error) {
	if s.dead != nil {
		return &solvers.SessionError{Class: s.dead.Class, Message: s.dead.Message, Call: call, Dead: true}
	}
	s.API.Lib().Memory.Reset()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Fault:
			e := &solvers.SessionError{Class: r.Class, Message: r.Message, Call: call, Dead: r.Dead}
			s.leaveScopes()
			if r.Dead {
				s.dead = e
			}
			err = e
		case runtime.Error:
			panic(r) // a mistake of ours, not of the library
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// ensureSolver makes the solver if there is none.
func (s *Session) ensureSolver() {
	if !s.live {
		s.API.Open(s)
		s.live = true
	}
}

// Call implements solvers.Caller. It ignores the context: only the limits of the session end a call into a library.
func (s *Session) Call(_ context.Context, c *solvers.Call) (solvers.Reply, error) {
	if len(c.Before) > 0 {
		return solvers.OneByOne(c, s.makeCall)
	}
	return s.makeCall(c)
}

// makeCall makes the call of one command, or makes sorts and terms.
func (s *Session) makeCall(c *solvers.Call) (r solvers.Reply, err error) {
	s.rand = c.Seed
	command := &c.Command
	switch c.Kind {
	case solvers.CallMakeSort:
		return r, s.makeSort(c.Sort)
	case solvers.CallMakeTerm:
		return r, s.makeTerm(c.Term)
	case solvers.CallTransfer:
		return r, s.transfer(c.Source, c.Args)
	}
	switch command.Kind {
	case smtlib.CmdSetLogic:
		err = s.SetLogic(command.Text)
	case smtlib.CmdSetOption:
		err = s.SetOption(command.Name, command.Text)
	case smtlib.CmdSetInfo, smtlib.CmdDefineSort, smtlib.CmdDeclareSortParameter, smtlib.CmdExit: // sorts are expanded
	case smtlib.CmdDeclareConst, smtlib.CmdDeclareFun:
		err = s.declare(command.Symbols[0])
	case smtlib.CmdDeclareSort:
		err = s.declareSort(command.Sorts[0])
	case smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
		err = s.declareDatatypes(command.Sorts)
	case smtlib.CmdDefineConst, smtlib.CmdDefineFun, smtlib.CmdDefineFunRec, smtlib.CmdDefineFunsRec:
		err = s.define(command.Symbols)
	case smtlib.CmdAssert:
		err = s.assert(command.Terms[0])
	case smtlib.CmdPush:
		err = s.Push(command.N)
	case smtlib.CmdPop:
		err = s.pop(command.N)
	case smtlib.CmdReset:
		err = s.reset()
	case smtlib.CmdResetAssertions:
		err = s.resetAssertions()
	case smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming, smtlib.CmdCheckSatUsing:
		r.Answer, err = s.checkSat(command.Terms)
	case smtlib.CmdGetModel:
		r.Text, err = s.model()
	case smtlib.CmdGetValue:
		var values []string
		if values, err = s.values(command.Terms); err == nil {
			r = solvers.ReplyOfValues(s.a, command.Terms, values)
		}
	case smtlib.CmdGetUnsatCore:
		return s.unsatCore()
	case smtlib.CmdGetUnsatAssumptions:
		return s.unsatAssumptions()
	default:
		r.Text, err = s.ask(c.CommandName(), command)
	}
	return r, err
}

// SetLogic sets the logic.
func (s *Session) SetLogic(name string) error {
	return s.guardCall("set-logic", func() {
		if s.live {
			panic(Refuse(solvers.Refusal, "the logic must be set before the first declaration or assertion"))
		}
		s.Settings.Logic = name
	})
}

// SetOption sets an option. Those that are smtlark's own or mean the same to all libraries are kept here.
func (s *Session) SetOption(name, value string) error {
	return s.guardCall("set-option", func() {
		name = strings.TrimPrefix(name, ":")
		on := value == "true"
		switch name {
		case "produce-models":
			s.Settings.Models = on
		case "produce-unsat-cores":
			s.Settings.Cores = on
		case "produce-unsat-assumptions":
			s.Settings.Assume = on
		case "produce-proofs":
			s.Settings.Proofs = on
		case "print-success", "produce-assertions", "produce-assignments", "interactive-mode", "global-declarations",
			"regular-output-channel", "diagnostic-output-channel", "verbosity":
			return
		}
		if solvers.HoldsBack(name) { // as in cases for programs
			return
		}
		if s.live {
			s.API.SetLate(s, name, value)
			return
		}
		s.Settings.Options = append(s.Settings.Options, rule.Setting{Name: name, Value: value})
	})
}

// RefuseOption returns the fault for an option that cannot be set.
func RefuseOption(format string, args ...any) *Fault {
	return &Fault{Class: solvers.Refusal, Message: fmt.Sprintf(format, args...)}
}

func (s *Session) declareSort(sym smt.SortSymbol) error {
	return s.guardCall("declare-sort", func() { s.ensureSolver(); s.API.DeclareSort(&s.Translation, sym) })
}

// declareDatatypes declares datatypes that may refer to one another.
func (s *Session) declareDatatypes(group []smt.SortSymbol) error {
	return s.guardCall("declare-datatypes", func() { s.ensureSolver(); s.API.Datatypes(&s.Translation, group) })
}

// declare declares a constant or a function.
func (s *Session) declare(f smt.Symbol) error {
	return s.guardCall("declare-fun", func() {
		s.ensureSolver()
		s.Symbol(f)
		s.Declared.Add(f)
	})
}

// define defines functions: one that is not recursive, which is expanded where it is applied, or all those of a
// define-funs-rec.
func (s *Session) define(fs []smt.Symbol) error {
	return s.guardCall("define-fun", func() {
		s.ensureSolver()
		recursive := slices.ContainsFunc(fs, func(f smt.Symbol) bool { return s.a.SymbolInfo(f).Recursive })
		if recursive {
			s.API.Define(&s.Translation, fs)
			return
		}
		for _, f := range fs {
			if info := s.a.SymbolInfo(f); len(info.Vars) == 0 && info.Body != 0 {
				s.Term(info.Body)
			}
		}
	})
}

func (s *Session) makeSort(so smt.Sort) error {
	return s.guardCall("mk-sort", func() {
		s.ensureSolver()
		if int(so) < len(s.Sorts) {
			s.Sorts[so] = 0
		}
		s.Sort(so)
	})
}

// makeTerm makes a term whose arguments were made before. If the term already exists, it is made anew.
func (s *Session) makeTerm(t smt.Term) error {
	return s.guardCall("mk-term", func() {
		s.ensureSolver()
		if op := s.a.Op(t); int(t) < len(s.terms) && op != smt.OpVar {
			s.terms[t] = 0
		}
		s.Term(t)
	})
}

func (s *Session) assert(t smt.Term) error {
	return s.guardCall("assert", func() {
		s.ensureSolver()
		r := s.Term(t)
		x := assertion{t: t, r: r, name: NameOf(s.a, t)}
		text := ""
		if x.name != 0 {
			s.named = true
			text = s.a.SymbolName(x.name)
		}
		s.API.Assert(s, r, text, s.Settings.Cores)
		s.asserted.Add(x)
	})
}

// NameOf returns the symbol of the name that an asserted term has as a whole, 0 for none.
func NameOf(a *smt.Arena, t smt.Term) smt.Symbol {
	name, formula := a.NameOf(t)
	if formula == 0 {
		return 0
	}
	return a.Name(name, formula)
}

func (s *Session) checkSat(assumptions []smt.Term) (answer smtlib.Answer, err error) {
	err = s.guardCall("check-sat", func() {
		s.ensureSolver()
		s.Assumed = s.Assumed[:0]
		refs := make([]Ref, len(assumptions))
		for i, t := range assumptions {
			refs[i] = s.Term(t)
			s.Assumed = append(s.Assumed, Assumption{t, refs[i]})
		}
		s.Last = smtlib.None
		answer = s.checkWithLimits(refs)
		s.Last = answer
	})
	if err == nil && s.Interrupted && answer == smtlib.Unknown {
		return smtlib.None, &solvers.SessionError{Class: solvers.Timeout, Message: "interrupted at the time limit",
			Call: "check-sat"}
	}
	return answer, err
}

// checkWithLimits runs a check under the limits of time.
func (s *Session) checkWithLimits(refs []Ref) smtlib.Answer {
	s.Interrupted = false
	wait := time.Duration(0)
	if !s.Deadline.IsZero() {
		wait = max(time.Until(s.Deadline), time.Millisecond)
	}
	own := s.TimeLimit > 0 && (wait == 0 || s.TimeLimit < wait)
	if own {
		wait = s.TimeLimit
	}
	if wait == 0 && s.Budget == 0 {
		return s.API.Check(s, refs)
	}
	end := time.Time{}
	if wait > 0 {
		end = time.Now().Add(wait)
	}
	checkWatcher.watchCheck(s.API, end, s.Budget)
	defer func() {
		if checkWatcher.endWatching() {
			s.Interrupted = !own || s.Spent()
		}
	}()
	return s.API.Check(s, refs)
}

// Push opens assertion levels.
func (s *Session) Push(n int) error {
	return s.guardCall("push", func() {
		s.ensureSolver()
		s.API.Push(n)
		s.Declared.Push(n)
		s.asserted.Push(n)
	})
}

func (s *Session) pop(n int) error {
	return s.guardCall("pop", func() {
		if n > s.asserted.Levels() {
			panic(Refuse(solvers.Refusal, "pop without push"))
		}
		if n == 0 {
			return
		}
		s.API.Pop(n)
		s.Declared.Pop(n)
		s.asserted.Pop(n)
	})
}

// PopAll closes all levels.
func (s *Session) PopAll() error { return s.pop(s.asserted.Levels()) }

// Renew prepares a session whose levels are closed for other terms, of a script that has nothing in common with the
// earlier ones but the settings. An error means that a new solver is needed.
func (s *Session) Renew() error {
	return s.guardCall("reset", func() {
		s.forget()
		clear(s.free)
		s.stack, s.Assumed, s.Last = stack{}, nil, smtlib.None
		if s.live && !s.API.Renew(s) {
			panic(Refuse(solvers.Refusal, "the solver cannot be used again"))
		}
	})
}

func (s *Session) resetAssertions() error {
	return s.guardCall("reset-assertions", func() {
		if !s.live {
			return
		}
		s.API.ResetAssertions()
		s.stack = stack{}
	})
}

// reset makes a new solver, without options.
func (s *Session) reset() error {
	return s.guardCall("reset", func() {
		s.clearState(false)
		s.Settings = Settings{Resources: s.Settings.Resources}
	})
}

func (s *Session) clearState(broken bool) {
	if s.live {
		s.live = false
		s.API.Shut(broken)
	}
	s.forget()
	s.stack, s.Assumed = stack{}, nil
}

// Close implements solvers.Session.
func (s *Session) Close() (*solvers.Run, error) {
	broken := s.dead != nil
	s.dead = nil
	err := s.guardCall("delete", func() { s.clearState(broken) })
	s.dead = &solvers.SessionError{Class: solvers.SolverError, Message: "the session is closed", Call: "delete",
		Dead: true}
	return nil, err
}

func (s *Session) model() (text string, err error) {
	err = s.guardCall("get-model", func() { s.Settings.wantModel(s.Last); text = s.API.Model(s) })
	return text, err
}

// wantModel refuses a model where the latest answer has none, or none was wanted.
func (s *Settings) wantModel(last smtlib.Answer) {
	switch {
	case !s.Models:
		panic(Refuse(solvers.Refusal, "models are not enabled: set option produce-models"))
	case last != smtlib.Sat && last != smtlib.Unknown:
		panic(Refuse(solvers.Refusal, "there is no model: the latest check-sat did not answer sat"))
	}
}

func (s *Session) values(ts []smt.Term) (texts []string, err error) {
	err = s.guardCall("get-value", func() {
		s.Settings.wantModel(s.Last)
		for _, t := range ts {
			texts = append(texts, s.API.ValueText(s, t, s.Term(t)))
		}
	})
	return texts, err
}

// unsatCore returns the core. Where some assertions have names, the others are left out, as SMT-LIB wants it.
func (s *Session) unsatCore() (solvers.Reply, error) {
	numbers, err := s.coreNumbers()
	if err != nil {
		return solvers.Reply{}, err
	}
	asserted := s.asserted.Items()
	var ts []smt.Term
	for _, n := range numbers {
		x := asserted[n]
		t := x.t
		if x.name != 0 {
			t = s.a.Const(x.name)
		}
		if !slices.Contains(ts, t) {
			ts = append(ts, t)
		}
	}
	r := solvers.ReplyOfTerms(s.a, ts)
	r.Numbers = numbers
	return r, nil
}

// coreNumbers returns the numbers of the assertions in the core.
func (s *Session) coreNumbers() (numbers []int, err error) {
	err = s.guardCall("get-unsat-core", func() {
		if !s.Settings.Cores {
			panic(Refuse(solvers.Refusal, "unsat cores are not enabled: set option produce-unsat-cores"))
		}
		s.Settings.wantCore(s.Last)
		core := s.API.Core(s)
		for i, x := range s.asserted.Items() {
			if slices.Contains(core, x.r) && (x.name != 0 || !s.named) {
				numbers = append(numbers, i)
			}
		}
	})
	return numbers, err
}

// wantCore refuses a core where the latest answer has none.
func (s *Settings) wantCore(last smtlib.Answer) {
	if last != smtlib.Unsat {
		panic(Refuse(solvers.Refusal, "there is no core: the latest check-sat did not answer unsat"))
	}
}

// unsatAssumptions returns the assumptions of the latest check that were needed.
func (s *Session) unsatAssumptions() (solvers.Reply, error) {
	var ts []smt.Term
	var numbers []int
	err := s.guardCall("get-unsat-assumptions", func() {
		s.Settings.wantCore(s.Last)
		refs := make([]Ref, len(s.Assumed))
		for i, x := range s.Assumed {
			refs[i] = x.r
		}
		failed := s.API.Failed(s, refs)
		for i, x := range s.Assumed {
			if slices.Contains(failed, x.r) && !slices.Contains(ts, x.Term) {
				ts, numbers = append(ts, x.Term), append(numbers, i)
			}
		}
	})
	if err != nil {
		return solvers.Reply{}, err
	}
	r := solvers.ReplyOfTerms(s.a, ts)
	r.Numbers = numbers
	return r, nil
}

// ask makes the call of another command.
func (s *Session) ask(name string, c *smtlib.Command) (text string, err error) {
	err = s.guardCall(name, func() {
		switch c.Kind {
		case smtlib.CmdEcho:
			text = c.Text
		case smtlib.CmdGetInfo:
			text = s.infoReply(c.Name)
		case smtlib.CmdGetOption:
			text = s.Settings.option(c.Name)
		case smtlib.CmdGetAssignment:
			text = s.assignmentReply()
		default:
			s.ensureSolver()
			text = s.API.Ask(s, c)
		}
	})
	return text, err
}

func (s *Session) infoReply(name string) string {
	switch name {
	case ":name":
		return fmt.Sprintf("(:name %q)", s.API.Lib().kind)
	case ":version":
		return fmt.Sprintf("(:version %q)", s.API.Version())
	case ":assertion-stack-levels":
		return fmt.Sprintf("(:assertion-stack-levels %d)", s.asserted.Levels())
	case ":reason-unknown":
		if s.Last != smtlib.Unknown {
			panic(Refuse(solvers.Refusal, "the latest answer was not unknown"))
		}
		return fmt.Sprintf("(:reason-unknown %q)", s.API.Reason())
	case ":error-behavior":
		return "(:error-behavior continued-execution)"
	}
	panic(Unsupported("native %s has no information %s", s.API.Lib().kind, name))
}

// option returns the latest value of an option.
func (s *Settings) option(name string) string {
	for _, x := range slices.Backward(s.Options) {
		if x.Name == strings.TrimPrefix(name, ":") {
			return x.Value
		}
	}
	panic(Unsupported("option %s was not set", name))
}

// assignmentReply is the reply to get-assignment: the truth values of the named assertions.
func (s *Session) assignmentReply() string {
	s.Settings.wantModel(s.Last)
	var parts []string
	for _, x := range s.asserted.Items() {
		if x.name != 0 {
			parts = append(parts, "("+s.a.SymbolInfo(x.name).Text+" "+s.API.ValueText(s, x.t, x.r)+")")
		}
	}
	return "(" + strings.Join(parts, " ") + ")"
}
