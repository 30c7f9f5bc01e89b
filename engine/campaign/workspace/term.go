package workspace

import (
	"fmt"
	"hash/fnv"

	"github.com/smtlark/smtlark/engine/language/smt"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// TermRef is a term that knows how long it lives: 16 bytes, compared by structure (see SameTerm).
type TermRef struct {
	st  *TermStore
	id  smt.Term
	gen uint32
}

// Store returns the store that the term lives in.
func (t TermRef) Store() *TermStore { return t.st }

// ID returns the term in its store's arena, or an error when it is gone.
func (t TermRef) ID() (smt.Term, error) {
	if !t.st.live(t.gen) {
		return 0, &overError{"term", t.st.Label}
	}
	return t.id, nil
}

// In returns the term in a store, brought over if it lives in another one. Terms of two cases are not mixed: only
// terms of no case and of globals are brought over.
func (t TermRef) In(st *TermStore) (smt.Term, error) {
	id, err := t.ID()
	if err != nil || t.st == st {
		return id, err
	}
	if t.st.IsOfCase() {
		return 0, &mixError{st.label(), t.st.label()}
	}
	return st.Import(t.st, id)
}

// String returns the term as SMT-LIB text.
func (t TermRef) String() string {
	if !t.st.live(t.gen) {
		return "<term of an earlier case>"
	}
	var text string
	t.st.Walk(func(a *smt.Arena) { text = smtlib.TermText(a, t.id) })
	return text
}

// Hash is the same for equal terms of different cases. It depends on the term's top levels, not only on the head: the
// atoms of a large formula have few different heads, and a dict of them would degenerate to a list.
func (t TermRef) Hash() (uint32, error) {
	id, err := t.ID()
	if err != nil {
		return 0, err
	}
	return hashNear(t.st.Arena, id, 3), nil
}

// hashNear is a hash of a term down to a depth, of the first arguments.
func hashNear(a *smt.Arena, id smt.Term, depth int) uint32 {
	h := uint32(a.Op(id))*0x9E3779B1 ^ uint32(a.NumArgs(id))
	if a.Op(id) == smt.OpApply {
		h ^= HashText(a.SymbolName(a.SymbolOf(id)))
	}
	if n, ok := a.IntOf(id); ok {
		h ^= uint32(n.Uint64()) * 0x85EBCA6B
	}
	if depth > 0 {
		for i := range min(a.NumArgs(id), 4) {
			h = h*16777619 ^ hashNear(a, a.Arg(id, i), depth-1)
		}
	}
	return h
}

// HashText is a hash of a text.
func HashText(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32()
}

// SameTerm reports whether two terms, perhaps of different cases, are the same one. The error is that one is gone.
func SameTerm(t, u TermRef) (bool, error) {
	id, err := t.ID()
	if err != nil {
		return false, err
	}
	other, err := u.ID()
	if err != nil {
		return false, err
	}
	if t.st == u.st {
		return id == other, nil
	}
	return smt.SameTerm(t.st.Arena, id, u.st.Arena, other), nil
}

// Meeting finds the store where something is built of terms. Its zero value is ready.
type Meeting struct{ ofCase, loose *TermStore }

// Add takes in a term. The error is that terms of two cases meet.
func (m *Meeting) Add(t TermRef) error {
	switch {
	case !t.st.IsOfCase():
		if m.loose == nil || m.loose.frozen {
			m.loose = t.st
		}
	case m.ofCase == nil:
		m.ofCase = t.st
	case m.ofCase != t.st:
		return &mixError{m.ofCase.label(), t.st.label()}
	}
	return nil
}

// Store returns the store of the case which some of the terms belong to, else that of the session for terms of no case,
// else, where there is no session, that of the first term, or a new one.
func (m *Meeting) Store(s *ThreadState) *TermStore {
	switch {
	case m.ofCase != nil:
		return m.ofCase
	case s != nil:
		return s.Scratch()
	case m.loose == nil:
		return NewStore(smt.NewArena(), "")
	}
	return m.loose.Writable()
}

// overError says that a value belongs to a case that is over.
type overError struct{ What, Label string }

func (e *overError) Error() string {
	of := "an earlier case"
	if e.Label != "" {
		of = "an earlier case made from " + e.Label
	}
	return fmt.Sprintf("this %s belongs to %s and is gone: terms live as long as the case that they were made for; keep text (str(term)) or make it again", e.What, of)
}

// mixError says that two values belong to different cases.
type mixError struct{ One, Other string }

func (e *mixError) Error() string {
	return fmt.Sprintf("terms of two cases are mixed (%s and %s): bring one over with case.adopt(term)", e.One, e.Other)
}
