package driver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// fake is a binding without a library: its objects are texts, and each call adds a line to a log. Objects of several
// fakes are the same where they share a table.
type fake struct {
	Binding
	table  *table
	calls  []string
	answer func() smtlib.Answer
	core   []Ref // what Core and Failed return; nil: all that was asserted
	all    []Ref
	fault  map[string]*Fault // by the name of a call
	onceOf bool              // it serves one run only
	vars   int
}

// table has the texts of objects.
type table struct{ texts []string }

func (k *table) of(text string) Ref {
	if i := slices.Index(k.texts, text); i >= 0 {
		return Ref(i + 1)
	}
	k.texts = append(k.texts, text)
	return Ref(len(k.texts))
}

func newFake() *fake {
	return &fake{Binding: Binding{Library: &Library{kind: "fake", Log: &CallLog{}}}, table: &table{}, answer: func() smtlib.Answer { return smtlib.Sat }, fault: map[string]*Fault{}}
}

func (x *fake) text(r Ref) string { return x.table.texts[r-1] }

func (x *fake) did(call string, args ...any) {
	if f := x.fault[call]; f != nil {
		panic(f)
	}
	x.calls = append(x.calls, strings.TrimSpace(call+" "+fmt.Sprintln(args...)))
}

// form makes an object of a head and arguments.
func (x *fake) form(head string, args ...Ref) Ref {
	var parts []string
	for _, r := range args {
		parts = append(parts, x.text(r))
	}
	if len(parts) == 0 {
		return x.table.of(head)
	}
	return x.table.of("(" + head + " " + strings.Join(parts, " ") + ")")
}

func (x *fake) Version() string       { return "1.0" }
func (x *fake) Options() []OptionInfo { return nil }

func (x *fake) Sort(s *Translation, so smt.Sort) Ref {
	x.did("sort", s.Arena().SortString(so))
	return x.table.of(s.Arena().SortString(so))
}
func (x *fake) DeclareSort(s *Translation, sym smt.SortSymbol) {
	name, _ := s.Arena().SortSymbolName(sym)
	x.did("declare-sort", name)
}
func (x *fake) Datatypes(_ *Translation, group []smt.SortSymbol) { x.did("datatypes", len(group)) }

func (x *fake) Constant(s *Translation, f smt.Symbol) Ref {
	x.did("constant", s.Arena().SymbolName(f))
	return x.table.of(s.Arena().SymbolName(f))
}
func (x *fake) Function(s *Translation, f smt.Symbol) Ref {
	x.did("function", s.Arena().SymbolName(f))
	return x.table.of(s.Arena().SymbolName(f))
}
func (x *fake) Define(_ *Translation, fs []smt.Symbol) { x.did("define", len(fs)) }
func (x *fake) Value(s *Translation, t smt.Term) Ref   { return x.table.of(s.Arena().Brief(t)) }

// Variable makes a new object each time, as libraries do that let a variable be bound only once.
func (x *fake) Variable(s *Translation, t smt.Term) Ref {
	x.vars++
	return x.table.of(fmt.Sprintf("%s.%d", s.Arena().Brief(t), x.vars))
}

func (x *fake) Binder(s *Translation, t smt.Term, vars []Ref, body Ref) Ref {
	return x.form(s.Arena().Op(t).String(), append(slices.Clone(vars), body)...)
}
func (x *fake) Apply(s *Translation, _ smt.Term, f smt.Symbol, _ Ref, args []Ref) Ref {
	return x.form(s.Arena().SymbolName(f), args...)
}
func (x *fake) App(s *Translation, t smt.Term, args []Ref) Ref {
	if s.Arena().Op(t) == smt.OpAbs {
		panic(s.NoOp(t))
	}
	return x.form(s.Arena().Op(t).String(), args...)
}
func (x *fake) Construct(s *Translation, _ smt.Term, f smt.Symbol, args []Ref) Ref {
	return x.form(s.Arena().SymbolName(f), args...)
}
func (x *fake) Select(s *Translation, _ smt.Term, f smt.Symbol, arg Ref) Ref {
	return x.form(s.Arena().SymbolName(f), arg)
}
func (x *fake) Test(s *Translation, _ smt.Term, f smt.Symbol, arg Ref) Ref {
	return x.form("is-"+s.Arena().SymbolName(f), arg)
}
func (x *fake) Update(s *Translation, _ smt.Term, f smt.Symbol, arg, value Ref) Ref {
	return x.form("update-"+s.Arena().SymbolName(f), arg, value)
}

