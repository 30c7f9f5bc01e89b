package smt

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// symbolicNames are the function names of operators whose name in SMT-LIB is no identifier even after . and - became _.
var symbolicNames = map[smt.Op]string{
	smt.OpImplies: "implies", smt.OpEq: "eq", smt.OpSub: "sub", smt.OpAdd: "add", smt.OpMul: "mul", smt.OpDiv: "divide",
	smt.OpLe: "le", smt.OpLt: "lt", smt.OpGe: "ge", smt.OpGt: "gt", smt.OpPow: "pow", smt.OpRealDivTotal: "divide_total",
	smt.OpRealDiv0: "divide0", smt.OpConstArray: "const_array",
	smt.OpFPPlusInf: "plus_oo", smt.OpFPMinusInf: "minus_oo", smt.OpFPPlusZero: "plus_zero", smt.OpFPMinusZero: "minus_zero",
	smt.OpStrConcat: "str_append", smt.OpStrLt: "str_lt", smt.OpStrLe: "str_le", smt.OpSeqConcat: "seq_append",
	smt.OpReConcat: "re_append", smt.OpReStar: "re_star", smt.OpRePlus: "re_plus", smt.OpRePower: "re_power",
	smt.OpReLoopArgs: "re_loop_args",
}

// pythonWords cannot be names of functions.
var pythonWords = map[string]bool{
	"and": true, "or": true, "not": true, "is": true, "in": true, "if": true, "else": true, "for": true, "lambda": true,
}

// FunctionName returns the name of the function of the module that applies an operator: that of SMT-LIB with . and -
// turned into _, and a _ behind words of Python.
func FunctionName(op smt.Op) string {
	if name, ok := symbolicNames[op]; ok {
		return name
	}
	name := strings.NewReplacer(".", "_", "-", "_").Replace(op.String())
	if pythonWords[name] {
		name += "_"
	}
	return name
}
