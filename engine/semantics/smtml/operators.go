package smtml

import (
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// operator is an operator of the format and the one of SMT-LIB that means the same, which is applied to as many
// arguments.
type operator struct {
	names   string // that which is written, then other spellings
	op      smt.Op
	nargs   int
	mode    smt.Op // the rounding mode that comes before the arguments in SMT-LIB; OpInvalid: none
	index   []uint64
	operand string // the type of the first argument as it begins names, such as "i32."; anyType: every one
}

const anyType = "*"

// coreOperators have arguments of several types, or of one that their name does not begin with. The first names are
// what Smt.ml prints.
var coreOperators = []operator{
	{names: "not bool.not", op: smt.OpNot, nargs: 1, operand: anyType},
	{names: "and bool.and", op: smt.OpAnd, nargs: 2, operand: anyType},
	{names: "or bool.or", op: smt.OpOr, nargs: 2, operand: anyType},
	{names: "xor bool.xor", op: smt.OpXor, nargs: 2, operand: anyType},
	{names: "= bool.eq int.eq real.eq str.eq i32.eq i64.eq", op: smt.OpEq, nargs: 2, operand: anyType},
	{names: "distinct bool.ne int.ne real.ne str.ne i32.ne i64.ne", op: smt.OpDistinct, nargs: 2, operand: anyType},
	{names: "ite bool.ite", op: smt.OpIte, nargs: 3, operand: anyType},
	{names: "++", op: smt.OpConcat, nargs: 2, operand: anyType},

	{names: "int.reinterpret_real", op: smt.OpToInt, nargs: 1, operand: "real."},
	{names: "real.reinterpret_int", op: smt.OpToReal, nargs: 1, operand: "int."},
	{names: "str.from_code", op: smt.OpStrFromCode, nargs: 1, operand: "int."},
	{names: "str.from_int", op: smt.OpStrFromInt, nargs: 1, operand: "int."},

	{names: "i32.extend_i24_s", op: smt.OpSignExtend, nargs: 1, index: []uint64{24}, operand: "i8."},
	{names: "i32.extend_i24_u", op: smt.OpZeroExtend, nargs: 1, index: []uint64{24}, operand: "i8."},
	{names: "i32.extend_i16_s", op: smt.OpSignExtend, nargs: 1, index: []uint64{16}, operand: "i16."},
	{names: "i32.extend_i16_u", op: smt.OpZeroExtend, nargs: 1, index: []uint64{16}, operand: "i16."},
	{names: "i64.extend_i32_s", op: smt.OpSignExtend, nargs: 1, index: []uint64{32}, operand: "i32."},
	{names: "i64.extend_i32_u", op: smt.OpZeroExtend, nargs: 1, index: []uint64{32}, operand: "i32."},

	{names: "f32.demote_f64", op: smt.OpToFP, nargs: 1, mode: smt.OpRNE, index: []uint64{8, 24}, operand: "f64."},
	{names: "f64.promote_f32", op: smt.OpToFP, nargs: 1, mode: smt.OpRNE, index: []uint64{11, 53}, operand: "f32."},
	{names: "f32.reinterpret_int", op: smt.OpToFP, nargs: 1, index: []uint64{8, 24}, operand: "i32."},
	{names: "f64.reinterpret_int", op: smt.OpToFP, nargs: 1, index: []uint64{11, 53}, operand: "i64."},
	{names: "i32.reinterpret_float", op: smt.OpFPToIeeeBV, nargs: 1, operand: "f32."},
	{names: "i64.reinterpret_float", op: smt.OpFPToIeeeBV, nargs: 1, operand: "f64."},
}

// typedOperators have names that begin with the types of their first arguments, here separated by commas.
var typedOperators = []struct {
	types string
	operator
}{
	{"int.,real.", operator{names: "neg", op: smt.OpSub, nargs: 1}},
	{"int.,real.", operator{names: "add", op: smt.OpAdd, nargs: 2}},
	{"int.,real.", operator{names: "sub", op: smt.OpSub, nargs: 2}},
	{"int.,real.", operator{names: "mul", op: smt.OpMul, nargs: 2}},
	{"int.", operator{names: "div div_s", op: smt.OpIntDiv, nargs: 2}},
	{"int.", operator{names: "pow", op: smt.OpPow, nargs: 2}},
	{"real.", operator{names: "div div_s", op: smt.OpDiv, nargs: 2}},
	{"int.,real.", operator{names: "lt lt_s", op: smt.OpLt, nargs: 2}},
	{"int.,real.", operator{names: "le le_s", op: smt.OpLe, nargs: 2}},
	{"int.,real.", operator{names: "gt gt_s", op: smt.OpGt, nargs: 2}},
	{"int.,real.", operator{names: "ge ge_s", op: smt.OpGe, nargs: 2}},

	{"str.", operator{names: "len", op: smt.OpStrLen, nargs: 1}},
	{"str.", operator{names: "at", op: smt.OpStrAt, nargs: 2}},
	{"str.", operator{names: "++", op: smt.OpStrConcat, nargs: 2}},
	{"str.", operator{names: "prefixof", op: smt.OpStrPrefixOf, nargs: 2}},
	{"str.", operator{names: "suffixof", op: smt.OpStrSuffixOf, nargs: 2}},
	{"str.", operator{names: "contains", op: smt.OpStrContains, nargs: 2}},
	{"str.", operator{names: "substr", op: smt.OpStrSubstr, nargs: 3}},
	{"str.", operator{names: "replace", op: smt.OpStrReplace, nargs: 3}},
	{"str.", operator{names: "indexof", op: smt.OpStrIndexOf, nargs: 3}},
	{"str.", operator{names: "to_code", op: smt.OpStrToCode, nargs: 1}},
	{"str.", operator{names: "to_int", op: smt.OpStrToInt, nargs: 1}},

	{"i32.,i64.", operator{names: "neg", op: smt.OpBVNeg, nargs: 1}},
	{"i32.,i64.", operator{names: "not", op: smt.OpBVNot, nargs: 1}},
	{"i32.,i64.", operator{names: "add", op: smt.OpBVAdd, nargs: 2}},
	{"i32.,i64.", operator{names: "sub", op: smt.OpBVSub, nargs: 2}},
	{"i32.,i64.", operator{names: "mul", op: smt.OpBVMul, nargs: 2}},
	{"i32.,i64.", operator{names: "div_s div", op: smt.OpBVSdiv, nargs: 2}},
	{"i32.,i64.", operator{names: "div_u", op: smt.OpBVUdiv, nargs: 2}},
	{"i32.,i64.", operator{names: "rem_s rem", op: smt.OpBVSrem, nargs: 2}},
	{"i32.,i64.", operator{names: "rem_u", op: smt.OpBVUrem, nargs: 2}},
	{"i32.,i64.", operator{names: "and", op: smt.OpBVAnd, nargs: 2}},
	{"i32.,i64.", operator{names: "or", op: smt.OpBVOr, nargs: 2}},
	{"i32.,i64.", operator{names: "xor", op: smt.OpBVXor, nargs: 2}},
	{"i32.,i64.", operator{names: "shl", op: smt.OpBVShl, nargs: 2}},
	{"i32.,i64.", operator{names: "shr_s shr", op: smt.OpBVAshr, nargs: 2}},
	{"i32.,i64.", operator{names: "shr_u", op: smt.OpBVLshr, nargs: 2}},
	{"i32.,i64.", operator{names: "lt_u", op: smt.OpBVUlt, nargs: 2}},
	{"i32.,i64.", operator{names: "le_u", op: smt.OpBVUle, nargs: 2}},
	{"i32.,i64.", operator{names: "gt_u", op: smt.OpBVUgt, nargs: 2}},
	{"i32.,i64.", operator{names: "ge_u", op: smt.OpBVUge, nargs: 2}},
	{"i32.,i64.", operator{names: "lt_s lt", op: smt.OpBVSlt, nargs: 2}},
	{"i32.,i64.", operator{names: "le_s le", op: smt.OpBVSle, nargs: 2}},
	{"i32.,i64.", operator{names: "gt_s gt", op: smt.OpBVSgt, nargs: 2}},
	{"i32.,i64.", operator{names: "ge_s ge", op: smt.OpBVSge, nargs: 2}},

	{"f32.,f64.", operator{names: "neg", op: smt.OpFPNeg, nargs: 1}},
	{"f32.,f64.", operator{names: "abs", op: smt.OpFPAbs, nargs: 1}},
	{"f32.,f64.", operator{names: "sqrt", op: smt.OpFPSqrt, nargs: 1, mode: smt.OpRNE}},
	{"f32.,f64.", operator{names: "nearest", op: smt.OpFPRoundToIntegral, nargs: 1, mode: smt.OpRNE}},
	{"f32.,f64.", operator{names: "ceil", op: smt.OpFPRoundToIntegral, nargs: 1, mode: smt.OpRTP}},
	{"f32.,f64.", operator{names: "floor", op: smt.OpFPRoundToIntegral, nargs: 1, mode: smt.OpRTN}},
	{"f32.,f64.", operator{names: "trunc", op: smt.OpFPRoundToIntegral, nargs: 1, mode: smt.OpRTZ}},
	{"f32.,f64.", operator{names: "is_nan", op: smt.OpFPIsNaN, nargs: 1}},
	{"f32.,f64.", operator{names: "add", op: smt.OpFPAdd, nargs: 2, mode: smt.OpRNE}},
	{"f32.,f64.", operator{names: "sub", op: smt.OpFPSub, nargs: 2, mode: smt.OpRNE}},
	{"f32.,f64.", operator{names: "mul", op: smt.OpFPMul, nargs: 2, mode: smt.OpRNE}},
	{"f32.,f64.", operator{names: "div div_s", op: smt.OpFPDiv, nargs: 2, mode: smt.OpRNE}},
	{"f32.,f64.", operator{names: "rem rem_s", op: smt.OpFPRem, nargs: 2}},
	{"f32.,f64.", operator{names: "min", op: smt.OpFPMin, nargs: 2}},
	{"f32.,f64.", operator{names: "max", op: smt.OpFPMax, nargs: 2}},
	{"f32.,f64.", operator{names: "eq", op: smt.OpFPEq, nargs: 2}},
	{"f32.,f64.", operator{names: "lt lt_s", op: smt.OpFPLt, nargs: 2}},
	{"f32.,f64.", operator{names: "le le_s", op: smt.OpFPLeq, nargs: 2}},
	{"f32.,f64.", operator{names: "gt gt_s", op: smt.OpFPGt, nargs: 2}},
	{"f32.,f64.", operator{names: "ge ge_s", op: smt.OpFPGeq, nargs: 2}},
}

// said describes the terms that an operator of the format expresses.
type said struct {
	op      smt.Op
	nargs   int
	mode    smt.Op
	index   uint64 // the first one
	operand string
}

// operators returns all operators that correspond to a single SMT-LIB operator by name, and their names by the SMT-LIB
// terms that they express.
var operators = sync.OnceValues(func() (map[string]*operator, map[said]string) {
	names, terms := map[string]*operator{}, map[said]string{}
	add := func(o operator, prefix string) {
		key := said{op: o.op, nargs: o.nargs, mode: o.mode, operand: o.operand}
		if len(o.index) > 0 {
			key.index = o.index[0]
		}
		for i, name := range strings.Fields(o.names) {
			names[prefix+name] = &o
			if i == 0 {
				terms[key] = prefix + name
			}
		}
	}
	for _, o := range coreOperators {
		add(o, "")
	}
	for _, o := range typedOperators {
		for prefix := range strings.SplitSeq(o.types, ",") {
			o.operand = prefix
			add(o.operator, prefix)
		}
	}
	for _, to := range []struct {
		prefix string
		index  []uint64
	}{{"f32.", []uint64{8, 24}}, {"f64.", []uint64{11, 53}}} {
		for _, from := range []string{"i32", "i64"} {
			add(operator{names: "convert_" + from + "_s", op: smt.OpToFP, nargs: 1, mode: smt.OpRNE, index: to.index, operand: from + "."}, to.prefix)
			add(operator{names: "convert_" + from + "_u", op: smt.OpToFPUnsigned, nargs: 1, mode: smt.OpRNE, index: to.index, operand: from + "."}, to.prefix)
		}
	}
	for _, width := range []uint64{32, 64} {
		for _, from := range []string{"f32", "f64"} {
			prefix := map[uint64]string{32: "i32.", 64: "i64."}[width]
			add(operator{names: "trunc_" + from + "_s", op: smt.OpFPToSbv, nargs: 1, mode: smt.OpRTZ, index: []uint64{width}, operand: from + "."}, prefix)
			add(operator{names: "trunc_" + from + "_u", op: smt.OpFPToUbv, nargs: 1, mode: smt.OpRTZ, index: []uint64{width}, operand: from + "."}, prefix)
		}
	}
	return names, terms
})

// meaningless lists operators of the format that have no meaning in SMT-LIB.
var meaningless = map[string]string{
	"real.sqrt": "has irrational values", "real.nearest": "is meant for floating-point numbers", "real.is_nan": "is meant for floating-point numbers",
	"real.rem": "has no counterpart", "real.rem_s": "has no counterpart", "real.to_string": "has no counterpart", "real.of_string": "has no counterpart",
}

// keywords returns the reserved words of the format.
var keywords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields("int real bool str i8 i16 i32 i64 f32 f64 extract Ptr assert check-sat push pop let-const get-model set-logic true false nan inf -inf QF_BVFP") {
		words[word] = true
	}
	names, _ := operators()
	for name := range names {
		words[name] = true
	}
	for name := range meaningless {
		words[name] = true
	}
	for name := range derived() {
		words[name] = true
	}
	for _, name := range []string{"i32.rotl", "i32.rotr", "i64.rotl", "i64.rotr"} {
		words[name] = true
	}
	return words
})
