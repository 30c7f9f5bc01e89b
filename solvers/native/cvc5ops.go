package native

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/smt"
)

var cvc5Ops = map[smt.Op]kindOp{
	smt.OpNot: {kind: "NOT"}, smt.OpImplies: {kind: "IMPLIES", how: "right"}, smt.OpAnd: {kind: "AND"}, smt.OpOr: {kind: "OR"},
	smt.OpXor: {kind: "XOR", how: "left"}, smt.OpEq: {kind: "EQUAL", how: "chain"}, smt.OpDistinct: {kind: "DISTINCT"}, smt.OpIte: {kind: "ITE"},

	smt.OpAdd: {kind: "ADD"}, smt.OpMul: {kind: "MULT"}, smt.OpIntDiv: {kind: "INTS_DIVISION", how: "left"}, smt.OpMod: {kind: "INTS_MODULUS"},
	smt.OpAbs: {kind: "ABS"}, smt.OpLe: {kind: "LEQ", how: "chain"}, smt.OpLt: {kind: "LT", how: "chain"}, smt.OpGe: {kind: "GEQ", how: "chain"},
	smt.OpGt: {kind: "GT", how: "chain"}, smt.OpDiv: {kind: "DIVISION", how: "left"}, smt.OpToReal: {kind: "TO_REAL"}, smt.OpToInt: {kind: "TO_INTEGER"},
	smt.OpIsInt: {kind: "IS_INTEGER"}, smt.OpPow: {kind: "POW"}, smt.OpIand: {kind: "IAND"}, smt.OpIntPow2: {kind: "POW2"}, smt.OpIntLog2: {kind: "LOG2"},
	smt.OpDivTotal: {kind: "INTS_DIVISION_TOTAL"}, smt.OpModTotal: {kind: "INTS_MODULUS_TOTAL"}, smt.OpRealDivTotal: {kind: "DIVISION_TOTAL"},
	smt.OpExp: {kind: "EXPONENTIAL"}, smt.OpSin: {kind: "SINE"}, smt.OpCos: {kind: "COSINE"}, smt.OpTan: {kind: "TANGENT"}, smt.OpCsc: {kind: "COSECANT"},
	smt.OpSec: {kind: "SECANT"}, smt.OpCot: {kind: "COTANGENT"}, smt.OpArcsin: {kind: "ARCSINE"}, smt.OpArccos: {kind: "ARCCOSINE"},
	smt.OpArctan: {kind: "ARCTANGENT"}, smt.OpArccsc: {kind: "ARCCOSECANT"}, smt.OpArcsec: {kind: "ARCSECANT"}, smt.OpArccot: {kind: "ARCCOTANGENT"},
	smt.OpSqrt: {kind: "SQRT"},

	smt.OpConcat: {kind: "BITVECTOR_CONCAT"}, smt.OpExtract: {kind: "BITVECTOR_EXTRACT"}, smt.OpBVNot: {kind: "BITVECTOR_NOT"},
	smt.OpBVNeg: {kind: "BITVECTOR_NEG"}, smt.OpBVAnd: {kind: "BITVECTOR_AND"}, smt.OpBVOr: {kind: "BITVECTOR_OR"}, smt.OpBVXor: {kind: "BITVECTOR_XOR"},
	smt.OpBVNand: {kind: "BITVECTOR_NAND"}, smt.OpBVNor: {kind: "BITVECTOR_NOR"}, smt.OpBVXnor: {kind: "BITVECTOR_XNOR", how: "left"},
	smt.OpBVAdd: {kind: "BITVECTOR_ADD"}, smt.OpBVSub: {kind: "BITVECTOR_SUB"}, smt.OpBVMul: {kind: "BITVECTOR_MULT"}, smt.OpBVUdiv: {kind: "BITVECTOR_UDIV"},
	smt.OpBVUrem: {kind: "BITVECTOR_UREM"}, smt.OpBVSdiv: {kind: "BITVECTOR_SDIV"}, smt.OpBVSrem: {kind: "BITVECTOR_SREM"},
	smt.OpBVSmod: {kind: "BITVECTOR_SMOD"}, smt.OpBVShl: {kind: "BITVECTOR_SHL"}, smt.OpBVLshr: {kind: "BITVECTOR_LSHR"}, smt.OpBVAshr: {kind: "BITVECTOR_ASHR"},
	smt.OpBVComp: {kind: "BITVECTOR_COMP"}, smt.OpBVUlt: {kind: "BITVECTOR_ULT"}, smt.OpBVUle: {kind: "BITVECTOR_ULE"}, smt.OpBVUgt: {kind: "BITVECTOR_UGT"},
	smt.OpBVUge: {kind: "BITVECTOR_UGE"}, smt.OpBVSlt: {kind: "BITVECTOR_SLT"}, smt.OpBVSle: {kind: "BITVECTOR_SLE"}, smt.OpBVSgt: {kind: "BITVECTOR_SGT"},
	smt.OpBVSge: {kind: "BITVECTOR_SGE"}, smt.OpRepeat: {kind: "BITVECTOR_REPEAT"}, smt.OpZeroExtend: {kind: "BITVECTOR_ZERO_EXTEND"},
	smt.OpSignExtend: {kind: "BITVECTOR_SIGN_EXTEND"}, smt.OpRotateLeft: {kind: "BITVECTOR_ROTATE_LEFT"}, smt.OpRotateRight: {kind: "BITVECTOR_ROTATE_RIGHT"},
	smt.OpBVNego: {kind: "BITVECTOR_NEGO"}, smt.OpBVUaddo: {kind: "BITVECTOR_UADDO"}, smt.OpBVSaddo: {kind: "BITVECTOR_SADDO"},
	smt.OpBVUmulo: {kind: "BITVECTOR_UMULO"}, smt.OpBVSmulo: {kind: "BITVECTOR_SMULO"}, smt.OpBVUsubo: {kind: "BITVECTOR_USUBO"},
	smt.OpBVSsubo: {kind: "BITVECTOR_SSUBO"}, smt.OpBVSdivo: {kind: "BITVECTOR_SDIVO"}, smt.OpUbvToInt: {kind: "BITVECTOR_UBV_TO_INT", second: "BITVECTOR_TO_NAT"},
	smt.OpSbvToInt: {kind: "BITVECTOR_SBV_TO_INT"}, smt.OpIntToBV: {kind: "INT_TO_BITVECTOR"}, smt.OpBVRedor: {kind: "BITVECTOR_REDOR"},
	smt.OpBVRedand: {kind: "BITVECTOR_REDAND"}, smt.OpBVUltBV: {kind: "BITVECTOR_ULTBV"}, smt.OpBVSltBV: {kind: "BITVECTOR_SLTBV"}, smt.OpBVIte: {kind: "BITVECTOR_ITE"},

	smt.OpFP: {kind: "FLOATINGPOINT_FP"}, smt.OpFPAbs: {kind: "FLOATINGPOINT_ABS"}, smt.OpFPNeg: {kind: "FLOATINGPOINT_NEG"}, smt.OpFPAdd: {kind: "FLOATINGPOINT_ADD"},
	smt.OpFPSub: {kind: "FLOATINGPOINT_SUB"}, smt.OpFPMul: {kind: "FLOATINGPOINT_MULT"}, smt.OpFPDiv: {kind: "FLOATINGPOINT_DIV"}, smt.OpFPFma: {kind: "FLOATINGPOINT_FMA"},
	smt.OpFPSqrt: {kind: "FLOATINGPOINT_SQRT"}, smt.OpFPRem: {kind: "FLOATINGPOINT_REM"}, smt.OpFPRoundToIntegral: {kind: "FLOATINGPOINT_RTI"},
	smt.OpFPMin: {kind: "FLOATINGPOINT_MIN"}, smt.OpFPMax: {kind: "FLOATINGPOINT_MAX"}, smt.OpFPLeq: {kind: "FLOATINGPOINT_LEQ", how: "chain"},
	smt.OpFPLt: {kind: "FLOATINGPOINT_LT", how: "chain"}, smt.OpFPGeq: {kind: "FLOATINGPOINT_GEQ", how: "chain"}, smt.OpFPGt: {kind: "FLOATINGPOINT_GT", how: "chain"},
	smt.OpFPEq: {kind: "FLOATINGPOINT_EQ", how: "chain"}, smt.OpFPIsNormal: {kind: "FLOATINGPOINT_IS_NORMAL"}, smt.OpFPIsSubnormal: {kind: "FLOATINGPOINT_IS_SUBNORMAL"},
	smt.OpFPIsZero: {kind: "FLOATINGPOINT_IS_ZERO"}, smt.OpFPIsInfinite: {kind: "FLOATINGPOINT_IS_INF"}, smt.OpFPIsNaN: {kind: "FLOATINGPOINT_IS_NAN"},
	smt.OpFPIsNegative: {kind: "FLOATINGPOINT_IS_NEG"}, smt.OpFPIsPositive: {kind: "FLOATINGPOINT_IS_POS"}, smt.OpFPToReal: {kind: "FLOATINGPOINT_TO_REAL"},
	smt.OpFPToUbv: {kind: "FLOATINGPOINT_TO_UBV"}, smt.OpFPToSbv: {kind: "FLOATINGPOINT_TO_SBV"}, smt.OpToFPUnsigned: {kind: "FLOATINGPOINT_TO_FP_FROM_UBV"},
	smt.OpToFPFromBV: {kind: "FLOATINGPOINT_TO_FP_FROM_IEEE_BV"}, smt.OpToFPFromFP: {kind: "FLOATINGPOINT_TO_FP_FROM_FP"},
	smt.OpToFPFromReal: {kind: "FLOATINGPOINT_TO_FP_FROM_REAL"}, smt.OpToFPFromSbv: {kind: "FLOATINGPOINT_TO_FP_FROM_SBV"},

	smt.OpSelect: {kind: "SELECT"}, smt.OpStore: {kind: "STORE"}, smt.OpEqRange: {kind: "EQ_RANGE"},

	smt.OpSeqUnit: {kind: "SEQ_UNIT"}, smt.OpSeqConcat: {kind: "SEQ_CONCAT"}, smt.OpSeqLen: {kind: "SEQ_LENGTH"}, smt.OpSeqExtract: {kind: "SEQ_EXTRACT"},
	smt.OpSeqAt: {kind: "SEQ_AT"}, smt.OpSeqNth: {kind: "SEQ_NTH"}, smt.OpSeqUpdate: {kind: "SEQ_UPDATE"}, smt.OpSeqContains: {kind: "SEQ_CONTAINS"},
	smt.OpSeqIndexOf: {kind: "SEQ_INDEXOF"}, smt.OpSeqReplace: {kind: "SEQ_REPLACE"}, smt.OpSeqReplaceAll: {kind: "SEQ_REPLACE_ALL"}, smt.OpSeqRev: {kind: "SEQ_REV"},
	smt.OpSeqPrefixOf: {kind: "SEQ_PREFIX"}, smt.OpSeqSuffixOf: {kind: "SEQ_SUFFIX"},

	smt.OpSetSingleton: {kind: "SET_SINGLETON"}, smt.OpSetUnion: {kind: "SET_UNION", how: "left"}, smt.OpSetInter: {kind: "SET_INTER", how: "left"},
	smt.OpSetMinus: {kind: "SET_MINUS", how: "left"}, smt.OpSetMember: {kind: "SET_MEMBER"}, smt.OpSetSubset: {kind: "SET_SUBSET"}, smt.OpSetInsert: {kind: "SET_INSERT"},
	smt.OpSetCard: {kind: "SET_CARD"}, smt.OpSetComplement: {kind: "SET_COMPLEMENT"}, smt.OpSetChoose: {kind: "SET_CHOOSE"}, smt.OpSetIsEmpty: {kind: "SET_IS_EMPTY"},
	smt.OpSetIsSingleton: {kind: "SET_IS_SINGLETON"},

	smt.OpBagMake: {kind: "BAG_MAKE"}, smt.OpBagUnionMax: {kind: "BAG_UNION_MAX", how: "left"}, smt.OpBagUnionDisjoint: {kind: "BAG_UNION_DISJOINT", how: "left"},
	smt.OpBagInterMin: {kind: "BAG_INTER_MIN", how: "left"}, smt.OpBagDifferenceSubtract: {kind: "BAG_DIFFERENCE_SUBTRACT", how: "left"},
	smt.OpBagDifferenceRemove: {kind: "BAG_DIFFERENCE_REMOVE", how: "left"}, smt.OpBagSubbag: {kind: "BAG_SUBBAG"}, smt.OpBagCount: {kind: "BAG_COUNT"},
	smt.OpBagMember: {kind: "BAG_MEMBER"}, smt.OpBagSetof: {kind: "BAG_SETOF", second: "BAG_DUPLICATE_REMOVAL"}, smt.OpBagCard: {kind: "BAG_CARD"},
	smt.OpBagChoose: {kind: "BAG_CHOOSE"}, smt.OpBagIsSingleton: {kind: "BAG_IS_SINGLETON"}, smt.OpBagFromSet: {kind: "BAG_FROM_SET"}, smt.OpBagToSet: {kind: "BAG_TO_SET"},

	smt.OpFFAdd: {kind: "FINITE_FIELD_ADD"}, smt.OpFFMul: {kind: "FINITE_FIELD_MULT"}, smt.OpFFNeg: {kind: "FINITE_FIELD_NEG"}, smt.OpFFBitsum: {kind: "FINITE_FIELD_BITSUM"},

	smt.OpStrConcat: {kind: "STRING_CONCAT"}, smt.OpStrLen: {kind: "STRING_LENGTH"}, smt.OpStrLt: {kind: "STRING_LT", how: "chain"}, smt.OpStrLe: {kind: "STRING_LEQ", how: "chain"},
	smt.OpStrAt: {kind: "STRING_CHARAT"}, smt.OpStrSubstr: {kind: "STRING_SUBSTR"}, smt.OpStrPrefixOf: {kind: "STRING_PREFIX"}, smt.OpStrSuffixOf: {kind: "STRING_SUFFIX"},
	smt.OpStrContains: {kind: "STRING_CONTAINS"}, smt.OpStrIndexOf: {kind: "STRING_INDEXOF"}, smt.OpStrReplace: {kind: "STRING_REPLACE"},
	smt.OpStrReplaceAll: {kind: "STRING_REPLACE_ALL"}, smt.OpStrReplaceRe: {kind: "STRING_REPLACE_RE"}, smt.OpStrReplaceReAll: {kind: "STRING_REPLACE_RE_ALL"},
	smt.OpStrIsDigit: {kind: "STRING_IS_DIGIT"}, smt.OpStrToCode: {kind: "STRING_TO_CODE"}, smt.OpStrFromCode: {kind: "STRING_FROM_CODE"},
	smt.OpStrToInt: {kind: "STRING_TO_INT"}, smt.OpStrFromInt: {kind: "STRING_FROM_INT"}, smt.OpStrToRe: {kind: "STRING_TO_REGEXP"}, smt.OpStrInRe: {kind: "STRING_IN_REGEXP"},
	smt.OpReConcat: {kind: "REGEXP_CONCAT"}, smt.OpReUnion: {kind: "REGEXP_UNION"}, smt.OpReInter: {kind: "REGEXP_INTER"}, smt.OpReDiff: {kind: "REGEXP_DIFF", how: "left"},
	smt.OpReStar: {kind: "REGEXP_STAR"}, smt.OpReComp: {kind: "REGEXP_COMPLEMENT"}, smt.OpRePlus: {kind: "REGEXP_PLUS"}, smt.OpReOpt: {kind: "REGEXP_OPT"},
	smt.OpReRange: {kind: "REGEXP_RANGE"}, smt.OpRePower: {kind: "REGEXP_REPEAT"}, smt.OpReLoop: {kind: "REGEXP_LOOP"},
	smt.OpStrRev: {kind: "STRING_REV"}, smt.OpStrUpdate: {kind: "STRING_UPDATE"}, smt.OpStrToLower: {kind: "STRING_TO_LOWER"}, smt.OpStrToUpper: {kind: "STRING_TO_UPPER"},
	smt.OpStrIndexOfRe: {kind: "STRING_INDEXOF_RE"},
}

