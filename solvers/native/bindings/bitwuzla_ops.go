package bindings

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// bitwuzlaOperators are the kinds of Bitwuzla, and functions of its C interface.
var bitwuzlaOperators = map[smt.Op]driver.Operator{
	smt.OpNot: {Call: "NOT"}, smt.OpImplies: {Call: "IMPLIES", Shape: driver.Binary}, smt.OpAnd: {Call: "AND"},
	smt.OpOr: {Call: "OR"}, smt.OpXor: {Call: "XOR", Shape: driver.Binary},
	smt.OpEq: {Call: "EQUAL", Shape: driver.Binary, OnBools: "IFF"}, smt.OpDistinct: {Call: "DISTINCT"},
	smt.OpIte:    {Call: "ITE"},
	smt.OpConcat: {Call: "BV_CONCAT", Shape: driver.Binary}, smt.OpExtract: {Call: "BV_EXTRACT"},
	smt.OpBVNot: {Call: "BV_NOT"}, smt.OpBVNeg: {Call: "BV_NEG"}, smt.OpBVAnd: {Call: "BV_AND", Shape: driver.Binary},
	smt.OpBVOr: {Call: "BV_OR", Shape: driver.Binary}, smt.OpBVXor: {Call: "BV_XOR", Shape: driver.Binary},
	smt.OpBVNand: {Call: "BV_NAND"}, smt.OpBVNor: {Call: "BV_NOR"},
	smt.OpBVXnor: {Call: "BV_XNOR", Shape: driver.Binary}, smt.OpBVAdd: {Call: "BV_ADD", Shape: driver.Binary},
	smt.OpBVSub: {Call: "BV_SUB"}, smt.OpBVMul: {Call: "BV_MUL", Shape: driver.Binary},
	smt.OpBVUdiv: {Call: "BV_UDIV"}, smt.OpBVUrem: {Call: "BV_UREM"}, smt.OpBVSdiv: {Call: "BV_SDIV"},
	smt.OpBVSrem: {Call: "BV_SREM"}, smt.OpBVSmod: {Call: "BV_SMOD"}, smt.OpBVShl: {Call: "BV_SHL"},
	smt.OpBVLshr: {Call: "BV_SHR"}, smt.OpBVAshr: {Call: "BV_ASHR"}, smt.OpBVComp: {Call: "BV_COMP"},
	smt.OpBVUlt: {Call: "BV_ULT"}, smt.OpBVUle: {Call: "BV_ULE"}, smt.OpBVUgt: {Call: "BV_UGT"},
	smt.OpBVUge: {Call: "BV_UGE"}, smt.OpBVSlt: {Call: "BV_SLT"}, smt.OpBVSle: {Call: "BV_SLE"},
	smt.OpBVSgt: {Call: "BV_SGT"}, smt.OpBVSge: {Call: "BV_SGE"}, smt.OpRepeat: {Call: "BV_REPEAT"},
	smt.OpZeroExtend: {Call: "BV_ZERO_EXTEND"}, smt.OpSignExtend: {Call: "BV_SIGN_EXTEND"},
	smt.OpRotateLeft: {Call: "BV_ROLI"}, smt.OpRotateRight: {Call: "BV_RORI"},
	smt.OpBVNego:  {Call: "BV_NEG_OVERFLOW", Second: "BV_NEGO"},
	smt.OpBVUaddo: {Call: "BV_UADD_OVERFLOW", Second: "BV_UADDO"},
	smt.OpBVSaddo: {Call: "BV_SADD_OVERFLOW", Second: "BV_SADDO"},
	smt.OpBVUmulo: {Call: "BV_UMUL_OVERFLOW", Second: "BV_UMULO"},
	smt.OpBVSmulo: {Call: "BV_SMUL_OVERFLOW", Second: "BV_SMULO"},
	smt.OpBVUsubo: {Call: "BV_USUB_OVERFLOW", Second: "BV_USUBO"},
	smt.OpBVSsubo: {Call: "BV_SSUB_OVERFLOW", Second: "BV_SSUBO"},
	smt.OpBVSdivo: {Call: "BV_SDIV_OVERFLOW", Second: "BV_SDIVO"}, smt.OpBVRedor: {Call: "BV_REDOR"},
	smt.OpBVRedand: {Call: "BV_REDAND"}, smt.OpBVRedxor: {Call: "BV_REDXOR"}, smt.OpBVRol: {Call: "BV_ROL"},
	smt.OpBVRor: {Call: "BV_ROR"}, smt.OpExtRotateLeft: {Call: "BV_ROL"}, smt.OpExtRotateRight: {Call: "BV_ROR"},
	smt.OpBVInc: {Call: "BV_INC"}, smt.OpBVDec: {Call: "BV_DEC"},
	smt.OpFP: {Call: "FP_FP"}, smt.OpFPAbs: {Call: "FP_ABS"}, smt.OpFPNeg: {Call: "FP_NEG"},
	smt.OpFPAdd: {Call: "FP_ADD"}, smt.OpFPSub: {Call: "FP_SUB"}, smt.OpFPMul: {Call: "FP_MUL"},
	smt.OpFPDiv: {Call: "FP_DIV"}, smt.OpFPFma: {Call: "FP_FMA"}, smt.OpFPSqrt: {Call: "FP_SQRT"},
	smt.OpFPRem: {Call: "FP_REM"}, smt.OpFPRoundToIntegral: {Call: "FP_RTI"}, smt.OpFPMin: {Call: "FP_MIN"},
	smt.OpFPMax: {Call: "FP_MAX"}, smt.OpFPLeq: {Call: "FP_LEQ", Shape: driver.Binary},
	smt.OpFPLt: {Call: "FP_LT", Shape: driver.Binary}, smt.OpFPGeq: {Call: "FP_GEQ", Shape: driver.Binary},
	smt.OpFPGt: {Call: "FP_GT", Shape: driver.Binary}, smt.OpFPEq: {Call: "FP_EQUAL", Shape: driver.Binary},
	smt.OpFPIsNormal: {Call: "FP_IS_NORMAL"}, smt.OpFPIsSubnormal: {Call: "FP_IS_SUBNORMAL"},
	smt.OpFPIsZero: {Call: "FP_IS_ZERO"}, smt.OpFPIsInfinite: {Call: "FP_IS_INF"}, smt.OpFPIsNaN: {Call: "FP_IS_NAN"},
	smt.OpFPIsNegative: {Call: "FP_IS_NEG"}, smt.OpFPIsPositive: {Call: "FP_IS_POS"},
	smt.OpToFPUnsigned: {Call: "FP_TO_FP_FROM_UBV", Shape: driver.Format},
	smt.OpToFPFromBV:   {Call: "FP_TO_FP_FROM_BV", Shape: driver.Format},
	smt.OpToFPFromFP:   {Call: "FP_TO_FP_FROM_FP", Shape: driver.Format},
	smt.OpToFPFromSbv:  {Call: "FP_TO_FP_FROM_SBV", Shape: driver.Format}, smt.OpFPToUbv: {Call: "FP_TO_UBV"},
	smt.OpFPToSbv: {Call: "FP_TO_SBV"},
	smt.OpSelect:  {Call: "ARRAY_SELECT", Second: "SELECT"}, smt.OpStore: {Call: "ARRAY_STORE", Second: "STORE"},
	smt.OpRNE: {Call: "mk_rm_value", Words: []driver.Ref{0}}, smt.OpRNA: {Call: "mk_rm_value", Words: []driver.Ref{1}},
	smt.OpRTN: {Call: "mk_rm_value", Words: []driver.Ref{2}}, smt.OpRTP: {Call: "mk_rm_value", Words: []driver.Ref{3}},
	smt.OpRTZ:         {Call: "mk_rm_value", Words: []driver.Ref{4}},
	smt.OpFPPlusInf:   {Call: "mk_fp_pos_inf", Shape: driver.OfSort},
	smt.OpFPMinusInf:  {Call: "mk_fp_neg_inf", Shape: driver.OfSort},
	smt.OpFPPlusZero:  {Call: "mk_fp_pos_zero", Shape: driver.OfSort},
	smt.OpFPMinusZero: {Call: "mk_fp_neg_zero", Shape: driver.OfSort},
	smt.OpFPNaN:       {Call: "mk_fp_nan", Shape: driver.OfSort},
	smt.OpConstArray:  {Call: "mk_const_array", Shape: driver.OfSort},
}

