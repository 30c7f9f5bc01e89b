package mutate

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// subjects maps words in an option's name to the parts of SMT-LIB that the option affects.
var subjects = []struct {
	words []string
	texts []string
}{
	{[]string{"nl"}, []string{"(* "}},
	{[]string{"arith", "int", "dio", "cut", "som", "brab", "simplex", "lp"}, []string{"Int", "Real"}},
	{[]string{"array", "arrays", "store"}, []string{"Array"}},
	{[]string{"bv", "bitblast", "extracts", "sext", "int2bv", "gauss"}, []string{"BitVec"}},
	{[]string{"string", "strings", "str", "seq", "re"}, []string{"String"}},
	{[]string{"mbqi", "ematching", "matching", "cbqi", "quant", "quantifiers", "macro", "macros", "miniscope", "qi", "inst", "fmf", "finite"}, []string{"(forall", "(exists"}},
	{[]string{"ite"}, []string{"(ite "}},
	{[]string{"fp", "fpa"}, []string{"FloatingPoint"}},
	{[]string{"dt", "datatypes"}, []string{"declare-datatype"}},
	{[]string{"uf", "ackermann", "ackermannize"}, []string{"declare-fun"}},
	{[]string{"sets"}, []string{"(Set "}},
}

// OptionSubjects returns parts of SMT-LIB text with which an option of a solver has to do, as far as its name tells; ""
// stands for any formula.
func OptionSubjects(name string) []string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	for _, w := range words {
		if _, ok := smt.LookupOp(w); ok && strings.HasPrefix(w, "bv") {
			return []string{"(" + w + " ", "BitVec"}
		}
	}
	for _, s := range subjects {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(s.words, w) }) {
			return s.texts
		}
	}
	return []string{""}
}
