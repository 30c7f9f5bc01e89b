package logic

import "github.com/smtlark/smtlark/engine/language/smt"

// TheoryHigherOrder is the theory of functions as values, of SMT-LIB 2.7 and cvc5, which has no operators in the
// operator table.
const TheoryHigherOrder = "HigherOrder"

// TheoryOf maps each sort kind to the theory that it needs, by its name in the operator table.
var TheoryOf = map[smt.SortKind]string{
	smt.KindBool: "Core", smt.KindInt: "Ints", smt.KindReal: "Reals", smt.KindString: "Strings", smt.KindRegLan: "Strings", smt.KindRoundingMode: "FloatingPoint",
	smt.KindBitVec: "FixedSizeBitVectors", smt.KindFloat: "FloatingPoint", smt.KindArray: "ArraysEx", smt.KindSeq: "Sequences", smt.KindSet: "Sets",
	smt.KindBag: "Bags", smt.KindFiniteField: "FiniteFields", smt.KindUser: "UF", smt.KindDatatype: "Datatypes", smt.KindFunc: TheoryHigherOrder,
}
