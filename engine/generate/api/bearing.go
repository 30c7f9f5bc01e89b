package api

import (
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Bounds for bearing, which is called for each assertion.
const (
	maxFlips     = 3  // terms whose value is changed
	maxFlipTerms = 40 // terms of a formula
)

// bearing estimates how much of a formula bears on its truth in the walk's assignment. It gives other values to a few
// subterms; each one that changes the truth counts, and counts more if its operator is rare in this walk. So an
// assertion is worth more if no and, or or ite hides its subterms.
func (w formulas) bearing(t smt.Term) float64 {
	a := w.Gen.A
	var below []smt.Term
	for _, x := range a.ClosedTerms(t) {
		if a.NumArgs(x) > 0 && x != t && a.SortKind(a.Sort(x)) != smt.KindRegLan {
			below = append(below, x)
		}
	}
	if len(below) == 0 || len(below) > maxFlipTerms {
		return 0
	}
	truth, known := w.Gen.Ev.Holds(t)
	if !known {
		return 0
	}
	sum := 0.0
	for range maxFlips {
		x := below[w.R.Intn(len(below))]
		other, err := value.ToTerm(a, w.Gen.RandomValue(a.Sort(x)))
		if err != nil || a.Sort(other) != a.Sort(x) {
			continue
		}
		changed, err := a.Subst(t, map[smt.Term]smt.Term{x: other})
		if err != nil {
			continue
		}
		if v, known := w.Gen.Ev.Holds(changed); known && v != truth {
			sum += 1 / float64(1+w.Gen.Made[gen.OperatorName(a, x)])
		}
	}
	return sum
}
