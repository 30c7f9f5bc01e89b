package native

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

// session is a solver of a library, driven call by call over the terms of an arena.
type session struct {
	a    *smt.Arena
	api  api
	peer *session // the session beside which this one was opened, nil for the first
	set  settings
	live bool // the api has a solver
	dead *solvers.SessionError

	sorts   []ref // by sort, 0 for what was not made
	terms   []ref // by term: those without bound variables
	funs    map[smt.Symbol]ref
	scopes  []scope          // of the binders whose bodies are translated now
	depthOf map[smt.Term]int // number of the innermost scope that binds a variable
	free    map[smt.Term][]smt.Term
	walk    []walkFrame

	declared []smt.Symbol // constants and functions, for models
	asserted []assertion
	levels   []level
	named    bool // some assertion has a name
	assumed  []assumption
	last     smtlib.Answer

	rand      uint64 // for choices between equivalent calls; 0: the plain ones
	deadline  time.Time
	budget    time.Duration // CPU time of the process at which checks are ended, 0 for none
	interrupt bool          // the latest check was stopped
}

type assertion struct {
	t    smt.Term
	r    ref
	name smt.Symbol // 0 without
}

type assumption struct {
	t smt.Term
	r ref
}

// level is where the stacks stood at a push.
type level struct{ declared, asserted int }

func newSession(x api, a *smt.Arena) *session {
	return &session{a: a, api: x, funs: map[smt.Symbol]ref{}, depthOf: map[smt.Term]int{}, free: map[smt.Term][]smt.Term{}}
}

