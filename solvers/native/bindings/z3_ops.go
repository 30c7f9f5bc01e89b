package bindings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// z3Operators are the functions of libz3 that make terms.
var z3Operators = map[smt.Op]driver.Operator{
	smt.OpNot: {Call: "mk_not"}, smt.OpImplies: {Call: "mk_implies", Shape: driver.Chain},
	smt.OpAnd: {Call: "mk_and", Shape: driver.Joined}, smt.OpOr: {Call: "mk_or", Shape: driver.Joined},
	smt.OpXor: {Call: "mk_xor", Shape: driver.Chain},
	smt.OpEq:  {Call: "mk_eq", Shape: driver.Binary, OnBools: "mk_iff"}, smt.OpIte: {Call: "mk_ite"},
	smt.OpAdd: {Call: "mk_add", Shape: driver.Joined}, smt.OpMul: {Call: "mk_mul", Shape: driver.Joined},
	smt.OpIntDiv: {Call: "mk_div", Shape: driver.Chain}, smt.OpMod: {Call: "mk_mod"},
	smt.OpLe: {Call: "mk_le", Shape: driver.Chain}, smt.OpLt: {Call: "mk_lt", Shape: driver.Chain},
	smt.OpGe: {Call: "mk_ge", Shape: driver.Chain}, smt.OpGt: {Call: "mk_gt", Shape: driver.Chain},
	smt.OpDiv: {Call: "mk_div", Shape: driver.Chain}, smt.OpToReal: {Call: "mk_int2real"},
	smt.OpToInt: {Call: "mk_real2int"}, smt.OpIsInt: {Call: "mk_is_int"}, smt.OpRem: {Call: "mk_rem"},
	smt.OpPow: {ByText: true}, smt.OpSin: {ByText: true}, smt.OpCos: {ByText: true}, smt.OpTan: {ByText: true},
	smt.OpAsin: {ByText: true}, smt.OpAcos: {ByText: true}, smt.OpAtan: {ByText: true}, smt.OpSinh: {ByText: true},
	smt.OpCosh: {ByText: true}, smt.OpTanh: {ByText: true}, smt.OpAsinh: {ByText: true}, smt.OpAcosh: {ByText: true},
	smt.OpAtanh: {ByText: true}, smt.OpPi: {ByText: true}, smt.OpEuler: {ByText: true},
	smt.OpConcat: {Call: "mk_concat", Shape: driver.Chain}, smt.OpExtract: {Call: "mk_extract", Shape: driver.Indexed},
	smt.OpBVNot: {Call: "mk_bvnot"}, smt.OpBVNeg: {Call: "mk_bvneg"},
	smt.OpBVAnd: {Call: "mk_bvand", Shape: driver.Chain}, smt.OpBVOr: {Call: "mk_bvor", Shape: driver.Chain},
	smt.OpBVXor: {Call: "mk_bvxor", Shape: driver.Chain}, smt.OpBVNand: {Call: "mk_bvnand"},
	smt.OpBVNor: {Call: "mk_bvnor"}, smt.OpBVXnor: {Call: "mk_bvxnor", Shape: driver.Chain},
	smt.OpBVAdd: {Call: "mk_bvadd", Shape: driver.Chain}, smt.OpBVSub: {Call: "mk_bvsub"},
	smt.OpBVMul: {Call: "mk_bvmul", Shape: driver.Chain}, smt.OpBVUdiv: {Call: "mk_bvudiv"},
	smt.OpBVUrem: {Call: "mk_bvurem"}, smt.OpBVSdiv: {Call: "mk_bvsdiv"}, smt.OpBVSrem: {Call: "mk_bvsrem"},
	smt.OpBVSmod: {Call: "mk_bvsmod"}, smt.OpBVShl: {Call: "mk_bvshl"}, smt.OpBVLshr: {Call: "mk_bvlshr"},
	smt.OpBVAshr: {Call: "mk_bvashr"}, smt.OpBVUlt: {Call: "mk_bvult"}, smt.OpBVUle: {Call: "mk_bvule"},
	smt.OpBVUgt: {Call: "mk_bvugt"}, smt.OpBVUge: {Call: "mk_bvuge"}, smt.OpBVSlt: {Call: "mk_bvslt"},
	smt.OpBVSle: {Call: "mk_bvsle"}, smt.OpBVSgt: {Call: "mk_bvsgt"}, smt.OpBVSge: {Call: "mk_bvsge"},
	smt.OpRepeat:        {Call: "mk_repeat", Shape: driver.Indexed},
	smt.OpZeroExtend:    {Call: "mk_zero_ext", Shape: driver.Indexed},
	smt.OpSignExtend:    {Call: "mk_sign_ext", Shape: driver.Indexed},
	smt.OpRotateLeft:    {Call: "mk_rotate_left", Shape: driver.Indexed},
	smt.OpRotateRight:   {Call: "mk_rotate_right", Shape: driver.Indexed},
	smt.OpExtRotateLeft: {Call: "mk_ext_rotate_left"}, smt.OpExtRotateRight: {Call: "mk_ext_rotate_right"},
	smt.OpUbvToInt: {Call: "mk_bv2int", Words: []driver.Ref{0}},
	smt.OpSbvToInt: {Call: "mk_bv2int", Words: []driver.Ref{1}},
	smt.OpIntToBV:  {Call: "mk_int2bv", Shape: driver.Indexed}, smt.OpBVRedor: {Call: "mk_bvredor"},
	smt.OpBVRedand: {Call: "mk_bvredand"}, smt.OpBVUmulNoOvfl: {Call: "mk_bvmul_no_overflow", Words: []driver.Ref{0}},
	smt.OpBVSmulNoOvfl: {Call: "mk_bvmul_no_overflow", Words: []driver.Ref{1}},
	smt.OpBVSmulNoUdfl: {Call: "mk_bvmul_no_underflow"},
	smt.OpBit2Bool:     {Call: "mk_bit2bool", Shape: driver.Indexed, ByText: true},
	smt.OpArrayDefault: {Call: "mk_array_default"}, smt.OpSeqEmpty: {Call: "mk_seq_empty", Shape: driver.OfSort},
	smt.OpSeqUnit: {Call: "mk_seq_unit"}, smt.OpSeqConcat: {Call: "mk_seq_concat", Shape: driver.Joined},
	smt.OpSeqLen: {Call: "mk_seq_length"}, smt.OpSeqExtract: {Call: "mk_seq_extract"},
	smt.OpSeqAt: {Call: "mk_seq_at"}, smt.OpSeqNth: {Call: "mk_seq_nth"}, smt.OpSeqContains: {Call: "mk_seq_contains"},
	smt.OpSeqLastIndexOf: {Call: "mk_seq_last_index"}, smt.OpSeqReplace: {Call: "mk_seq_replace"},
	smt.OpSeqPrefixOf: {Call: "mk_seq_prefix"}, smt.OpSeqSuffixOf: {Call: "mk_seq_suffix"},
	smt.OpStrConcat: {Call: "mk_seq_concat", Shape: driver.Joined}, smt.OpStrLen: {Call: "mk_seq_length"},
	smt.OpStrLt: {Call: "mk_str_lt", Shape: driver.Chain, ByText: true},
	smt.OpStrLe: {Call: "mk_str_le", Shape: driver.Chain, ByText: true}, smt.OpStrAt: {Call: "mk_seq_at"},
	smt.OpStrSubstr: {Call: "mk_seq_extract"}, smt.OpStrPrefixOf: {Call: "mk_seq_prefix"},
	smt.OpStrSuffixOf: {Call: "mk_seq_suffix"}, smt.OpStrContains: {Call: "mk_seq_contains"},
	smt.OpStrReplace: {Call: "mk_seq_replace"}, smt.OpStrReplaceAll: {Call: "mk_seq_replace_all", ByText: true},
	smt.OpStrReplaceRe:    {Call: "mk_seq_replace_re", ByText: true},
	smt.OpStrReplaceReAll: {Call: "mk_seq_replace_re_all", ByText: true}, smt.OpStrIsDigit: {ByText: true},
	smt.OpStrToCode:   {Call: "mk_string_to_code", ByText: true},
	smt.OpStrFromCode: {Call: "mk_string_from_code", ByText: true}, smt.OpStrToInt: {Call: "mk_str_to_int"},
	smt.OpStrFromInt: {Call: "mk_int_to_str"}, smt.OpStrToRe: {Call: "mk_seq_to_re"},
	smt.OpStrInRe: {Call: "mk_seq_in_re"}, smt.OpReNone: {Call: "mk_re_empty", Shape: driver.OfSort},
	smt.OpReAll:     {Call: "mk_re_full", Shape: driver.OfSort},
	smt.OpReAllChar: {Call: "mk_re_allchar", Shape: driver.OfSort, ByText: true},
	smt.OpReConcat:  {Call: "mk_re_concat", Shape: driver.Joined},
	smt.OpReUnion:   {Call: "mk_re_union", Shape: driver.Joined},
	smt.OpReInter:   {Call: "mk_re_intersect", Shape: driver.Joined},
	smt.OpReDiff:    {Call: "mk_re_diff", Shape: driver.Chain, ByText: true}, smt.OpReStar: {Call: "mk_re_star"},
	smt.OpReComp: {Call: "mk_re_complement"}, smt.OpRePlus: {Call: "mk_re_plus"}, smt.OpReOpt: {Call: "mk_re_option"},
	smt.OpReRange: {Call: "mk_re_range"}, smt.OpRePower: {Call: "mk_re_power", ByText: true},
	smt.OpReLoopArgs: {ByText: true}, smt.OpStrLastIndexOf: {Call: "mk_seq_last_index", ByText: true},
	smt.OpStrFromUbv: {Call: "mk_ubv_to_str", ByText: true}, smt.OpStrFromSbv: {Call: "mk_sbv_to_str", ByText: true},
	smt.OpFP: {Call: "mk_fpa_fp"}, smt.OpFPPlusInf: {Call: "mk_fpa_inf", Shape: driver.OfSort, Words: []driver.Ref{0}},
	smt.OpFPMinusInf:  {Call: "mk_fpa_inf", Shape: driver.OfSort, Words: []driver.Ref{1}},
	smt.OpFPPlusZero:  {Call: "mk_fpa_zero", Shape: driver.OfSort, Words: []driver.Ref{0}},
	smt.OpFPMinusZero: {Call: "mk_fpa_zero", Shape: driver.OfSort, Words: []driver.Ref{1}},
	smt.OpFPNaN:       {Call: "mk_fpa_nan", Shape: driver.OfSort},
	smt.OpRNE:         {Call: "mk_fpa_rne", Drawn: "mk_fpa_round_nearest_ties_to_even"},
	smt.OpRNA:         {Call: "mk_fpa_rna", Drawn: "mk_fpa_round_nearest_ties_to_away"},
	smt.OpRTP:         {Call: "mk_fpa_rtp", Drawn: "mk_fpa_round_toward_positive"},
	smt.OpRTN:         {Call: "mk_fpa_rtn", Drawn: "mk_fpa_round_toward_negative"},
	smt.OpRTZ:         {Call: "mk_fpa_rtz", Drawn: "mk_fpa_round_toward_zero"}, smt.OpFPAbs: {Call: "mk_fpa_abs"},
	smt.OpFPNeg: {Call: "mk_fpa_neg"}, smt.OpFPAdd: {Call: "mk_fpa_add"}, smt.OpFPSub: {Call: "mk_fpa_sub"},
	smt.OpFPMul: {Call: "mk_fpa_mul"}, smt.OpFPDiv: {Call: "mk_fpa_div"}, smt.OpFPFma: {Call: "mk_fpa_fma"},
	smt.OpFPSqrt: {Call: "mk_fpa_sqrt"}, smt.OpFPRem: {Call: "mk_fpa_rem"},
	smt.OpFPRoundToIntegral: {Call: "mk_fpa_round_to_integral"}, smt.OpFPMin: {Call: "mk_fpa_min"},
	smt.OpFPMax: {Call: "mk_fpa_max"}, smt.OpFPLeq: {Call: "mk_fpa_leq", Shape: driver.Chain},
	smt.OpFPLt: {Call: "mk_fpa_lt", Shape: driver.Chain}, smt.OpFPGeq: {Call: "mk_fpa_geq", Shape: driver.Chain},
	smt.OpFPGt: {Call: "mk_fpa_gt", Shape: driver.Chain}, smt.OpFPEq: {Call: "mk_fpa_eq", Shape: driver.Chain},
	smt.OpFPIsNormal: {Call: "mk_fpa_is_normal"}, smt.OpFPIsSubnormal: {Call: "mk_fpa_is_subnormal"},
	smt.OpFPIsZero: {Call: "mk_fpa_is_zero"}, smt.OpFPIsInfinite: {Call: "mk_fpa_is_infinite"},
	smt.OpFPIsNaN: {Call: "mk_fpa_is_nan"}, smt.OpFPIsNegative: {Call: "mk_fpa_is_negative"},
	smt.OpFPIsPositive: {Call: "mk_fpa_is_positive"}, smt.OpFPToUbv: {Call: "mk_fpa_to_ubv"},
	smt.OpFPToSbv: {Call: "mk_fpa_to_sbv"}, smt.OpFPToReal: {Call: "mk_fpa_to_real"},
	smt.OpFPToIeeeBV: {Call: "mk_fpa_to_ieee_bv"},
}

