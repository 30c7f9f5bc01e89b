package frontend

import (
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// names holds the names of assertions in sessions that must report which assertions an unsat answer depends on. An
// assertion at the same place of the stack gets the same name each time it comes back, so there are only as many names
// as different assertions at different places.
type names struct {
	epoch uint64 // of the arena
	count int    // of all names, which are never used again
	known map[place]*smtlib.Command
}

// place is an assertion with the number of its item.
type place struct {
	term smt.Term
	item int
}

// NameAssertions names all assertions in force. Sessions whose Mirror is Named get the assertions with these names.
// Unlike UpdateOf, it makes terms.
func (s *Stack) NameAssertions() {
	n := &s.names
	if epoch := s.a.Epoch(); n.known == nil || n.epoch != epoch { // their terms may be gone
		s.ForgetNames()
		n.epoch, n.known = epoch, map[place]*smtlib.Command{}
	}
	for i := s.items.Len() - 1; i >= 0; i-- {
		x := s.items.At(i)
		if x.command.Kind != smtlib.CmdAssert || len(x.command.Named) > 0 {
			continue
		}
		if x.named != nil { // then all items below it are named too
			return
		}
		x.named = s.nameOf(place{x.command.Terms[0], i})
	}
}

// ForgetNames removes all names of NameAssertions. Sessions that know them must be restarted.
func (s *Stack) ForgetNames() {
	if len(s.names.known) > 0 {
		s.resets++
		for i := range s.items.Len() {
			s.items.At(i).named = nil
		}
	}
	s.names.known = nil
}

// nameOf returns the command that asserts a formula with its name.
func (s *Stack) nameOf(p place) *smtlib.Command {
	n, a := &s.names, s.a
	if c := n.known[p]; c != nil {
		return c
	}
	n.count++
	name := s.own.name(strconv.Itoa(n.count))
	f := a.Name(name, p.term)
	c := smtlib.AssertCommand(a.Annotate(p.term, []smt.Attr{{Keyword: ":named", Value: smt.QuoteSymbol(name)}}))
	c.Named = []smt.Symbol{f}
	if given := &s.items.At(p.item).command; given.IsAsWritten() { // the client's text with a name added
		text := string(new(smtlib.Printer).Command(nil, a, given))
		c.KeepText(a, []byte("(assert (! "+text[len("(assert"):len(text)-1]+" :named "+smt.QuoteSymbol(name)+"))"))
	}
	n.known[p] = &c
	return &c
}

// Core returns the assertions in force that a session reports as unsatisfiable together with the assumptions. The
// session reports them by the names of NameAssertions or of the client. Assumptions may be among the names. ok is false
// if a name is neither that of an assertion nor an assumption.
func (s *Stack) Core(named, assumptions []smt.Term) (core []smt.Term, ok bool) {
	byName := map[smt.Term]smt.Term{}
	for i := range s.items.Len() {
		x := s.items.At(i)
		if x.command.Kind != smtlib.CmdAssert {
			continue
		}
		if x.named != nil {
			byName[s.a.Const(x.named.Named[0])] = x.command.Terms[0]
		}
		for t := x.command.Terms[0]; s.a.Op(t) == smt.OpAnnot; {
			t = s.a.Args(t)[0]
			for _, f := range x.command.Named {
				if s.a.SymbolInfo(f).Body == t {
					byName[s.a.Const(f)] = t
				}
			}
		}
	}
	for _, name := range named {
		switch assertion, known := byName[name]; {
		case known:
			core = append(core, assertion)
		case !slices.Contains(assumptions, name):
			return nil, false
		}
	}
	return append(core, assumptions...), true
}
