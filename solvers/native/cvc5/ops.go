package cvc5

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

var cvc5Ops = map[smt.Op]driver.Operator{
	smt.OpNot: {Kind: "NOT"}, smt.OpImplies: {Kind: "IMPLIES", Binary: true}, smt.OpAnd: {Kind: "AND"}, smt.OpOr: {Kind: "OR"},
	smt.OpXor: {Kind: "XOR", Binary: true}, smt.OpEq: {Kind: "EQUAL", Binary: true}, smt.OpDistinct: {Kind: "DISTINCT"}, smt.OpIte: {Kind: "ITE"},

	smt.OpAdd: {Kind: "ADD"}, smt.OpMul: {Kind: "MULT"}, smt.OpIntDiv: {Kind: "INTS_DIVISION", Binary: true}, smt.OpMod: {Kind: "INTS_MODULUS"},
	smt.OpAbs: {Kind: "ABS"}, smt.OpLe: {Kind: "LEQ", Binary: true}, smt.OpLt: {Kind: "LT", Binary: true}, smt.OpGe: {Kind: "GEQ", Binary: true},
	smt.OpGt: {Kind: "GT", Binary: true}, smt.OpDiv: {Kind: "DIVISION", Binary: true}, smt.OpToReal: {Kind: "TO_REAL"}, smt.OpToInt: {Kind: "TO_INTEGER"},
	smt.OpIsInt: {Kind: "IS_INTEGER"}, smt.OpPow: {Kind: "POW"}, smt.OpIand: {Kind: "IAND"}, smt.OpIntPow2: {Kind: "POW2"}, smt.OpIntLog2: {Kind: "LOG2"},
	smt.OpDivTotal: {Kind: "INTS_DIVISION_TOTAL"}, smt.OpModTotal: {Kind: "INTS_MODULUS_TOTAL"}, smt.OpRealDivTotal: {Kind: "DIVISION_TOTAL"},
	smt.OpExp: {Kind: "EXPONENTIAL"}, smt.OpSin: {Kind: "SINE"}, smt.OpCos: {Kind: "COSINE"}, smt.OpTan: {Kind: "TANGENT"}, smt.OpCsc: {Kind: "COSECANT"},
	smt.OpSec: {Kind: "SECANT"}, smt.OpCot: {Kind: "COTANGENT"}, smt.OpArcsin: {Kind: "ARCSINE"}, smt.OpArccos: {Kind: "ARCCOSINE"},
	smt.OpArctan: {Kind: "ARCTANGENT"}, smt.OpArccsc: {Kind: "ARCCOSECANT"}, smt.OpArcsec: {Kind: "ARCSECANT"}, smt.OpArccot: {Kind: "ARCCOTANGENT"},
	smt.OpSqrt: {Kind: "SQRT"},

	smt.OpConcat: {Kind: "BITVECTOR_CONCAT"}, smt.OpExtract: {Kind: "BITVECTOR_EXTRACT"}, smt.OpBVNot: {Kind: "BITVECTOR_NOT"},
	smt.OpBVNeg: {Kind: "BITVECTOR_NEG"}, smt.OpBVAnd: {Kind: "BITVECTOR_AND"}, smt.OpBVOr: {Kind: "BITVECTOR_OR"}, smt.OpBVXor: {Kind: "BITVECTOR_XOR"},
	smt.OpBVNand: {Kind: "BITVECTOR_NAND"}, smt.OpBVNor: {Kind: "BITVECTOR_NOR"}, smt.OpBVXnor: {Kind: "BITVECTOR_XNOR", Binary: true},
	smt.OpBVAdd: {Kind: "BITVECTOR_ADD"}, smt.OpBVSub: {Kind: "BITVECTOR_SUB"}, smt.OpBVMul: {Kind: "BITVECTOR_MULT"}, smt.OpBVUdiv: {Kind: "BITVECTOR_UDIV"},
	smt.OpBVUrem: {Kind: "BITVECTOR_UREM"}, smt.OpBVSdiv: {Kind: "BITVECTOR_SDIV"}, smt.OpBVSrem: {Kind: "BITVECTOR_SREM"},
	smt.OpBVSmod: {Kind: "BITVECTOR_SMOD"}, smt.OpBVShl: {Kind: "BITVECTOR_SHL"}, smt.OpBVLshr: {Kind: "BITVECTOR_LSHR"}, smt.OpBVAshr: {Kind: "BITVECTOR_ASHR"},
	smt.OpBVComp: {Kind: "BITVECTOR_COMP"}, smt.OpBVUlt: {Kind: "BITVECTOR_ULT"}, smt.OpBVUle: {Kind: "BITVECTOR_ULE"}, smt.OpBVUgt: {Kind: "BITVECTOR_UGT"},
	smt.OpBVUge: {Kind: "BITVECTOR_UGE"}, smt.OpBVSlt: {Kind: "BITVECTOR_SLT"}, smt.OpBVSle: {Kind: "BITVECTOR_SLE"}, smt.OpBVSgt: {Kind: "BITVECTOR_SGT"},
	smt.OpBVSge: {Kind: "BITVECTOR_SGE"}, smt.OpRepeat: {Kind: "BITVECTOR_REPEAT"}, smt.OpZeroExtend: {Kind: "BITVECTOR_ZERO_EXTEND"},
	smt.OpSignExtend: {Kind: "BITVECTOR_SIGN_EXTEND"}, smt.OpRotateLeft: {Kind: "BITVECTOR_ROTATE_LEFT"}, smt.OpRotateRight: {Kind: "BITVECTOR_ROTATE_RIGHT"},
	smt.OpBVNego: {Kind: "BITVECTOR_NEGO"}, smt.OpBVUaddo: {Kind: "BITVECTOR_UADDO"}, smt.OpBVSaddo: {Kind: "BITVECTOR_SADDO"},
	smt.OpBVUmulo: {Kind: "BITVECTOR_UMULO"}, smt.OpBVSmulo: {Kind: "BITVECTOR_SMULO"}, smt.OpBVUsubo: {Kind: "BITVECTOR_USUBO"},
	smt.OpBVSsubo: {Kind: "BITVECTOR_SSUBO"}, smt.OpBVSdivo: {Kind: "BITVECTOR_SDIVO"}, smt.OpUbvToInt: {Kind: "BITVECTOR_UBV_TO_INT", Second: "BITVECTOR_TO_NAT"},
	smt.OpSbvToInt: {Kind: "BITVECTOR_SBV_TO_INT"}, smt.OpIntToBV: {Kind: "INT_TO_BITVECTOR"}, smt.OpBVRedor: {Kind: "BITVECTOR_REDOR"},
	smt.OpBVRedand: {Kind: "BITVECTOR_REDAND"}, smt.OpBVUltBV: {Kind: "BITVECTOR_ULTBV"}, smt.OpBVSltBV: {Kind: "BITVECTOR_SLTBV"}, smt.OpBVIte: {Kind: "BITVECTOR_ITE"},

	smt.OpFP: {Kind: "FLOATINGPOINT_FP"}, smt.OpFPAbs: {Kind: "FLOATINGPOINT_ABS"}, smt.OpFPNeg: {Kind: "FLOATINGPOINT_NEG"}, smt.OpFPAdd: {Kind: "FLOATINGPOINT_ADD"},
	smt.OpFPSub: {Kind: "FLOATINGPOINT_SUB"}, smt.OpFPMul: {Kind: "FLOATINGPOINT_MULT"}, smt.OpFPDiv: {Kind: "FLOATINGPOINT_DIV"}, smt.OpFPFma: {Kind: "FLOATINGPOINT_FMA"},
	smt.OpFPSqrt: {Kind: "FLOATINGPOINT_SQRT"}, smt.OpFPRem: {Kind: "FLOATINGPOINT_REM"}, smt.OpFPRoundToIntegral: {Kind: "FLOATINGPOINT_RTI"},
	smt.OpFPMin: {Kind: "FLOATINGPOINT_MIN"}, smt.OpFPMax: {Kind: "FLOATINGPOINT_MAX"}, smt.OpFPLeq: {Kind: "FLOATINGPOINT_LEQ", Binary: true},
	smt.OpFPLt: {Kind: "FLOATINGPOINT_LT", Binary: true}, smt.OpFPGeq: {Kind: "FLOATINGPOINT_GEQ", Binary: true}, smt.OpFPGt: {Kind: "FLOATINGPOINT_GT", Binary: true},
	smt.OpFPEq: {Kind: "FLOATINGPOINT_EQ", Binary: true}, smt.OpFPIsNormal: {Kind: "FLOATINGPOINT_IS_NORMAL"}, smt.OpFPIsSubnormal: {Kind: "FLOATINGPOINT_IS_SUBNORMAL"},
	smt.OpFPIsZero: {Kind: "FLOATINGPOINT_IS_ZERO"}, smt.OpFPIsInfinite: {Kind: "FLOATINGPOINT_IS_INF"}, smt.OpFPIsNaN: {Kind: "FLOATINGPOINT_IS_NAN"},
	smt.OpFPIsNegative: {Kind: "FLOATINGPOINT_IS_NEG"}, smt.OpFPIsPositive: {Kind: "FLOATINGPOINT_IS_POS"}, smt.OpFPToReal: {Kind: "FLOATINGPOINT_TO_REAL"},
	smt.OpFPToUbv: {Kind: "FLOATINGPOINT_TO_UBV"}, smt.OpFPToSbv: {Kind: "FLOATINGPOINT_TO_SBV"}, smt.OpToFPUnsigned: {Kind: "FLOATINGPOINT_TO_FP_FROM_UBV"},
	smt.OpToFPFromBV: {Kind: "FLOATINGPOINT_TO_FP_FROM_IEEE_BV"}, smt.OpToFPFromFP: {Kind: "FLOATINGPOINT_TO_FP_FROM_FP"},
	smt.OpToFPFromReal: {Kind: "FLOATINGPOINT_TO_FP_FROM_REAL"}, smt.OpToFPFromSbv: {Kind: "FLOATINGPOINT_TO_FP_FROM_SBV"},

	smt.OpSelect: {Kind: "SELECT"}, smt.OpStore: {Kind: "STORE"}, smt.OpEqRange: {Kind: "EQ_RANGE"},

	smt.OpSeqUnit: {Kind: "SEQ_UNIT"}, smt.OpSeqConcat: {Kind: "SEQ_CONCAT"}, smt.OpSeqLen: {Kind: "SEQ_LENGTH"}, smt.OpSeqExtract: {Kind: "SEQ_EXTRACT"},
	smt.OpSeqAt: {Kind: "SEQ_AT"}, smt.OpSeqNth: {Kind: "SEQ_NTH"}, smt.OpSeqUpdate: {Kind: "SEQ_UPDATE"}, smt.OpSeqContains: {Kind: "SEQ_CONTAINS"},
	smt.OpSeqIndexOf: {Kind: "SEQ_INDEXOF"}, smt.OpSeqReplace: {Kind: "SEQ_REPLACE"}, smt.OpSeqReplaceAll: {Kind: "SEQ_REPLACE_ALL"}, smt.OpSeqRev: {Kind: "SEQ_REV"},
	smt.OpSeqPrefixOf: {Kind: "SEQ_PREFIX"}, smt.OpSeqSuffixOf: {Kind: "SEQ_SUFFIX"},

	smt.OpSetSingleton: {Kind: "SET_SINGLETON"}, smt.OpSetUnion: {Kind: "SET_UNION", Binary: true}, smt.OpSetInter: {Kind: "SET_INTER", Binary: true},
	smt.OpSetMinus: {Kind: "SET_MINUS", Binary: true}, smt.OpSetMember: {Kind: "SET_MEMBER"}, smt.OpSetSubset: {Kind: "SET_SUBSET"}, smt.OpSetInsert: {Kind: "SET_INSERT"},
	smt.OpSetCard: {Kind: "SET_CARD"}, smt.OpSetComplement: {Kind: "SET_COMPLEMENT"}, smt.OpSetChoose: {Kind: "SET_CHOOSE"}, smt.OpSetIsEmpty: {Kind: "SET_IS_EMPTY"},
	smt.OpSetIsSingleton: {Kind: "SET_IS_SINGLETON"},

	smt.OpBagMake: {Kind: "BAG_MAKE"}, smt.OpBagUnionMax: {Kind: "BAG_UNION_MAX", Binary: true}, smt.OpBagUnionDisjoint: {Kind: "BAG_UNION_DISJOINT", Binary: true},
	smt.OpBagInterMin: {Kind: "BAG_INTER_MIN", Binary: true}, smt.OpBagDifferenceSubtract: {Kind: "BAG_DIFFERENCE_SUBTRACT", Binary: true},
	smt.OpBagDifferenceRemove: {Kind: "BAG_DIFFERENCE_REMOVE", Binary: true}, smt.OpBagSubbag: {Kind: "BAG_SUBBAG"}, smt.OpBagCount: {Kind: "BAG_COUNT"},
	smt.OpBagMember: {Kind: "BAG_MEMBER"}, smt.OpBagSetof: {Kind: "BAG_SETOF", Second: "BAG_DUPLICATE_REMOVAL"}, smt.OpBagCard: {Kind: "BAG_CARD"},
	smt.OpBagChoose: {Kind: "BAG_CHOOSE"}, smt.OpBagIsSingleton: {Kind: "BAG_IS_SINGLETON"}, smt.OpBagFromSet: {Kind: "BAG_FROM_SET"}, smt.OpBagToSet: {Kind: "BAG_TO_SET"},

	smt.OpFFAdd: {Kind: "FINITE_FIELD_ADD"}, smt.OpFFMul: {Kind: "FINITE_FIELD_MULT"}, smt.OpFFNeg: {Kind: "FINITE_FIELD_NEG"}, smt.OpFFBitsum: {Kind: "FINITE_FIELD_BITSUM"},

	smt.OpStrConcat: {Kind: "STRING_CONCAT"}, smt.OpStrLen: {Kind: "STRING_LENGTH"}, smt.OpStrLt: {Kind: "STRING_LT", Binary: true}, smt.OpStrLe: {Kind: "STRING_LEQ", Binary: true},
	smt.OpStrAt: {Kind: "STRING_CHARAT"}, smt.OpStrSubstr: {Kind: "STRING_SUBSTR"}, smt.OpStrPrefixOf: {Kind: "STRING_PREFIX"}, smt.OpStrSuffixOf: {Kind: "STRING_SUFFIX"},
	smt.OpStrContains: {Kind: "STRING_CONTAINS"}, smt.OpStrIndexOf: {Kind: "STRING_INDEXOF"}, smt.OpStrReplace: {Kind: "STRING_REPLACE"},
	smt.OpStrReplaceAll: {Kind: "STRING_REPLACE_ALL"}, smt.OpStrReplaceRe: {Kind: "STRING_REPLACE_RE"}, smt.OpStrReplaceReAll: {Kind: "STRING_REPLACE_RE_ALL"},
	smt.OpStrIsDigit: {Kind: "STRING_IS_DIGIT"}, smt.OpStrToCode: {Kind: "STRING_TO_CODE"}, smt.OpStrFromCode: {Kind: "STRING_FROM_CODE"},
	smt.OpStrToInt: {Kind: "STRING_TO_INT"}, smt.OpStrFromInt: {Kind: "STRING_FROM_INT"}, smt.OpStrToRe: {Kind: "STRING_TO_REGEXP"}, smt.OpStrInRe: {Kind: "STRING_IN_REGEXP"},
	smt.OpReConcat: {Kind: "REGEXP_CONCAT"}, smt.OpReUnion: {Kind: "REGEXP_UNION"}, smt.OpReInter: {Kind: "REGEXP_INTER"}, smt.OpReDiff: {Kind: "REGEXP_DIFF", Binary: true},
	smt.OpReStar: {Kind: "REGEXP_STAR"}, smt.OpReComp: {Kind: "REGEXP_COMPLEMENT"}, smt.OpRePlus: {Kind: "REGEXP_PLUS"}, smt.OpReOpt: {Kind: "REGEXP_OPT"},
	smt.OpReRange: {Kind: "REGEXP_RANGE"}, smt.OpRePower: {Kind: "REGEXP_REPEAT"}, smt.OpReLoop: {Kind: "REGEXP_LOOP"},
	smt.OpStrRev: {Kind: "STRING_REV"}, smt.OpStrUpdate: {Kind: "STRING_UPDATE"}, smt.OpStrToLower: {Kind: "STRING_TO_LOWER"}, smt.OpStrToUpper: {Kind: "STRING_TO_UPPER"},
	smt.OpStrIndexOfRe: {Kind: "STRING_INDEXOF_RE"},
}

