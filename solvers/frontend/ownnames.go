package frontend

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// ownNames makes the names of a front end: smtlark, a number of exclamation marks, and an ending that does not begin
// with one. No name of the client begins with so many marks: a name that does makes the front end use more.
type ownNames struct {
	more  int             // marks beyond the first one
	given map[string]bool // names of FreshName that were not declared yet
}

// OwnPrefix begins the names that a front end makes.
const OwnPrefix = "smtlark!"

// name returns the name with an ending that does not begin with an exclamation mark.
func (o *ownNames) name(ending string) string {
	return OwnPrefix + strings.Repeat("!", o.more) + ending
}

// FreshName returns a name for a constant that is declared next. It differs from all names of the client. The ending
// does not begin with an exclamation mark.
func (s *Stack) FreshName(ending string) string {
	name := s.own.name(ending)
	if s.own.given == nil {
		s.own.given = map[string]bool{}
	}
	s.own.given[name] = true
	return name
}

// avoidNames makes sure that no name in an added command is also a name of the front end. If necessary, assertions get
// new names.
func (s *Stack) avoidNames(c *smtlib.Command) {
	for _, name := range namesOf(s.a, c) {
		if s.own.given[name] { // its declaration: the next one is the client's
			delete(s.own.given, name)
			continue
		}
		rest, ours := strings.CutPrefix(name, OwnPrefix)
		if more := len(rest) - len(strings.TrimLeft(rest, "!")); ours && more >= s.own.more {
			s.own.more = more + 1
			s.ForgetNames()
		}
	}
}

// namesOf returns the names of functions that a command introduces.
func namesOf(a *smt.Arena, c *smtlib.Command) (names []string) {
	add := func(fs ...smt.Symbol) {
		for _, f := range fs {
			names = append(names, a.SymbolName(f))
		}
	}
	if c.Kind.IsDeclaration() {
		add(c.Symbols...)
	}
	add(c.Named...)
	if c.Kind == smtlib.CmdDeclareDatatypes {
		for _, sort := range c.Sorts {
			for _, k := range a.Datatype(sort).Constructors {
				add(k.Symbol)
				add(k.Selectors...)
			}
		}
	}
	return names
}

// IsOwnName reports whether a name was made by the front end: no name of the client has as many exclamation marks.
func (s *Stack) IsOwnName(name string) bool {
	rest, ours := strings.CutPrefix(name, OwnPrefix)
	return ours && len(rest)-len(strings.TrimLeft(rest, "!")) == s.own.more
}
