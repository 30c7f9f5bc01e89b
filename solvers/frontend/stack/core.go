package stack

import (
	"strconv"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// names are those that assertions have in sessions that are to say which of them an unsat rests on. The same assertion in the same place of
// the stack has the same name each time it comes back, so that there are as many as there are different assertions in different places.
type names struct {
	epoch uint64 // of the arena
	count int    // of all names, which are never used again
	known map[place]*smtlib.Command
	terms map[smt.Symbol]smt.Term // assertions by their names
}

// place is an assertion with the number of its item.
type place struct {
	term smt.Term
	item int
}

// NameAssertions gives all assertions in force the names by which sessions whose Mirror is Named are told them. It makes terms, which
// UpdateOf does not.
func (s *Stack) NameAssertions() {
	n := &s.names
	if epoch := s.a.Epoch(); n.known == nil || n.epoch != epoch {
		if len(n.known) > 0 { // their terms may be gone, and sessions that know them have to start anew
			s.resets++
			for i := range s.items {
				s.items[i].named = nil
			}
		}
		n.epoch, n.known, n.terms = epoch, map[place]*smtlib.Command{}, map[smt.Symbol]smt.Term{}
	}
	for i := len(s.items) - 1; i >= 0; i-- {
		x := &s.items[i]
		if x.command.Kind != smtlib.CmdAssert || len(x.command.Named) > 0 {
			continue
		}
		if x.named != nil { // and so have all below it
			return
		}
		x.named = n.nameOf(s.a, place{x.command.Terms[0], i})
	}
}

// nameOf returns the command that tells an assertion with its name.
func (n *names) nameOf(a *smt.Arena, p place) *smtlib.Command {
	if c := n.known[p]; c != nil {
		return c
	}
	n.count++
	name := "smtlark!" + strconv.Itoa(n.count)
	f := a.Name(name, p.term)
	c := smtlib.AssertCommand(a.Annotate(p.term, []smt.Attr{{Keyword: ":named", Value: smt.QuoteSymbol(name)}}))
	c.Named = []smt.Symbol{f}
	n.known[p], n.terms[f] = &c, p.term
	return &c
}

// Core returns the assertions whose names a session gives as those that are unsatisfiable together; nil where that is not known: another
// name is among them, or there are assertions that have no name of NameAssertions.
func (s *Stack) Core(named []smt.Term) (core []smt.Term) {
	for i := range s.items {
		if c := &s.items[i].command; len(c.Named) > 0 {
			return nil
		}
	}
	for _, t := range named {
		assertion, ok := s.names.terms[s.a.SymbolOf(t)]
		if !ok {
			return nil
		}
		core = append(core, assertion)
	}
	return core
}
