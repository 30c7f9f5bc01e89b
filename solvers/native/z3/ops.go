package z3

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// z3Op makes a term of an operator.
type z3Op func(z *terms, s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref

// one is a function of one argument.
func one(name string) z3Op {
	return func(z *terms, _ *driver.Translation, _ smt.Term, x []driver.Ref) driver.Ref { return z.ast(name, x[0]) }
}

// binary is a function of two arguments; the attribute of the operator says how it takes more.
func binary(name string) z3Op {
	return func(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
		if len(x) == 1 {
			return x[0]
		}
		return z.fold(s.Arena().Op(t), name, x)
	}
}

// fold applies a function of two arguments to the arguments of op.
func (z *terms) fold(op smt.Op, name string, x []driver.Ref) driver.Ref {
	return driver.Fold(op, x, func(x, y driver.Ref) driver.Ref { return z.ast(name, x, y) },
		func(parts []driver.Ref) driver.Ref {
			return z.ast("mk_and", uintptr(len(parts)), z.Library.Refs(parts))
		})
}

// many is a function of an array of arguments.
func many(name string) z3Op {
	return func(z *terms, _ *driver.Translation, _ smt.Term, x []driver.Ref) driver.Ref {
		if len(x) == 1 && name != "mk_sub" {
			return x[0]
		}
		return z.ast(name, uintptr(len(x)), z.Library.Refs(x))
	}
}

// fixed is a function of as many arguments as the operator has.
func fixed(name string) z3Op {
	return func(z *terms, _ *driver.Translation, _ smt.Term, x []driver.Ref) driver.Ref { return z.ast(name, x...) }
}

// indexed is a function of the indices, then of the arguments.
func indexed(name string) z3Op {
	return func(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
		return z.ast(name, append(driver.Words(s.Indices(t)), x...)...)
	}
}

// indexedLast is a function of the arguments, then of the indices.
func indexedLast(name string) z3Op {
	return func(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
		return z.ast(name, append(slices.Clone(x), driver.Words(s.Indices(t))...)...)
	}
}

// constantOf is a function of the sort of the result.
func constantOf(name string, more ...driver.Ref) z3Op {
	return func(z *terms, s *driver.Translation, t smt.Term, _ []driver.Ref) driver.Ref {
		return z.ast(name, append([]driver.Ref{s.Sort(s.Arena().Sort(t))}, more...)...)
	}
}

// not negates what another operator makes: the predicates of the library say that there is no overflow.
func not(op z3Op) z3Op {
	return func(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
		return z.ast("mk_not", op(z, s, t, x))
	}
}

// both is the conjunction of two operators.
func both(p, q z3Op) z3Op {
	return func(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
		return z.ast("mk_and", 2, z.Library.Refs([]driver.Ref{p(z, s, t, x), q(z, s, t, x)}))
	}
}

// with adds words behind the arguments.
func with(name string, more ...driver.Ref) z3Op {
	return func(z *terms, _ *driver.Translation, _ smt.Term, x []driver.Ref) driver.Ref {
		return z.ast(name, append(slices.Clone(x), more...)...)
	}
}

// either takes the second way for some of the seeds.
func either(p, q z3Op) z3Op {
	return func(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
		if s.Pick(2) == 1 {
			return q(z, s, t, x)
		}
		return p(z, s, t, x)
	}
}

// orText makes the term by z3's own reader where the library has no function of that name.
func orText(name string, op z3Op) z3Op {
	return func(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
		if z.Library.Has("Z3_" + name) {
			return op(z, s, t, x)
		}
		return z.byText(s, t, x)
	}
}

func byText(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	return z.byText(s, t, x)
}

var z3Ops map[smt.Op]z3Op

func init() {
	z3Ops = map[smt.Op]z3Op{
		smt.OpNot: one("mk_not"), smt.OpImplies: binary("mk_implies"), smt.OpAnd: many("mk_and"), smt.OpOr: many("mk_or"),
		smt.OpXor: binary("mk_xor"), smt.OpEq: z3Eq, smt.OpDistinct: z3Distinct, smt.OpIte: fixed("mk_ite"),

		smt.OpSub: z3Sub, smt.OpAdd: many("mk_add"), smt.OpMul: many("mk_mul"), smt.OpIntDiv: binary("mk_div"), smt.OpMod: fixed("mk_mod"),
		smt.OpAbs: z3Abs, smt.OpLe: binary("mk_le"), smt.OpLt: binary("mk_lt"), smt.OpGe: binary("mk_ge"), smt.OpGt: binary("mk_gt"),
		smt.OpDivisible: z3Divisible, smt.OpDiv: binary("mk_div"), smt.OpToReal: one("mk_int2real"), smt.OpToInt: one("mk_real2int"),
		smt.OpIsInt: one("mk_is_int"), smt.OpRem: fixed("mk_rem"), smt.OpPow: byText,
		smt.OpSin: byText, smt.OpCos: byText, smt.OpTan: byText, smt.OpAsin: byText, smt.OpAcos: byText, smt.OpAtan: byText,
		smt.OpSinh: byText, smt.OpCosh: byText, smt.OpTanh: byText, smt.OpAsinh: byText, smt.OpAcosh: byText, smt.OpAtanh: byText,
		smt.OpPi: byText, smt.OpEuler: byText,

		smt.OpConcat: binary("mk_concat"), smt.OpExtract: indexed("mk_extract"), smt.OpBVNot: one("mk_bvnot"), smt.OpBVNeg: one("mk_bvneg"),
		smt.OpBVAnd: binary("mk_bvand"), smt.OpBVOr: binary("mk_bvor"), smt.OpBVXor: binary("mk_bvxor"), smt.OpBVNand: fixed("mk_bvnand"),
		smt.OpBVNor: fixed("mk_bvnor"), smt.OpBVXnor: binary("mk_bvxnor"), smt.OpBVAdd: binary("mk_bvadd"), smt.OpBVSub: fixed("mk_bvsub"),
		smt.OpBVMul: binary("mk_bvmul"), smt.OpBVUdiv: fixed("mk_bvudiv"), smt.OpBVUrem: fixed("mk_bvurem"), smt.OpBVSdiv: fixed("mk_bvsdiv"),
		smt.OpBVSrem: fixed("mk_bvsrem"), smt.OpBVSmod: fixed("mk_bvsmod"), smt.OpBVShl: fixed("mk_bvshl"), smt.OpBVLshr: fixed("mk_bvlshr"),
		smt.OpBVAshr: fixed("mk_bvashr"), smt.OpBVComp: either(byText, z3Comp), smt.OpBVUlt: fixed("mk_bvult"), smt.OpBVUle: fixed("mk_bvule"),
		smt.OpBVUgt: fixed("mk_bvugt"), smt.OpBVUge: fixed("mk_bvuge"), smt.OpBVSlt: fixed("mk_bvslt"), smt.OpBVSle: fixed("mk_bvsle"),
		smt.OpBVSgt: fixed("mk_bvsgt"), smt.OpBVSge: fixed("mk_bvsge"), smt.OpRepeat: indexed("mk_repeat"),
		smt.OpZeroExtend: indexed("mk_zero_ext"), smt.OpSignExtend: indexed("mk_sign_ext"), smt.OpRotateLeft: indexed("mk_rotate_left"),
		smt.OpRotateRight: indexed("mk_rotate_right"), smt.OpExtRotateLeft: fixed("mk_ext_rotate_left"), smt.OpExtRotateRight: fixed("mk_ext_rotate_right"),
		smt.OpBVNego: not(one("mk_bvneg_no_overflow")), smt.OpBVUaddo: not(with("mk_bvadd_no_overflow", 0)),
		smt.OpBVSaddo:  not(both(with("mk_bvadd_no_overflow", 1), fixed("mk_bvadd_no_underflow"))),
		smt.OpBVUmulo:  not(with("mk_bvmul_no_overflow", 0)),
		smt.OpBVSmulo:  not(both(with("mk_bvmul_no_overflow", 1), fixed("mk_bvmul_no_underflow"))),
		smt.OpBVUsubo:  not(with("mk_bvsub_no_underflow", 0)),
		smt.OpBVSsubo:  not(both(fixed("mk_bvsub_no_overflow"), with("mk_bvsub_no_underflow", 1))),
		smt.OpBVSdivo:  not(fixed("mk_bvsdiv_no_overflow")),
		smt.OpUbvToInt: with("mk_bv2int", 0), smt.OpSbvToInt: with("mk_bv2int", 1), smt.OpIntToBV: indexed("mk_int2bv"),
		smt.OpBVRedor: one("mk_bvredor"), smt.OpBVRedand: one("mk_bvredand"), smt.OpBVUmulNoOvfl: with("mk_bvmul_no_overflow", 0),
		smt.OpBVSmulNoOvfl: with("mk_bvmul_no_overflow", 1), smt.OpBVSmulNoUdfl: fixed("mk_bvmul_no_underflow"),
		smt.OpBit2Bool: orText("mk_bit2bool", indexed("mk_bit2bool")),

		smt.OpSelect: z3Select, smt.OpStore: z3Store, smt.OpConstArray: z3ConstArray, smt.OpArrayDefault: one("mk_array_default"),
		smt.OpFunction: z3AsArray, smt.OpMapArrays: z3Map,

		smt.OpSeqEmpty: constantOf("mk_seq_empty"), smt.OpSeqUnit: one("mk_seq_unit"), smt.OpSeqConcat: many("mk_seq_concat"),
		smt.OpSeqLen: one("mk_seq_length"), smt.OpSeqExtract: fixed("mk_seq_extract"), smt.OpSeqAt: fixed("mk_seq_at"), smt.OpSeqNth: fixed("mk_seq_nth"),
		smt.OpSeqContains: fixed("mk_seq_contains"), smt.OpSeqIndexOf: z3IndexOf, smt.OpSeqLastIndexOf: fixed("mk_seq_last_index"),
		smt.OpSeqReplace: fixed("mk_seq_replace"), smt.OpSeqPrefixOf: fixed("mk_seq_prefix"), smt.OpSeqSuffixOf: fixed("mk_seq_suffix"),
	}
	for op, f := range z3StringOps() {
		z3Ops[op] = f
	}
	for op, f := range z3FloatOps() {
		z3Ops[op] = f
	}
}

func z3StringOps() map[smt.Op]z3Op {
	re := func(name string) z3Op {
		return func(z *terms, s *driver.Translation, _ smt.Term, _ []driver.Ref) driver.Ref {
			return z.ast(name, s.Sort(smt.SortRegLan))
		}
	}
	return map[smt.Op]z3Op{
		smt.OpStrConcat: many("mk_seq_concat"), smt.OpStrLen: one("mk_seq_length"), smt.OpStrLt: orText("mk_str_lt", binary("mk_str_lt")),
		smt.OpStrLe: orText("mk_str_le", binary("mk_str_le")), smt.OpStrAt: fixed("mk_seq_at"), smt.OpStrSubstr: fixed("mk_seq_extract"),
		smt.OpStrPrefixOf: fixed("mk_seq_prefix"), smt.OpStrSuffixOf: fixed("mk_seq_suffix"), smt.OpStrContains: fixed("mk_seq_contains"),
		smt.OpStrIndexOf: z3IndexOf, smt.OpStrReplace: fixed("mk_seq_replace"),
		smt.OpStrReplaceAll:   orText("mk_seq_replace_all", fixed("mk_seq_replace_all")),
		smt.OpStrReplaceRe:    orText("mk_seq_replace_re", fixed("mk_seq_replace_re")),
		smt.OpStrReplaceReAll: orText("mk_seq_replace_re_all", fixed("mk_seq_replace_re_all")), smt.OpStrIsDigit: byText,
		smt.OpStrToCode: orText("mk_string_to_code", one("mk_string_to_code")), smt.OpStrFromCode: orText("mk_string_from_code", one("mk_string_from_code")),
		smt.OpStrToInt: one("mk_str_to_int"), smt.OpStrFromInt: one("mk_int_to_str"), smt.OpStrToRe: one("mk_seq_to_re"), smt.OpStrInRe: fixed("mk_seq_in_re"),
		smt.OpReNone: re("mk_re_empty"), smt.OpReAll: re("mk_re_full"), smt.OpReAllChar: orText("mk_re_allchar", re("mk_re_allchar")),
		smt.OpReConcat: many("mk_re_concat"), smt.OpReUnion: many("mk_re_union"), smt.OpReInter: many("mk_re_intersect"),
		smt.OpReDiff: orText("mk_re_diff", binary("mk_re_diff")), smt.OpReStar: one("mk_re_star"), smt.OpReComp: one("mk_re_complement"),
		smt.OpRePlus: one("mk_re_plus"), smt.OpReOpt: one("mk_re_option"), smt.OpReRange: fixed("mk_re_range"),
		smt.OpRePower: orText("mk_re_power", indexedLast("mk_re_power")), smt.OpReLoop: z3Loop, smt.OpReLoopArgs: byText,
		smt.OpStrLastIndexOf: orText("mk_seq_last_index", fixed("mk_seq_last_index")),
		smt.OpStrFromUbv:     orText("mk_ubv_to_str", one("mk_ubv_to_str")), smt.OpStrFromSbv: orText("mk_sbv_to_str", one("mk_sbv_to_str")),
	}
}

func z3FloatOps() map[smt.Op]z3Op {
	rm := func(short, long string) z3Op { return either(fixed("mk_fpa_"+short), fixed("mk_fpa_"+long)) }
	return map[smt.Op]z3Op{
		smt.OpFP: fixed("mk_fpa_fp"), smt.OpFPPlusInf: constantOf("mk_fpa_inf", 0), smt.OpFPMinusInf: constantOf("mk_fpa_inf", 1),
		smt.OpFPPlusZero: constantOf("mk_fpa_zero", 0), smt.OpFPMinusZero: constantOf("mk_fpa_zero", 1), smt.OpFPNaN: constantOf("mk_fpa_nan"),
		smt.OpRNE: rm("rne", "round_nearest_ties_to_even"), smt.OpRNA: rm("rna", "round_nearest_ties_to_away"),
		smt.OpRTP: rm("rtp", "round_toward_positive"), smt.OpRTN: rm("rtn", "round_toward_negative"), smt.OpRTZ: rm("rtz", "round_toward_zero"),
		smt.OpFPAbs: one("mk_fpa_abs"), smt.OpFPNeg: one("mk_fpa_neg"), smt.OpFPAdd: fixed("mk_fpa_add"), smt.OpFPSub: fixed("mk_fpa_sub"),
		smt.OpFPMul: fixed("mk_fpa_mul"), smt.OpFPDiv: fixed("mk_fpa_div"), smt.OpFPFma: fixed("mk_fpa_fma"), smt.OpFPSqrt: fixed("mk_fpa_sqrt"),
		smt.OpFPRem: fixed("mk_fpa_rem"), smt.OpFPRoundToIntegral: fixed("mk_fpa_round_to_integral"), smt.OpFPMin: fixed("mk_fpa_min"),
		smt.OpFPMax: fixed("mk_fpa_max"), smt.OpFPLeq: binary("mk_fpa_leq"), smt.OpFPLt: binary("mk_fpa_lt"), smt.OpFPGeq: binary("mk_fpa_geq"),
		smt.OpFPGt: binary("mk_fpa_gt"), smt.OpFPEq: binary("mk_fpa_eq"), smt.OpFPIsNormal: one("mk_fpa_is_normal"),
		smt.OpFPIsSubnormal: one("mk_fpa_is_subnormal"), smt.OpFPIsZero: one("mk_fpa_is_zero"), smt.OpFPIsInfinite: one("mk_fpa_is_infinite"),
		smt.OpFPIsNaN: one("mk_fpa_is_nan"), smt.OpFPIsNegative: one("mk_fpa_is_negative"), smt.OpFPIsPositive: one("mk_fpa_is_positive"),
		smt.OpToFP: z3ToFP, smt.OpToFPUnsigned: z3ToFPUnsigned, smt.OpToFPFromBV: z3ToFP, smt.OpToFPFromFP: z3ToFP, smt.OpToFPFromReal: z3ToFP,
		smt.OpToFPFromSbv: z3ToFP, smt.OpFPToUbv: indexedLast("mk_fpa_to_ubv"), smt.OpFPToSbv: indexedLast("mk_fpa_to_sbv"),
		smt.OpFPToReal: one("mk_fpa_to_real"), smt.OpFPToIeeeBV: one("mk_fpa_to_ieee_bv"),
	}
}

func (z *terms) App(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	f := z3Ops[s.Arena().Op(t)]
	if f == nil {
		panic(s.NoOp(t))
	}
	return f(z, s, t, args)
}

func z3Eq(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	if len(x) == 2 && s.Arena().Sort(s.Arena().Arg(t, 0)) == smt.SortBool && s.Pick(2) == 1 {
		return z.ast("mk_iff", x[0], x[1])
	}
	return z.fold(smt.OpEq, "mk_eq", x)
}

func z3Distinct(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	if len(x) == 2 && s.Pick(2) == 1 {
		return z.ast("mk_not", z.ast("mk_eq", x[0], x[1]))
	}
	return z.ast("mk_distinct", uintptr(len(x)), z.Library.Refs(x))
}

func z3Sub(z *terms, s *driver.Translation, _ smt.Term, x []driver.Ref) driver.Ref {
	if len(x) == 1 {
		return z.ast("mk_unary_minus", x[0])
	}
	return z.ast("mk_sub", uintptr(len(x)), z.Library.Refs(x))
}

func z3Abs(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	if z.Library.Has("Z3_mk_abs") && s.Pick(2) == 1 {
		return z.ast("mk_abs", x[0])
	}
	zero := z.ast("mk_numeral", z.Library.Str("0"), s.Sort(s.Arena().Sort(t)))
	return z.ast("mk_ite", z.ast("mk_ge", x[0], zero), x[0], z.ast("mk_unary_minus", x[0]))
}

func z3Divisible(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	n, ok := s.Arena().IndexNum(s.Arena().Indices(t)[0])
	if !ok {
		panic(s.NoOp(t))
	}
	d := z.ast("mk_numeral", z.Library.Str(n.String()), s.Sort(smt.SortInt))
	// 4.8.12 has the function and rejects each use of it.
	if z.Library.Has("Z3_mk_divides") && s.Pick(2) == 1 && solvers.CompareVersions(z.Version(), "4.13") >= 0 {
		return z.ast("mk_divides", d, x[0])
	}
	return z.ast("mk_eq", z.ast("mk_mod", x[0], d), z.ast("mk_numeral", z.Library.Str("0"), s.Sort(smt.SortInt)))
}

func z3Comp(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	one := func(v string) driver.Ref { return z.ast("mk_numeral", z.Library.Str(v), s.Sort(s.Arena().Sort(t))) }
	return z.ast("mk_ite", z.ast("mk_eq", x[0], x[1]), one("1"), one("0"))
}

func z3Select(z *terms, s *driver.Translation, _ smt.Term, x []driver.Ref) driver.Ref {
	if s.Pick(3) == 1 {
		return z.ast("mk_select_n", x[0], 1, z.Library.Refs(x[1:]))
	}
	return z.ast("mk_select", x[0], x[1])
}

func z3Store(z *terms, s *driver.Translation, _ smt.Term, x []driver.Ref) driver.Ref {
	if s.Pick(3) == 1 {
		return z.ast("mk_store_n", x[0], 1, z.Library.Refs(x[1:2]), x[2])
	}
	return z.ast("mk_store", x[0], x[1], x[2])
}

func z3ConstArray(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	return z.ast("mk_const_array", s.Sort(s.Arena().SortArgs(s.Arena().Sort(t))[0]), x[0])
}

// z3IndexOf is indexof, where the start may be left out.
func z3IndexOf(z *terms, s *driver.Translation, _ smt.Term, x []driver.Ref) driver.Ref {
	if len(x) == 2 {
		x = []driver.Ref{x[0], x[1], z.ast("mk_numeral", z.Library.Str("0"), s.Sort(smt.SortInt))}
	}
	return z.ast("mk_seq_index", x[0], x[1], x[2])
}

// z3Loop is re.loop. The upper bound 0 means none to Z3_mk_re_loop, so such loops are made by z3's reader.
func z3Loop(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	idx := s.Indices(t)
	if len(idx) == 2 && idx[0] <= idx[1] && idx[1] > 0 {
		return z.ast("mk_re_loop", append([]driver.Ref{x[0]}, driver.Words(idx)...)...)
	}
	return z.byText(s, t, x)
}

func z3ToFP(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	a := s.Arena()
	so := s.Sort(a.Sort(t))
	if len(x) == 1 {
		return z.ast("mk_fpa_to_fp_bv", x[0], so)
	}
	switch from := a.Sort(a.Arg(t, 1)); a.SortKind(from) {
	case smt.KindFloat:
		return z.ast("mk_fpa_to_fp_float", x[0], x[1], so)
	case smt.KindReal:
		return z.ast("mk_fpa_to_fp_real", x[0], x[1], so)
	case smt.KindInt:
		return z.ast("mk_fpa_to_fp_real", x[0], z.ast("mk_int2real", x[1]), so)
	case smt.KindBitVec:
		return z.ast("mk_fpa_to_fp_signed", x[0], x[1], so)
	}
	panic(s.NoOp(t))
}

func z3ToFPUnsigned(z *terms, s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	return z.ast("mk_fpa_to_fp_unsigned", x[0], x[1], s.Sort(s.Arena().Sort(t)))
}

// z3Template is an application that z3's reader made of constants, for which arguments are put in.
type z3Template struct {
	app    driver.Ref
	consts []driver.Ref
}

// byText makes an application for which the library has no function: its reader makes one over constants
// (Z3_parse_smtlib2_string), in whose place the arguments are put (Z3_substitute).
func (z *terms) byText(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	a := s.Arena()
	key := headText(s, t)
	for i := range args {
		key += " " + a.SortString(a.Sort(a.Arg(t, i)))
		if i > 0 && a.Op(t) == smt.OpReLoopArgs {
			key += " " + smtlib.TermText(a, a.Arg(t, i))
		}
	}
	tp := z.general[key]
	if tp == nil {
		tp = z.templates[key]
	}
	if tp == nil {
		tp = z.template(s, t, args)
		z.keepTemplate(s, t, key, tp)
	}
	if len(args) == 0 {
		return tp.app
	}
	return z.ast("substitute", tp.app, uintptr(len(args)), z.Library.Refs(tp.consts), z.Library.Refs(args))
}

// keepTemplate keeps a template: for the runs that the context will serve if nothing in it belongs to this one.
func (z *terms) keepTemplate(s *driver.Translation, t smt.Term, key string, tp *z3Template) {
	a := s.Arena()
	ofRun := a.Op(t) == smt.OpReLoopArgs || ofUser(a, a.Sort(t))
	for _, x := range a.Args(t) {
		ofRun = ofRun || ofUser(a, a.Sort(x))
	}
	if ofRun {
		z.templates[key] = tp
		return
	}
	for _, r := range append(tp.consts, tp.app) {
		z.Library.Call("Z3_inc_ref", z.ctx, r)
		z.own = append(z.own, r)
	}
	z.general[key] = tp
}

// ofUser reports whether a sort is one of the user's or is made of one.
func ofUser(a *smt.Arena, so smt.Sort) bool {
	if k := a.SortKind(so); k == smt.KindUser || k == smt.KindDatatype {
		return true
	}
	return slices.ContainsFunc(a.SortArgs(so), func(x smt.Sort) bool { return ofUser(a, x) })
}

func (z *terms) template(s *driver.Translation, t smt.Term, args []driver.Ref) *z3Template {
	a := s.Arena()
	tp := &z3Template{}
	head := headText(s, t)
	var names, decls []driver.Ref
	call := head
	if len(args) > 0 {
		call = "(" + head
	}
	literalArgs := a.Op(t) == smt.OpReLoopArgs
	for i := range args {
		if literalArgs && i > 0 { // the bounds must be numerals
			tp.consts = append(tp.consts, args[i])
			call += " " + smtlib.TermText(a, a.Arg(t, i))
			continue
		}
		name := fmt.Sprintf("smtlark!%d", i)
		sym := z.symbol(name)
		decl := z.ast("mk_func_decl", sym, 0, 0, s.Sort(a.Sort(a.Arg(t, i))))
		names, decls = append(names, sym), append(decls, decl)
		tp.consts = append(tp.consts, z.ast("mk_app", decl, 0, 0))
		call += " " + name
	}
	if len(args) > 0 {
		call += ")"
	}
	sym := z.symbol("smtlark!r")
	decl := z.ast("mk_func_decl", sym, 0, 0, s.Sort(a.Sort(t)))
	names, decls = append(names, sym), append(decls, decl)
	text := "(assert (= smtlark!r " + call + "))"
	v := z.c("parse_smtlib2_string", z.Library.Str(text), 0, 0, 0, uintptr(len(names)), z.Library.Refs(names), z.Library.Refs(decls))
	got := z.vector(v)
	if len(got) != 1 || uint32(z.c("get_app_num_args", got[0])) != 2 {
		panic(driver.Unsupported("z3's reader made something else of %s", strings.TrimSpace(call)))
	}
	tp.app = z.ast("get_app_arg", got[0], 1)
	return tp
}

// headText spells the head of a term as solvers take it.
func headText(s *driver.Translation, t smt.Term) string {
	name := s.Arena().Op(t).Info().Wire
	idx := s.Indices(t)
	if len(idx) == 0 {
		return name
	}
	name = "(_ " + name
	for _, n := range idx {
		name += fmt.Sprintf(" %d", n)
	}
	return name + ")"
}

// z3AsArray makes an array of a function.
func z3AsArray(z *terms, s *driver.Translation, t smt.Term, _ []driver.Ref) driver.Ref {
	return z.ast("mk_as_array", s.Symbol(s.Arena().SymbolOf(t)))
}

// z3Map applies a function to arrays, index by index.
func z3Map(z *terms, s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	f := s.Arena().SymbolOf(t)
	if info := s.Arena().SymbolInfo(f); info.Kind != smt.SymDeclared && !info.Recursive {
		panic(driver.Unsupported("z3 maps declared functions, not the definition %s", info.Name))
	}
	return z.ast("mk_map", s.Symbol(f), uintptr(len(args)), z.Library.Refs(args))
}
