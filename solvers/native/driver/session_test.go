package driver

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// TestObjectsOfTerms: a library gets the terms that SMT-LIB means: definitions expanded, names and annotations gone,
// match as ite, each binder with variables of its own.
func TestObjectsOfTerms(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"plain", "(declare-const x Int)(declare-fun f (Int Int) Int)(assert (> (f x 1) (+ x 2)))", []string{"(> (f x 1) (+ x 2))"}},
		{"let", "(declare-const x Int)(assert (let ((y (+ x 1))) (> y y)))", []string{"(> (+ x 1) (+ x 1))"}},
		{"definition", "(declare-const x Int)(define-fun d ((k Int)) Int (+ k k))(define-fun c () Int (d 3))(assert (> (d x) c))", []string{"(> (+ x x) (+ 3 3))"}},
		{"named", "(declare-const p Bool)(assert (! (or p (! (not p) :named inner)) :named outer))(assert inner)(assert outer)", []string{"(or p (not p))", "(not p)", "(or p (not p))"}},
		{"pattern", "(declare-fun f (Int) Bool)(assert (forall ((i Int)) (! (f i) :pattern ((f i)))))", []string{"(forall i.1 (f i.1))"}},
		{"binders of one name", "(assert (forall ((i Int)) (or (> i 0) (exists ((i Int)) (< i 0)) (> i 1))))", []string{"(forall i.1 (or (> i.1 0) (exists i.2 (< i.2 0)) (> i.1 1)))"}},
		{"a formula under two binders", "(assert (and (forall ((i Int)) (> i 0)) (exists ((i Int)) (> i 0))))", []string{"(and (forall i.1 (> i.1 0)) (exists i.2 (> i.2 0)))"}},
		{"match", "(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const l L)(assert (= 1 (match l ((nil 0) ((cons h r) (+ h 1))))))", []string{"(= 1 (ite (is-nil l) 0 (+ (head l) 1)))"}},
		{"match with a variable", "(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const l L)(assert (match l ((nil true) (other (= other l)))))", []string{"(ite (is-nil l) true (= l l))"}},
		{"datatypes", "(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const l L)(assert ((_ is cons) (cons (head l) ((_ update head) nil 3))))", []string{"(is-cons (cons (head l) (update-head nil 3)))"}},
		{"recursive", "(define-fun-rec r ((n Int)) Int (ite (> n 0) (r (- n 1)) n))(assert (= (r 3) 0))", []string{"(= (r 3) 0)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSession(t, tc.text)
			require.Equal(t, tc.want, s.objects())
		})
	}
}

// TestObjectsAreMadeOnce: a term that is there is not made again, unless that is asked for.
func TestObjectsAreMadeOnce(t *testing.T) {
	s := newSession(t, "(declare-const x Int)(assert (> x 1))(assert (> x 1))")
	require.Equal(t, 1, count(s.x.calls, "constant x"))
	require.Equal(t, s.x.all[0], s.x.all[1])
	require.NoError(t, s.makeTerm(s.script.Arena.Arg(s.asserts()[0], 0)))
	require.Equal(t, 1, count(s.x.calls, "constant x"), "a constant is what its declaration made")
	before := count(s.x.calls, "sort Int")
	require.NoError(t, s.makeSort(smt.SortInt))
	require.NoError(t, s.makeSort(smt.SortInt))
	require.Equal(t, before+2, count(s.x.calls, "sort Int"))
}

func count(calls []string, call string) (n int) {
	for _, c := range calls {
		if c == call {
			n++
		}
	}
	return n
}

// flat is a binding in which all applications are one object.
type flat struct{ *fake }

func (x flat) App(*Translation, smt.Term, []Ref) Ref { return x.table.of("application") }

// TestDeepTerms: nesting is no recursion.
func TestDeepTerms(t *testing.T) {
	a := smt.NewArena()
	f := a.Declare("x", nil, smt.SortInt)
	x := a.Const(f)
	deep := x
	for range 200_000 {
		deep = a.MustApp(smt.OpAdd, deep, x)
	}
	s := NewSession(flat{newFake()}, a)
	require.NoError(t, s.declare(f))
	require.NoError(t, s.assert(a.MustApp(smt.OpGt, deep, x)))
}