// cvc5Modes are the names that cvc5_rm_to_string gives to rounding modes, by those of SMT-LIB; then those of the enum.
var cvc5Modes = map[smt.Op][2]string{
	smt.OpRNE: {"RNE", "ROUND_NEAREST_TIES_TO_EVEN"}, smt.OpRNA: {"RNA", "ROUND_NEAREST_TIES_TO_AWAY"}, smt.OpRTP: {"RTP", "ROUND_TOWARD_POSITIVE"},
	smt.OpRTN: {"RTN", "ROUND_TOWARD_NEGATIVE"}, smt.OpRTZ: {"RTZ", "ROUND_TOWARD_ZERO"},
}

// cvc5Leaves are operators without arguments, made by functions of the sort of the result.
var cvc5Leaves = map[smt.Op]func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref{
	smt.OpFPPlusInf: func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref {
		return c.makeFloat("mk_fp_pos_inf", s, so)
	},
	smt.OpFPMinusInf: func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref {
		return c.makeFloat("mk_fp_neg_inf", s, so)
	},
	smt.OpFPPlusZero: func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref {
		return c.makeFloat("mk_fp_pos_zero", s, so)
	},
	smt.OpFPMinusZero: func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref {
		return c.makeFloat("mk_fp_neg_zero", s, so)
	},
	smt.OpFPNaN:  func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref { return c.makeFloat("mk_fp_nan", s, so) },
	smt.OpRealPi: func(c *terms, _ *driver.Translation, _ smt.Sort) driver.Ref { return c.callC("mk_pi", c.tm) },
	smt.OpReNone: func(c *terms, _ *driver.Translation, _ smt.Sort) driver.Ref { return c.callC("mk_regexp_none", c.tm) },
	smt.OpReAll:  func(c *terms, _ *driver.Translation, _ smt.Sort) driver.Ref { return c.callC("mk_regexp_all", c.tm) },
	smt.OpReAllChar: func(c *terms, _ *driver.Translation, _ smt.Sort) driver.Ref {
		return c.callC("mk_regexp_allchar", c.tm)
	},
	smt.OpSetEmpty: func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref {
		return c.callC("mk_empty_set", c.tm, s.Sort(so))
	},
	smt.OpSetUniverse: func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref {
		return c.callC("mk_universe_set", c.tm, s.Sort(so))
	},
	smt.OpBagEmpty: func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref {
		return c.callC("mk_empty_bag", c.tm, s.Sort(so))
	},
	smt.OpSeqEmpty: func(c *terms, s *driver.Translation, so smt.Sort) driver.Ref {
		return c.callC("mk_empty_sequence", c.tm, s.Sort(s.Arena().SortArgs(so)[0]))
	},
}