// Knows implements driver.TermMaker.
func (b *bitwuzla) Knows(call string) bool {
	_, ok := b.kinds[call]
	return ok
}

// Make implements driver.TermMaker. Names of functions are those of the C interface, in small letters.
func (b *bitwuzla) Make(s *driver.Translation, call string, _ driver.CallShape, indices []uint64,
	args []driver.Ref) driver.Ref {
	if strings.HasPrefix(call, "mk_") {
		return b.callC(call, append([]driver.Ref{b.tm}, args...)...)
	}
	return b.makeTerm(s, call, indices, args...)
}

// Conjoin implements driver.TermMaker.
func (b *bitwuzla) Conjoin(s *driver.Translation, parts []driver.Ref) driver.Ref {
	return b.makeTerm(s, "AND", nil, parts...)
}

func (b *bitwuzla) App(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	op := a.Op(t)
	for _, x := range args {
		// The stand-in for a real constant has a meaning only as an argument of to_fp.
		if x == b.noReal && x != 0 && op != smt.OpToFP && op != smt.OpToFPFromReal && op != smt.OpSub && op != smt.OpDiv &&
			op != smt.OpToReal {
			panic(driver.Unsupported("bitwuzla has no sort Real"))
		}
	}
	switch op {
	case smt.OpFP:
		// Where the library has two calls for the same term, one is drawn, so that both are tested.
		if driver.IsFloatLiteral(a, t) && s.Pick(2) == 1 {
			return b.callC("mk_fp_value", b.tm, args[0], args[1], args[2])
		}
	case smt.OpSub, smt.OpDiv, smt.OpToReal:
		if _, ok := driver.Rational(a, t); ok {
			return b.realStandIn()
		}
		panic(s.NoOp(t))
	case smt.OpToFP, smt.OpToFPFromReal:
		return b.toFP(s, t, args)
	}
	return s.MakeOperator(b, bitwuzlaOperators, t, args)
}