// cvc5Modes are the names that cvc5_rm_to_string gives to rounding modes, by those of SMT-LIB; then those of the enum.
var cvc5Modes = map[smt.Op][2]string{
	smt.OpRNE: {"RNE", "ROUND_NEAREST_TIES_TO_EVEN"}, smt.OpRNA: {"RNA", "ROUND_NEAREST_TIES_TO_AWAY"}, smt.OpRTP: {"RTP", "ROUND_TOWARD_POSITIVE"},
	smt.OpRTN: {"RTN", "ROUND_TOWARD_NEGATIVE"}, smt.OpRTZ: {"RTZ", "ROUND_TOWARD_ZERO"},
}

// cvc5Leaves are operators without arguments, made by functions of the sort of the result.
var cvc5Leaves = map[smt.Op]func(c *cvc5, s *session, so smt.Sort) ref{
	smt.OpFPPlusInf:   func(c *cvc5, s *session, so smt.Sort) ref { return c.float("mk_fp_pos_inf", s, so) },
	smt.OpFPMinusInf:  func(c *cvc5, s *session, so smt.Sort) ref { return c.float("mk_fp_neg_inf", s, so) },
	smt.OpFPPlusZero:  func(c *cvc5, s *session, so smt.Sort) ref { return c.float("mk_fp_pos_zero", s, so) },
	smt.OpFPMinusZero: func(c *cvc5, s *session, so smt.Sort) ref { return c.float("mk_fp_neg_zero", s, so) },
	smt.OpFPNaN:       func(c *cvc5, s *session, so smt.Sort) ref { return c.float("mk_fp_nan", s, so) },
	smt.OpRealPi:      func(c *cvc5, _ *session, _ smt.Sort) ref { return c.c("mk_pi", c.tm) },
	smt.OpReNone:      func(c *cvc5, _ *session, _ smt.Sort) ref { return c.c("mk_regexp_none", c.tm) },
	smt.OpReAll:       func(c *cvc5, _ *session, _ smt.Sort) ref { return c.c("mk_regexp_all", c.tm) },
	smt.OpReAllChar:   func(c *cvc5, _ *session, _ smt.Sort) ref { return c.c("mk_regexp_allchar", c.tm) },
	smt.OpSetEmpty:    func(c *cvc5, s *session, so smt.Sort) ref { return c.c("mk_empty_set", c.tm, s.sort(so)) },
	smt.OpSetUniverse: func(c *cvc5, s *session, so smt.Sort) ref { return c.c("mk_universe_set", c.tm, s.sort(so)) },
	smt.OpBagEmpty:    func(c *cvc5, s *session, so smt.Sort) ref { return c.c("mk_empty_bag", c.tm, s.sort(so)) },
	smt.OpSeqEmpty: func(c *cvc5, s *session, so smt.Sort) ref {
		return c.c("mk_empty_sequence", c.tm, s.sort(s.a.SortArgs(so)[0]))
	},
}

