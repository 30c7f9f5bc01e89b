package native

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/smt"
)

// kindOp is an operator of a library whose terms are made by kind.
type kindOp struct {
	kind string
	// how says what to do with more arguments than the kind takes; "" that it takes as many as the operator.
	how string // left, right, chain
	// second is another name of the kind, in the texts of other versions or in those of kind_to_string; "" for none.
	second string
}

var bitwuzlaOps = map[smt.Op]kindOp{
	smt.OpNot: {kind: "NOT"}, smt.OpImplies: {kind: "IMPLIES", how: "right"}, smt.OpAnd: {kind: "AND"}, smt.OpOr: {kind: "OR"},
	smt.OpXor: {kind: "XOR", how: "left"}, smt.OpEq: {kind: "EQUAL", how: "chain"}, smt.OpDistinct: {kind: "DISTINCT"}, smt.OpIte: {kind: "ITE"},

	smt.OpConcat: {kind: "BV_CONCAT", how: "left"}, smt.OpExtract: {kind: "BV_EXTRACT"}, smt.OpBVNot: {kind: "BV_NOT"}, smt.OpBVNeg: {kind: "BV_NEG"},
	smt.OpBVAnd: {kind: "BV_AND", how: "left"}, smt.OpBVOr: {kind: "BV_OR", how: "left"}, smt.OpBVXor: {kind: "BV_XOR", how: "left"},
	smt.OpBVNand: {kind: "BV_NAND"}, smt.OpBVNor: {kind: "BV_NOR"}, smt.OpBVXnor: {kind: "BV_XNOR", how: "left"},
	smt.OpBVAdd: {kind: "BV_ADD", how: "left"}, smt.OpBVSub: {kind: "BV_SUB"}, smt.OpBVMul: {kind: "BV_MUL", how: "left"},
	smt.OpBVUdiv: {kind: "BV_UDIV"}, smt.OpBVUrem: {kind: "BV_UREM"}, smt.OpBVSdiv: {kind: "BV_SDIV"}, smt.OpBVSrem: {kind: "BV_SREM"},
	smt.OpBVSmod: {kind: "BV_SMOD"}, smt.OpBVShl: {kind: "BV_SHL"}, smt.OpBVLshr: {kind: "BV_SHR"}, smt.OpBVAshr: {kind: "BV_ASHR"},
	smt.OpBVComp: {kind: "BV_COMP"}, smt.OpBVUlt: {kind: "BV_ULT"}, smt.OpBVUle: {kind: "BV_ULE"}, smt.OpBVUgt: {kind: "BV_UGT"},
	smt.OpBVUge: {kind: "BV_UGE"}, smt.OpBVSlt: {kind: "BV_SLT"}, smt.OpBVSle: {kind: "BV_SLE"}, smt.OpBVSgt: {kind: "BV_SGT"},
	smt.OpBVSge: {kind: "BV_SGE"}, smt.OpRepeat: {kind: "BV_REPEAT"}, smt.OpZeroExtend: {kind: "BV_ZERO_EXTEND"},
	smt.OpSignExtend: {kind: "BV_SIGN_EXTEND"}, smt.OpRotateLeft: {kind: "BV_ROLI"}, smt.OpRotateRight: {kind: "BV_RORI"},
	smt.OpBVNego: {kind: "BV_NEG_OVERFLOW", second: "BV_NEGO"}, smt.OpBVUaddo: {kind: "BV_UADD_OVERFLOW", second: "BV_UADDO"}, smt.OpBVSaddo: {kind: "BV_SADD_OVERFLOW", second: "BV_SADDO"},
	smt.OpBVUmulo: {kind: "BV_UMUL_OVERFLOW", second: "BV_UMULO"}, smt.OpBVSmulo: {kind: "BV_SMUL_OVERFLOW", second: "BV_SMULO"}, smt.OpBVUsubo: {kind: "BV_USUB_OVERFLOW", second: "BV_USUBO"},
	smt.OpBVSsubo: {kind: "BV_SSUB_OVERFLOW", second: "BV_SSUBO"}, smt.OpBVSdivo: {kind: "BV_SDIV_OVERFLOW", second: "BV_SDIVO"}, smt.OpBVRedor: {kind: "BV_REDOR"},
	smt.OpBVRedand: {kind: "BV_REDAND"}, smt.OpBVRedxor: {kind: "BV_REDXOR"}, smt.OpBVRol: {kind: "BV_ROL"}, smt.OpBVRor: {kind: "BV_ROR"},
	smt.OpExtRotateLeft: {kind: "BV_ROL"}, smt.OpExtRotateRight: {kind: "BV_ROR"}, smt.OpBVInc: {kind: "BV_INC"}, smt.OpBVDec: {kind: "BV_DEC"},

	smt.OpFP: {kind: "FP_FP"}, smt.OpFPAbs: {kind: "FP_ABS"}, smt.OpFPNeg: {kind: "FP_NEG"}, smt.OpFPAdd: {kind: "FP_ADD"}, smt.OpFPSub: {kind: "FP_SUB"},
	smt.OpFPMul: {kind: "FP_MUL"}, smt.OpFPDiv: {kind: "FP_DIV"}, smt.OpFPFma: {kind: "FP_FMA"}, smt.OpFPSqrt: {kind: "FP_SQRT"}, smt.OpFPRem: {kind: "FP_REM"},
	smt.OpFPRoundToIntegral: {kind: "FP_RTI"}, smt.OpFPMin: {kind: "FP_MIN"}, smt.OpFPMax: {kind: "FP_MAX"}, smt.OpFPLeq: {kind: "FP_LEQ", how: "chain"},
	smt.OpFPLt: {kind: "FP_LT", how: "chain"}, smt.OpFPGeq: {kind: "FP_GEQ", how: "chain"}, smt.OpFPGt: {kind: "FP_GT", how: "chain"},
	smt.OpFPEq: {kind: "FP_EQUAL", how: "chain"}, smt.OpFPIsNormal: {kind: "FP_IS_NORMAL"}, smt.OpFPIsSubnormal: {kind: "FP_IS_SUBNORMAL"},
	smt.OpFPIsZero: {kind: "FP_IS_ZERO"}, smt.OpFPIsInfinite: {kind: "FP_IS_INF"}, smt.OpFPIsNaN: {kind: "FP_IS_NAN"},
	smt.OpFPIsNegative: {kind: "FP_IS_NEG"}, smt.OpFPIsPositive: {kind: "FP_IS_POS"}, smt.OpToFPUnsigned: {kind: "FP_TO_FP_FROM_UBV"},
	smt.OpToFPFromBV: {kind: "FP_TO_FP_FROM_BV"}, smt.OpToFPFromFP: {kind: "FP_TO_FP_FROM_FP"}, smt.OpToFPFromSbv: {kind: "FP_TO_FP_FROM_SBV"},
	smt.OpFPToUbv: {kind: "FP_TO_UBV"}, smt.OpFPToSbv: {kind: "FP_TO_SBV"},

	smt.OpSelect: {kind: "ARRAY_SELECT", second: "SELECT"}, smt.OpStore: {kind: "ARRAY_STORE", second: "STORE"},
}