// TestOptionsAndLogic checks that settings made before the solver exists are applied when it is opened, and that later
// ones go to the library or nowhere.
func TestOptionsAndLogic(t *testing.T) {
	s := newSession(t, "")
	require.NoError(t, s.SetOption(":produce-models", "true"))
	require.NoError(t, s.SetOption("seed", "7"))
	require.NoError(t, s.SetOption("print-success", "true"))
	require.NoError(t, s.SetOption("regular-output-channel", "/tmp/x"))
	require.NoError(t, s.SetLogic("QF_LIA"))
	require.Empty(t, s.x.calls)
	require.NoError(t, s.Push(1))
	require.Equal(t, []string{"open QF_LIA [{produce-models true} {seed 7}]", "push 1"}, s.x.calls)
	require.NoError(t, s.SetOption("seed", "8"))
	require.Equal(t, "set seed 8", s.x.calls[2])
	refused(t, s.SetLogic("ALL"), solvers.Refusal, "the logic must be set before the first declaration or assertion")
	text, err := s.say(smtlib.CmdGetOption, ":seed")
	require.NoError(t, err)
	require.Equal(t, "7", text)
	_, err = s.say(smtlib.CmdGetOption, ":other")
	refused(t, err, solvers.Unsupported, "option :other was not set")
}

// TestLevels: levels take their declarations and assertions with them; a pop without push is refused and changes
// nothing.
func TestLevels(t *testing.T) {
	s := newSession(t, "(declare-const x Int)(assert (> x 1))(push 2)(declare-const y Int)(assert (> y 1))(push 1)(assert (> x 2))")
	require.Len(t, s.Declared.Items(), 2)
	require.Len(t, s.stack.asserted.Items(), 3)
	require.Equal(t, "(:assertion-stack-levels 3)", s.text(smtlib.CmdGetInfo, ":assertion-stack-levels"))
	require.NoError(t, s.pop(2))
	require.Len(t, s.Declared.Items(), 1)
	require.Len(t, s.stack.asserted.Items(), 1)
	refused(t, s.pop(2), solvers.Refusal, "pop without push")
	require.NoError(t, s.pop(0))
	require.NoError(t, s.PopAll())
	require.Equal(t, []string{"pop 2", "pop 1"}, slices.DeleteFunc(slices.Clone(s.x.calls), func(c string) bool { return len(c) < 3 || c[:3] != "pop" }))
	require.NoError(t, s.resetAssertions())
	require.Empty(t, s.stack.asserted.Items())
}

// say makes the call of a command that is due a value.
func (s *session) say(kind smtlib.Kind, name string) (string, error) {
	r, err := solvers.Say(s.t.Context(), s, smtlib.Command{Kind: kind, Name: name, Text: name})
	return r.Text, err
}

// text returns the reply to a command with a value.
func (s *session) text(kind smtlib.Kind, name string) string {
	s.t.Helper()
	text, err := s.say(kind, name)
	require.NoError(s.t, err)
	return text
}

// TestModelsAndCoresWantTheirAnswer checks the error messages for models and cores that the answer does not have, or
// that were not enabled.
func TestModelsAndCoresWantTheirAnswer(t *testing.T) {
	s := newSession(t, "(declare-const p Bool)(assert (! p :named a))(assert (not p))")
	_, err := s.model()
	refused(t, err, solvers.Refusal, "models are not enabled: set option produce-models")
	s.Settings.Models = true
	_, err = s.model()
	refused(t, err, solvers.Refusal, "there is no model: the latest check-sat did not answer sat")
	_, err = s.unsatCore()
	refused(t, err, solvers.Refusal, "unsat cores are not enabled: set option produce-unsat-cores")
	s.Settings.Cores = true
	answer, err := s.checkSat(nil)
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, answer)
	_, err = s.unsatCore()
	refused(t, err, solvers.Refusal, "there is no core: the latest check-sat did not answer unsat")
	model, err := s.model()
	require.NoError(t, err)
	require.Equal(t, "1 declared", model)
	values, err := s.values(s.asserts())
	require.NoError(t, err)
	require.Equal(t, []string{"value of p", "value of (not p)"}, values)
	require.Equal(t, "((a value of p))", s.text(smtlib.CmdGetAssignment, ""))
	_, err = s.say(smtlib.CmdGetInfo, ":reason-unknown")
	refused(t, err, solvers.Refusal, "the latest answer was not unknown")

	s.x.answer = func() smtlib.Answer { return smtlib.Unknown }
	_, err = s.checkSat(nil)
	require.NoError(t, err)
	require.Equal(t, `(:reason-unknown "incomplete")`, s.text(smtlib.CmdGetInfo, ":reason-unknown"))
}