// z3Overflows are z3Operators whose negation is the conjunction of some predicates of the library, which say that there
// is no overflow.
var z3Overflows = map[smt.Op][]driver.Operator{
	smt.OpBVNego:  {{Call: "mk_bvneg_no_overflow"}},
	smt.OpBVUaddo: {{Call: "mk_bvadd_no_overflow", Words: []driver.Ref{0}}},
	smt.OpBVSaddo: {{Call: "mk_bvadd_no_overflow", Words: []driver.Ref{1}}, {Call: "mk_bvadd_no_underflow"}},
	smt.OpBVUmulo: {{Call: "mk_bvmul_no_overflow", Words: []driver.Ref{0}}},
	smt.OpBVSmulo: {{Call: "mk_bvmul_no_overflow", Words: []driver.Ref{1}}, {Call: "mk_bvmul_no_underflow"}},
	smt.OpBVUsubo: {{Call: "mk_bvsub_no_underflow", Words: []driver.Ref{0}}},
	smt.OpBVSsubo: {{Call: "mk_bvsub_no_overflow"}, {Call: "mk_bvsub_no_underflow", Words: []driver.Ref{1}}},
	smt.OpBVSdivo: {{Call: "mk_bvsdiv_no_overflow"}},
}

// Knows implements driver.TermMaker.
func (z *z3) Knows(call string) bool { return z.Library.Has("Z3_" + call) }

