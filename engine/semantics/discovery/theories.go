package discovery

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// space has the ingredients of the terms of a theory.
type space struct {
	parameters []parameter
	sorts      []string // of terms, beside those of parameters
	theories   []string // of the operator table
	literals   []literal
	numbers    map[byte]int64 // for which terms are compared: none at which laws hold that do not hold in general
	without    []smt.Op
}

// parameter is a variable of terms.
type parameter struct{ name, sort string }

// literal is a constant whose value depends on the sort of a parameter alone.
type literal struct {
	sort string // of the parameter that it is made for, "" for none
	text string // in Starlark, with x for the parameter
	make func(a *smt.Arena, s smt.Sort) (smt.Term, error)
}

func bits(text string, value func(w uint) *big.Int) literal {
	return literal{"BV(m)", text, func(a *smt.Arena, s smt.Sort) (smt.Term, error) {
		return a.BV(a.Width(s), value(uint(a.Width(s)))), nil
	}}
}

func special(op smt.Op, name string) literal {
	return literal{"FP(e,s)", "smt." + name + "(x.sort.format[0], x.sort.format[1])", func(a *smt.Arena, s smt.Sort) (smt.Term, error) {
		eb, sb := a.FloatFormat(s)
		return a.App(op, []smt.Index{a.NumIndex(uint64(eb)), a.NumIndex(uint64(sb))})
	}}
}

func empty(op smt.Op, sort, text string) literal {
	return literal{sort, text, func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return a.AppAs(op, s, nil) }}
}

func integer(n int64) literal {
	return literal{"", fmt.Sprint(n), func(a *smt.Arena, _ smt.Sort) (smt.Term, error) { return a.IntVal(big.NewInt(n)), nil }}
}

func text(s string) literal {
	return literal{"", fmt.Sprintf("%q", s), func(a *smt.Arena, _ smt.Sort) (smt.Term, error) { return a.Str([]rune(s)), nil }}
}

func power(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }

// spaces maps the prefix of law names (the part before the dot) to the space of the theory.
var spaces = map[string]*space{
	"core": {parameters: []parameter{{"p", "Bool"}, {"q", "Bool"}, {"c", "Bool"}, {"x", "A"}, {"y", "A"}}, theories: []string{"Core"}},
	"bv": {parameters: []parameter{{"x", "BV(m)"}, {"y", "BV(m)"}}, sorts: []string{"Bool"}, theories: []string{"Core", "FixedSizeBitVectors", "BitVectorExtensions"},
		numbers: map[byte]int64{'m': 6}, without: []smt.Op{smt.OpImplies, smt.OpXor, smt.OpDistinct},
		literals: []literal{
			bits("smt.bv(0, x.sort.width)", func(uint) *big.Int { return new(big.Int) }),
			bits("smt.bv(1, x.sort.width)", func(uint) *big.Int { return big.NewInt(1) }),
			bits("smt.bv(pow2(x.sort.width) - 1, x.sort.width)", func(w uint) *big.Int { return new(big.Int).Sub(power(w), big.NewInt(1)) }),
			bits("smt.bv(pow2(x.sort.width - 1), x.sort.width)", func(w uint) *big.Int { return power(w - 1) }),
		}},
	"fp": {parameters: []parameter{{"r", "RoundingMode"}, {"x", "FP(e,s)"}, {"y", "FP(e,s)"}}, sorts: []string{"Bool"}, theories: []string{"Core", "FloatingPoint"},
		numbers: map[byte]int64{'e': 3, 's': 4}, without: []smt.Op{smt.OpImplies, smt.OpXor, smt.OpDistinct},
		literals: []literal{special(smt.OpFPPlusZero, "plus_zero"), special(smt.OpFPMinusZero, "minus_zero"), special(smt.OpFPPlusInf, "plus_oo"), special(smt.OpFPMinusInf, "minus_oo"), special(smt.OpFPNaN, "NaN")}},
	"int": {parameters: []parameter{{"x", "Int"}, {"y", "Int"}, {"z", "Int"}}, sorts: []string{"Bool"}, theories: []string{"Core", "Ints", "Arith"},
		without: []smt.Op{smt.OpImplies, smt.OpXor, smt.OpDistinct}, literals: []literal{integer(0), integer(1), integer(2)}},
	"str": {parameters: []parameter{{"s", "String"}, {"t", "String"}, {"i", "Int"}}, sorts: []string{"Bool"}, theories: []string{"Core", "Strings", "Ints"},
		without:  []smt.Op{smt.OpImplies, smt.OpXor, smt.OpDistinct, smt.OpMul, smt.OpIntDiv, smt.OpMod, smt.OpGe, smt.OpGt, smt.OpDivisible},
		literals: []literal{text(""), text("0"), integer(0), integer(1)}},
	"seq": {parameters: []parameter{{"s", "Seq(A)"}, {"t", "Seq(A)"}, {"i", "Int"}, {"x", "A"}}, sorts: []string{"Bool"}, theories: []string{"Core", "Sequences", "Ints"},
		without:  []smt.Op{smt.OpImplies, smt.OpXor, smt.OpDistinct, smt.OpMul, smt.OpIntDiv, smt.OpMod, smt.OpGe, smt.OpGt, smt.OpDivisible},
		literals: []literal{empty(smt.OpSeqEmpty, "Seq(A)", "smt.seq_empty(x.sort)"), integer(0), integer(1)}},
	"array": {parameters: []parameter{{"a", "Array(A,B)"}, {"b", "Array(A,B)"}, {"i", "A"}, {"j", "A"}, {"x", "B"}, {"y", "B"}}, sorts: []string{"Bool"}, theories: []string{"Core", "ArraysEx"},
		without: []smt.Op{smt.OpImplies, smt.OpXor, smt.OpDistinct}},
	"set": {parameters: []parameter{{"s", "Set(A)"}, {"t", "Set(A)"}, {"x", "A"}, {"y", "A"}}, sorts: []string{"Bool"}, theories: []string{"Core", "Sets"},
		without: []smt.Op{smt.OpImplies, smt.OpXor, smt.OpDistinct}, literals: []literal{empty(smt.OpSetEmpty, "Set(A)", "smt.set_empty(x.sort)")}},
}

// Theories lists the names of theories in which laws can be discovered.
func Theories() []string { return slices.Sorted(maps.Keys(spaces)) }

// spaceOf returns the space of a theory.
func spaceOf(theory string) (*space, error) {
	if s, ok := spaces[strings.ToLower(theory)]; ok {
		return s, nil
	}
	return nil, fmt.Errorf("there is no theory %q to look for laws in, want one of %s", theory, strings.Join(Theories(), ", "))
}
