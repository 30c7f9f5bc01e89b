package optimise

import (
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
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

// ParseBound reads a bound as solvers print it: what String prints, and sums and products of numbers, oo and epsilon.
func ParseBound(e *smtlib.SExpr) (b Bound, ok bool) {
	v := readSum(e)
	if v == nil {
		return b, false
	}
	if b.Infinite = v.infinite.Sign(); b.Infinite == 0 {
		b.Number, b.Epsilon = v.number, v.epsilon.Sign()
	}
	return b, true
}

// boundSum is number + infinite oo + epsilon epsilon.
type boundSum struct{ number, infinite, epsilon *big.Rat }

func (v *boundSum) isNumber() bool { return v.infinite.Sign() == 0 && v.epsilon.Sign() == 0 }

// parts returns the three coefficients.
func (v *boundSum) parts() []*big.Rat { return []*big.Rat{v.number, v.infinite, v.epsilon} }

func (v *boundSum) scale(by *big.Rat) {
	by = new(big.Rat).Set(by)
	for _, x := range v.parts() {
		x.Mul(x, by)
	}
}

func (v *boundSum) add(w *boundSum) {
	for i, x := range v.parts() {
		x.Add(x, w.parts()[i])
	}
}

// readSum reads an expression; nil if it is no bound.
func readSum(e *smtlib.SExpr) *boundSum {
	if !e.IsList() {
		return readBoundAtom(e.Atom)
	}
	var args []*boundSum
	for i := 1; i < len(e.List); i++ {
		x := readSum(&e.List[i])
		if x == nil {
			return nil
		}
		args = append(args, x)
	}
	if len(args) == 0 {
		return nil
	}
	v, minusOne := args[0], big.NewRat(-1, 1)
	switch e.Head() {
	case "+":
		for _, x := range args[1:] {
			v.add(x)
		}
		return v
	case "-":
		if len(args) == 1 {
			v.scale(minusOne)
		}
		for _, x := range args[1:] {
			x.scale(minusOne)
			v.add(x)
		}
		return v
	case "*":
		for _, x := range args[1:] {
			if !x.isNumber() {
				v, x = x, v
			}
			if !x.isNumber() {
				return nil
			}
			v.scale(x.number)
		}
		return v
	case "/":
		if len(args) == 2 && args[1].isNumber() && args[1].number.Sign() != 0 {
			v.scale(new(big.Rat).Inv(args[1].number))
			return v
		}
	}
	return nil
}

// readBoundAtom reads a number, the literal of a bit vector, oo or epsilon; nil for anything else.
func readBoundAtom(text string) *boundSum {
	v := &boundSum{new(big.Rat), new(big.Rat), new(big.Rat)}
	base, digits := 0, ""
	switch {
	case text == "oo":
		v.infinite.SetInt64(1)
		return v
	case text == "epsilon":
		v.epsilon.SetInt64(1)
		return v
	case strings.HasPrefix(text, "#x"):
		base, digits = 16, text[2:]
	case strings.HasPrefix(text, "#b"):
		base, digits = 2, text[2:]
	case decimalText().MatchString(text):
		v.number.SetString(text)
		return v
	default:
		return nil
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return nil
	}
	v.number.SetInt(n)
	return v
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
