package optimise

import (
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Bound is the end of the values of an objective.
type Bound struct {
	// Infinite is 1 or -1 if the values have no upper or lower bound, else 0.
	Infinite int
	// Number is the bound; nil if it is infinite.
	Number *big.Rat
	// Epsilon is -1 or 1 if the values come arbitrarily close to Number, from below or above, but never reach it.
	Epsilon int
}

// numberBound is a bound that is reached.
func numberBound(r *big.Rat) Bound { return Bound{Number: new(big.Rat).Set(r)} }

// negated returns the bound of the negated values.
func (b Bound) negated() Bound {
	out := Bound{Infinite: -b.Infinite, Epsilon: -b.Epsilon}
	if b.Number != nil {
		out.Number = new(big.Rat).Neg(b.Number)
	}
	return out
}

// String spells the bound as z3 does: 3, (/ 1.0 3.0), oo, (* (- 1) oo), (+ 5.0 (* (- 1.0) epsilon)).
func (b Bound) String() string {
	switch {
	case b.Infinite > 0:
		return "oo"
	case b.Infinite < 0:
		return "(* (- 1) oo)"
	case b.Epsilon == 0:
		return rationalText(b.Number, "")
	}
	epsilon := "epsilon"
	if b.Epsilon < 0 {
		epsilon = "(* (- 1.0) epsilon)"
	}
	if b.Number.Sign() == 0 {
		return epsilon
	}
	return "(+ " + rationalText(b.Number, ".0") + " " + epsilon + ")"
}

// rationalText spells a number; point is appended to whole numbers.
func rationalText(r *big.Rat, point string) string {
	whole := new(big.Rat).Abs(r)
	text := whole.Num().String() + point
	if !whole.IsInt() {
		text = "(/ " + whole.Num().String() + ".0 " + whole.Denom().String() + ".0)"
	}
	if r.Sign() < 0 {
		return "(- " + text + ")"
	}
	return text
}

// Value encloses the optimum of an objective: it is between Low and High.
type Value struct {
	Objective Objective
	Low, High Bound
}

// NothingKnown returns values for objectives about whose bounds nothing is known, such as when no model satisfies the
// problem.
func NothingKnown(objectives []Objective) []Value {
	values := make([]Value, len(objectives))
	for i, o := range objectives {
		values[i] = Value{Objective: o, Low: Bound{Infinite: -1}, High: Bound{Infinite: 1}}
	}
	return values
}

// Exact reports whether the optimum is known: both bounds are the same.
func (v *Value) Exact() bool { return v.Low.String() == v.High.String() }

// ObjectivesText is the reply to get-objectives.
func ObjectivesText(a *smt.Arena, values []Value) string {
	var b strings.Builder
	b.WriteString("(objectives\n")
	for i := range values {
		v := &values[i]
		text := v.High.String()
		if !v.Exact() {
			text = "(interval " + v.Low.String() + " " + text + ")"
		}
		b.WriteString(" (" + v.Objective.label(a) + " " + text + ")\n")
	}
	return b.String() + ")"
}
