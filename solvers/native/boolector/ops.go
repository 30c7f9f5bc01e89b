package boolector

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// boolectorOps are the operators that are functions of nodes. Bool being a bit vector, and, or and xor serve both.
var boolectorOps = map[smt.Op]driver.Operator{
	smt.OpNot: {Kind: "not"}, smt.OpImplies: {Kind: "implies", Binary: true}, smt.OpAnd: {Kind: "and", Binary: true}, smt.OpOr: {Kind: "or", Binary: true},
	smt.OpXor: {Kind: "xor", Binary: true}, smt.OpEq: {Kind: "eq", Binary: true}, smt.OpIte: {Kind: "cond"},

	smt.OpConcat: {Kind: "concat", Binary: true}, smt.OpBVNot: {Kind: "not"}, smt.OpBVNeg: {Kind: "neg"}, smt.OpBVAnd: {Kind: "and", Binary: true},
	smt.OpBVOr: {Kind: "or", Binary: true}, smt.OpBVXor: {Kind: "xor", Binary: true}, smt.OpBVNand: {Kind: "nand"}, smt.OpBVNor: {Kind: "nor"},
	smt.OpBVXnor: {Kind: "xnor", Binary: true}, smt.OpBVAdd: {Kind: "add", Binary: true}, smt.OpBVSub: {Kind: "sub"}, smt.OpBVMul: {Kind: "mul", Binary: true},
	smt.OpBVUdiv: {Kind: "udiv"}, smt.OpBVUrem: {Kind: "urem"}, smt.OpBVSdiv: {Kind: "sdiv"}, smt.OpBVSrem: {Kind: "srem"}, smt.OpBVSmod: {Kind: "smod"},
	smt.OpBVShl: {Kind: "sll"}, smt.OpBVLshr: {Kind: "srl"}, smt.OpBVAshr: {Kind: "sra"}, smt.OpBVComp: {Kind: "eq"}, smt.OpBVUlt: {Kind: "ult"},
	smt.OpBVUle: {Kind: "ulte"}, smt.OpBVUgt: {Kind: "ugt"}, smt.OpBVUge: {Kind: "ugte"}, smt.OpBVSlt: {Kind: "slt"}, smt.OpBVSle: {Kind: "slte"},
	smt.OpBVSgt: {Kind: "sgt"}, smt.OpBVSge: {Kind: "sgte"}, smt.OpBVUaddo: {Kind: "uaddo"}, smt.OpBVSaddo: {Kind: "saddo"},
	smt.OpBVUmulo: {Kind: "umulo"}, smt.OpBVSmulo: {Kind: "smulo"}, smt.OpBVUsubo: {Kind: "usubo"}, smt.OpBVSsubo: {Kind: "ssubo"},
	smt.OpBVSdivo: {Kind: "sdivo"}, smt.OpBVRedor: {Kind: "redor"}, smt.OpBVRedand: {Kind: "redand"}, smt.OpBVRedxor: {Kind: "redxor"},
	smt.OpBVRol: {Kind: "rol"}, smt.OpBVRor: {Kind: "ror"}, smt.OpExtRotateLeft: {Kind: "rol"}, smt.OpExtRotateRight: {Kind: "ror"},
	smt.OpBVInc: {Kind: "inc"}, smt.OpBVDec: {Kind: "dec"},
	smt.OpBVUltBV: {Kind: "ult"}, smt.OpBVSltBV: {Kind: "slt"}, smt.OpBVIte: {Kind: "cond"},

	smt.OpSelect: {Kind: "read"}, smt.OpStore: {Kind: "write"},
}

func (b *terms) App(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	op := a.Op(t)
	index := func() driver.Ref { return driver.Words(s.Indices(t))[0] }
	switch op {
	case smt.OpExtract:
		idx := driver.Words(s.Indices(t))
		return b.callC("slice", b.btor, args[0], idx[0], idx[1])
	case smt.OpZeroExtend:
		return b.callC("uext", b.btor, args[0], index())
	case smt.OpSignExtend:
		return b.callC("sext", b.btor, args[0], index())
	case smt.OpRepeat:
		return b.callC("repeat", b.btor, args[0], index())
	case smt.OpRotateLeft, smt.OpRotateRight:
		name := "roli"
		if op == smt.OpRotateRight {
			name = "rori"
		}
		// An index of the width or more goes around as often; the library takes smaller ones only.
		return b.callC(name, b.btor, args[0], index()%driver.Ref(a.Width(a.Sort(t))))
	case smt.OpConstArray:
		return b.callC("const_array", b.btor, s.Sort(a.Sort(t)), args[0])
	case smt.OpDistinct:
		var parts []driver.Ref
		for i := range args {
			for j := i + 1; j < len(args); j++ {
				// Where the library has two calls for the same term, one is drawn, so that both are tested.
				if s.Pick(2) == 1 {
					parts = append(parts, b.callC("not", b.btor, b.callC("eq", b.btor, args[i], args[j])))
				} else {
					parts = append(parts, b.callC("ne", b.btor, args[i], args[j]))
				}
			}
		}
		return b.conjoin(parts)
	case smt.OpBVNego:
		width := a.Width(a.Sort(a.Arg(t, 0)))
		return b.callC("eq", b.btor, args[0], b.callC("min_signed", b.btor, b.callC("bitvec_sort", b.btor, uintptr(width))))
	case smt.OpBit2Bool:
		return b.callC("slice", b.btor, args[0], index(), index())
	}
	k, ok := boolectorOps[op]
	if !ok {
		panic(s.NoOp(t))
	}
	if op == smt.OpEq && len(args) == 2 && a.Sort(a.Arg(t, 0)) == smt.SortBool && s.Pick(2) == 1 {
		k.Kind = "iff"
	}
	return driver.Nest(k, op, args, func(kind string, x ...driver.Ref) driver.Ref {
		return b.callC(kind, append([]driver.Ref{b.btor}, x...)...)
	}, b.conjoin)
}

func (b *terms) conjoin(parts []driver.Ref) driver.Ref {
	r := parts[0]
	for _, x := range parts[1:] {
		r = b.callC("and", b.btor, r, x)
	}
	return r
}
