package driver

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/rule"
)

// API has the calls that a session needs of the binding of a library. It has at most one solver at a time, between Open
// and Shut. Its methods panic with a *Fault on errors.
type API interface {
	Information
	Sorts
	Terms
	Solving
	Models
	Sharing
}

// Information is a library's description of itself.
type Information interface {
	Lib() *Library
	Version() string
	// Options lists the options that the library reports.
	Options() []OptionInfo
}

// Sorts makes and declares sorts.
type Sorts interface {
	Sort(s *Translation, so smt.Sort) Ref
	DeclareSort(s *Translation, sym smt.SortSymbol)
	Datatypes(s *Translation, group []smt.SortSymbol)
}

// Terms makes terms; the session has made their arguments.
type Terms interface {
	Constant(s *Translation, f smt.Symbol) Ref
	Function(s *Translation, f smt.Symbol) Ref
	// Define defines recursive functions natively.
	Define(s *Translation, fs []smt.Symbol)
	// Value makes a literal.
	Value(s *Translation, t smt.Term) Ref
	Variable(s *Translation, t smt.Term) Ref
	Binder(s *Translation, t smt.Term, vars []Ref, body Ref) Ref
	// Apply applies a function, App an operator of the table.
	Apply(s *Translation, t smt.Term, f smt.Symbol, fun Ref, args []Ref) Ref
	App(s *Translation, t smt.Term, args []Ref) Ref
	// Construct, Select, Test and Update apply the functions of a datatype: constructor, selector, tester and updater.
	Construct(s *Translation, t smt.Term, f smt.Symbol, args []Ref) Ref
	Select(s *Translation, t smt.Term, f smt.Symbol, arg Ref) Ref
	Test(s *Translation, t smt.Term, f smt.Symbol, arg Ref) Ref
	Update(s *Translation, t smt.Term, f smt.Symbol, arg, value Ref) Ref
}

// Solving has the calls that make a solver, assert formulas and check them.
type Solving interface {
	// Open makes the solver, with the logic and the options that were set; the session calls it before any method that
	// needs a solver.
	Open(s *Session)
	// Shut frees everything; terms are gone. If an error has unwound frames of the library (broken), its memory is not
	// freed.
	Shut(broken bool)
	// Renew prepares an open solver without assertions for new terms; data about earlier terms may be freed. False: do
	// not use the solver again.
	Renew(s *Session) bool
	// Reusable reports whether one solver may serve many runs, each between a push and a pop. It is false for libraries
	// where reuse costs more than a new solver.
	Reusable() bool
	// SetLate sets an option of an open solver, or throws a refusal.
	SetLate(s *Session, name, value string)

	Assert(s *Session, r Ref, name string, track bool)
	Check(s *Session, assumptions []Ref) smtlib.Answer
	Push(n int)
	Pop(n int)
	ResetAssertions()
	// Stop makes a running check end soon; another goroutine calls it. False: the library cannot stop checks.
	Stop() bool
	// Reason says why the last answer was unknown.
	Reason() string
}

// Models has the calls of a library about its latest answer.
type Models interface {
	ValueText(s *Session, t smt.Term, r Ref) string
	Model(s *Session) string
	// Core and Failed return references that were passed to Assert and Check.
	Core(s *Session) []Ref
	Failed(s *Session, assumptions []Ref) []Ref
	// Ask executes a command that has no method of its own.
	Ask(s *Session, c *smtlib.Command) string
}

// Sharing takes terms from one solver of a library to another.
type Sharing interface {
	// Twin returns an API for a further solver of the library. It makes no calls to the library, but copies the known
	// facts about it.
	Twin() API
	// Shares reports whether objects of the other API are objects of this one.
	Shares(other API) bool
	// Translate takes over a term of the other API; 0: the library has no function for that.
	Translate(other API, r Ref) Ref
}

// OptionInfo is a library's description of one of its options.
type OptionInfo struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // bool, number, real, text or choice
	Min    string   `json:"min,omitempty"`
	Max    string   `json:"max,omitempty"`
	Value  string   `json:"default,omitempty"`
	Values []string `json:"values,omitempty"` // of a choice
	Expert bool     `json:"expert,omitempty"`
	Doc    string   `json:"doc,omitempty"`
}

// Settings are the settings made before the solver.
type Settings struct {
	Logic     string
	Options   []rule.Setting
	Models    bool
	Cores     bool
	Assume    bool // unsat assumptions
	Proofs    bool
	Resources uint64
}

// Binding is the common part of the bindings of libraries: the library, and default methods for features that most of
// them lack (sorts and terms of datatypes, recursive functions, options of an open solver, stopping it, its own
// commands, objects shared by several solvers, and a reader for terms).
type Binding struct{ Library *Library }

// Lib implements API.
func (b Binding) Lib() *Library { return b.Library }

func (Binding) DeclareSort(*Translation, smt.SortSymbol)     {}
func (Binding) Datatypes(s *Translation, _ []smt.SortSymbol) { panic(s.lacks("datatypes")) }
func (Binding) Define(s *Translation, _ []smt.Symbol)        { panic(s.lacks("recursive functions")) }
func (Binding) Select(s *Translation, _ smt.Term, _ smt.Symbol, _ Ref) Ref {
	panic(s.lacks("datatypes"))
}
func (Binding) Test(s *Translation, _ smt.Term, _ smt.Symbol, _ Ref) Ref {
	panic(s.lacks("datatypes"))
}
func (Binding) Construct(s *Translation, _ smt.Term, _ smt.Symbol, _ []Ref) Ref {
	panic(s.lacks("datatypes"))
}
func (Binding) Update(s *Translation, _ smt.Term, _ smt.Symbol, _, _ Ref) Ref {
	panic(s.lacks("datatypes"))
}
func (Binding) MakeByText(s *Translation, t smt.Term, _ []Ref) Ref { panic(s.NoOp(t)) }

func (Binding) Stop() bool     { return false }
func (Binding) Reason() string { return "" }
func (Binding) SetLate(s *Session, name, _ string) {
	panic(RefuseOption("%s takes option %s only before the first declaration or assertion", s.API.Lib().kind, name))
}

func (Binding) Ask(s *Session, c *smtlib.Command) string {
	panic(Unsupported("native %s has no %s", s.API.Lib().kind, c.CommandName()))
}

func (Binding) Shares(API) bool        { return false }
func (Binding) Translate(API, Ref) Ref { return 0 }

// lacks returns the fault for a feature that the library lacks.
func (s *Translation) lacks(what string) *Fault {
	return Unsupported("%s has no %s", s.API.Lib().kind, what)
}

// NoOp returns the fault for a term whose operator the library lacks.
func (s *Translation) NoOp(t smt.Term) *Fault {
	return s.lacks("operator " + s.a.Op(t).String() + " for these arguments")
}

// NoSort is NoOp for a sort.
func (s *Translation) NoSort(so smt.Sort) *Fault { return s.lacks("sort " + s.a.SortString(so)) }