func (b *bitwuzla) toFP(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	format := driver.FormatOf(a, t)
	if len(args) == 1 {
		return b.makeTerm(s, "FP_TO_FP_FROM_BV", format, args[0])
	}
	switch a.SortKind(a.Sort(a.Arg(t, 1))) {
	case smt.KindFloat:
		return b.makeTerm(s, "FP_TO_FP_FROM_FP", format, args...)
	case smt.KindBitVec:
		return b.makeTerm(s, "FP_TO_FP_FROM_SBV", format, args...)
	}
	r, ok := driver.Rational(a, a.Arg(t, 1))
	if !ok {
		panic(driver.Unsupported("bitwuzla takes only constants of sort Real"))
	}
	return b.callC("mk_fp_from_rational", b.tm, s.Sort(a.Sort(t)), args[0], b.Library.Str(r.Num().String()),
		b.Library.Str(r.Denom().String()))
}

// ApplyValue applies a function to all its arguments, as bitwuzla wants it.
func (b *bitwuzla) ApplyValue(s *driver.Translation, f smt.Term, fun driver.Ref, args []driver.Ref) driver.Ref {
	if len(args)+1 != len(s.Arena().SortArgs(s.Arena().Sort(f))) {
		panic(driver.Unsupported("bitwuzla has no partial application"))
	}
	return b.makeTerm(s, "APPLY", nil, append([]driver.Ref{fun}, args...)...)
}
