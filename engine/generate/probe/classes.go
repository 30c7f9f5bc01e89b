package probe

import (
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Factors that are no kinds of sorts.
const (
	indexFactor        = "index"
	floatBitsFactor    = "bits of a float"
	constructionFactor = "draw" // the parts of a construction are drawn anew for each one
)

// classes are the boundary classes of each kind of factor, in the order in which boundary makes them: of scalar sorts
// those of package literal.
var classes = func() cells.Classes {
	all := cells.Classes{
		floatBitsFactor:         literal.Classes(smt.KindFloat),
		smt.KindRegLan.String(): {"nothing", "everything", "any"},
		smt.KindArray.String():  {"constant zero", "constant one", "greatest written once", "any"},
		smt.KindSeq.String():    {"empty", "one element", "twice the same", "any"},
		smt.KindSet.String():    {"empty", "one element", "two elements", "any"},
		smt.KindBag.String():    {"empty", "one element", "twice the same", "any"},
		anySort:                 {"zero or empty", "one", "greatest", "any"},
		indexFactor:             {"0", "1", "half", "boundary - 1", "boundary", "any or boundary + 1"},
		constructionFactor:      {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"},
	}
	for _, k := range literal.Kinds() {
		all[k.String()] = literal.Classes(k)
	}
	return all
}()

// anySort is the factor of an operand of a sort variable.
const anySort = "any sort"

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
