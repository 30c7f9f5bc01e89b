package driver

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Session is a solver of a library, driven call by call over the terms of an arena.
type Session struct {
	a        *smt.Arena
	API      API
	Peer     *Session // the session beside which this one was opened, nil for the first
	Settings Settings
	live     bool // the api has a solver
	dead     *solvers.SessionError

	Sorts     []Ref // by sort, 0 for what was not made
	terms     []Ref // by term: those without bound variables
	Functions map[smt.Symbol]Ref
	scopes    []scope          // of the binders whose bodies are translated now
	depthOf   map[smt.Term]int // number of the innermost scope that binds a variable
	free      map[smt.Term][]smt.Term
	walk      []walkFrame

	Declared []smt.Symbol // constants and functions, for models
	asserted []assertion
	levels   []level
	named    bool // some assertion has a name
	Assumed  []Assumption
	Last     smtlib.Answer

	rand        uint64 // for choices between equivalent calls; 0: the plain ones
	Deadline    time.Time
	Budget      time.Duration // CPU time of the process at which checks are ended, 0 for none
	Interrupted bool          // the latest check was stopped
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

// level is where the stacks stood at a push.
type level struct{ declared, asserted int }

// NewSession returns a session over a binding, for the terms of an arena.
func NewSession(x API, a *smt.Arena) *Session {
	return &Session{a: a, API: x, Functions: map[smt.Symbol]Ref{}, depthOf: map[smt.Term]int{}, free: map[smt.Term][]smt.Term{}}
}

// guardCall runs a call and turns what it throws into an error.
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

// Pick chooses one of n equivalent ways; 0 is the plain one.
func (s *Session) Pick(n int) int {
	if s.rand == 0 || n < 2 {
		return 0
	}
	s.rand += 0x9E3779B97F4A7C15
	x := s.rand
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	x ^= x >> 31
	if s.rand == 0 {
		s.rand = 1
	}
	return int(x % uint64(n))
}

// Arena implements solvers.Session.
func (s *Session) Arena() *smt.Arena { return s.a }

// Seed implements solvers.Seeded.
func (s *Session) Seed(n uint64) { s.rand = n }

// SetLogic implements solvers.Session.
func (s *Session) SetLogic(name string) error {
	return s.guardCall("set-logic", func() {
		if s.live {
			panic(Refuse(solvers.Refusal, "the logic must be set before the first declaration or assertion"))
		}
		s.Settings.Logic = name
	})
}

// SetOption implements solvers.Session. Options that are smtlark's own or mean the same to all libraries are kept here.
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
		s.Settings.Options = append(s.Settings.Options, Setting{name, value})
	})
}

// RefuseOption ends a call because an option cannot be set.
func RefuseOption(format string, args ...any) *Fault {
	return &Fault{Class: solvers.Refusal, Message: fmt.Sprintf(format, args...)}
}

// DeclareSort implements solvers.Session.
func (s *Session) DeclareSort(sym smt.SortSymbol) error {
	return s.guardCall("declare-sort", func() { s.ensureSolver(); s.API.DeclareSort(s, sym) })
}

// DeclareDatatypes implements solvers.Session.
func (s *Session) DeclareDatatypes(group []smt.SortSymbol) error {
	return s.guardCall("declare-datatypes", func() { s.ensureSolver(); s.API.Datatypes(s, group) })
}

// Declare implements solvers.Session.
func (s *Session) Declare(f smt.Symbol) error {
	return s.guardCall("declare-fun", func() {
		s.ensureSolver()
		s.Symbol(f)
		s.Declared = append(s.Declared, f)
	})
}

// Define implements solvers.Session. A function that is not recursive is expanded where it is applied.
func (s *Session) Define(fs []smt.Symbol) error {
	return s.guardCall("define-fun", func() {
		s.ensureSolver()
		recursive := slices.ContainsFunc(fs, func(f smt.Symbol) bool { return s.a.SymbolInfo(f).Recursive })
		if recursive {
			s.API.Define(s, fs)
			return
		}
		for _, f := range fs {
			if info := s.a.SymbolInfo(f); len(info.Vars) == 0 && info.Body != 0 {
				s.Term(info.Body)
			}
		}
	})
}

// MakeSort implements solvers.TermMaker.
func (s *Session) MakeSort(so smt.Sort) error {
	return s.guardCall("mk-sort", func() {
		s.ensureSolver()
		if int(so) < len(s.Sorts) {
			s.Sorts[so] = 0
		}
		s.Sort(so)
	})
}

