package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// joinAsserts makes one assertion of several that relate terms of one sort, as (= x 0) and (= y 0) become (= x 0 y 0),
// for what needs many terms but not that many assertions. It tries all of them at once, then windows of half the size,
// down to pairs. Last come conjunctions and disjunctions of such relations.
func joinAsserts(s *search) {
	for _, sort := range relatedSorts(s) {
		for size := len(relations(s, sort)); size > 1; size = smallerWindow(size) {
			for at := 0; !s.Stopped(); {
				k, wins := joinFrom(s, sort, at, size)
				if k < 0 {
					break
				}
				at += k*size + 1
				if wins == 1 {
					break
				}
			}
		}
	}
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		if op := s.Arena.Op(t); op != smt.OpAnd && op != smt.OpOr {
			return nil
		}
		parts := s.Arena.CopyArgs(t)
		sort, ok := relates(s, parts[0])
		for _, x := range parts {
			of, relates := relates(s, x)
			ok = ok && relates && of == sort
		}
		if !ok {
			return nil
		}
		if by := relation(s, parts); by != 0 {
			return []smt.Term{by}
		}
		return nil
	})
}

// smallerWindow halves, rounded up, and ends with pairs.
func smallerWindow(size int) int {
	if size == 2 {
		return 0
	}
	return (size + 1) / 2
}

// joinFrom offers the windows of relations over a sort from one number on, and returns which of how many was kept.
func joinFrom(s *search, sort smt.Sort, from, size int) (kept, windows int) {
	all := relations(s, sort)
	var list []proposal
	for at := from; at+1 < len(all); at += size {
		window := all[at:min(at+size, len(all))]
		list = append(list, proposal{Make: func() *state { return joined(s, window) }})
	}
	return s.FirstOf(list), len(list)
}

// relatedSorts returns the sorts that more than one assertion relates terms of, in the order they occur.
func relatedSorts(s *search) []smt.Sort {
	var seen, out []smt.Sort
	for i := range s.Current().Commands {
		sort, ok := related(s, &s.Current().Commands[i])
		switch {
		case !ok || slices.Contains(out, sort):
		case slices.Contains(seen, sort):
			out = append(out, sort)
		default:
			seen = append(seen, sort)
		}
	}
	return out
}

// relations returns the numbers of the assertions that relate terms of a sort.
func relations(s *search, sort smt.Sort) []int {
	var out []int
	for i := range s.Current().Commands {
		if of, ok := related(s, &s.Current().Commands[i]); ok && of == sort {
			out = append(out, i)
		}
	}
	return out
}

// related returns the sort of the terms that an assertion relates.
func related(s *search, c *smtlib.Command) (smt.Sort, bool) {
	if c.Kind != smtlib.CmdAssert {
		return 0, false
	}
	return relates(s, c.Terms[0])
}

// relates returns the sort of the terms that a relation of any number of them is about.
func relates(s *search, t smt.Term) (smt.Sort, bool) {
	a := s.Arena
	op := a.Op(t)
	if op.Structural() || a.NumArgs(t) < 2 || len(a.Indices(t)) > 0 {
		return 0, false
	}
	if assoc := op.Info().Assoc; assoc != smt.AssocChain && assoc != smt.AssocPairwise {
		return 0, false
	}
	sort := a.Sort(a.Arg(t, 0))
	for _, x := range a.Args(t) {
		if a.Sort(x) != sort {
			return 0, false
		}
	}
	return sort, true
}

// relation relates the terms of several relations by their common operator, else by equality; it returns 0 if neither
// is possible.
func relation(s *search, parts []smt.Term) smt.Term {
	a := s.Arena
	op := a.Op(parts[0])
	var args []smt.Term
	for _, t := range parts {
		if a.Op(t) != op {
			op = smt.OpEq
		}
		args = append(args, a.CopyArgs(t)...)
	}
	by, err := a.App(op, nil, args...)
	if err != nil {
		return 0
	}
	return by
}

// joined is the candidate in which one assertion, in the place of the last of a window, relates the terms of all.
func joined(s *search, window []int) *state {
	keep := make([]bool, len(s.Current().Commands))
	for i := range keep {
		keep[i] = true
	}
	var parts []smt.Term
	for _, i := range window {
		parts = append(parts, s.Current().Commands[i].Terms[0])
		keep[i] = false
	}
	by := relation(s, parts)
	if by == 0 {
		return nil
	}
	cmds := slices.Clone(s.Current().Commands)
	last := window[len(window)-1]
	cmds[last].Terms = []smt.Term{by}
	keep[last] = true
	return s.With(scope.Selected(cmds, s.Current().Expect, keep))
}
