package driver

import (
	"time"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// API is what a session needs of the binding of a library. It has at most one solver at a time, between Open and Shut. Its methods
// throw a *Fault for what goes wrong.
type API interface {
	Information
	Sorts
	Terms
	Solving
	Models
	Sharing
}

// Information is what a library says of itself.
type Information interface {
	Lib() *Library
	Version() string
	// Options lists what the library says of its options.
	Options() []OptionInfo
}

// Sorts makes and declares sorts.
type Sorts interface {
	Sort(s *Session, so smt.Sort) Ref
	DeclareSort(s *Session, sym smt.SortSymbol)
	Datatypes(s *Session, group []smt.SortSymbol)
}

// Terms makes terms; the session has made their arguments.
type Terms interface {
	Constant(s *Session, f smt.Symbol) Ref
	Function(s *Session, f smt.Symbol) Ref
	// Define defines recursive functions natively.
	Define(s *Session, fs []smt.Symbol)
	// Value makes a literal.
	Value(s *Session, t smt.Term) Ref
	Variable(s *Session, t smt.Term) Ref
	Binder(s *Session, t smt.Term, vars []Ref, body Ref) Ref
	// Apply applies a function, App an operator of the table.
	Apply(s *Session, t smt.Term, f smt.Symbol, fun Ref, args []Ref) Ref
	App(s *Session, t smt.Term, args []Ref) Ref
	// Construct, Select, Test and Update apply what belongs to a datatype: constructor, selector, tester and updater.
	Construct(s *Session, t smt.Term, f smt.Symbol, args []Ref) Ref
	Select(s *Session, t smt.Term, f smt.Symbol, arg Ref) Ref
	Test(s *Session, t smt.Term, f smt.Symbol, arg Ref) Ref
	Update(s *Session, t smt.Term, f smt.Symbol, arg, value Ref) Ref
}

// Solving makes a solver, asserts and asks.
type Solving interface {
	// Open makes the solver, with the logic and the options that were set; the session calls it before anything else
	// that needs one.
	Open(s *Session)
	// Shut frees everything; terms are gone. After an unwound error the memory of the library is left alone.
	Shut(broken bool)
	// SetLate sets an option of an open solver, or throws a refusal.
	SetLate(s *Session, name, value string)

	Assert(s *Session, r Ref, name string, track bool)
	Check(s *Session, assumptions []Ref) smtlib.Answer
	Push(n int)
	Pop(n int)
	ResetAssertions()
	// Stop makes a running check end soon; it is called on another goroutine. False: it cannot.
	Stop() bool
	// Reason says why the last answer was unknown.
	Reason() string
}

// Models is what a library has to say after an answer.
type Models interface {
	ValueText(s *Session, t smt.Term, r Ref) string
	Model(s *Session) string
	// Core and Failed return what was given to Assert and Check.
	Core(s *Session) []Ref
	Failed(s *Session, assumptions []Ref) []Ref
	// Ask does what a command asks for that has no method of its own.
	Ask(s *Session, c *smtlib.Command) string
}

// Sharing takes terms from one solver of a library to another.
type Sharing interface {
	// Twin returns an API for a further solver of the library. It asks the library for nothing: what this one knows of it is
	// its own, too.
	Twin() API
	// Shares reports whether objects of the other API are objects of this one.
	Shares(other API) bool
	// Translate takes a term of the other API over, 0: there is no function for it.
	Translate(other API, r Ref) Ref
}

// OptionInfo is what a library says of one of its options.
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

// Settings are what was set before the solver was made.
type Settings struct {
	Logic     string
	Options   []Setting
	Models    bool
	Cores     bool
	Assume    bool // unsat assumptions
	Proofs    bool
	TimeLimit time.Duration // of one check, ends in unknown
	Resources uint64
}

// Setting is an option with its value.
type Setting struct{ Name, Value string }

// Base gives an API what most libraries lack.
type Base struct{ Library *Library }

func (b *Base) Lib() *Library                        { return b.Library }
func (b *Base) Stop() bool                           { return false }
func (b *Base) Reason() string                       { return "" }
func (b *Base) Shares(API) bool                      { return false }
func (b *Base) Translate(API, Ref) Ref               { return 0 }
func (b *Base) DeclareSort(*Session, smt.SortSymbol) {}
func (b *Base) Define(_ *Session, fs []smt.Symbol) {
	panic(Unsupported("%s has no recursive functions", b.Library.kind))
}

func (b *Base) SetLate(_ *Session, name, _ string) {
	panic(RefuseOption("%s takes option %s only before the first declaration or assertion", b.Library.kind, name))
}

func (b *Base) Datatypes(*Session, []smt.SortSymbol) {
	panic(Unsupported("%s has no datatypes", b.Library.kind))
}

func (b *Base) Construct(*Session, smt.Term, smt.Symbol, []Ref) Ref {
	panic(Unsupported("%s has no datatypes", b.Library.kind))
}

func (b *Base) Select(*Session, smt.Term, smt.Symbol, Ref) Ref {
	panic(Unsupported("%s has no datatypes", b.Library.kind))
}

func (b *Base) Test(*Session, smt.Term, smt.Symbol, Ref) Ref {
	panic(Unsupported("%s has no datatypes", b.Library.kind))
}

func (b *Base) Update(*Session, smt.Term, smt.Symbol, Ref, Ref) Ref {
	panic(Unsupported("%s has no datatypes", b.Library.kind))
}

func (b *Base) Ask(_ *Session, c *smtlib.Command) string {
	panic(Unsupported("native %s has no %s", b.Library.kind, CommandName(c)))
}

// CommandName is the name of a command for messages.
func CommandName(c *smtlib.Command) string {
	if n := c.Kind.String(); n != "" {
		return n
	}
	return c.Name
}

// NoOp ends the translation of a term whose operator the library lacks.
func (b *Base) NoOp(s *Session, t smt.Term) *Fault {
	return Unsupported("%s has no operator %s for these arguments", b.Library.kind, s.a.Op(t))
}

// NoSort is noOp for a sort.
func (b *Base) NoSort(s *Session, so smt.Sort) *Fault {
	return Unsupported("%s has no sort %s", b.Library.kind, s.a.SortString(so))
}
