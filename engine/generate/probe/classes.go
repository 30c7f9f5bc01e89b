package probe

import (
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Factors that are no kinds of sorts.
const (
	indexFactor        = "index"
	floatBitsFactor    = "bits of a float"
	constructionFactor = "draw" // what a construction is made of is drawn anew for each
)

// classes are the boundary classes of each kind of factor. boundary makes them, in this order.
var classes = cells.Classes{
	smt.KindBool.String():         {"false", "true"},
	smt.KindRoundingMode.String(): {"RNE", "RNA", "RTP", "RTN", "RTZ"},
	smt.KindBitVec.String(): {"0", "1", "-1", "least signed", "greatest signed", "width", "width - 1", "width + 1", "power of two",
		"power of two - 1", "power of two + 1", "any"},
	smt.KindFloat.String():       floatClasses,
	floatBitsFactor:              floatClasses,
	smt.KindInt.String():         {"0", "1", "-1", "2", "-2", "3", "around a power of two", "around minus a power of two", "around a border of code points", "-20 to 20", "any"},
	smt.KindReal.String():        {"0", "1", "-1", "1/2", "-1/2", "-1/3", "around a power of two", "over a power of two", "any"},
	smt.KindString.String():      {"empty", "a", "code point 0", "greatest code point", "surrogate", "digits", "no numeral", "repetition", "odd characters", "any"},
	smt.KindRegLan.String():      {"nothing", "everything", "any"},
	smt.KindFiniteField.String(): {"0", "1", "-1", "any"},
	smt.KindArray.String():       {"constant zero", "constant one", "greatest written once", "any"},
	smt.KindSeq.String():         {"empty", "one element", "twice the same", "any"},
	smt.KindSet.String():         {"empty", "one element", "two elements", "any"},
	smt.KindBag.String():         {"empty", "one element", "twice the same", "any"},
	anySort:                      {"zero or empty", "one", "greatest", "any"},
	indexFactor:                  {"0", "1", "half", "boundary - 1", "boundary", "any or boundary + 1"},
	constructionFactor:           {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"},
}

// anySort is the factor of an operand of a sort variable.
const anySort = "any sort"

var floatClasses = []string{"+0", "-0", "least subnormal", "greatest subnormal", "least normal", "greatest normal", "+oo", "-oo",
	"NaN", "NaN with a payload", "1", "next after 1", "halfway above an even integer", "halfway above an odd integer", "power of two", "any"}

// factorOf names the factor of an operand.
func factorOf(x *gen.Alternative, operand int, k smt.SortKind) string {
	switch {
	case k == smt.KindInvalid:
		return anySort
	case x.Op == smt.OpToFP && k == smt.KindBitVec && len(x.Kinds()) == 1:
		return floatBitsFactor
	case classes[k.String()] == nil:
		return anySort
	}
	return k.String()
}
