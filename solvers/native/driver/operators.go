package driver

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Operator is an operator of a library whose terms are made by kind.
type Operator struct {
	Kind string
	// Binary kinds take two arguments: of more, the operator's attribute in the table of engine/language/smt says how
	// they nest. Others take as many as the operator.
	Binary bool
	// Second is another name of the kind, in the texts of other versions or in those of kind_to_string; "" for none.
	Second string
}

// Nest applies a kind to the arguments of op.
func Nest(k Operator, op smt.Op, args []Ref, make func(kind string, x ...Ref) Ref, and func([]Ref) Ref) Ref {
	if len(args) <= 2 || !k.Binary {
		return make(k.Kind, args...)
	}
	return Fold(op, args, func(x, y Ref) Ref { return make(k.Kind, x, y) }, and)
}

// Fold applies a function of two arguments to two or more arguments of op, as op's attribute says (SMT-LIB 2.7,
// section 3.7.1).
func Fold(op smt.Op, args []Ref, apply func(x, y Ref) Ref, and func([]Ref) Ref) Ref {
	switch op.Info().Assoc {
	case smt.AssocLeft:
		r := args[0]
		for _, x := range args[1:] {
			r = apply(r, x)
		}
		return r
	case smt.AssocRight:
		r := args[len(args)-1]
		for i := len(args) - 2; i >= 0; i-- {
			r = apply(args[i], r)
		}
		return r
	}
	var parts []Ref
	for i := range len(args) - 1 {
		parts = append(parts, apply(args[i], args[i+1]))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return and(parts)
}

// FormatOf returns the sizes of exponent and significand of a floating-point term.
func FormatOf(a *smt.Arena, t smt.Term) []uint64 {
	eb, sb := a.FloatFormat(a.Sort(t))
	return []uint64{uint64(eb), uint64(sb)}
}

// Rational returns the value of a constant of sort Real or Int: a literal, a negation, a quotient.
func Rational(a *smt.Arena, t smt.Term) (*big.Rat, bool) {
	switch a.Op(t) {
	case smt.OpRealLit:
		return a.RatOf(t)
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		return new(big.Rat).SetInt(n), true
	case smt.OpToReal:
		return Rational(a, a.Arg(t, 0))
	case smt.OpSub:
		if r, ok := Rational(a, a.Arg(t, 0)); ok && a.NumArgs(t) == 1 {
			return new(big.Rat).Neg(r), true
		}
	case smt.OpDiv:
		x, ok1 := Rational(a, a.Arg(t, 0))
		y, ok2 := Rational(a, a.Arg(t, 1))
		if ok1 && ok2 && a.NumArgs(t) == 2 && y.Sign() != 0 {
			return new(big.Rat).Quo(x, y), true
		}
	}
	return nil, false
}

// Escaped spells code points with the escapes of SMT-LIB's string literals (theory Strings), the printable ones by
// themselves.
func Escaped(runes []rune) string {
	var b strings.Builder
	for _, r := range runes {
		if r < 0x20 || r > 0x7e || r == '\\' {
			fmt.Fprintf(&b, "\\u{%x}", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Words are the indices as C takes them; it throws a fault where one is too large.
func Words(ns []uint64) []Ref {
	out := make([]Ref, len(ns))
	for i, n := range ns {
		if n > 1<<32-1 {
			panic(Unsupported("the index %d does not fit the C interface", n))
		}
		out[i] = Ref(n)
	}
	return out
}
