package value

import (
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smt/transplant"
)

// Import copies a term of another store to this one.
func (s *Store) Import(from *Store, t smt.Term) (smt.Term, error) {
	if from == s {
		return t, nil
	}
	return transplant.New(from.Arena, s.Arena).Term(t)
}

// ImportSort copies a sort of another store to this one.
func (s *Store) ImportSort(from *Store, x smt.Sort) (smt.Sort, error) {
	if from == s || x <= smt.SortUnknown {
		return x, nil
	}
	return transplant.New(from.Arena, s.Arena).Sort(x)
}