// Make implements driver.TermMaker.
func (z *z3) Make(_ *driver.Translation, call string, shape driver.CallShape, indices []uint64,
	args []driver.Ref) driver.Ref {
	switch {
	case shape == driver.Joined:
		return z.ast(call, uintptr(len(args)), z.Library.Refs(args))
	case shape == driver.Indexed:
		return z.ast(call, append(driver.Words(indices), args...)...)
	case len(indices) > 0:
		return z.ast(call, append(slices.Clone(args), driver.Words(indices)...)...)
	}
	return z.ast(call, args...)
}

// Conjoin implements driver.TermMaker.
func (z *z3) Conjoin(_ *driver.Translation, parts []driver.Ref) driver.Ref {
	return z.ast("mk_and", uintptr(len(parts)), z.Library.Refs(parts))
}

func (z *z3) App(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	op := s.Arena().Op(t)
	switch op {
	case smt.OpDistinct:
		return z.makeDistinct(s, args)
	case smt.OpSub:
		return z.makeDifference(args)
	case smt.OpAbs:
		return z.makeAbs(s, t, args)
	case smt.OpDivisible:
		return z.makeDivisible(s, t, args)
	case smt.OpBVComp:
		return z.makeComparison(s, t, args)
	case smt.OpSelect:
		return z.makeSelect(s, args)
	case smt.OpStore:
		return z.makeStore(s, args)
	case smt.OpConstArray:
		return z.ast("mk_const_array", s.Sort(s.Arena().SortArgs(s.Arena().Sort(t))[0]), args[0])
	case smt.OpFunction:
		return z.ast("mk_as_array", s.Symbol(s.Arena().SymbolOf(t)))
	case smt.OpMapArrays:
		return z.makeMap(s, t, args)
	case smt.OpSeqIndexOf, smt.OpStrIndexOf:
		return z.makeIndexOf(s, args)
	case smt.OpReLoop:
		return z.makeLoop(s, t, args)
	case smt.OpToFP, smt.OpToFPFromBV, smt.OpToFPFromFP, smt.OpToFPFromReal, smt.OpToFPFromSbv:
		return z.makeFloatOf(s, t, args)
	case smt.OpToFPUnsigned:
		return z.ast("mk_fpa_to_fp_unsigned", args[0], args[1], s.Sort(s.Arena().Sort(t)))
	}
	calls, ok := z3Overflows[op]
	if !ok {
		return s.MakeOperator(z, z3Operators, t, args)
	}
	var parts []driver.Ref
	for _, c := range calls {
		parts = append(parts, z.ast(c.Call, append(slices.Clone(args), c.Words...)...))
	}
	if len(parts) == 1 {
		return z.ast("mk_not", parts[0])
	}
	return z.ast("mk_not", z.Conjoin(s, parts))
}

