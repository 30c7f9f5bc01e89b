package smt

import (
	"strings"

	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// HeadKind classifies the head of a term: operator, literal, constant, application (of a function), variable, binder,
// annotation or unknown.
func HeadKind(a *Arena, t Term) string {
	switch op := a.Op(t); {
	case a.IsLiteral(t):
		return "literal"
	case op == OpApply && a.NumArgs(t) == 0:
		return "constant"
	case op == OpApply:
		return "application"
	case op == OpVar:
		return "variable"
	case op.IsBinder(), op == OpMatch:
		return "binder"
	case op == OpAnnot:
		return "annotation"
	case op == OpOpaque:
		return "unknown"
	}
	return "operator"
}

// HeadName is the name of a term's head as SMT-LIB writes it.
func HeadName(a *Arena, t Term) string {
	switch op := a.Op(t); op {
	case OpApply, OpFunction:
		return a.SymbolName(a.SymbolOf(t))
	case OpVar:
		return a.VarName(t)
	case OpOpaque:
		name, _ := a.OpaqueHead(t)
		return name
	default:
		return op.String()
	}
}

// LikelyOperator returns the operator that a name is probably a misspelling of, "" when it is one, or may well be a
// function that only some cases have.
func LikelyOperator(name string) string {
	if _, known := LookupOp(name); known || len(strings.Trim(name, "_")) < 4 || strings.ContainsAny(name, "0123456789") {
		return ""
	}
	ops := Ops()
	names := make([]string, 0, len(ops))
	for _, info := range ops {
		names = append(names, info.Op.String())
	}
	near := spelling.Nearest(name, names)
	if len(near) < 3 {
		return ""
	}
	return near
}