// guard runs a call and turns what it throws into an error.
func (s *session) guard(call string, f func()) (err error) {
	if s.dead != nil {
		return &solvers.SessionError{Class: s.dead.Class, Message: s.dead.Message, Call: call, Dead: true}
	}
	s.api.lib().mem.reset()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *fault:
			e := &solvers.SessionError{Class: r.class, Message: r.message, Call: call, Dead: r.dead}
			s.leaveScopes()
			if r.dead {
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

// need makes the solver if there is none.
func (s *session) need() {
	if !s.live {
		s.api.open(s)
		s.live = true
	}
}

// pick chooses one of n equivalent ways; 0 is the plain one.
func (s *session) pick(n int) int {
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
func (s *session) Arena() *smt.Arena { return s.a }

// Seed implements solvers.Seeded.
func (s *session) Seed(n uint64) { s.rand = n }

// SetLogic implements solvers.Session.
func (s *session) SetLogic(name string) error {
	return s.guard("set-logic", func() {
		if s.live {
			panic(refuse(solvers.Refusal, "the logic must be set before the first declaration or assertion"))
		}
		s.set.logic = name
	})
}

// SetOption implements solvers.Session. Options that are smtlark's own or mean the same to all libraries are kept here.
func (s *session) SetOption(name, value string) error {
	return s.guard("set-option", func() {
		name = strings.TrimPrefix(name, ":")
		on := value == "true"
		switch name {
		case "produce-models":
			s.set.models = on
		case "produce-unsat-cores":
			s.set.cores = on
		case "produce-unsat-assumptions":
			s.set.assume = on
		case "produce-proofs":
			s.set.proofs = on
		case "print-success", "produce-assertions", "produce-assignments", "interactive-mode", "global-declarations",
			"regular-output-channel", "diagnostic-output-channel", "verbosity":
			return
		}
		if solvers.HoldsBack(name) { // as in cases for programs
			return
		}
		if s.live {
			s.api.setLate(s, name, value)
			return
		}
		s.set.options = append(s.set.options, setting{name, value})
	})
}

func refuseOption(format string, args ...any) *fault {
	return &fault{class: solvers.Refusal, message: fmt.Sprintf(format, args...)}
}

// DeclareSort implements solvers.Session.
func (s *session) DeclareSort(sym smt.SortSymbol) error {
	return s.guard("declare-sort", func() { s.need(); s.api.declareSort(s, sym) })
}

// DeclareDatatypes implements solvers.Session.
func (s *session) DeclareDatatypes(group []smt.SortSymbol) error {
	return s.guard("declare-datatypes", func() { s.need(); s.api.datatypes(s, group) })
}

// Declare implements solvers.Session.
func (s *session) Declare(f smt.Symbol) error {
	return s.guard("declare-fun", func() {
		s.need()
		s.symbol(f)
		s.declared = append(s.declared, f)
	})
}

// Define implements solvers.Session. A function that is not recursive is expanded where it is applied.
func (s *session) Define(fs []smt.Symbol) error {
	return s.guard("define-fun", func() {
		s.need()
		recursive := slices.ContainsFunc(fs, func(f smt.Symbol) bool { return s.a.SymbolInfo(f).Recursive })
		if recursive {
			s.api.define(s, fs)
			return
		}
		for _, f := range fs {
			if info := s.a.SymbolInfo(f); len(info.Vars) == 0 && info.Body != 0 {
				s.term(info.Body)
			}
		}
	})
}

// MakeSort implements solvers.TermMaker.
func (s *session) MakeSort(so smt.Sort) error {
	return s.guard("mk-sort", func() {
		s.need()
		if int(so) < len(s.sorts) {
			s.sorts[so] = 0
		}
		s.sort(so)
	})
}

// MakeTerm implements solvers.TermMaker.
func (s *session) MakeTerm(t smt.Term) error {
	return s.guard("mk-term", func() {
		s.need()
		if op := s.a.Op(t); int(t) < len(s.terms) && op != smt.OpVar {
			s.terms[t] = 0
		}
		s.term(t)
	})
}

// Assert implements solvers.Session.
func (s *session) Assert(t smt.Term) error {
	return s.guard("assert", func() {
		s.need()
		r := s.term(t)
		x := assertion{t: t, r: r, name: nameOf(s.a, t)}
		text := ""
		if x.name != 0 {
			s.named = true
			text = s.a.SymbolName(x.name)
		}
		s.api.assert(s, r, text, s.set.cores)
		s.asserted = append(s.asserted, x)
	})
}

// nameOf returns the symbol of the name that an asserted term has at its top, 0 for none.
func nameOf(a *smt.Arena, t smt.Term) smt.Symbol {
	for a.Op(t) == smt.OpAnnot {
		for _, x := range a.Annotations(t) {
			if x.Keyword == ":named" {
				return a.Name(unquote(x.Value), a.Arg(t, 0))
			}
		}
		t = a.Arg(t, 0)
	}
	return 0
}

// unquote takes the bars off a symbol.
func unquote(text string) string {
	if len(text) >= 2 && text[0] == '|' && text[len(text)-1] == '|' {
		return text[1 : len(text)-1]
	}
	return text
}

// CheckSat implements solvers.Session.
func (s *session) CheckSat(assumptions []smt.Term) (answer smtlib.Answer, err error) {
	err = s.guard("check-sat", func() {
		s.need()
		s.assumed = s.assumed[:0]
		refs := make([]ref, len(assumptions))
		for i, t := range assumptions {
			refs[i] = s.term(t)
			s.assumed = append(s.assumed, assumption{t, refs[i]})
		}
		s.last = smtlib.None
		answer = s.check(refs)
		s.last = answer
	})
	if err == nil && s.interrupt && answer == smtlib.Unknown {
		return smtlib.None, &solvers.SessionError{Class: solvers.Timeout, Message: "interrupted at the time limit", Call: "check-sat"}
	}
	return answer, err
}

// check runs a check under the limits of time.
func (s *session) check(refs []ref) smtlib.Answer {
	s.interrupt = false
	wait := time.Duration(0)
	if !s.deadline.IsZero() {
		wait = max(time.Until(s.deadline), time.Millisecond)
	}
	own := s.set.timeLimit > 0 && (wait == 0 || s.set.timeLimit < wait)
	if own {
		wait = s.set.timeLimit
	}
	if wait == 0 && s.budget == 0 {
		return s.api.check(s, refs)
	}
	end := time.Time{}
	if wait > 0 {
		end = time.Now().Add(wait)
	}
	watching.begin(s.api, end, s.budget)
	defer func() {
		if watching.end() {
			s.interrupt = !own || s.spent()
		}
	}()
	return s.api.check(s, refs)
}

// spent reports whether the run has used up its CPU time.
func (s *session) spent() bool { return s.budget > 0 && processCPU() > s.budget }

// Push implements solvers.Session.
func (s *session) Push(n int) error {
	return s.guard("push", func() {
		s.need()
		s.api.push(n)
		for range n {
			s.levels = append(s.levels, level{len(s.declared), len(s.asserted)})
		}
	})
}

// Pop implements solvers.Session.
func (s *session) Pop(n int) error {
	return s.guard("pop", func() {
		k := len(s.levels) - n
		if k < 0 {
			panic(refuse(solvers.Refusal, "pop without push"))
		}
		if n == 0 {
			return
		}
		s.api.pop(n)
		s.declared, s.asserted = s.declared[:s.levels[k].declared], s.asserted[:s.levels[k].asserted]
		s.levels = s.levels[:k]
	})
}

// ResetAssertions implements solvers.AssertionResetter.
func (s *session) ResetAssertions() error {
	return s.guard("reset-assertions", func() {
		if !s.live {
			return
		}
		s.api.resetAssertions()
		s.declared, s.asserted, s.levels, s.named = nil, nil, nil, false
	})
}

// Reset implements solvers.Resetter: a new solver, without options.
func (s *session) Reset() error {
	return s.guard("reset", func() { s.clear(false); s.set = settings{timeLimit: s.set.timeLimit, resources: s.set.resources} })
}

func (s *session) clear(broken bool) {
	if s.live {
		s.live = false
		s.api.shut(broken)
	}
	clear(s.sorts)
	clear(s.terms)
	clear(s.funs)
	s.leaveScopes()
	s.declared, s.asserted, s.levels, s.named, s.assumed = nil, nil, nil, false, nil
}

// Close implements solvers.Session.
func (s *session) Close() error {
	broken := s.dead != nil
	s.dead = nil
	err := s.guard("delete", func() { s.clear(broken) })
	s.dead = &solvers.SessionError{Class: solvers.SolverError, Message: "the session is closed", Call: "delete", Dead: true}
	return err
}

// Model implements solvers.Modeler.
func (s *session) Model() (text string, err error) {
	err = s.guard("get-model", func() { s.wantSat(); text = s.api.model(s) })
	return text, err
}

func (s *session) wantSat() {
	switch {
	case !s.set.models:
		panic(refuse(solvers.Refusal, "models are not enabled: set option produce-models"))
	case s.last != smtlib.Sat && s.last != smtlib.Unknown:
		panic(refuse(solvers.Refusal, "there is no model: the latest check-sat did not answer sat"))
	}
}

// Values implements solvers.Valuer.
func (s *session) Values(ts []smt.Term) (texts []string, err error) {
	err = s.guard("get-value", func() {
		s.wantSat()
		for _, t := range ts {
			texts = append(texts, s.api.valueText(s, t, s.term(t)))
		}
	})
	return texts, err
}

// UnsatCore implements solvers.Corer. Where some assertions have names, the others are left out, as SMT-LIB wants it.
func (s *session) UnsatCore() (ts []smt.Term, err error) {
	numbers, err := s.coreNumbers()
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

// coreNumbers returns the numbers of the assertions in the core.
func (s *session) coreNumbers() (numbers []int, err error) {
	err = s.guard("get-unsat-core", func() {
		if !s.set.cores {
			panic(refuse(solvers.Refusal, "unsat cores are not enabled: set option produce-unsat-cores"))
		}
		s.wantUnsat()
		core := s.api.core(s)
		for i, x := range s.asserted {
			if slices.Contains(core, x.r) && (x.name != 0 || !s.named) {
				numbers = append(numbers, i)
			}
		}
	})
	return numbers, err
}

func (s *session) wantUnsat() {
	if s.last != smtlib.Unsat {
		panic(refuse(solvers.Refusal, "there is no core: the latest check-sat did not answer unsat"))
	}
}

// UnsatAssumptions implements solvers.AssumptionCorer.
func (s *session) UnsatAssumptions() (ts []smt.Term, err error) {
	err = s.guard("get-unsat-assumptions", func() {
		s.wantUnsat()
		refs := make([]ref, len(s.assumed))
		for i, x := range s.assumed {
			refs[i] = x.r
		}
		failed := s.api.failed(s, refs)
		for _, x := range s.assumed {
			if slices.Contains(failed, x.r) && !slices.Contains(ts, x.t) {
				ts = append(ts, x.t)
			}
		}
	})
	return ts, err
}

// Ask implements solvers.Asker.
func (s *session) Ask(c *smtlib.Command) (text string, err error) {
	err = s.guard(commandName(c), func() {
		switch c.Kind {
		case smtlib.CmdEcho:
			text = c.Text
		case smtlib.CmdGetInfo:
			text = s.info(c.Name)
		case smtlib.CmdGetOption:
			text = s.optionText(c.Name)
		case smtlib.CmdGetAssignment:
			text = s.assignment()
		default:
			s.need()
			text = s.api.ask(s, c)
		}
	})
	return text, err
}

func (s *session) info(name string) string {
	switch name {
	case ":name":
		return fmt.Sprintf("(:name %q)", s.api.lib().kind)
	case ":version":
		return fmt.Sprintf("(:version %q)", s.api.version())
	case ":assertion-stack-levels":
		return fmt.Sprintf("(:assertion-stack-levels %d)", len(s.levels))
	case ":reason-unknown":
		if s.last != smtlib.Unknown {
			panic(refuse(solvers.Refusal, "the latest answer was not unknown"))
		}
		return fmt.Sprintf("(:reason-unknown %q)", s.api.reason())
	case ":error-behavior":
		return "(:error-behavior continued-execution)"
	}
	panic(unsupported("native %s has no information %s", s.api.lib().kind, name))
}

func (s *session) optionText(name string) string {
	for _, x := range slices.Backward(s.set.options) {
		if x.name == strings.TrimPrefix(name, ":") {
			return x.value
		}
	}
	panic(unsupported("option %s was not set", name))
}

// assignment is the reply to get-assignment: the truth values of the named assertions.
func (s *session) assignment() string {
	s.wantSat()
	var parts []string
	for _, x := range s.asserted {
		if x.name != 0 {
			parts = append(parts, "("+s.a.SymbolInfo(x.name).Text+" "+s.api.valueText(s, x.t, x.r)+")")
		}
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// perCheck is the time that one check may take, 0 for no limit.
func (s *session) perCheck() time.Duration {
	d := s.set.timeLimit
	if !s.deadline.IsZero() {
		if left := max(time.Until(s.deadline), time.Millisecond); d == 0 || left < d {
			d = left
		}
	}
	return d
}

// ownLimit is perCheck for a library that is told a time once, and cannot be stopped: it counts wall time, so where CPU
// time is short it gets three times of that.
func (s *session) ownLimit() time.Duration {
	d := s.perCheck()
	if s.budget > 0 {
		if left := 3 * max(s.budget-processCPU(), 5*time.Millisecond); d == 0 || left < d {
			d = left
		}
	}
	return d
}
