package yices

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

var yicesOps = map[smt.Op]driver.Operator{
	smt.OpNot: {Kind: "not"}, smt.OpImplies: {Kind: "implies", Binary: true}, smt.OpEq: {Kind: "eq", Binary: true}, smt.OpIte: {Kind: "ite"},

	smt.OpAdd: {Kind: "add", Binary: true}, smt.OpMul: {Kind: "mul", Binary: true}, smt.OpDiv: {Kind: "division", Binary: true},
	smt.OpIntDiv: {Kind: "idiv", Binary: true}, smt.OpMod: {Kind: "imod"}, smt.OpAbs: {Kind: "abs"}, smt.OpLe: {Kind: "arith_leq_atom", Binary: true},
	smt.OpLt: {Kind: "arith_lt_atom", Binary: true}, smt.OpGe: {Kind: "arith_geq_atom", Binary: true}, smt.OpGt: {Kind: "arith_gt_atom", Binary: true},
	smt.OpToInt: {Kind: "floor"}, smt.OpIsInt: {Kind: "is_int_atom"},

	smt.OpConcat: {Kind: "bvconcat2", Binary: true}, smt.OpBVNot: {Kind: "bvnot"}, smt.OpBVNeg: {Kind: "bvneg"}, smt.OpBVAnd: {Kind: "bvand2", Binary: true},
	smt.OpBVOr: {Kind: "bvor2", Binary: true}, smt.OpBVXor: {Kind: "bvxor2", Binary: true}, smt.OpBVNand: {Kind: "bvnand"}, smt.OpBVNor: {Kind: "bvnor"},
	smt.OpBVXnor: {Kind: "bvxnor", Binary: true}, smt.OpBVAdd: {Kind: "bvadd", Binary: true}, smt.OpBVSub: {Kind: "bvsub"}, smt.OpBVMul: {Kind: "bvmul", Binary: true},
	smt.OpBVUdiv: {Kind: "bvdiv"}, smt.OpBVUrem: {Kind: "bvrem"}, smt.OpBVSdiv: {Kind: "bvsdiv"}, smt.OpBVSrem: {Kind: "bvsrem"}, smt.OpBVSmod: {Kind: "bvsmod"},
	smt.OpBVShl: {Kind: "bvshl"}, smt.OpBVLshr: {Kind: "bvlshr"}, smt.OpBVAshr: {Kind: "bvashr"}, smt.OpBVComp: {Kind: "redcomp"},
	smt.OpBVUlt: {Kind: "bvlt_atom"}, smt.OpBVUle: {Kind: "bvle_atom"}, smt.OpBVUgt: {Kind: "bvgt_atom"}, smt.OpBVUge: {Kind: "bvge_atom"},
	smt.OpBVSlt: {Kind: "bvslt_atom"}, smt.OpBVSle: {Kind: "bvsle_atom"}, smt.OpBVSgt: {Kind: "bvsgt_atom"}, smt.OpBVSge: {Kind: "bvsge_atom"},
	smt.OpBVRedor: {Kind: "redor"}, smt.OpBVRedand: {Kind: "redand"},
}

func (y *terms) App(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	op := a.Op(t)
	index := func(i int) driver.Ref { return driver.Words(s.Indices(t))[i] }
	n := uintptr(len(args))
	switch op {
	case smt.OpAnd:
		return y.callForObject("and", n, y.numberList(args)) // may change the array, which is ours
	case smt.OpOr:
		return y.callForObject("or", n, y.numberList(args))
	case smt.OpXor:
		return y.callForObject("xor", n, y.numberList(args))
	case smt.OpDistinct:
		return y.callForObject("distinct", n, y.numberList(args))
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
		return y.callForObject("divides_atom", objectNumber(y.callForObject("parse_rational", y.Library.Str(d.String()))), objectNumber(args[0]))
	case smt.OpExtract:
		return y.callForObject("bvextract", objectNumber(args[0]), index(1), index(0))
	case smt.OpRepeat:
		return y.callForObject("bvrepeat", objectNumber(args[0]), index(0))
	case smt.OpZeroExtend:
		return y.callForObject("zero_extend", objectNumber(args[0]), index(0))
	case smt.OpSignExtend:
		return y.callForObject("sign_extend", objectNumber(args[0]), index(0))
	case smt.OpRotateLeft, smt.OpRotateRight:
		name := "rotate_left"
		if op == smt.OpRotateRight {
			name = "rotate_right"
		}
		return y.callForObject(name, objectNumber(args[0]), index(0)%driver.Ref(a.Width(a.Sort(t))))
	case smt.OpSelect:
		return y.callForObject("application", objectNumber(args[0]), 1, y.numberList(args[1:]))
	case smt.OpStore:
		return y.callForObject("update", objectNumber(args[0]), 1, y.numberList(args[1:2]), objectNumber(args[2]))
	case smt.OpConstArray:
		v := y.callForObject("new_variable", objectNumber(s.Sort(a.SortArgs(a.Sort(t))[0])))
		return y.callForObject("lambda", 1, y.numberList([]driver.Ref{v}), objectNumber(args[0]))
	}
	k, ok := yicesOps[op]
	if !ok {
		panic(s.NoOp(t))
	}
	return driver.Nest(k, op, args, func(kind string, x ...driver.Ref) driver.Ref {
		list := make([]uintptr, len(x))
		for i, r := range x {
			list[i] = objectNumber(r)
		}
		return y.callForObject(kind, list...)
	}, func(parts []driver.Ref) driver.Ref {
		return y.callForObject("and", uintptr(len(parts)), y.numberList(parts))
	})
}

func (y *terms) foldLeft(name string, args []driver.Ref) driver.Ref {
	r := args[0]
	for _, x := range args[1:] {
		r = y.callForObject(name, objectNumber(r), objectNumber(x))
	}
	return r
}
