package workspace

import (
	"sync"

	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/language/smt"

	"github.com/smtlark/smtlark/engine/semantics/eval"
)

// TermStore is an arena that knows whether terms held by campaign files are still alive in it. Terms that were in the
// arena when the store was pinned live as long as the store. Later terms live until the next Release, that is, until
// the next case begins.
type TermStore struct {
	Arena *smt.Arena
	// Label names the owner of the terms in messages: the name of the case, or "" for terms of no case.
	Label string

	mark    smt.Mark
	pinned  smt.Term // terms below are permanent
	symbols int      // so are symbols below
	gen     uint32   // counts releases; values that are not permanent store the count at their creation

	depths []int32         // of permanent terms plus one; 0 is not computed
	ev     *eval.Evaluator // shared by permanent models; its cached values of terms are permanent too

	// frozen stores belong to globals of modules: any number of threads read them at once, nobody adds to them.
	frozen bool
	mu     sync.Mutex // guards walks over a frozen arena, which use its scratch memory
}

// NewStore wraps an arena; everything in it is permanent.
func NewStore(a *smt.Arena, label string) *TermStore {
	s := &TermStore{Arena: a, Label: label, gen: 1}
	s.Pin()
	return s
}

// Pin makes everything in the arena permanent. Pin only when nothing of the case that is being made lives in it.
func (s *TermStore) Pin() {
	s.mark = s.Arena.Mark()
	s.pinned = smt.Term(s.Arena.Len())
	s.symbols = s.Arena.NumSymbols()
	if s.ev != nil {
		s.ev.Pin()
	}
}

// Clean reports whether the arena holds only permanent terms.
func (s *TermStore) Clean() bool { return s.mark == s.Arena.Mark() }

// Release drops everything that is not permanent.
func (s *TermStore) Release() {
	if s.Clean() {
		return
	}
	s.Arena.Release(s.mark)
	s.gen++
}

// live reports whether a value with a generation is still there; 0 is the generation of permanent ones.
func (s *TermStore) live(gen uint32) bool { return gen == 0 || gen == s.gen }

// genOf returns the generation that a term made now carries.
func (s *TermStore) genOf(t smt.Term) uint32 {
	if t < s.pinned {
		return 0
	}
	return s.gen
}

// Freeze makes the store read-only for good.
func (s *TermStore) Freeze() {
	if !s.frozen {
		s.frozen = true
	}
}

// Walk runs f, which may use scratch memory of the arena but adds nothing to it that others could see.
func (s *TermStore) Walk(f func(a *smt.Arena)) {
	if s.frozen {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	f(s.Arena)
}

// Term wraps a term of the store's arena.
func (s *TermStore) Term(t smt.Term) TermRef { return TermRef{s, t, s.genOf(t)} }

// Newest returns a term that is there as long as everything that is in the arena now.
func (s *TermStore) Newest() TermRef {
	if s.Clean() {
		return TermRef{s, s.Arena.True(), 0}
	}
	return TermRef{s, s.Arena.True(), s.gen}
}

// BoolDepth returns the nesting of Boolean operators at the top of a term (see mutate.Depth), remembered for permanent
// terms.
func (s *TermStore) BoolDepth(t smt.Term) int {
	if t >= s.pinned {
		return mutate.Depth(s.Arena, t)
	}
	if int(t) >= len(s.depths) {
		s.depths = append(s.depths, make([]int32, int(s.pinned)-len(s.depths))...)
	}
	if d := s.depths[t]; d > 0 {
		return int(d) - 1
	}
	d := mutate.Depth(s.Arena, t)
	s.depths[t] = int32(d) + 1
	return d
}

// Frozen reports whether the store is read-only for good.
func (s *TermStore) Frozen() bool { return s.frozen }

// Declares reports whether the store has a function or a constant of that name.
func (s *TermStore) Declares(name string) bool {
	for f := range s.Arena.NumSymbols() {
		if s.Arena.SymbolName(smt.Symbol(f)) == name {
			return true
		}
	}
	return false
}

// IsOfCase reports whether the terms belong to one case and not to globals or to none: terms of two cases are not
// mixed.
func (s *TermStore) IsOfCase() bool { return s.Label != "" && !s.frozen }

// Import copies a term of another store to this one.
func (s *TermStore) Import(from *TermStore, t smt.Term) (smt.Term, error) {
	if from == s {
		return t, nil
	}
	return smt.NewNameCopier(from.Arena, s.Arena).Term(t)
}

// ImportSort copies a sort of another store to this one.
func (s *TermStore) ImportSort(from *TermStore, x smt.Sort) (smt.Sort, error) {
	if from == s || x <= smt.SortUnknown {
		return x, nil
	}
	return smt.NewNameCopier(from.Arena, s.Arena).Sort(x)
}

func (s *TermStore) label() string {
	if s.Label == "" {
		return "no case"
	}
	return s.Label
}

// Writable returns s, or, if s is frozen, a new store for terms made of its terms.
func (s *TermStore) Writable() *TermStore {
	if s.frozen {
		return NewStore(smt.NewArena(), "")
	}
	return s
}