// MakeTerm implements solvers.TermMaker.
func (s *Session) MakeTerm(t smt.Term) error {
	return s.guardCall("mk-term", func() {
		s.ensureSolver()
		if op := s.a.Op(t); int(t) < len(s.terms) && op != smt.OpVar {
			s.terms[t] = 0
		}
		s.Term(t)
	})
}

// Assert implements solvers.Session.
func (s *Session) Assert(t smt.Term) error {
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
		s.asserted = append(s.asserted, x)
	})
}

// NameOf returns the symbol of the name that an asserted term has at its top, 0 for none.
func NameOf(a *smt.Arena, t smt.Term) smt.Symbol {
	for a.Op(t) == smt.OpAnnot {
		for _, x := range a.Annotations(t) {
			if x.Keyword == ":named" {
				return a.Name(withoutBars(x.Value), a.Arg(t, 0))
			}
		}
		t = a.Arg(t, 0)
	}
	return 0
}

// withoutBars takes the bars off a symbol.
func withoutBars(text string) string {
	if len(text) >= 2 && text[0] == '|' && text[len(text)-1] == '|' {
		return text[1 : len(text)-1]
	}
	return text
}

// CheckSat implements solvers.Session.
func (s *Session) CheckSat(assumptions []smt.Term) (answer smtlib.Answer, err error) {
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
		return smtlib.None, &solvers.SessionError{Class: solvers.Timeout, Message: "interrupted at the time limit", Call: "check-sat"}
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
	own := s.Settings.TimeLimit > 0 && (wait == 0 || s.Settings.TimeLimit < wait)
	if own {
		wait = s.Settings.TimeLimit
	}
	if wait == 0 && s.Budget == 0 {
		return s.API.Check(s, refs)
	}
	end := time.Time{}
	if wait > 0 {
		end = time.Now().Add(wait)
	}
	Watching.watchCheck(s.API, end, s.Budget)
	defer func() {
		if Watching.endWatching() {
			s.Interrupted = !own || s.Spent()
		}
	}()
	return s.API.Check(s, refs)
}

// Spent reports whether the run has used up its CPU time.
func (s *Session) Spent() bool { return s.Budget > 0 && ProcessCPU() > s.Budget }

// Push implements solvers.Session.
func (s *Session) Push(n int) error {
	return s.guardCall("push", func() {
		s.ensureSolver()
		s.API.Push(n)
		for range n {
			s.levels = append(s.levels, level{len(s.Declared), len(s.asserted)})
		}
	})
}

// Pop implements solvers.Session.
func (s *Session) Pop(n int) error {
	return s.guardCall("pop", func() {
		k := len(s.levels) - n
		if k < 0 {
			panic(Refuse(solvers.Refusal, "pop without push"))
		}
		if n == 0 {
			return
		}
		s.API.Pop(n)
		s.Declared, s.asserted = s.Declared[:s.levels[k].declared], s.asserted[:s.levels[k].asserted]
		s.levels = s.levels[:k]
	})
}

// ResetAssertions implements solvers.AssertionResetter.
func (s *Session) ResetAssertions() error {
	return s.guardCall("reset-assertions", func() {
		if !s.live {
			return
		}
		s.API.ResetAssertions()
		s.Declared, s.asserted, s.levels, s.named = nil, nil, nil, false
	})
}

// Reset implements solvers.Resetter: a new solver, without options.
func (s *Session) Reset() error {
	return s.guardCall("reset", func() {
		s.clearState(false)
		s.Settings = Settings{TimeLimit: s.Settings.TimeLimit, Resources: s.Settings.Resources}
	})
}

func (s *Session) clearState(broken bool) {
	if s.live {
		s.live = false
		s.API.Shut(broken)
	}
	clear(s.Sorts)
	clear(s.terms)
	clear(s.Functions)
	s.leaveScopes()
	s.Declared, s.asserted, s.levels, s.named, s.Assumed = nil, nil, nil, false, nil
}

// Close implements solvers.Session.
func (s *Session) Close() error {
	broken := s.dead != nil
	s.dead = nil
	err := s.guardCall("delete", func() { s.clearState(broken) })
	s.dead = &solvers.SessionError{Class: solvers.SolverError, Message: "the session is closed", Call: "delete", Dead: true}
	return err
}

// Model implements solvers.Modeler.
func (s *Session) Model() (text string, err error) {
	err = s.guardCall("get-model", func() { s.wantSat(); text = s.API.Model(s) })
	return text, err
}

