package driver

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Operator is a row of a library's table of operators: the call that makes terms of an operator of SMT-LIB.
type Operator struct {
	Call  string // a function, or a kind of terms
	Shape CallShape
	// Words are numbers behind the arguments.
	Words []Ref
	// Second is the name of the call in other versions, used if the library lacks Call.
	Second string
	// Drawn is an alternative call for the same term, OnBools an alternative if two Bools are compared. Half of the
	// seeds choose it, so that both calls are tested.
	Drawn, OnBools string
	// ByText says that, if the library has neither call, its own parser makes the term (TermMaker.MakeByText).
	ByText bool
}

// CallShape says which words a call takes for a term.
type CallShape uint8

// The shapes.
const (
	Plain   CallShape = iota // the arguments, and the indices of the operator
	Binary                   // two arguments: of more, the operator's attribute in engine/language/smt says how they nest
	Chain                    // Binary, where a single argument is the term itself
	Joined                   // any number of arguments; a single one is the term itself
	List                     // any number of arguments
	Indexed                  // the indices, then the arguments
	Turned                   // Plain, with the index modulo the width: rotating by the width changes nothing
	Format                   // the sizes of the exponent and the significand of the term's sort as indices
	OfSort                   // the sort of the term, then the arguments
)

// TermMaker makes the calls of a table of operators.
type TermMaker interface {
	// Knows reports whether the library has a call.
	Knows(call string) bool
	// Make makes a call with its arguments, of the shape of its row.
	Make(s *Translation, call string, shape CallShape, indices []uint64, args []Ref) Ref
	// Conjoin makes the conjunction of two or more terms.
	Conjoin(s *Translation, parts []Ref) Ref
	// MakeByText makes a term by the library's own reader.
	MakeByText(s *Translation, t smt.Term, args []Ref) Ref
}

// MakeOperator makes the term t, of an operator over these arguments, by the row of a table. It throws a fault where
// the table has none.
func (s *Translation) MakeOperator(m TermMaker, table map[smt.Op]Operator, t smt.Term, args []Ref) Ref {
	a := s.a
	op := a.Op(t)
	row, ok := table[op]
	if !ok {
		panic(s.NoOp(t))
	}
	if row.Second != "" && !m.Knows(row.Call) {
		row.Call = row.Second
	}
	if row.ByText && !m.Knows(row.Call) {
		return m.MakeByText(s, t, args)
	}
	areBools := row.OnBools != "" && len(args) == 2 && a.Sort(a.Arg(t, 0)) == smt.SortBool
	switch {
	case row.Drawn != "" && s.Pick(2) == 1:
		row.Call = row.Drawn
	case areBools && s.Pick(2) == 1:
		row.Call = row.OnBools
	case len(args) == 1 && (row.Shape == Chain || row.Shape == Joined):
		return args[0]
	}
	indices := s.Indices(t)
	switch row.Shape {
	case Turned:
		indices[0] = uint64(Words(indices)[0]) % uint64(a.Width(a.Sort(t)))
	case Format:
		indices = FormatOf(a, t)
	case OfSort:
		indices = nil // the indices are part of the sort
		args = append([]Ref{s.Sort(a.Sort(t))}, args...)
	}
	if len(row.Words) > 0 {
		args = append(slices.Clone(args), row.Words...)
	}
	if len(args) > 2 && (row.Shape == Binary || row.Shape == Chain) {
		return Fold(op, args, func(x, y Ref) Ref { return m.Make(s, row.Call, row.Shape, indices, []Ref{x, y}) },
			func(parts []Ref) Ref { return m.Conjoin(s, parts) })
	}
	return m.Make(s, row.Call, row.Shape, indices, args)
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

// IsFloatLiteral reports whether an application of fp is to three literals.
func IsFloatLiteral(a *smt.Arena, t smt.Term) bool {
	return a.Op(a.Arg(t, 0)) == smt.OpBVLit && a.Op(a.Arg(t, 1)) == smt.OpBVLit && a.Op(a.Arg(t, 2)) == smt.OpBVLit
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
