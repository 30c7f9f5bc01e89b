package bindings

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// yicesOperators are the functions of libyices that make terms.
var yicesOperators = map[smt.Op]driver.Operator{
	smt.OpNot: {Call: "not"}, smt.OpImplies: {Call: "implies", Shape: driver.Binary},
	smt.OpEq: {Call: "eq", Shape: driver.Binary}, smt.OpIte: {Call: "ite"},
	smt.OpAdd: {Call: "add", Shape: driver.Binary}, smt.OpMul: {Call: "mul", Shape: driver.Binary},
	smt.OpDiv: {Call: "division", Shape: driver.Binary}, smt.OpIntDiv: {Call: "idiv", Shape: driver.Binary},
	smt.OpMod: {Call: "imod"}, smt.OpAbs: {Call: "abs"}, smt.OpLe: {Call: "arith_leq_atom", Shape: driver.Binary},
	smt.OpLt: {Call: "arith_lt_atom", Shape: driver.Binary}, smt.OpGe: {Call: "arith_geq_atom", Shape: driver.Binary},
	smt.OpGt: {Call: "arith_gt_atom", Shape: driver.Binary}, smt.OpToInt: {Call: "floor"},
	smt.OpIsInt:  {Call: "is_int_atom"},
	smt.OpConcat: {Call: "bvconcat2", Shape: driver.Binary}, smt.OpBVNot: {Call: "bvnot"},
	smt.OpBVNeg: {Call: "bvneg"}, smt.OpBVAnd: {Call: "bvand2", Shape: driver.Binary},
	smt.OpBVOr: {Call: "bvor2", Shape: driver.Binary}, smt.OpBVXor: {Call: "bvxor2", Shape: driver.Binary},
	smt.OpBVNand: {Call: "bvnand"}, smt.OpBVNor: {Call: "bvnor"}, smt.OpBVXnor: {Call: "bvxnor", Shape: driver.Binary},
	smt.OpBVAdd: {Call: "bvadd", Shape: driver.Binary}, smt.OpBVSub: {Call: "bvsub"},
	smt.OpBVMul: {Call: "bvmul", Shape: driver.Binary}, smt.OpBVUdiv: {Call: "bvdiv"}, smt.OpBVUrem: {Call: "bvrem"},
	smt.OpBVSdiv: {Call: "bvsdiv"}, smt.OpBVSrem: {Call: "bvsrem"}, smt.OpBVSmod: {Call: "bvsmod"},
	smt.OpBVShl: {Call: "bvshl"}, smt.OpBVLshr: {Call: "bvlshr"}, smt.OpBVAshr: {Call: "bvashr"},
	smt.OpBVComp: {Call: "redcomp"}, smt.OpBVUlt: {Call: "bvlt_atom"}, smt.OpBVUle: {Call: "bvle_atom"},
	smt.OpBVUgt: {Call: "bvgt_atom"}, smt.OpBVUge: {Call: "bvge_atom"}, smt.OpBVSlt: {Call: "bvslt_atom"},
	smt.OpBVSle: {Call: "bvsle_atom"}, smt.OpBVSgt: {Call: "bvsgt_atom"}, smt.OpBVSge: {Call: "bvsge_atom"},
	smt.OpBVRedor: {Call: "redor"}, smt.OpBVRedand: {Call: "redand"}, smt.OpRepeat: {Call: "bvrepeat"},
	smt.OpZeroExtend: {Call: "zero_extend"}, smt.OpSignExtend: {Call: "sign_extend"},
	smt.OpRotateLeft:  {Call: "rotate_left", Shape: driver.Turned},
	smt.OpRotateRight: {Call: "rotate_right", Shape: driver.Turned},
	// These functions may change their argument array, which is our own memory.
	smt.OpAnd: {Call: "and", Shape: driver.List}, smt.OpOr: {Call: "or", Shape: driver.List},
	smt.OpXor: {Call: "xor", Shape: driver.List}, smt.OpDistinct: {Call: "distinct", Shape: driver.List},
}

// Knows implements driver.TermMaker.
func (y *yices) Knows(call string) bool { return y.Library.Has("yices_" + call) }

// Make implements driver.TermMaker.
func (y *yices) Make(_ *driver.Translation, call string, shape driver.CallShape, indices []uint64,
	args []driver.Ref) driver.Ref {
	if shape == driver.List {
		return y.callForObject(call, uintptr(len(args)), y.numberList(args))
	}
	var words []uintptr
	for _, r := range args {
		words = append(words, objectNumber(r))
	}
	return y.callForObject(call, append(words, driver.Words(indices)...)...)
}

// Conjoin implements driver.TermMaker.
func (y *yices) Conjoin(s *driver.Translation, parts []driver.Ref) driver.Ref {
	return y.Make(s, "and", driver.List, nil, parts)
}

func (y *yices) App(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
	case smt.OpToReal:
		return args[0] // Int is a subtype of Real
	case smt.OpSub:
		if len(args) == 1 {
			return y.callForObject("neg", objectNumber(args[0]))
		}
		return y.foldLeft("sub", args)
	case smt.OpDivisible:
		d, ok := a.IndexNum(a.Indices(t)[0])
		if !ok {
			panic(s.NoOp(t))
		}
		return y.callForObject("divides_atom", objectNumber(y.callForObject("parse_rational", y.Library.Str(d.String()))),
			objectNumber(args[0]))
	case smt.OpExtract:
		index := driver.Words(s.Indices(t))
		return y.callForObject("bvextract", objectNumber(args[0]), index[1], index[0])
	case smt.OpSelect:
		return y.callForObject("application", objectNumber(args[0]), 1, y.numberList(args[1:]))
	case smt.OpStore:
		return y.callForObject("update", objectNumber(args[0]), 1, y.numberList(args[1:2]), objectNumber(args[2]))
	case smt.OpConstArray:
		v := y.callForObject("new_variable", objectNumber(s.Sort(a.SortArgs(a.Sort(t))[0])))
		return y.callForObject("lambda", 1, y.numberList([]driver.Ref{v}), objectNumber(args[0]))
	}
	return s.MakeOperator(y, yicesOperators, t, args)
}

func (y *yices) foldLeft(name string, args []driver.Ref) driver.Ref {
	r := args[0]
	for _, x := range args[1:] {
		r = y.callForObject(name, objectNumber(r), objectNumber(x))
	}
	return r
}
