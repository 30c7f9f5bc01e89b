package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"

	"github.com/smtlark/smtlark/engine/reduce/weight"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

// replaceOperators replaces operators by plainer ones that take the same arguments.
func replaceOperators(s *search) {
	a := s.Arena
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		var out []smt.Term
		for _, op := range weight.Plainer[a.Op(t)] {
			idx := slices.Clone(a.Indices(t))
			if op == smt.OpReStar {
				idx = nil
			}
			by, err := a.App(op, idx, a.CopyArgs(t)...)
			if err == nil && a.Sort(by) == a.Sort(t) {
				out = append(out, by)
			}
		}
		return out
	})
}

// smallerIndices makes the indices of operators smaller where the sort does not depend on them.
func smallerIndices(s *search) {
	a := s.Arena
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		if a.Op(t).Structural() || len(a.Indices(t)) == 0 {
			return nil
		}
		var nums []uint64
		for _, i := range a.Indices(t) {
			n, ok := a.IndexUint(i)
			if !ok {
				return nil
			}
			nums = append(nums, n)
		}
		var out []smt.Term
		try := func(ns ...uint64) {
			idx := make([]smt.Index, len(ns))
			for i, n := range ns {
				idx[i] = a.NumIndex(n)
			}
			// The sort of the term stays; retyping tries other sorts.
			if by, err := a.App(a.Op(t), idx, a.CopyArgs(t)...); err == nil && a.Sort(by) == a.Sort(t) && by != t {
				out = append(out, by)
			}
		}
		switch {
		case a.Op(t) == smt.OpExtract:
			if nums[1] > 0 {
				try(nums[0]-nums[1], 0)
			}
		case len(nums) == 1:
			for _, n := range []uint64{0, 1, nums[0] / 2, nums[0] - 1} {
				if n < nums[0] {
					try(n)
				}
			}
		case len(nums) == 2 && a.Op(t) == smt.OpReLoop:
			for _, n := range [][2]uint64{{0, 0}, {0, 1}, {1, 1}, {1, 2}, {0, nums[1]}, {nums[0], nums[0]}, {nums[0] / 2, nums[1] / 2}} {
				if n[0] <= n[1] && n[0] <= nums[0] && n[1] <= nums[1] {
					try(n[0], n[1])
				}
			}
		}
		return out
	})
}

// maxSimpler bounds how many terms Simplify tries for one.
const maxSimpler = 2

// simplifyTerms replaces terms by lighter ones that are equivalent by the laws, or nearly so. The other passes cannot
// do this, since each of their steps would change the truth of the terms above. The lightest come first. A lighter
// literal is no reason for one more operator.
func simplifyTerms(s *search) {
	heavy, nodes := weight.Trees(s.Arena), weight.Nodes(s.Arena)
	var laws *rewrite.Alternatives
	if rules := s.Laws(); rules != nil {
		laws = rewrite.NewAlternatives(s.Arena, rules)
	}
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		var out []smt.Term
		if laws != nil {
			out = laws.Of(t)
		}
		out = append(out, shortcuts(s.Arena, t)...)
		out = slices.DeleteFunc(out, func(by smt.Term) bool { return by == t || heavy(by) >= heavy(t) || nodes(by) > nodes(t) })
		slices.SortStableFunc(out, func(x, y smt.Term) int { return heavy(x) - heavy(y) })
		return out[:min(len(out), maxSimpler)]
	})
}

// foldTerms replaces terms without symbols and variables by their values.
func foldTerms(s *search) {
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		if s.Arena.NumArgs(t) == 0 || s.Arena.Op(t) == smt.OpFP || !isGround(s.Arena, t) {
			return nil
		}
		if by := foldGround(s.Arena, t); by != t {
			return []smt.Term{by}
		}
		return nil
	})
}

// shrinkLiterals makes literals smaller: numbers by halving, bit vectors by clearing bits, strings by cutting and by
// plainer letters. The rounds of the search take care of the way down.
func shrinkLiterals(s *search) {
	s.ApplyRounds(func(t smt.Term) []smt.Term { return smallerLiterals(s.Arena, t) })
}
