package driver

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
)

// Several solvers of one library: those of bitwuzla and cvc5 share a term manager, those of yices share its terms
// anyway, and those of z3 have a context each, between which Z3_translate carries terms. For boolector a term is made
// anew.

// Shared counts the solvers that use a term manager; the last one deletes it.
type Shared struct {
	tm    Ref
	users int
}

// Take returns the term manager, and makes it for the first solver.
func (h *Shared) Take(make func() Ref) Ref {
	if h.users == 0 {
		h.tm = make()
	}
	h.users++
	return h.tm
}

// Leave gives the term manager up. It returns it to the last one, who has to delete it, else 0.
func (h *Shared) Leave() Ref {
	if h.users--; h.users > 0 {
		return 0
	}
	tm := h.tm
	h.tm, h.users = 0, 0
	return tm
}

// borrowFromPeer returns the object that the session beside this one has, where both have the same objects.
func (s *Translation) borrowFromPeer(get func(p *Translation) Ref) Ref {
	if s.Peer == nil || !s.Peer.live || !s.API.Shares(s.Peer.API) {
		return 0
	}
	return get(s.Peer)
}

// transfer takes terms over from another session.
func (s *Session) transfer(from solvers.Session, ts []smt.Term) error {
	return s.guardCall("transfer", func() {
		s.ensureSolver()
		var other *Translation
		if f, ok := from.(*Session); ok && f.dead == nil {
			other = &f.Translation
		}
		for _, t := range ts {
			if r := s.takeOver(other, t); r != 0 {
				s.keepObject(t, 0, r)
			} else {
				s.Term(t)
			}
		}
	})
}

// takeOver returns an object for another session's term; 0 if the term must be made anew.
func (s *Translation) takeOver(f *Translation, t smt.Term) Ref {
	if f == nil || !f.live || len(s.a.FreeVars(t)) > 0 {
		return 0
	}
	r, _ := f.knownObject(t)
	if r == 0 {
		return 0
	}
	if s.API.Shares(f.API) {
		if !s.sameSymbols(f, t) {
			return 0
		}
		return r
	}
	if s.localNames(t) { // names of datatypes and of recursive functions belong to a context
		return 0
	}
	for _, x := range s.a.Symbols(t) { // if a symbol translated to a different one, the term would change
		if own, other := s.Symbol(x), f.Functions[x]; other == 0 || s.API.Translate(f.API, other) != own {
			return 0
		}
	}
	return s.API.Translate(f.API, r)
}

// sameSymbols reports whether both sessions have the same objects for all symbols and declared sorts of a term: a
// symbol declared twice has two objects in a library.
func (s *Translation) sameSymbols(f *Translation, t smt.Term) bool {
	same := true
	for _, x := range s.a.Symbols(t) {
		same = same && s.Functions[x] == f.Functions[x]
	}
	s.a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if s.a.Op(x) == smt.OpCase {
			return
		}
		so := s.a.Sort(x)
		if k := s.a.SortKind(so); k == smt.KindUser || k == smt.KindDatatype {
			same = same && int(so) < len(s.Sorts) && int(so) < len(f.Sorts) && s.Sorts[so] == f.Sorts[so]
		}
	})
	return same
}

// localNames reports whether a term is over a datatype or a recursive function.
func (s *Translation) localNames(t smt.Term) bool {
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