// TestCores: with names in the problem, a core is of named assertions; without, of all.
func TestCores(t *testing.T) {
	unsat := func() smtlib.Answer { return smtlib.Unsat }
	for _, tc := range []struct {
		name, text string
		core       []string // objects of the library's core, nil for all
		want       []string
	}{
		{"all", "(declare-const p Bool)(assert p)(assert (not p))", nil, []string{"p", "(not p)"}},
		{"some", "(declare-const p Bool)(declare-const q Bool)(assert p)(assert q)(assert (not p))", []string{"p", "(not p)"}, []string{"p", "(not p)"}},
		{"named", "(declare-const p Bool)(assert (! p :named a))(assert q)(assert (! (not p) :named |b c|))", nil, []string{"a", "|b c|"}},
		{"twice", "(declare-const p Bool)(assert p)(assert p)(assert (not p))", nil, []string{"p", "(not p)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := tc.text
			if tc.name == "named" {
				text = "(declare-const q Bool)" + text
			}
			s := newSession(t, text)
			s.x.answer, s.Settings.Cores = unsat, true
			_, err := s.checkSat(nil)
			require.NoError(t, err)
			if tc.core != nil {
				s.x.core = []Ref{}
				for _, text := range tc.core {
					s.x.core = append(s.x.core, s.x.table.of(text))
				}
			}
			core, err := s.unsatCore()
			require.NoError(t, err)
			var got []string
			for _, t := range core.Terms {
				got = append(got, s.script.Arena.Brief(t))
			}
			require.Equal(t, tc.want, got)
		})
	}
}

// TestAssumptions: a check is under its assumptions only, and those that failed are the terms that were given.
func TestAssumptions(t *testing.T) {
	s := newSession(t, "(declare-const p Bool)(declare-const q Bool)(assert (or p q))")
	s.x.answer = func() smtlib.Answer { return smtlib.Unsat }
	a := s.script.Arena
	p, q := a.Const(s.script.Commands[0].Symbols[0]), a.Const(s.script.Commands[1].Symbols[0])
	_, err := s.checkSat([]smt.Term{a.Not(p), a.Not(q)})
	require.NoError(t, err)
	require.Equal(t, "check (not p) (not q)", s.x.calls[len(s.x.calls)-1])
	failed, err := s.unsatAssumptions()
	require.NoError(t, err)
	require.Equal(t, []smt.Term{a.Not(p)}, failed.Terms)
	require.Equal(t, []int{0}, failed.Numbers)
}

// TestFaults checks that a declined call leaves the session unchanged, and that after a memory fault no more calls are
// made and closing does not touch the library's memory.
func TestFaults(t *testing.T) {
	s := newSession(t, "(declare-const x Int)(assert (> x 1))")
	a := s.script.Arena
	x := a.Const(s.script.Commands[0].Symbols[0])
	err := s.assert(a.MustApp(smt.OpGt, a.MustApp(smt.OpAbs, x), x))
	refused(t, err, solvers.Unsupported, "fake has no operator abs for these arguments")
	require.Len(t, s.stack.asserted.Items(), 1)
	require.NoError(t, s.assert(a.MustApp(smt.OpGt, x, x)))

	s.x.fault["push"] = Refuse(solvers.Refusal, "not\nnow")
	err = s.Push(1)
	require.Equal(t, solvers.Refusal, solvers.ClassOf(err))
	require.Zero(t, s.stack.asserted.Levels(), "a level that the library did not open is none")

	s.x.fault["check"] = &Fault{Class: solvers.Crash, Message: "it is gone", Dead: true}
	_, err = s.checkSat(nil)
	require.True(t, solvers.DeadAfter(err))
	calls := len(s.x.calls)
	err = s.assert(s.asserts()[0])
	require.True(t, solvers.DeadAfter(err))
	require.EqualError(t, err, "assert: crash: it is gone")
	_, err = s.Close()
	require.NoError(t, err)
	require.Equal(t, []string{"shut true"}, s.x.calls[calls:])
	require.ErrorContains(t, s.Push(1), "the session is closed")
}

// TestMistakesOfOursAreNoFaults checks that panics other than faults are passed on.
func TestMistakesOfOursAreNoFaults(t *testing.T) {
	s := newSession(t, "(declare-const x Int)")
	s.x.answer = func() smtlib.Answer { panic("a mistake") }
	require.PanicsWithValue(t, "a mistake", func() { _, _ = s.checkSat(nil) })
	s.x.answer = func() smtlib.Answer { var none []smtlib.Answer; return none[s.x.vars] }
	require.Panics(t, func() { _, _ = s.checkSat(nil) })
}

