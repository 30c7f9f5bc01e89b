package bindings

import (
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// cvc5Operators are the kinds of cvc5, and functions of its C interface.
var cvc5Operators = map[smt.Op]driver.Operator{
	smt.OpNot: {Call: "NOT"}, smt.OpImplies: {Call: "IMPLIES", Shape: driver.Binary}, smt.OpAnd: {Call: "AND"},
	smt.OpOr: {Call: "OR"}, smt.OpXor: {Call: "XOR", Shape: driver.Binary},
	smt.OpEq: {Call: "EQUAL", Shape: driver.Binary}, smt.OpDistinct: {Call: "DISTINCT"}, smt.OpIte: {Call: "ITE"},
	smt.OpAdd: {Call: "ADD"}, smt.OpMul: {Call: "MULT"}, smt.OpIntDiv: {Call: "INTS_DIVISION", Shape: driver.Binary},
	smt.OpMod: {Call: "INTS_MODULUS"}, smt.OpAbs: {Call: "ABS"}, smt.OpLe: {Call: "LEQ", Shape: driver.Binary},
	smt.OpLt: {Call: "LT", Shape: driver.Binary}, smt.OpGe: {Call: "GEQ", Shape: driver.Binary},
	smt.OpGt: {Call: "GT", Shape: driver.Binary}, smt.OpDiv: {Call: "DIVISION", Shape: driver.Binary},
	smt.OpToReal: {Call: "TO_REAL"}, smt.OpToInt: {Call: "TO_INTEGER"}, smt.OpIsInt: {Call: "IS_INTEGER"},
	smt.OpPow: {Call: "POW"}, smt.OpIand: {Call: "IAND"}, smt.OpIntPow2: {Call: "POW2"}, smt.OpIntLog2: {Call: "LOG2"},
	smt.OpDivTotal: {Call: "INTS_DIVISION_TOTAL"}, smt.OpModTotal: {Call: "INTS_MODULUS_TOTAL"},
	smt.OpRealDivTotal: {Call: "DIVISION_TOTAL"}, smt.OpExp: {Call: "EXPONENTIAL"}, smt.OpSin: {Call: "SINE"},
	smt.OpCos: {Call: "COSINE"}, smt.OpTan: {Call: "TANGENT"}, smt.OpCsc: {Call: "COSECANT"},
	smt.OpSec: {Call: "SECANT"}, smt.OpCot: {Call: "COTANGENT"}, smt.OpArcsin: {Call: "ARCSINE"},
	smt.OpArccos: {Call: "ARCCOSINE"}, smt.OpArctan: {Call: "ARCTANGENT"}, smt.OpArccsc: {Call: "ARCCOSECANT"},
	smt.OpArcsec: {Call: "ARCSECANT"}, smt.OpArccot: {Call: "ARCCOTANGENT"}, smt.OpSqrt: {Call: "SQRT"},
	smt.OpConcat: {Call: "BITVECTOR_CONCAT"}, smt.OpExtract: {Call: "BITVECTOR_EXTRACT"},
	smt.OpBVNot: {Call: "BITVECTOR_NOT"}, smt.OpBVNeg: {Call: "BITVECTOR_NEG"}, smt.OpBVAnd: {Call: "BITVECTOR_AND"},
	smt.OpBVOr: {Call: "BITVECTOR_OR"}, smt.OpBVXor: {Call: "BITVECTOR_XOR"}, smt.OpBVNand: {Call: "BITVECTOR_NAND"},
	smt.OpBVNor: {Call: "BITVECTOR_NOR"}, smt.OpBVXnor: {Call: "BITVECTOR_XNOR", Shape: driver.Binary},
	smt.OpBVAdd: {Call: "BITVECTOR_ADD"}, smt.OpBVSub: {Call: "BITVECTOR_SUB"}, smt.OpBVMul: {Call: "BITVECTOR_MULT"},
	smt.OpBVUdiv: {Call: "BITVECTOR_UDIV"}, smt.OpBVUrem: {Call: "BITVECTOR_UREM"},
	smt.OpBVSdiv: {Call: "BITVECTOR_SDIV"}, smt.OpBVSrem: {Call: "BITVECTOR_SREM"},
	smt.OpBVSmod: {Call: "BITVECTOR_SMOD"}, smt.OpBVShl: {Call: "BITVECTOR_SHL"},
	smt.OpBVLshr: {Call: "BITVECTOR_LSHR"}, smt.OpBVAshr: {Call: "BITVECTOR_ASHR"},
	smt.OpBVComp: {Call: "BITVECTOR_COMP"}, smt.OpBVUlt: {Call: "BITVECTOR_ULT"}, smt.OpBVUle: {Call: "BITVECTOR_ULE"},
	smt.OpBVUgt: {Call: "BITVECTOR_UGT"}, smt.OpBVUge: {Call: "BITVECTOR_UGE"}, smt.OpBVSlt: {Call: "BITVECTOR_SLT"},
	smt.OpBVSle: {Call: "BITVECTOR_SLE"}, smt.OpBVSgt: {Call: "BITVECTOR_SGT"}, smt.OpBVSge: {Call: "BITVECTOR_SGE"},
	smt.OpRepeat: {Call: "BITVECTOR_REPEAT"}, smt.OpZeroExtend: {Call: "BITVECTOR_ZERO_EXTEND"},
	smt.OpSignExtend: {Call: "BITVECTOR_SIGN_EXTEND"}, smt.OpRotateLeft: {Call: "BITVECTOR_ROTATE_LEFT"},
	smt.OpRotateRight: {Call: "BITVECTOR_ROTATE_RIGHT"}, smt.OpBVNego: {Call: "BITVECTOR_NEGO"},
	smt.OpBVUaddo: {Call: "BITVECTOR_UADDO"}, smt.OpBVSaddo: {Call: "BITVECTOR_SADDO"},
	smt.OpBVUmulo: {Call: "BITVECTOR_UMULO"}, smt.OpBVSmulo: {Call: "BITVECTOR_SMULO"},
	smt.OpBVUsubo: {Call: "BITVECTOR_USUBO"}, smt.OpBVSsubo: {Call: "BITVECTOR_SSUBO"},
	smt.OpBVSdivo:  {Call: "BITVECTOR_SDIVO"},
	smt.OpUbvToInt: {Call: "BITVECTOR_UBV_TO_INT", Second: "BITVECTOR_TO_NAT"},
	smt.OpSbvToInt: {Call: "BITVECTOR_SBV_TO_INT"}, smt.OpIntToBV: {Call: "INT_TO_BITVECTOR"},
	smt.OpBVRedor: {Call: "BITVECTOR_REDOR"}, smt.OpBVRedand: {Call: "BITVECTOR_REDAND"},
	smt.OpBVUltBV: {Call: "BITVECTOR_ULTBV"}, smt.OpBVSltBV: {Call: "BITVECTOR_SLTBV"},
	smt.OpBVIte: {Call: "BITVECTOR_ITE"},
	smt.OpFP:    {Call: "FLOATINGPOINT_FP"}, smt.OpFPAbs: {Call: "FLOATINGPOINT_ABS"},
	smt.OpFPNeg: {Call: "FLOATINGPOINT_NEG"}, smt.OpFPAdd: {Call: "FLOATINGPOINT_ADD"},
	smt.OpFPSub: {Call: "FLOATINGPOINT_SUB"}, smt.OpFPMul: {Call: "FLOATINGPOINT_MULT"},
	smt.OpFPDiv: {Call: "FLOATINGPOINT_DIV"}, smt.OpFPFma: {Call: "FLOATINGPOINT_FMA"},
	smt.OpFPSqrt: {Call: "FLOATINGPOINT_SQRT"}, smt.OpFPRem: {Call: "FLOATINGPOINT_REM"},
	smt.OpFPRoundToIntegral: {Call: "FLOATINGPOINT_RTI"}, smt.OpFPMin: {Call: "FLOATINGPOINT_MIN"},
	smt.OpFPMax: {Call: "FLOATINGPOINT_MAX"}, smt.OpFPLeq: {Call: "FLOATINGPOINT_LEQ", Shape: driver.Binary},
	smt.OpFPLt:  {Call: "FLOATINGPOINT_LT", Shape: driver.Binary},
	smt.OpFPGeq: {Call: "FLOATINGPOINT_GEQ", Shape: driver.Binary},
	smt.OpFPGt:  {Call: "FLOATINGPOINT_GT", Shape: driver.Binary},
	smt.OpFPEq:  {Call: "FLOATINGPOINT_EQ", Shape: driver.Binary}, smt.OpFPIsNormal: {Call: "FLOATINGPOINT_IS_NORMAL"},
	smt.OpFPIsSubnormal: {Call: "FLOATINGPOINT_IS_SUBNORMAL"}, smt.OpFPIsZero: {Call: "FLOATINGPOINT_IS_ZERO"},
	smt.OpFPIsInfinite: {Call: "FLOATINGPOINT_IS_INF"}, smt.OpFPIsNaN: {Call: "FLOATINGPOINT_IS_NAN"},
	smt.OpFPIsNegative: {Call: "FLOATINGPOINT_IS_NEG"}, smt.OpFPIsPositive: {Call: "FLOATINGPOINT_IS_POS"},
	smt.OpFPToReal: {Call: "FLOATINGPOINT_TO_REAL"}, smt.OpFPToUbv: {Call: "FLOATINGPOINT_TO_UBV"},
	smt.OpFPToSbv:      {Call: "FLOATINGPOINT_TO_SBV"},
	smt.OpToFPUnsigned: {Call: "FLOATINGPOINT_TO_FP_FROM_UBV", Shape: driver.Format},
	smt.OpToFPFromBV:   {Call: "FLOATINGPOINT_TO_FP_FROM_IEEE_BV", Shape: driver.Format},
	smt.OpToFPFromFP:   {Call: "FLOATINGPOINT_TO_FP_FROM_FP", Shape: driver.Format},
	smt.OpToFPFromReal: {Call: "FLOATINGPOINT_TO_FP_FROM_REAL", Shape: driver.Format},
	smt.OpToFPFromSbv:  {Call: "FLOATINGPOINT_TO_FP_FROM_SBV", Shape: driver.Format},
	smt.OpSelect:       {Call: "SELECT"}, smt.OpStore: {Call: "STORE"}, smt.OpEqRange: {Call: "EQ_RANGE"},
	smt.OpSeqUnit: {Call: "SEQ_UNIT"}, smt.OpSeqConcat: {Call: "SEQ_CONCAT", Shape: driver.Joined},
	smt.OpSeqLen: {Call: "SEQ_LENGTH"}, smt.OpSeqExtract: {Call: "SEQ_EXTRACT"}, smt.OpSeqAt: {Call: "SEQ_AT"},
	smt.OpSeqNth: {Call: "SEQ_NTH"}, smt.OpSeqUpdate: {Call: "SEQ_UPDATE"}, smt.OpSeqContains: {Call: "SEQ_CONTAINS"},
	smt.OpSeqIndexOf: {Call: "SEQ_INDEXOF"}, smt.OpSeqReplace: {Call: "SEQ_REPLACE"},
	smt.OpSeqReplaceAll: {Call: "SEQ_REPLACE_ALL"}, smt.OpSeqRev: {Call: "SEQ_REV"},
	smt.OpSeqPrefixOf: {Call: "SEQ_PREFIX"}, smt.OpSeqSuffixOf: {Call: "SEQ_SUFFIX"},
	smt.OpSetSingleton: {Call: "SET_SINGLETON"}, smt.OpSetUnion: {Call: "SET_UNION", Shape: driver.Binary},
	smt.OpSetInter: {Call: "SET_INTER", Shape: driver.Binary},
	smt.OpSetMinus: {Call: "SET_MINUS", Shape: driver.Binary}, smt.OpSetMember: {Call: "SET_MEMBER"},
	smt.OpSetSubset: {Call: "SET_SUBSET"}, smt.OpSetInsert: {Call: "SET_INSERT"}, smt.OpSetCard: {Call: "SET_CARD"},
	smt.OpSetComplement: {Call: "SET_COMPLEMENT"}, smt.OpSetChoose: {Call: "SET_CHOOSE"},
	smt.OpSetIsEmpty: {Call: "SET_IS_EMPTY"}, smt.OpSetIsSingleton: {Call: "SET_IS_SINGLETON"},
	smt.OpBagMake: {Call: "BAG_MAKE"}, smt.OpBagUnionMax: {Call: "BAG_UNION_MAX", Shape: driver.Binary},
	smt.OpBagUnionDisjoint:      {Call: "BAG_UNION_DISJOINT", Shape: driver.Binary},
	smt.OpBagInterMin:           {Call: "BAG_INTER_MIN", Shape: driver.Binary},
	smt.OpBagDifferenceSubtract: {Call: "BAG_DIFFERENCE_SUBTRACT", Shape: driver.Binary},
	smt.OpBagDifferenceRemove:   {Call: "BAG_DIFFERENCE_REMOVE", Shape: driver.Binary},
	smt.OpBagSubbag:             {Call: "BAG_SUBBAG"}, smt.OpBagCount: {Call: "BAG_COUNT"},
	smt.OpBagMember: {Call: "BAG_MEMBER"},
	smt.OpBagSetof:  {Call: "BAG_SETOF", Second: "BAG_DUPLICATE_REMOVAL"}, smt.OpBagCard: {Call: "BAG_CARD"},
	smt.OpBagChoose: {Call: "BAG_CHOOSE"}, smt.OpBagIsSingleton: {Call: "BAG_IS_SINGLETON"},
	smt.OpBagFromSet: {Call: "BAG_FROM_SET"}, smt.OpBagToSet: {Call: "BAG_TO_SET"},
	smt.OpFFAdd: {Call: "FINITE_FIELD_ADD"}, smt.OpFFMul: {Call: "FINITE_FIELD_MULT"},
	smt.OpFFNeg: {Call: "FINITE_FIELD_NEG"}, smt.OpFFBitsum: {Call: "FINITE_FIELD_BITSUM"},
	smt.OpStrConcat: {Call: "STRING_CONCAT", Shape: driver.Joined}, smt.OpStrLen: {Call: "STRING_LENGTH"},
	smt.OpStrLt: {Call: "STRING_LT", Shape: driver.Binary}, smt.OpStrLe: {Call: "STRING_LEQ", Shape: driver.Binary},
	smt.OpStrAt: {Call: "STRING_CHARAT"}, smt.OpStrSubstr: {Call: "STRING_SUBSTR"},
	smt.OpStrPrefixOf: {Call: "STRING_PREFIX"}, smt.OpStrSuffixOf: {Call: "STRING_SUFFIX"},
	smt.OpStrContains: {Call: "STRING_CONTAINS"}, smt.OpStrIndexOf: {Call: "STRING_INDEXOF"},
	smt.OpStrReplace: {Call: "STRING_REPLACE"}, smt.OpStrReplaceAll: {Call: "STRING_REPLACE_ALL"},
	smt.OpStrReplaceRe: {Call: "STRING_REPLACE_RE"}, smt.OpStrReplaceReAll: {Call: "STRING_REPLACE_RE_ALL"},
	smt.OpStrIsDigit: {Call: "STRING_IS_DIGIT"}, smt.OpStrToCode: {Call: "STRING_TO_CODE"},
	smt.OpStrFromCode: {Call: "STRING_FROM_CODE"}, smt.OpStrToInt: {Call: "STRING_TO_INT"},
	smt.OpStrFromInt: {Call: "STRING_FROM_INT"}, smt.OpStrToRe: {Call: "STRING_TO_REGEXP"},
	smt.OpStrInRe: {Call: "STRING_IN_REGEXP"}, smt.OpReConcat: {Call: "REGEXP_CONCAT", Shape: driver.Joined},
	smt.OpReUnion: {Call: "REGEXP_UNION", Shape: driver.Joined},
	smt.OpReInter: {Call: "REGEXP_INTER", Shape: driver.Joined},
	smt.OpReDiff:  {Call: "REGEXP_DIFF", Shape: driver.Binary}, smt.OpReStar: {Call: "REGEXP_STAR"},
	smt.OpReComp: {Call: "REGEXP_COMPLEMENT"}, smt.OpRePlus: {Call: "REGEXP_PLUS"}, smt.OpReOpt: {Call: "REGEXP_OPT"},
	smt.OpReRange: {Call: "REGEXP_RANGE"}, smt.OpRePower: {Call: "REGEXP_REPEAT"}, smt.OpReLoop: {Call: "REGEXP_LOOP"},
	smt.OpStrRev: {Call: "STRING_REV"}, smt.OpStrUpdate: {Call: "STRING_UPDATE"},
	smt.OpStrToLower: {Call: "STRING_TO_LOWER"}, smt.OpStrToUpper: {Call: "STRING_TO_UPPER"},
	smt.OpStrIndexOfRe: {Call: "STRING_INDEXOF_RE"},
	smt.OpFPPlusInf:    {Call: "mk_fp_pos_inf", Shape: driver.Format},
	smt.OpFPMinusInf:   {Call: "mk_fp_neg_inf", Shape: driver.Format},
	smt.OpFPPlusZero:   {Call: "mk_fp_pos_zero", Shape: driver.Format},
	smt.OpFPMinusZero:  {Call: "mk_fp_neg_zero", Shape: driver.Format},
	smt.OpFPNaN:        {Call: "mk_fp_nan", Shape: driver.Format}, smt.OpRealPi: {Call: "mk_pi"},
	smt.OpReNone: {Call: "mk_regexp_none"}, smt.OpReAll: {Call: "mk_regexp_all"},
	smt.OpReAllChar: {Call: "mk_regexp_allchar"}, smt.OpSetEmpty: {Call: "mk_empty_set", Shape: driver.OfSort},
	smt.OpSetUniverse: {Call: "mk_universe_set", Shape: driver.OfSort},
	smt.OpBagEmpty:    {Call: "mk_empty_bag", Shape: driver.OfSort},
	smt.OpConstArray:  {Call: "mk_const_array", Shape: driver.OfSort},
}

// cvc5Modes maps the rounding modes of SMT-LIB to the names that cvc5_rm_to_string gives them, and to those of the
// enum.
var cvc5Modes = map[smt.Op][2]string{
	smt.OpRNE: {"RNE", "ROUND_NEAREST_TIES_TO_EVEN"}, smt.OpRNA: {"RNA", "ROUND_NEAREST_TIES_TO_AWAY"},
	smt.OpRTP: {"RTP", "ROUND_TOWARD_POSITIVE"},
	smt.OpRTN: {"RTN", "ROUND_TOWARD_NEGATIVE"}, smt.OpRTZ: {"RTZ", "ROUND_TOWARD_ZERO"},
}

// Knows implements driver.TermMaker.
func (c *cvc5) Knows(call string) bool {
	_, ok := c.kinds[call]
	return ok
}

// Make implements driver.TermMaker. Names of functions are those of the C interface, in small letters.
func (c *cvc5) Make(s *driver.Translation, call string, _ driver.CallShape, indices []uint64,
	args []driver.Ref) driver.Ref {
	if strings.HasPrefix(call, "mk_") {
		return c.callC(call, slices.Concat([]driver.Ref{c.tm}, driver.Words(indices), args)...)
	}
	return c.makeTerm(s, call, indices, args...)
}

// Conjoin implements driver.TermMaker.
func (c *cvc5) Conjoin(s *driver.Translation, parts []driver.Ref) driver.Ref {
	return c.makeTerm(s, "AND", nil, parts...)
}

func (c *cvc5) App(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	op := a.Op(t)
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
	case smt.OpSeqEmpty:
		return c.callC("mk_empty_sequence", c.tm, s.Sort(a.SortArgs(a.Sort(t))[0]))
	case smt.OpDivisible:
		return c.makeDivisible(s, t, args)
	case smt.OpToFP:
		return c.toFP(s, t, args)
	case smt.OpFP:
		if driver.IsFloatLiteral(a, t) {
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
			return c.makeTerm(s, "REGEXP_CONCAT", nil, c.makeTerm(s, "REGEXP_REPEAT", idx, args[0]),
				c.makeTerm(s, "REGEXP_STAR", nil, args[0]))
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
	return s.MakeOperator(c, cvc5Operators, t, args)
}

// makeDivisible makes divisible. Its index may not fit into a word; then it is passed as text.
func (c *cvc5) makeDivisible(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
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

// floatLiteral makes a floating-point constant from its bits. It returns 0 if the term is to be made the plain way, as
// an application of fp.
func (c *cvc5) floatLiteral(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
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

func (c *cvc5) toFP(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
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
func (c *cvc5) ApplyValue(s *driver.Translation, f smt.Term, fun driver.Ref, args []driver.Ref) driver.Ref {
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
