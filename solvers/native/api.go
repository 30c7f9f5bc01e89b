package native

import (
	"time"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// api is what a session needs of a library. An api has at most one solver at a time, between open and shut. Its methods
// throw a *fault for what goes wrong.
type api interface {
	lib() *library
	version() string
	// options lists what the library says of its options.
	options() []OptionInfo

	// open makes the solver, with the logic and the options that were set; the session calls it before anything else
	// that needs one.
	open(s *session)
	// shut frees everything; terms are gone. After an unwound error the memory of the library is left alone.
	shut(broken bool)
	// setLate sets an option of an open solver, or throws a refusal.
	setLate(s *session, name, value string)

	sort(s *session, so smt.Sort) ref
	declareSort(s *session, sym smt.SortSymbol)
	datatypes(s *session, group []smt.SortSymbol)
	constant(s *session, f smt.Symbol) ref
	function(s *session, f smt.Symbol) ref
	value(s *session, t smt.Term) ref
	variable(s *session, t smt.Term) ref
	binder(s *session, t smt.Term, vars []ref, body ref) ref
	apply(s *session, t smt.Term, f smt.Symbol, fun ref, args []ref) ref
	construct(s *session, t smt.Term, f smt.Symbol, args []ref) ref
	choose(s *session, t smt.Term, f smt.Symbol, arg ref) ref // a selector
	test(s *session, t smt.Term, f smt.Symbol, arg ref) ref
	update(s *session, t smt.Term, f smt.Symbol, arg, value ref) ref
	app(s *session, t smt.Term, args []ref) ref
	// define defines recursive functions natively.
	define(s *session, fs []smt.Symbol)

	assert(s *session, r ref, name string, track bool)
	check(s *session, assumptions []ref) smtlib.Answer
	push(n int)
	pop(n int)
	resetAssertions()
	valueText(s *session, t smt.Term, r ref) string
	model(s *session) string
	// core and failed return what was given to assert and check.
	core(s *session) []ref
	failed(s *session, assumptions []ref) []ref
	ask(s *session, c *smtlib.Command) string
	// stop makes a running check end soon; it is called on another goroutine. False: it cannot.
	stop() bool
	// reason says why the last answer was unknown.
	reason() string

	// twin returns an api for a further solver of the library. It asks the library for nothing: what this one knows of it is
	// its own, too.
	twin() api
	// shares reports whether objects of the other api are objects of this one.
	shares(other api) bool
	// translate takes a term of the other api over, 0: there is no function for it.
	translate(other api, r ref) ref
}

// settings are what was set before the solver was made.
type settings struct {
	logic     string
	options   []setting
	models    bool
	cores     bool
	assume    bool // unsat assumptions
	proofs    bool
	timeLimit time.Duration // of one check, ends in unknown
	resources uint64
}

type setting struct{ name, value string }

// base gives an api what most libraries lack.
type base struct{ l *library }

func (b *base) lib() *library                        { return b.l }
func (b *base) stop() bool                           { return false }
func (b *base) reason() string                       { return "" }
func (b *base) shares(api) bool                      { return false }
func (b *base) translate(api, ref) ref               { return 0 }
func (b *base) declareSort(*session, smt.SortSymbol) {}
func (b *base) define(_ *session, fs []smt.Symbol) {
	panic(unsupported("%s has no recursive functions", b.l.kind))
}

func (b *base) setLate(_ *session, name, _ string) {
	panic(refuseOption("%s takes option %s only before the first declaration or assertion", b.l.kind, name))
}

func (b *base) datatypes(*session, []smt.SortSymbol) {
	panic(unsupported("%s has no datatypes", b.l.kind))
}

func (b *base) construct(*session, smt.Term, smt.Symbol, []ref) ref {
	panic(unsupported("%s has no datatypes", b.l.kind))
}

func (b *base) choose(*session, smt.Term, smt.Symbol, ref) ref {
	panic(unsupported("%s has no datatypes", b.l.kind))
}

func (b *base) test(*session, smt.Term, smt.Symbol, ref) ref {
	panic(unsupported("%s has no datatypes", b.l.kind))
}

func (b *base) update(*session, smt.Term, smt.Symbol, ref, ref) ref {
	panic(unsupported("%s has no datatypes", b.l.kind))
}

func (b *base) ask(_ *session, c *smtlib.Command) string {
	panic(unsupported("native %s has no %s", b.l.kind, commandName(c)))
}

// commandName is the name of a command for messages.
func commandName(c *smtlib.Command) string {
	if n := c.Kind.String(); n != "" {
		return n
	}
	return c.Name
}

// noOp ends the translation of a term whose operator the library lacks.
func (b *base) noOp(s *session, t smt.Term) *fault {
	return unsupported("%s has no operator %s for these arguments", b.l.kind, s.a.Op(t))
}

// noSort is noOp for a sort.
func (b *base) noSort(s *session, so smt.Sort) *fault {
	return unsupported("%s has no sort %s", b.l.kind, s.a.SortString(so))
}
