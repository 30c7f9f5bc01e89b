package native

import (
	"github.com/smtlark/smtlark/engine/smt"
)

var yicesOps = map[smt.Op]kindOp{
	smt.OpNot: {kind: "not"}, smt.OpImplies: {kind: "implies", how: "right"}, smt.OpEq: {kind: "eq", how: "chain"}, smt.OpIte: {kind: "ite"},

	smt.OpAdd: {kind: "add", how: "left"}, smt.OpMul: {kind: "mul", how: "left"}, smt.OpDiv: {kind: "division", how: "left"},
	smt.OpIntDiv: {kind: "idiv", how: "left"}, smt.OpMod: {kind: "imod"}, smt.OpAbs: {kind: "abs"}, smt.OpLe: {kind: "arith_leq_atom", how: "chain"},
	smt.OpLt: {kind: "arith_lt_atom", how: "chain"}, smt.OpGe: {kind: "arith_geq_atom", how: "chain"}, smt.OpGt: {kind: "arith_gt_atom", how: "chain"},
	smt.OpToInt: {kind: "floor"}, smt.OpIsInt: {kind: "is_int_atom"},

	smt.OpConcat: {kind: "bvconcat2", how: "left"}, smt.OpBVNot: {kind: "bvnot"}, smt.OpBVNeg: {kind: "bvneg"}, smt.OpBVAnd: {kind: "bvand2", how: "left"},
	smt.OpBVOr: {kind: "bvor2", how: "left"}, smt.OpBVXor: {kind: "bvxor2", how: "left"}, smt.OpBVNand: {kind: "bvnand"}, smt.OpBVNor: {kind: "bvnor"},
	smt.OpBVXnor: {kind: "bvxnor", how: "left"}, smt.OpBVAdd: {kind: "bvadd", how: "left"}, smt.OpBVSub: {kind: "bvsub"}, smt.OpBVMul: {kind: "bvmul", how: "left"},
	smt.OpBVUdiv: {kind: "bvdiv"}, smt.OpBVUrem: {kind: "bvrem"}, smt.OpBVSdiv: {kind: "bvsdiv"}, smt.OpBVSrem: {kind: "bvsrem"}, smt.OpBVSmod: {kind: "bvsmod"},
	smt.OpBVShl: {kind: "bvshl"}, smt.OpBVLshr: {kind: "bvlshr"}, smt.OpBVAshr: {kind: "bvashr"}, smt.OpBVComp: {kind: "redcomp"},
	smt.OpBVUlt: {kind: "bvlt_atom"}, smt.OpBVUle: {kind: "bvle_atom"}, smt.OpBVUgt: {kind: "bvgt_atom"}, smt.OpBVUge: {kind: "bvge_atom"},
	smt.OpBVSlt: {kind: "bvslt_atom"}, smt.OpBVSle: {kind: "bvsle_atom"}, smt.OpBVSgt: {kind: "bvsgt_atom"}, smt.OpBVSge: {kind: "bvsge_atom"},
	smt.OpBVRedor: {kind: "redor"}, smt.OpBVRedand: {kind: "redand"},
}

func (y *yices) app(s *session, t smt.Term, args []ref) ref {
	a := s.a
	op := a.Op(t)
	index := func(i int) ref { return words(s.indices(t))[i] }
	n := uintptr(len(args))
	switch op {
	case smt.OpAnd:
		return y.made("and", n, y.list(args)) // may change the array, which is ours
	case smt.OpOr:
		return y.made("or", n, y.list(args))
	case smt.OpXor:
		return y.made("xor", n, y.list(args))
	case smt.OpDistinct:
		return y.made("distinct", n, y.list(args))
	case smt.OpToReal:
		return args[0] // Int is a subtype of Real
	case smt.OpSub:
		if len(args) == 1 {
			return y.made("neg", number(args[0]))
		}
		return y.fold("sub", args)
	case smt.OpDivisible:
		d, ok := a.IndexNum(a.Indices(t)[0])
		if !ok {
			panic(y.noOp(s, t))
		}
		return y.made("divides_atom", number(y.made("parse_rational", y.l.str(d.String()))), number(args[0]))
	case smt.OpExtract:
		return y.made("bvextract", number(args[0]), index(1), index(0))
	case smt.OpRepeat:
		return y.made("bvrepeat", number(args[0]), index(0))
	case smt.OpZeroExtend:
		return y.made("zero_extend", number(args[0]), index(0))
	case smt.OpSignExtend:
		return y.made("sign_extend", number(args[0]), index(0))
	case smt.OpRotateLeft, smt.OpRotateRight:
		name := "rotate_left"
		if op == smt.OpRotateRight {
			name = "rotate_right"
		}
		return y.made(name, number(args[0]), index(0)%ref(a.Width(a.Sort(t))))
	case smt.OpSelect:
		return y.made("application", number(args[0]), 1, y.list(args[1:]))
	case smt.OpStore:
		return y.made("update", number(args[0]), 1, y.list(args[1:2]), number(args[2]))
	case smt.OpConstArray:
		v := y.made("new_variable", number(s.sort(a.SortArgs(a.Sort(t))[0])))
		return y.made("lambda", 1, y.list([]ref{v}), number(args[0]))
	}
	k, ok := yicesOps[op]
	if !ok {
		panic(y.noOp(s, t))
	}
	return nest(k, len(args), args, func(kind string, x ...ref) ref {
		list := make([]uintptr, len(x))
		for i, r := range x {
			list[i] = number(r)
		}
		return y.made(kind, list...)
	}, func(parts []ref) ref { return y.made("and", uintptr(len(parts)), y.list(parts)) })
}

func (y *yices) fold(name string, args []ref) ref {
	r := args[0]
	for _, x := range args[1:] {
		r = y.made(name, number(r), number(x))
	}
	return r
}