func (c *terms) makeFloat(name string, s *driver.Translation, so smt.Sort) driver.Ref {
	eb, sb := s.Arena().FloatFormat(so)
	return c.callC(name, c.tm, uintptr(eb), uintptr(sb))
}

func (c *terms) App(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	op := a.Op(t)
	if leaf := cvc5Leaves[op]; leaf != nil {
		return leaf(c, s, a.Sort(t))
	}
	if names, ok := cvc5Modes[op]; ok {
		for _, name := range names {
			if n, ok := c.modes[name]; ok {
				return c.callC("mk_rm", c.tm, uintptr(n))
			}
		}
		panic(s.NoOp(t))
	}
	switch op {
	case smt.OpDiv:
		if r, ok := driver.Rational(a, t); ok { // a constant, as cvc5's own reader takes it
			return c.callC("mk_real", c.tm, c.Library.Str(r.RatString()))
		}
	case smt.OpSub:
		if n, ok := a.IntOf(a.Arg(t, 0)); ok && len(args) == 1 {
			return c.callC("mk_integer", c.tm, c.Library.Str("-"+n.String()))
		}
		if r, ok := driver.Rational(a, t); ok && len(args) == 1 && a.Sort(t) == smt.SortReal {
			return c.callC("mk_real", c.tm, c.Library.Str(r.RatString()))
		}
		if len(args) == 1 {
			return c.makeTerm(s, "NEG", nil, args...)
		}
		return c.makeTerm(s, "SUB", nil, args...)
	case smt.OpConstArray:
		return c.callC("mk_const_array", c.tm, s.Sort(a.Sort(t)), args[0])
	case smt.OpDivisible:
		return c.makeDivisible(s, t, args)
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
			args = append(args[:2:2], c.callC("mk_integer_int64", c.tm, 0))
		}
	case smt.OpReLoop:
		if idx := s.Indices(t); len(idx) == 1 {
			return c.makeTerm(s, "REGEXP_CONCAT", nil, c.makeTerm(s, "REGEXP_REPEAT", idx, args[0]), c.makeTerm(s, "REGEXP_STAR", nil, args[0]))
		}
	case smt.OpReLoopArgs:
		lo, ok1 := a.IntOf(a.Arg(t, 1))
		if len(args) == 3 && ok1 && lo.IsUint64() {
			if hi, ok := a.IntOf(a.Arg(t, 2)); ok && hi.IsUint64() {
				return c.makeTerm(s, "REGEXP_LOOP", []uint64{lo.Uint64(), hi.Uint64()}, args[0])
			}
		}
		panic(s.NoOp(t))
	}
	k, ok := cvc5Ops[op]
	if !ok {
		panic(s.NoOp(t))
	}
	if _, have := c.kinds[k.Kind]; !have && k.Second != "" {
		k.Kind = k.Second
	}
	// Text may join a single one, as z3 takes it; cvc5's kinds need two.
	if len(args) == 1 && (op == smt.OpStrConcat || op == smt.OpSeqConcat || op == smt.OpReConcat || op == smt.OpReUnion || op == smt.OpReInter) {
		return args[0]
	}
	var idx []uint64
	switch op {
	case smt.OpToFPUnsigned, smt.OpToFPFromBV, smt.OpToFPFromFP, smt.OpToFPFromReal, smt.OpToFPFromSbv:
		idx = driver.FormatOf(a, t)
	default:
		idx = s.Indices(t)
	}
	return driver.Nest(k, op, args, func(kind string, x ...driver.Ref) driver.Ref { return c.makeTerm(s, kind, idx, x...) },
		func(x []driver.Ref) driver.Ref { return c.makeTerm(s, "AND", nil, x...) })
}