func (c *cvc5) float(name string, s *session, so smt.Sort) ref {
	eb, sb := s.a.FloatFormat(so)
	return c.c(name, c.tm, uintptr(eb), uintptr(sb))
}

func (c *cvc5) app(s *session, t smt.Term, args []ref) ref {
	a := s.a
	op := a.Op(t)
	if leaf := cvc5Leaves[op]; leaf != nil {
		return leaf(c, s, a.Sort(t))
	}
	if names, ok := cvc5Modes[op]; ok {
		for _, name := range names {
			if n, ok := c.modes[name]; ok {
				return c.c("mk_rm", c.tm, uintptr(n))
			}
		}
		panic(c.noOp(s, t))
	}
	switch op {
	case smt.OpDiv:
		if r, ok := rational(a, t); ok { // a constant, as cvc5's own reader takes it
			return c.c("mk_real", c.tm, c.l.str(r.RatString()))
		}
	case smt.OpSub:
		if n, ok := a.IntOf(a.Arg(t, 0)); ok && len(args) == 1 {
			return c.c("mk_integer", c.tm, c.l.str("-"+n.String()))
		}
		if r, ok := rational(a, t); ok && len(args) == 1 && a.Sort(t) == smt.SortReal {
			return c.c("mk_real", c.tm, c.l.str(r.RatString()))
		}
		if len(args) == 1 {
			return c.term(s, "NEG", nil, args...)
		}
		return c.term(s, "SUB", nil, args...)
	case smt.OpConstArray:
		return c.c("mk_const_array", c.tm, s.sort(a.Sort(t)), args[0])
	case smt.OpDivisible:
		return c.divisible(s, t, args)
	case smt.OpToFP:
		return c.toFP(s, t, args)
	case smt.OpFP:
		if a.Op(a.Arg(t, 0)) == smt.OpBVLit && a.Op(a.Arg(t, 1)) == smt.OpBVLit && a.Op(a.Arg(t, 2)) == smt.OpBVLit {
			if r := c.floatLiteral(s, t, args); r != 0 {
				return r
			}
		}
	case smt.OpSeqIndexOf, smt.OpStrIndexOf:
		if len(args) == 2 {
			args = append(args[:2:2], c.c("mk_integer_int64", c.tm, 0))
		}
	case smt.OpReLoop:
		if idx := s.indices(t); len(idx) == 1 {
			return c.term(s, "REGEXP_CONCAT", nil, c.term(s, "REGEXP_REPEAT", idx, args[0]), c.term(s, "REGEXP_STAR", nil, args[0]))
		}
	case smt.OpReLoopArgs:
		lo, ok1 := a.IntOf(a.Arg(t, 1))
		if len(args) == 3 && ok1 && lo.IsUint64() {
			if hi, ok := a.IntOf(a.Arg(t, 2)); ok && hi.IsUint64() {
				return c.term(s, "REGEXP_LOOP", []uint64{lo.Uint64(), hi.Uint64()}, args[0])
			}
		}
		panic(c.noOp(s, t))
	}
	k, ok := cvc5Ops[op]
	if !ok {
		panic(c.noOp(s, t))
	}
	if _, have := c.kinds[k.kind]; !have && k.second != "" {
		k.kind = k.second
	}
	if len(args) == 1 && (op == smt.OpStrConcat || op == smt.OpSeqConcat || op == smt.OpReConcat || op == smt.OpReUnion || op == smt.OpReInter) {
		return args[0]
	}
	var idx []uint64
	switch op {
	case smt.OpToFPUnsigned, smt.OpToFPFromBV, smt.OpToFPFromFP, smt.OpToFPFromReal, smt.OpToFPFromSbv:
		idx = formatOf(a, t)
	default:
		idx = s.indices(t)
	}
	return nest(k, len(args), args, func(kind string, x ...ref) ref { return c.term(s, kind, idx, x...) },
		func(x []ref) ref { return c.term(s, "AND", nil, x...) })
}

