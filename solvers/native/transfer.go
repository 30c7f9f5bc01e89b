package native

import (
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/solvers"
)

// Several solvers of one library: those of bitwuzla and cvc5 share a term manager, those of yices share its terms anyway,
// and those of z3 have a context each, between which Z3_translate carries terms. For boolector a term is made anew.

// shared counts the solvers that use a term manager; the last one deletes it.
type shared struct {
	tm    ref
	users int
}

// take returns the term manager, and makes it for the first solver.
func (h *shared) take(make func() ref) ref {
	if h.users == 0 {
		h.tm = make()
	}
	h.users++
	return h.tm
}

// leave gives the term manager up. It returns it to the last one, who has to delete it, else 0.
func (h *shared) leave() ref {
	if h.users--; h.users > 0 {
		return 0
	}
	tm := h.tm
	h.tm, h.users = 0, 0
	return tm
}

// lend returns the object that the session beside this one has, where both have the same objects.
func (s *session) lend(get func(p *session) ref) ref {
	if s.peer == nil || !s.peer.live || !s.api.shares(s.peer.api) {
		return 0
	}
	return get(s.peer)
}

// Transfer implements solvers.Transferrer.
func (s *session) Transfer(from solvers.Session, ts []smt.Term) error {
	return s.guard("transfer", func() {
		s.need()
		f, _ := from.(*session)
		for _, t := range ts {
			if r := s.takeOver(f, t); r != 0 {
				s.keep(t, 0, r)
			} else {
				s.term(t)
			}
		}
	})
}

// takeOver returns the object for a term that another session has, 0 if it must be made anew.
func (s *session) takeOver(f *session, t smt.Term) ref {
	if f == nil || !f.live || f.dead != nil || len(s.a.FreeVars(t)) > 0 {
		return 0
	}
	r, _ := f.known(t)
	if r == 0 {
		return 0
	}
	if s.api.shares(f.api) {
		if !s.sameSymbols(f, t) {
			return 0
		}
		return r
	}
	if s.localNames(t) { // names of datatypes and of recursive functions belong to a context
		return 0
	}
	for _, x := range s.a.Symbols(t) { // a symbol that comes over as another one would make this another term
		if own, other := s.symbol(x), f.funs[x]; other == 0 || s.api.translate(f.api, other) != own {
			return 0
		}
	}
	return s.api.translate(f.api, r)
}

// sameSymbols reports whether both sessions have the same objects for all symbols and declared sorts of a term: one that was
// declared twice is two things to a library.
func (s *session) sameSymbols(f *session, t smt.Term) bool {
	same := true
	for _, x := range s.a.Symbols(t) {
		same = same && s.funs[x] == f.funs[x]
	}
	s.a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if s.a.Op(x) == smt.OpCase {
			return
		}
		so := s.a.Sort(x)
		if k := s.a.SortKind(so); k == smt.KindUser || k == smt.KindDatatype {
			same = same && int(so) < len(s.sorts) && int(so) < len(f.sorts) && s.sorts[so] == f.sorts[so]
		}
	})
	return same
}

// localNames reports whether a term is over a datatype or a recursive function.
func (s *session) localNames(t smt.Term) bool {
	found := false
	s.a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if s.a.Op(x) == smt.OpCase || s.a.SortKind(s.a.Sort(x)) == smt.KindDatatype {
			found = true
			return
		}
		if f := s.a.SymbolOf(x); f != 0 && s.a.SymbolInfo(f).Recursive {
			found = true
		}
	})
	return found
}