// makeDivisible has an index that may not fit a word: then it is told as text.
func (c *terms) makeDivisible(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	n, ok := s.Arena().IndexNum(s.Arena().Indices(t)[0])
	if !ok {
		panic(s.NoOp(t))
	}
	if n.IsUint64() && n.BitLen() <= 32 && s.Pick(2) == 0 {
		return c.makeTerm(s, "DIVISIBLE", []uint64{n.Uint64()}, args...)
	}
	op := c.callC("mk_op_from_str", c.tm, c.kindNumber("DIVISIBLE"), c.Library.Str(n.String()))
	return c.callC("mk_term_from_op", c.tm, op, 1, c.Library.Refs(args))
}

// floatLiteral makes a floating-point constant from its bits; 0 for the plain way, an application of fp.
func (c *terms) floatLiteral(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	switch s.Pick(3) {
	case 1:
		if c.Library.Has("cvc5_mk_fp_from_ieee") {
			return c.callC("mk_fp_from_ieee", c.tm, args[0], args[1], args[2])
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
		return c.callC("mk_fp", c.tm, uintptr(eb), uintptr(sb), c.makeBitVector(s, width, bits))
	}
	return 0
}

func (c *terms) toFP(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	format := driver.FormatOf(a, t)
	if len(args) == 1 {
		return c.makeTerm(s, "FLOATINGPOINT_TO_FP_FROM_IEEE_BV", format, args[0])
	}
	from := a.SortKind(a.Sort(a.Arg(t, 1)))
	switch from {
	case smt.KindFloat:
		return c.makeTerm(s, "FLOATINGPOINT_TO_FP_FROM_FP", format, args...)
	case smt.KindBitVec:
		return c.makeTerm(s, "FLOATINGPOINT_TO_FP_FROM_SBV", format, args...)
	case smt.KindInt:
		args = []driver.Ref{args[0], c.makeTerm(s, "TO_REAL", nil, args[1])}
	}
	return c.makeTerm(s, "FLOATINGPOINT_TO_FP_FROM_REAL", format, args...)
}

// ApplyValue applies a function by one of cvc5's kinds: HO_APPLY takes one argument, APPLY_UF all.
func (c *terms) ApplyValue(s *driver.Translation, f smt.Term, fun driver.Ref, args []driver.Ref) driver.Ref {
	op := s.Arena().Op(f)
	symbol := op == smt.OpVar || op == smt.OpFunction || op == smt.OpApply && s.Arena().NumArgs(f) == 0
	if symbol && len(args)+1 == len(s.Arena().SortArgs(s.Arena().Sort(f))) && s.Pick(2) == 1 {
		return c.makeTerm(s, "APPLY_UF", nil, append([]driver.Ref{fun}, args...)...)
	}
	for _, x := range args {
		fun = c.makeTerm(s, "HO_APPLY", nil, fun, x)
	}
	return fun
}