func (x *fake) Open(s *Session) { x.did("open", s.Settings.Logic, s.Settings.Options) }
func (x *fake) Shut(broken bool) {
	x.did("shut", broken)
	x.all = nil
}
func (x *fake) Renew(*Session) bool                    { x.did("renew"); return !x.onceOf }
func (x *fake) Reusable() bool                         { return true }
func (x *fake) SetLate(_ *Session, name, value string) { x.did("set", name, value) }
func (x *fake) Assert(_ *Session, r Ref, name string, track bool) {
	x.did("assert", x.text(r), name, track)
	x.all = append(x.all, r)
}
func (x *fake) Check(_ *Session, assumptions []Ref) smtlib.Answer {
	var texts []string
	for _, r := range assumptions {
		texts = append(texts, x.text(r))
	}
	x.did("check", strings.Join(texts, " "))
	return x.answer()
}
func (x *fake) Push(n int)       { x.did("push", n) }
func (x *fake) Pop(n int)        { x.did("pop", n) }
func (x *fake) ResetAssertions() { x.did("reset-assertions"); x.all = nil }
func (x *fake) Stop() bool       { return false }
func (x *fake) Reason() string   { return "incomplete" }

func (x *fake) ValueText(_ *Session, _ smt.Term, r Ref) string { return "value of " + x.text(r) }
func (x *fake) Model(s *Session) string                        { return fmt.Sprint(s.Declared.Len(), " declared") }
func (x *fake) Core(*Session) []Ref {
	if x.core != nil {
		return x.core
	}
	return x.all
}
func (x *fake) Failed(_ *Session, assumptions []Ref) []Ref { return assumptions[:1] }
func (x *fake) Ask(_ *Session, c *smtlib.Command) string   { return "reply to " + c.CommandName() }
func (x *fake) Twin() API {
	return &fake{Binding: x.Binding, table: x.table, answer: x.answer, fault: map[string]*Fault{}}
}
func (x *fake) Shares(other API) bool { o, ok := other.(*fake); return ok && o.table == x.table }

// session is a session over a fake, with a script whose declarations it is told.
type session struct {
	*Session
	t      *testing.T
	x      *fake
	script *smtlib.Script
}

func newSession(t *testing.T, text string) *session {
	t.Helper()
	script, err := smtlib.Parse("test", []byte(text), smt.NewArena())
	require.NoError(t, err)
	x := newFake()
	s := &session{t: t, Session: NewSession(x, script.Arena), x: x, script: script}
	require.NoError(t, solvers.Tell(t.Context(), s, script.Commands...))
	return s
}

// asserts are the assertions of the script.
func (s *session) asserts() (out []smt.Term) {
	for i := range s.script.Commands {
		if c := &s.script.Commands[i]; c.Kind == smtlib.CmdAssert {
			out = append(out, c.Terms[0])
		}
	}
	return out
}

// objects returns the texts of the asserted objects.
func (s *session) objects() (out []string) {
	for _, r := range s.x.all {
		out = append(out, s.x.text(r))
	}
	return out
}

// refused requires that a call fails with a class and a message, and that the session goes on.
func refused(t *testing.T, err error, class solvers.Class, message string) {
	t.Helper()
	var e *solvers.SessionError
	require.ErrorAs(t, err, &e)
	require.Equal(t, class, e.Class)
	require.Equal(t, message, e.Message)
	require.False(t, e.Dead)
}