var bitwuzlaModes = map[smt.Op]uintptr{smt.OpRNE: 0, smt.OpRNA: 1, smt.OpRTN: 2, smt.OpRTP: 3, smt.OpRTZ: 4}

func (b *bitwuzla) app(s *session, t smt.Term, args []ref) ref {
	a := s.a
	op := a.Op(t)
	for _, x := range args {
		if x == b.noReal && x != 0 && op != smt.OpToFP && op != smt.OpToFPFromReal && op != smt.OpSub && op != smt.OpDiv && op != smt.OpToReal {
			panic(unsupported("bitwuzla has no sort Real"))
		}
	}
	so := func() ref { return s.sort(a.Sort(t)) }
	switch op {
	case smt.OpRNE, smt.OpRNA, smt.OpRTN, smt.OpRTP, smt.OpRTZ:
		return b.c("mk_rm_value", b.tm, bitwuzlaModes[op])
	case smt.OpFPPlusInf:
		return b.c("mk_fp_pos_inf", b.tm, so())
	case smt.OpFPMinusInf:
		return b.c("mk_fp_neg_inf", b.tm, so())
	case smt.OpFPPlusZero:
		return b.c("mk_fp_pos_zero", b.tm, so())
	case smt.OpFPMinusZero:
		return b.c("mk_fp_neg_zero", b.tm, so())
	case smt.OpFPNaN:
		return b.c("mk_fp_nan", b.tm, so())
	case smt.OpConstArray:
		return b.c("mk_const_array", b.tm, so(), args[0])
	case smt.OpFP:
		if a.Op(a.Arg(t, 0)) == smt.OpBVLit && a.Op(a.Arg(t, 1)) == smt.OpBVLit && a.Op(a.Arg(t, 2)) == smt.OpBVLit && s.pick(2) == 1 {
			return b.c("mk_fp_value", b.tm, args[0], args[1], args[2])
		}
	case smt.OpSub, smt.OpDiv, smt.OpToReal:
		if _, ok := rational(a, t); ok {
			return b.real()
		}
		panic(b.noOp(s, t))
	case smt.OpToFP, smt.OpToFPFromReal:
		return b.toFP(s, t, args)
	}
	k, ok := bitwuzlaOps[op]
	if !ok {
		panic(b.noOp(s, t))
	}
	if _, have := b.kinds[k.kind]; !have && k.second != "" {
		k.kind = k.second
	}
	var idx []uint64
	switch op {
	case smt.OpToFPUnsigned, smt.OpToFPFromBV, smt.OpToFPFromFP, smt.OpToFPFromSbv:
		idx = formatOf(a, t)
	default:
		idx = s.indices(t)
	}
	if op == smt.OpEq && len(args) == 2 && a.Sort(a.Arg(t, 0)) == smt.SortBool && s.pick(2) == 1 {
		k.kind = "IFF"
	}
	return nest(k, len(args), args, func(kind string, x ...ref) ref { return b.term(s, kind, idx, x...) },
		func(x []ref) ref { return b.term(s, "AND", nil, x...) })
}

