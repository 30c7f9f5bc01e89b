package bindings

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// boolectorOperators are the operators that are functions on nodes. Since Bool is a bit vector, and, or and xor serve
// both sorts.
var boolectorOperators = map[smt.Op]driver.Operator{
	smt.OpNot: {Call: "not"}, smt.OpImplies: {Call: "implies", Shape: driver.Binary},
	smt.OpAnd: {Call: "and", Shape: driver.Binary}, smt.OpOr: {Call: "or", Shape: driver.Binary},
	smt.OpXor: {Call: "xor", Shape: driver.Binary}, smt.OpEq: {Call: "eq", Shape: driver.Binary, OnBools: "iff"},
	smt.OpIte:    {Call: "cond"},
	smt.OpConcat: {Call: "concat", Shape: driver.Binary}, smt.OpBVNot: {Call: "not"}, smt.OpBVNeg: {Call: "neg"},
	smt.OpBVAnd: {Call: "and", Shape: driver.Binary}, smt.OpBVOr: {Call: "or", Shape: driver.Binary},
	smt.OpBVXor: {Call: "xor", Shape: driver.Binary}, smt.OpBVNand: {Call: "nand"}, smt.OpBVNor: {Call: "nor"},
	smt.OpBVXnor: {Call: "xnor", Shape: driver.Binary}, smt.OpBVAdd: {Call: "add", Shape: driver.Binary},
	smt.OpBVSub: {Call: "sub"}, smt.OpBVMul: {Call: "mul", Shape: driver.Binary}, smt.OpBVUdiv: {Call: "udiv"},
	smt.OpBVUrem: {Call: "urem"}, smt.OpBVSdiv: {Call: "sdiv"}, smt.OpBVSrem: {Call: "srem"},
	smt.OpBVSmod: {Call: "smod"}, smt.OpBVShl: {Call: "sll"}, smt.OpBVLshr: {Call: "srl"}, smt.OpBVAshr: {Call: "sra"},
	smt.OpBVComp: {Call: "eq"}, smt.OpBVUlt: {Call: "ult"}, smt.OpBVUle: {Call: "ulte"}, smt.OpBVUgt: {Call: "ugt"},
	smt.OpBVUge: {Call: "ugte"}, smt.OpBVSlt: {Call: "slt"}, smt.OpBVSle: {Call: "slte"}, smt.OpBVSgt: {Call: "sgt"},
	smt.OpBVSge: {Call: "sgte"}, smt.OpBVUaddo: {Call: "uaddo"}, smt.OpBVSaddo: {Call: "saddo"},
	smt.OpBVUmulo: {Call: "umulo"}, smt.OpBVSmulo: {Call: "smulo"}, smt.OpBVUsubo: {Call: "usubo"},
	smt.OpBVSsubo: {Call: "ssubo"}, smt.OpBVSdivo: {Call: "sdivo"}, smt.OpBVRedor: {Call: "redor"},
	smt.OpBVRedand: {Call: "redand"}, smt.OpBVRedxor: {Call: "redxor"}, smt.OpBVRol: {Call: "rol"},
	smt.OpBVRor: {Call: "ror"}, smt.OpExtRotateLeft: {Call: "rol"}, smt.OpExtRotateRight: {Call: "ror"},
	smt.OpBVInc: {Call: "inc"}, smt.OpBVDec: {Call: "dec"}, smt.OpBVUltBV: {Call: "ult"}, smt.OpBVSltBV: {Call: "slt"},
	smt.OpBVIte:   {Call: "cond"},
	smt.OpExtract: {Call: "slice"}, smt.OpZeroExtend: {Call: "uext"}, smt.OpSignExtend: {Call: "sext"},
	smt.OpRepeat: {Call: "repeat"},
	// The library accepts only indices below the width.
	smt.OpRotateLeft: {Call: "roli", Shape: driver.Turned}, smt.OpRotateRight: {Call: "rori", Shape: driver.Turned},
	smt.OpSelect: {Call: "read"}, smt.OpStore: {Call: "write"},
	smt.OpConstArray: {Call: "const_array", Shape: driver.OfSort},
}

// Knows implements driver.TermMaker.
func (b *boolector) Knows(call string) bool { return b.Library.Has("boolector_" + call) }

// Make implements driver.TermMaker.
func (b *boolector) Make(_ *driver.Translation, call string, _ driver.CallShape, indices []uint64,
	args []driver.Ref) driver.Ref {
	return b.callC(call, slices.Concat([]driver.Ref{b.btor}, args, driver.Words(indices))...)
}

// Conjoin implements driver.TermMaker.
func (b *boolector) Conjoin(_ *driver.Translation, parts []driver.Ref) driver.Ref {
	return b.conjoin(parts)
}

func (b *boolector) App(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
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
		index := driver.Words(s.Indices(t))[0]
		return b.callC("slice", b.btor, args[0], index, index)
	}
	return s.MakeOperator(b, boolectorOperators, t, args)
}

func (b *boolector) conjoin(parts []driver.Ref) driver.Ref {
	r := parts[0]
	for _, x := range parts[1:] {
		r = b.callC("and", b.btor, r, x)
	}
	return r
}