func (z *z3) makeDistinct(s *driver.Translation, x []driver.Ref) driver.Ref {
	if len(x) == 2 && s.Pick(2) == 1 {
		return z.ast("mk_not", z.ast("mk_eq", x[0], x[1]))
	}
	return z.ast("mk_distinct", uintptr(len(x)), z.Library.Refs(x))
}

func (z *z3) makeDifference(x []driver.Ref) driver.Ref {
	if len(x) == 1 {
		return z.ast("mk_unary_minus", x[0])
	}
	return z.ast("mk_sub", uintptr(len(x)), z.Library.Refs(x))
}

func (z *z3) makeAbs(s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	if z.Library.Has("Z3_mk_abs") && s.Pick(2) == 1 {
		return z.ast("mk_abs", x[0])
	}
	zero := z.ast("mk_numeral", z.Library.Str("0"), s.Sort(s.Arena().Sort(t)))
	return z.ast("mk_ite", z.ast("mk_ge", x[0], zero), x[0], z.ast("mk_unary_minus", x[0]))
}

func (z *z3) makeDivisible(s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
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

// makeComparison makes bvcomp, for which the library has no function.
func (z *z3) makeComparison(s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	if s.Pick(2) == 0 {
		return z.MakeByText(s, t, x)
	}
	one := func(v string) driver.Ref { return z.ast("mk_numeral", z.Library.Str(v), s.Sort(s.Arena().Sort(t))) }
	return z.ast("mk_ite", z.ast("mk_eq", x[0], x[1]), one("1"), one("0"))
}

func (z *z3) makeSelect(s *driver.Translation, x []driver.Ref) driver.Ref {
	if s.Pick(3) == 1 {
		return z.ast("mk_select_n", x[0], 1, z.Library.Refs(x[1:]))
	}
	return z.ast("mk_select", x[0], x[1])
}

func (z *z3) makeStore(s *driver.Translation, x []driver.Ref) driver.Ref {
	if s.Pick(3) == 1 {
		return z.ast("mk_store_n", x[0], 1, z.Library.Refs(x[1:2]), x[2])
	}
	return z.ast("mk_store", x[0], x[1], x[2])
}

// makeIndexOf makes indexof, where the start may be left out.
func (z *z3) makeIndexOf(s *driver.Translation, x []driver.Ref) driver.Ref {
	if len(x) == 2 {
		x = []driver.Ref{x[0], x[1], z.ast("mk_numeral", z.Library.Str("0"), s.Sort(smt.SortInt))}
	}
	return z.ast("mk_seq_index", x[0], x[1], x[2])
}

// makeLoop makes re.loop. The upper bound 0 means none to Z3_mk_re_loop, so such loops are made by z3's reader.
func (z *z3) makeLoop(s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
	idx := s.Indices(t)
	if len(idx) == 2 && idx[0] <= idx[1] && idx[1] > 0 {
		return z.ast("mk_re_loop", append([]driver.Ref{x[0]}, driver.Words(idx)...)...)
	}
	return z.MakeByText(s, t, x)
}

func (z *z3) makeFloatOf(s *driver.Translation, t smt.Term, x []driver.Ref) driver.Ref {
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

// z3Template is an application that z3's reader made of constants, for which arguments are put in.
type z3Template struct {
	app    driver.Ref
	consts []driver.Ref
}

// MakeByText implements driver.TermMaker: it makes an application for which the library has no function: its reader
// makes one over constants (Z3_parse_smtlib2_string), in whose place the arguments are put (Z3_substitute).
func (z *z3) MakeByText(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
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
func (z *z3) keepTemplate(s *driver.Translation, t smt.Term, key string, tp *z3Template) {
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

func (z *z3) template(s *driver.Translation, t smt.Term, args []driver.Ref) *z3Template {
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
	v := z.c("parse_smtlib2_string", z.Library.Str(text), 0, 0, 0, uintptr(len(names)), z.Library.Refs(names),
		z.Library.Refs(decls))
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

// makeMap applies a function to arrays, index by index.
func (z *z3) makeMap(s *driver.Translation, t smt.Term, args []driver.Ref) driver.Ref {
	f := s.Arena().SymbolOf(t)
	if info := s.Arena().SymbolInfo(f); info.Kind != smt.SymDeclared && !info.Recursive {
		panic(driver.Unsupported("z3 maps declared functions, not the definition %s", info.Name))
	}
	return z.ast("mk_map", s.Symbol(f), uintptr(len(args)), z.Library.Refs(args))
}