// TestRenewAndReset: a solver for other terms has none of the earlier ones.
func TestRenewAndReset(t *testing.T) {
	s := newSession(t, "(declare-const x Int)(push 1)(assert (> x 1))(pop 1)")
	require.NoError(t, s.Renew())
	require.Empty(t, s.Declared.Items())
	require.NoError(t, s.declare(s.script.Commands[0].Symbols[0]))
	require.Equal(t, 2, count(s.x.calls, "constant x"), "its object is made anew")
	s.x.onceOf = true
	refused(t, s.Renew(), solvers.Refusal, "the solver cannot be used again")

	s.Settings.Resources, s.Settings.Models = 9, true
	require.NoError(t, s.reset())
	require.Equal(t, Settings{Resources: 9}, s.Settings)
	require.Equal(t, "shut false", s.x.calls[len(s.x.calls)-1])
	require.NoError(t, s.declare(s.script.Commands[0].Symbols[0]))
	require.Equal(t, 3, count(s.x.calls, "constant x"))
}

// TestTransfer: a term of another solver is the same object where both have the same objects, and is made anew else.
func TestTransfer(t *testing.T) {
	first := newSession(t, "(declare-const x Int)(declare-const y Int)(assert (> x y))")
	a := first.script.Arena
	term := first.asserts()[0]
	second := NewSession(first.x.Twin(), a)
	second.Peer = &first.Translation
	twin := second.API.(*fake)
	for i := range 2 {
		require.NoError(t, second.declare(first.script.Commands[i].Symbols[0]))
	}
	require.Zero(t, count(twin.calls, "constant x"), "constants are those of the peer")
	require.NoError(t, second.transfer(first.Session, []smt.Term{term}))
	require.NoError(t, second.assert(term))
	require.Equal(t, first.x.all, twin.all)

	other := newFake()
	third := NewSession(other, a)
	require.NoError(t, third.transfer(first.Session, []smt.Term{term}))
	require.NoError(t, third.assert(term))
	require.Equal(t, "(> x y)", other.text(other.all[0]))
	require.Equal(t, 1, count(other.calls, "constant x"))

	_, err := first.Close()
	require.NoError(t, err)
	err = second.transfer(first.Session, []smt.Term{a.Not(term)})
	require.NoError(t, err, "of a solver that has ended nothing is taken")
}

// TestOpaque: an operator that nobody knows is said by its name.
func TestOpaque(t *testing.T) {
	script, err := smtlib.Parse("test", []byte("(declare-const x Int)(assert (= (no.such.operator x) 1))"), smt.NewArena())
	require.NoError(t, err)
	s := NewSession(newFake(), script.Arena)
	require.NoError(t, solvers.Tell(t.Context(), s, script.Commands[0]))
	err = solvers.Tell(t.Context(), s, script.Commands[1])
	refused(t, err, solvers.Unsupported, "smtlark does not know the operator no.such.operator")
}

// TestTimeLimits: the time of a check is the least of what its limits say.
func TestTimeLimits(t *testing.T) {
	var l TimeLimits
	require.Zero(t, l.PerCheck())
	require.Zero(t, l.OwnLimit())
	l.TimeLimit = time.Second
	require.Equal(t, time.Second, l.PerCheck())
	l.Deadline = time.Now().Add(-time.Hour)
	require.Equal(t, time.Millisecond, l.PerCheck(), "what is over is the least time, not none")
	l.Deadline = time.Now().Add(time.Hour)
	require.Equal(t, time.Second, l.PerCheck())
	l.Budget = time.Nanosecond
	require.True(t, l.Spent())
	require.Equal(t, 15*time.Millisecond, l.OwnLimit())
}

// TestCheckThatCannotBeStopped: a library that cannot be told to end has its answer counted as one of the time limit.
func TestCheckThatCannotBeStopped(t *testing.T) {
	s := newSession(t, "(declare-const p Bool)(assert p)")
	s.Deadline = time.Now().Add(-time.Second)
	s.x.answer = func() smtlib.Answer {
		for { // until the watcher has looked
			checkWatcher.mu.Lock()
			fired := checkWatcher.fired
			checkWatcher.mu.Unlock()
			if fired {
				return smtlib.Unknown
			}
			time.Sleep(time.Millisecond)
		}
	}
	answer, err := s.checkSat(nil)
	require.Equal(t, smtlib.None, answer)
	refused(t, err, solvers.Timeout, "interrupted at the time limit")
	s.Deadline = time.Time{}
	s.x.answer = func() smtlib.Answer { return smtlib.Sat }
	answer, err = s.checkSat(nil)
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, answer)
}