// divisible has an index that may not fit a word: then it is told as text.
func (c *cvc5) divisible(s *session, t smt.Term, args []ref) ref {
	n, ok := s.a.IndexNum(s.a.Indices(t)[0])
	if !ok {
		panic(c.noOp(s, t))
	}
	if n.IsUint64() && n.BitLen() <= 32 && s.pick(2) == 0 {
		return c.term(s, "DIVISIBLE", []uint64{n.Uint64()}, args...)
	}
	op := c.c("mk_op_from_str", c.tm, c.kind("DIVISIBLE"), c.l.str(n.String()))
	return c.c("mk_term_from_op", c.tm, op, 1, c.l.refs(args))
}

// floatLiteral makes a floating-point constant from its bits; 0 for the plain way, an application of fp.
func (c *cvc5) floatLiteral(s *session, t smt.Term, args []ref) ref {
	a := s.a
	switch s.pick(3) {
	case 1:
		if c.l.has("cvc5_mk_fp_from_ieee") {
			return c.c("mk_fp_from_ieee", c.tm, args[0], args[1], args[2])
		}
	case 2:
		bits := new(big.Int)
		width := 0
		for i := range 3 {
			n, _ := a.BVOf(a.Arg(t, i))
			w := a.Width(a.Sort(a.Arg(t, i)))
			bits.Or(bits.Lsh(bits, uint(w)), n)
			width += w
		}
		eb, sb := a.FloatFormat(a.Sort(t))
		return c.c("mk_fp", c.tm, uintptr(eb), uintptr(sb), c.bits(s, width, bits))
	}
	return 0
}

func (c *cvc5) toFP(s *session, t smt.Term, args []ref) ref {
	a := s.a
	format := formatOf(a, t)
	if len(args) == 1 {
		return c.term(s, "FLOATINGPOINT_TO_FP_FROM_IEEE_BV", format, args[0])
	}
	from := a.SortKind(a.Sort(a.Arg(t, 1)))
	switch from {
	case smt.KindFloat:
		return c.term(s, "FLOATINGPOINT_TO_FP_FROM_FP", format, args...)
	case smt.KindBitVec:
		return c.term(s, "FLOATINGPOINT_TO_FP_FROM_SBV", format, args...)
	case smt.KindInt:
		args = []ref{args[0], c.term(s, "TO_REAL", nil, args[1])}
	}
	return c.term(s, "FLOATINGPOINT_TO_FP_FROM_REAL", format, args...)
}
