package yices

import (
	"github.com/smtlark/smtlark/engine/smt"
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

func (y *yices) App(s *driver.Session, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	op := a.Op(t)
	index := func(i int) driver.Ref { return driver.Words(s.Indices(t))[i] }
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
			panic(y.NoOp(s, t))
		}
		return y.made("divides_atom", number(y.made("parse_rational", y.Library.Str(d.String()))), number(args[0]))
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
		return y.made(name, number(args[0]), index(0)%driver.Ref(a.Width(a.Sort(t))))
	case smt.OpSelect:
		return y.made("application", number(args[0]), 1, y.list(args[1:]))
	case smt.OpStore:
		return y.made("update", number(args[0]), 1, y.list(args[1:2]), number(args[2]))
	case smt.OpConstArray:
		v := y.made("new_variable", number(s.Sort(a.SortArgs(a.Sort(t))[0])))
		return y.made("lambda", 1, y.list([]driver.Ref{v}), number(args[0]))
	}
	k, ok := yicesOps[op]
	if !ok {
		panic(y.NoOp(s, t))
	}
	return driver.Nest(k, op, args, func(kind string, x ...driver.Ref) driver.Ref {
		list := make([]uintptr, len(x))
		for i, r := range x {
			list[i] = number(r)
		}
		return y.made(kind, list...)
	}, func(parts []driver.Ref) driver.Ref { return y.made("and", uintptr(len(parts)), y.list(parts)) })
}

func (y *yices) fold(name string, args []driver.Ref) driver.Ref {
	r := args[0]
	for _, x := range args[1:] {
		r = y.made(name, number(r), number(x))
	}
	return r
}
