package native

import (
	"github.com/smtlark/smtlark/engine/smt"
)

// boolectorOps are the operators that are functions of nodes. Bool being a bit vector, and, or and xor serve both.
var boolectorOps = map[smt.Op]kindOp{
	smt.OpNot: {kind: "not"}, smt.OpImplies: {kind: "implies", how: "right"}, smt.OpAnd: {kind: "and", how: "left"}, smt.OpOr: {kind: "or", how: "left"},
	smt.OpXor: {kind: "xor", how: "left"}, smt.OpEq: {kind: "eq", how: "chain"}, smt.OpIte: {kind: "cond"},

	smt.OpConcat: {kind: "concat", how: "left"}, smt.OpBVNot: {kind: "not"}, smt.OpBVNeg: {kind: "neg"}, smt.OpBVAnd: {kind: "and", how: "left"},
	smt.OpBVOr: {kind: "or", how: "left"}, smt.OpBVXor: {kind: "xor", how: "left"}, smt.OpBVNand: {kind: "nand"}, smt.OpBVNor: {kind: "nor"},
	smt.OpBVXnor: {kind: "xnor", how: "left"}, smt.OpBVAdd: {kind: "add", how: "left"}, smt.OpBVSub: {kind: "sub"}, smt.OpBVMul: {kind: "mul", how: "left"},
	smt.OpBVUdiv: {kind: "udiv"}, smt.OpBVUrem: {kind: "urem"}, smt.OpBVSdiv: {kind: "sdiv"}, smt.OpBVSrem: {kind: "srem"}, smt.OpBVSmod: {kind: "smod"},
	smt.OpBVShl: {kind: "sll"}, smt.OpBVLshr: {kind: "srl"}, smt.OpBVAshr: {kind: "sra"}, smt.OpBVComp: {kind: "eq"}, smt.OpBVUlt: {kind: "ult"},
	smt.OpBVUle: {kind: "ulte"}, smt.OpBVUgt: {kind: "ugt"}, smt.OpBVUge: {kind: "ugte"}, smt.OpBVSlt: {kind: "slt"}, smt.OpBVSle: {kind: "slte"},
	smt.OpBVSgt: {kind: "sgt"}, smt.OpBVSge: {kind: "sgte"}, smt.OpBVUaddo: {kind: "uaddo"}, smt.OpBVSaddo: {kind: "saddo"},
	smt.OpBVUmulo: {kind: "umulo"}, smt.OpBVSmulo: {kind: "smulo"}, smt.OpBVUsubo: {kind: "usubo"}, smt.OpBVSsubo: {kind: "ssubo"},
	smt.OpBVSdivo: {kind: "sdivo"}, smt.OpBVRedor: {kind: "redor"}, smt.OpBVRedand: {kind: "redand"}, smt.OpBVRedxor: {kind: "redxor"},
	smt.OpBVRol: {kind: "rol"}, smt.OpBVRor: {kind: "ror"}, smt.OpExtRotateLeft: {kind: "rol"}, smt.OpExtRotateRight: {kind: "ror"},
	smt.OpBVInc: {kind: "inc"}, smt.OpBVDec: {kind: "dec"},
	smt.OpBVUltBV: {kind: "ult"}, smt.OpBVSltBV: {kind: "slt"}, smt.OpBVIte: {kind: "cond"},

	smt.OpSelect: {kind: "read"}, smt.OpStore: {kind: "write"},
}

func (b *boolector) app(s *session, t smt.Term, args []ref) ref {
	a := s.a
	op := a.Op(t)
	index := func() ref { return words(s.indices(t))[0] }
	switch op {
	case smt.OpExtract:
		idx := words(s.indices(t))
		return b.c("slice", b.btor, args[0], idx[0], idx[1])
	case smt.OpZeroExtend:
		return b.c("uext", b.btor, args[0], index())
	case smt.OpSignExtend:
		return b.c("sext", b.btor, args[0], index())
	case smt.OpRepeat:
		return b.c("repeat", b.btor, args[0], index())
	case smt.OpRotateLeft, smt.OpRotateRight:
		name := "roli"
		if op == smt.OpRotateRight {
			name = "rori"
		}
		// An index of the width or more goes around as often; the library takes smaller ones only.
		return b.c(name, b.btor, args[0], index()%ref(a.Width(a.Sort(t))))
	case smt.OpConstArray:
		return b.c("const_array", b.btor, s.sort(a.Sort(t)), args[0])
	case smt.OpDistinct:
		var parts []ref
		for i := range args {
			for j := i + 1; j < len(args); j++ {
				if s.pick(2) == 1 {
					parts = append(parts, b.c("not", b.btor, b.c("eq", b.btor, args[i], args[j])))
				} else {
					parts = append(parts, b.c("ne", b.btor, args[i], args[j]))
				}
			}
		}
		return b.and(parts)
	case smt.OpBVNego:
		width := a.Width(a.Sort(a.Arg(t, 0)))
		return b.c("eq", b.btor, args[0], b.c("min_signed", b.btor, b.c("bitvec_sort", b.btor, uintptr(width))))
	case smt.OpBit2Bool:
		return b.c("slice", b.btor, args[0], index(), index())
	}
	k, ok := boolectorOps[op]
	if !ok {
		panic(b.noOp(s, t))
	}
	if op == smt.OpEq && len(args) == 2 && a.Sort(a.Arg(t, 0)) == smt.SortBool && s.pick(2) == 1 {
		k.kind = "iff"
	}
	return nest(k, len(args), args, func(kind string, x ...ref) ref { return b.c(kind, append([]ref{b.btor}, x...)...) }, b.and)
}

func (b *boolector) and(parts []ref) ref {
	r := parts[0]
	for _, x := range parts[1:] {
		r = b.c("and", b.btor, r, x)
	}
	return r
}