// nest applies a kind to more arguments than it takes as the operator's attribute says.
func nest(k kindOp, n int, args []ref, make func(kind string, x ...ref) ref, and func([]ref) ref) ref {
	switch {
	case n <= 2 || k.how == "":
		return make(k.kind, args...)
	case k.how == "left":
		r := args[0]
		for _, x := range args[1:] {
			r = make(k.kind, r, x)
		}
		return r
	case k.how == "right":
		r := args[n-1]
		for i := n - 2; i >= 0; i-- {
			r = make(k.kind, args[i], r)
		}
		return r
	}
	var parts []ref
	for i := range n - 1 {
		parts = append(parts, make(k.kind, args[i], args[i+1]))
	}
	return and(parts)
}

func formatOf(a *smt.Arena, t smt.Term) []uint64 {
	eb, sb := a.FloatFormat(a.Sort(t))
	return []uint64{uint64(eb), uint64(sb)}
}

func (b *bitwuzla) toFP(s *session, t smt.Term, args []ref) ref {
	a := s.a
	format := formatOf(a, t)
	if len(args) == 1 {
		return b.term(s, "FP_TO_FP_FROM_BV", format, args[0])
	}
	switch a.SortKind(a.Sort(a.Arg(t, 1))) {
	case smt.KindFloat:
		return b.term(s, "FP_TO_FP_FROM_FP", format, args...)
	case smt.KindBitVec:
		return b.term(s, "FP_TO_FP_FROM_SBV", format, args...)
	}
	r, ok := rational(a, a.Arg(t, 1))
	if !ok {
		panic(unsupported("bitwuzla takes only constants of sort Real"))
	}
	return b.c("mk_fp_from_rational", b.tm, s.sort(a.Sort(t)), args[0], b.l.str(r.Num().String()), b.l.str(r.Denom().String()))
}

// rational returns the value of a constant of sort Real or Int: a literal, a negation, a quotient.
func rational(a *smt.Arena, t smt.Term) (*big.Rat, bool) {
	switch a.Op(t) {
	case smt.OpRealLit:
		return a.RatOf(t)
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		return new(big.Rat).SetInt(n), true
	case smt.OpToReal:
		return rational(a, a.Arg(t, 0))
	case smt.OpSub:
		if r, ok := rational(a, a.Arg(t, 0)); ok && a.NumArgs(t) == 1 {
			return new(big.Rat).Neg(r), true
		}
	case smt.OpDiv:
		x, ok1 := rational(a, a.Arg(t, 0))
		y, ok2 := rational(a, a.Arg(t, 1))
		if ok1 && ok2 && a.NumArgs(t) == 2 && y.Sign() != 0 {
			return new(big.Rat).Quo(x, y), true
		}
	}
	return nil, false
}
