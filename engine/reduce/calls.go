package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// maxMerged bounds the number of terms of a case whose terms are replaced by each other; maxMerges bounds the
// replacements tried for each term.
const (
	maxMerged = 48
	maxMerges = 6
)

// mergeTerms replaces terms by terms of the same sort that the case makes earlier, and then by later ones without
// arguments. The replacements need no further call. In both steps the edits cannot form a cycle.
func mergeTerms(s *search) {
	if !s.Measure.Calls || len(s.Targets()) > maxMerged {
		return
	}
	a := s.Arena
	earlier := map[smt.Term][]smt.Term{}
	bySort := map[smt.Sort][]smt.Term{}
	a.PostOrder(s.Roots(), func(t smt.Term) {
		earlier[t] = bySort[a.Sort(t)]
		if s.Closed(t) && a.Op(t) != smt.OpAnnot {
			bySort[a.Sort(t)] = append(bySort[a.Sort(t)], t)
		}
	})
	s.ApplyRounds(func(t smt.Term) []smt.Term { return earlier[t][:min(len(earlier[t]), maxMerges)] })
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		same := bySort[a.Sort(t)]
		at := slices.Index(same, t)
		later := slices.DeleteFunc(slices.Clone(same[at+1:]), func(u smt.Term) bool { return at < 0 || a.NumArgs(u) > 0 })
		return later[:min(len(later), maxMerges)]
	})
}

// unary are predicates that need one term only, the plainest first. Those of two arguments get it twice.
var unary = map[smt.SortKind][]smt.Op{
	smt.KindFloat: {smt.OpFPIsNaN, smt.OpFPIsZero}, smt.KindReal: {smt.OpIsInt}, smt.KindString: {smt.OpStrIsDigit},
	smt.KindBitVec: {smt.OpBVNego, smt.OpBVSmulo},
}

// unaryPredicates replaces relations by predicates on one of their arguments, so that the other terms are not needed.
func unaryPredicates(s *search) { byPredicate(s, false) }

// overflowPredicates does that for bit vectors: late, because relations have more ways to become smaller than overflows
// have.
func overflowPredicates(s *search) { byPredicate(s, true) }

func byPredicate(s *search, vectors bool) {
	if !s.Measure.Calls {
		return
	}
	a := s.Arena
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		if a.Sort(t) != smt.SortBool || a.NumArgs(t) < 2 || a.Op(t).Structural() {
			return nil
		}
		var out []smt.Term
		for i := range a.NumArgs(t) {
			x := a.Arg(t, i)
			if (a.SortKind(a.Sort(x)) == smt.KindBitVec) != vectors {
				continue
			}
			for _, op := range unary[a.SortKind(a.Sort(x))] {
				by, err := a.App(op, nil, x)
				if err != nil {
					by, err = a.App(op, nil, x, x)
				}
				if err == nil && by != t && a.NumArgs(x) > 0 && !slices.Contains(out, by) {
					out = append(out, by)
				}
			}
		}
		return out
	})
}