func (s *Session) wantSat() {
	switch {
	case !s.Settings.Models:
		panic(Refuse(solvers.Refusal, "models are not enabled: set option produce-models"))
	case s.Last != smtlib.Sat && s.Last != smtlib.Unknown:
		panic(Refuse(solvers.Refusal, "there is no model: the latest check-sat did not answer sat"))
	}
}

// Values implements solvers.Valuer.
func (s *Session) Values(ts []smt.Term) (texts []string, err error) {
	err = s.guardCall("get-value", func() {
		s.wantSat()
		for _, t := range ts {
			texts = append(texts, s.API.ValueText(s, t, s.Term(t)))
		}
	})
	return texts, err
}

// UnsatCore implements solvers.Corer. Where some assertions have names, the others are left out, as SMT-LIB wants it.
func (s *Session) UnsatCore() (ts []smt.Term, err error) {
	numbers, err := s.CoreNumbers()
	for _, n := range numbers {
		x := s.asserted[n]
		t := x.t
		if x.name != 0 {
			t = s.a.Const(x.name)
		}
		if !slices.Contains(ts, t) {
			ts = append(ts, t)
		}
	}
	return ts, err
}

// CoreNumbers returns the numbers of the assertions in the core.
func (s *Session) CoreNumbers() (numbers []int, err error) {
	err = s.guardCall("get-unsat-core", func() {
		if !s.Settings.Cores {
			panic(Refuse(solvers.Refusal, "unsat cores are not enabled: set option produce-unsat-cores"))
		}
		s.wantUnsat()
		core := s.API.Core(s)
		for i, x := range s.asserted {
			if slices.Contains(core, x.r) && (x.name != 0 || !s.named) {
				numbers = append(numbers, i)
			}
		}
	})
	return numbers, err
}

func (s *Session) wantUnsat() {
	if s.Last != smtlib.Unsat {
		panic(Refuse(solvers.Refusal, "there is no core: the latest check-sat did not answer unsat"))
	}
}

// UnsatAssumptions implements solvers.AssumptionCorer.
func (s *Session) UnsatAssumptions() (ts []smt.Term, err error) {
	err = s.guardCall("get-unsat-assumptions", func() {
		s.wantUnsat()
		refs := make([]Ref, len(s.Assumed))
		for i, x := range s.Assumed {
			refs[i] = x.r
		}
		failed := s.API.Failed(s, refs)
		for _, x := range s.Assumed {
			if slices.Contains(failed, x.r) && !slices.Contains(ts, x.Term) {
				ts = append(ts, x.Term)
			}
		}
	})
	return ts, err
}

// Ask implements solvers.Asker.
func (s *Session) Ask(c *smtlib.Command) (text string, err error) {
	err = s.guardCall(CommandName(c), func() {
		switch c.Kind {
		case smtlib.CmdEcho:
			text = c.Text
		case smtlib.CmdGetInfo:
			text = s.infoReply(c.Name)
		case smtlib.CmdGetOption:
			text = s.optionText(c.Name)
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
		return fmt.Sprintf("(:assertion-stack-levels %d)", len(s.levels))
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

func (s *Session) optionText(name string) string {
	for _, x := range slices.Backward(s.Settings.Options) {
		if x.Name == strings.TrimPrefix(name, ":") {
			return x.Value
		}
	}
	panic(Unsupported("option %s was not set", name))
}

// assignmentReply is the reply to get-assignment: the truth values of the named assertions.
func (s *Session) assignmentReply() string {
	s.wantSat()
	var parts []string
	for _, x := range s.asserted {
		if x.name != 0 {
			parts = append(parts, "("+s.a.SymbolInfo(x.name).Text+" "+s.API.ValueText(s, x.t, x.r)+")")
		}
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// PerCheck is the time that one check may take, 0 for no limit.
func (s *Session) PerCheck() time.Duration {
	d := s.Settings.TimeLimit
	if !s.Deadline.IsZero() {
		if left := max(time.Until(s.Deadline), time.Millisecond); d == 0 || left < d {
			d = left
		}
	}
	return d
}

// OwnLimit is perCheck for a library that is told a time once, and cannot be stopped: it counts wall time, so where CPU
// time is short it gets three times of that.
func (s *Session) OwnLimit() time.Duration {
	d := s.PerCheck()
	if s.Budget > 0 {
		if left := 3 * max(s.Budget-ProcessCPU(), 5*time.Millisecond); d == 0 || left < d {
			d = left
		}
	}
	return d
}
