package gen

import (
	"github.com/smtlark/smtlark/engine/language/smt"
)

// OperatorName is the name of a term's operator as coverage counts it: the one in the operator table, or a word for
// constructs that are not in the table; "" for literals, constants and variables.
func OperatorName(a *smt.Arena, t smt.Term) string {
	op := a.Op(t)
	switch op {
	case smt.OpApply:
		switch info := a.SymbolInfo(a.SymbolOf(t)); {
		case info.Kind == smt.SymConstructor:
			return "constructor"
		case info.Kind == smt.SymSelector:
			return "selector"
		case a.NumArgs(t) > 0:
			return "apply"
		}
		return ""
	case smt.OpOpaque:
		name, _ := a.OpaqueHead(t)
		return name
	case smt.OpLambda, smt.OpFunction:
		array := a.SortKind(a.Sort(t)) == smt.KindArray
		switch {
		case array && op == smt.OpFunction:
			return "as-array"
		case array:
			return "lambda-array"
		}
		return op.Info().Name
	case smt.OpIs, smt.OpUpdate, smt.OpMatch, smt.OpForall, smt.OpExists, smt.OpHOApply, smt.OpMapArrays:
		return op.Info().Name
	}
	if op.Structural() {
		return ""
	}
	return op.Info().Name
}
