// Package murxla reads files of the API fuzzer Murxla: traces (Read) and profiles (ReadProfile). Both follow its
// documentation and sources of 2025-09 (commit 4027d7c); see docs/from-murxla.md for what has no counterpart here.
package murxla

import "strings"

// operators maps Murxla's operators, without OP_, to those of the operator table. Binders, datatypes and functions are
// read by themselves.
var operators = map[string]string{
	"DISTINCT": "distinct", "EQUAL": "=", "ITE": "ite", "ARRAY_SELECT": "select", "ARRAY_STORE": "store",
	"AND": "and", "OR": "or", "IMPLIES": "=>", "NOT": "not", "XOR": "xor", "IFF": "=",
	"BV_CONCAT": "concat", "BV_AND": "bvand", "BV_OR": "bvor", "BV_XOR": "bvxor", "BV_MULT": "bvmul", "BV_ADD": "bvadd", "BV_NOT": "bvnot",
	"BV_NEG": "bvneg", "BV_ASHR": "bvashr", "BV_COMP": "bvcomp", "BV_LSHR": "bvlshr", "BV_NAND": "bvnand", "BV_NOR": "bvnor", "BV_SDIV": "bvsdiv",
	"BV_SHL": "bvshl", "BV_SMOD": "bvsmod", "BV_SREM": "bvsrem", "BV_SUB": "bvsub", "BV_UDIV": "bvudiv", "BV_UREM": "bvurem", "BV_XNOR": "bvxnor",
	"BV_SGE": "bvsge", "BV_SGT": "bvsgt", "BV_SLE": "bvsle", "BV_SLT": "bvslt", "BV_UGE": "bvuge", "BV_UGT": "bvugt", "BV_ULE": "bvule", "BV_ULT": "bvult",
	"BV_UBV_TO_INT": "ubv_to_int", "BV_SBV_TO_INT": "sbv_to_int", "BV_EXTRACT": "extract", "BV_REPEAT": "repeat", "BV_ROTATE_LEFT": "rotate_left",
	"BV_ROTATE_RIGHT": "rotate_right", "BV_SIGN_EXTEND": "sign_extend", "BV_ZERO_EXTEND": "zero_extend",
	"FINITE_FIELD_NEG": "ff.neg", "FINITE_FIELD_ADD": "ff.add", "FINITE_FIELD_MULT": "ff.mul", "FF_NEG": "ff.neg", "FF_ADD": "ff.add", "FF_MULT": "ff.mul",
	"FP_ABS": "fp.abs", "FP_NEG": "fp.neg", "FP_ADD": "fp.add", "FP_SUB": "fp.sub", "FP_MUL": "fp.mul", "FP_DIV": "fp.div", "FP_FMA": "fp.fma",
	"FP_SQRT": "fp.sqrt", "FP_RTI": "fp.roundToIntegral", "FP_REM": "fp.rem", "FP_MAX": "fp.max", "FP_MIN": "fp.min", "FP_EQ": "fp.eq", "FP_LT": "fp.lt",
	"FP_LEQ": "fp.leq", "FP_LTE": "fp.leq", "FP_GT": "fp.gt", "FP_GEQ": "fp.geq", "FP_GTE": "fp.geq", "FP_IS_NORMAL": "fp.isNormal", "FP_IS_SUBNORMAL": "fp.isSubnormal", "FP_IS_INF": "fp.isInfinite",
	"FP_IS_NAN": "fp.isNaN", "FP_IS_NEG": "fp.isNegative", "FP_IS_POS": "fp.isPositive", "FP_IS_ZERO": "fp.isZero", "FP_FP": "fp",
	"FP_TO_REAL": "fp.to_real", "FP_TO_FP_FROM_BV": "to_fp", "FP_TO_FP_FROM_SBV": "to_fp", "FP_TO_FP_FROM_UBV": "to_fp_unsigned",
	"FP_TO_FP_FROM_INT_BV": "to_fp", "FP_TO_FP_FROM_UINT_BV": "to_fp_unsigned", "FP_TO_FP_FROM_FP": "to_fp", "FP_TO_FP_FROM_REAL": "to_fp", "FP_TO_SBV": "fp.to_sbv", "FP_TO_UBV": "fp.to_ubv",
	"INT_NEG": "-", "INT_ABS": "abs", "INT_SUB": "-", "INT_ADD": "+", "INT_MUL": "*", "INT_DIV": "div", "INT_MOD": "mod", "INT_LT": "<", "INT_LTE": "<=",
	"INT_GT": ">", "INT_GTE": ">=", "INT_IS_DIV": "divisible", "INT_TO_BV": "int_to_bv", "INT_TO_REAL": "to_real",
	"REAL_NEG": "-", "REAL_SUB": "-", "REAL_ADD": "+", "REAL_MUL": "*", "REAL_DIV": "/", "REAL_LT": "<", "REAL_LTE": "<=", "REAL_GT": ">", "REAL_GTE": ">=",
	"REAL_IS_INT": "is_int", "REAL_TO_INT": "to_int",
	"STR_CONCAT": "str.++", "STR_LEN": "str.len", "STR_LT": "str.<", "STR_LE": "str.<=", "STR_PREFIXOF": "str.prefixof", "STR_SUFFIXOF": "str.suffixof",
	"STR_CONTAINS": "str.contains", "STR_AT": "str.at", "STR_SUBSTR": "str.substr", "STR_INDEXOF": "str.indexof", "STR_REPLACE": "str.replace",
	"STR_REPLACE_ALL": "str.replace_all", "STR_REPLACE_RE": "str.replace_re", "STR_REPLACE_RE_ALL": "str.replace_re_all", "STR_IS_DIGIT": "str.is_digit",
	"STR_TO_CODE": "str.to_code", "STR_TO_INT": "str.to_int", "STR_FROM_CODE": "str.from_code", "STR_FROM_INT": "str.from_int", "STR_TO_RE": "str.to_re",
	"STR_IN_RE": "str.in_re", "RE_ALL": "re.all", "RE_ALLCHAR": "re.allchar", "RE_NONE": "re.none", "RE_COMP": "re.comp", "RE_OPT": "re.opt", "RE_PLUS": "re.+",
	"RE_STAR": "re.*", "RE_CONCAT": "re.++", "RE_DIFF": "re.diff", "RE_INTER": "re.inter", "RE_UNION": "re.union", "RE_RANGE": "re.range", "RE_POW": "re.^",
	"RE_LOOP":          "re.loop",
	"TRANS_PI":         "real.pi",
	"TRANS_SINE":       "sin",
	"TRANS_COSINE":     "cos",
	"TRANS_TANGENT":    "tan",
	"TRANS_COTANGENT":  "cot",
	"TRANS_SECANT":     "sec",
	"TRANS_COSECANT":   "csc",
	"TRANS_ARCSINE":    "arcsin",
	"TRANS_ARCCOSINE":  "arccos",
	"TRANS_ARCTANGENT": "arctan", "TRANS_ARCCOTANGENT": "arccot", "TRANS_ARCSECANT": "arcsec", "TRANS_ARCCOSECANT": "arccsc",
	"BAG_UNION_MAX": "bag.union_max", "BAG_UNION_DISJOINT": "bag.union_disjoint", "BAG_INTERSECTION_MIN": "bag.inter_min",
	"BAG_DIFFERENCE_SUBTRACT": "bag.difference_subtract", "BAG_DIFFERENCE_REMOVE": "bag.difference_remove", "BAG_SUBBAG": "bag.subbag", "BAG_COUNT": "bag.count",
	"BAG_DUPLICATE_REMOVAL": "bag.setof", "BAG_MAKE": "bag", "BAG_CARD": "bag.card", "BAG_CHOOSE": "bag.choose", "BAG_IS_SINGLETON": "bag.is_singleton",
	"BAG_FROM_SET": "bag.from_set", "BAG_TO_SET": "bag.to_set",
	"SEQ_CONCAT": "seq.++", "SEQ_LENGTH": "seq.len", "SEQ_EXTRACT": "seq.extract", "SEQ_UPDATE": "seq.update", "SEQ_AT": "seq.at", "SEQ_CONTAINS": "seq.contains",
	"SEQ_PREFIX": "seq.prefixof", "SEQ_SUFFIX": "seq.suffixof", "SEQ_INDEXOF": "seq.indexof", "SEQ_REPLACE": "seq.replace", "SEQ_REPLACE_ALL": "seq.replace_all",
	"SEQ_REV": "seq.rev", "SEQ_UNIT": "seq.unit", "SEQ_NTH": "seq.nth",
	"SET_CARD": "set.card", "SET_CHOOSE": "set.choose", "SET_COMPLEMENT": "set.complement", "SET_INSERT": "set.insert", "SET_INTERSECTION": "set.inter",
	"SET_MINUS": "set.minus", "SET_UNION": "set.union", "SET_MEMBER": "set.member", "SET_SUBSET": "set.subset", "SET_IS_SINGLETON": "set.is_singleton",
	"SET_SINGLETON": "set.singleton",
}

// solverOperators are those of single solvers, which come with the solver's name: BITWUZLA-OP_BV_DEC.
var solverOperators = map[string]string{
	"DEC": "bvdec", "INC": "bvinc", "REDAND": "bvredand", "REDOR": "bvredor", "REDXOR": "bvredxor", "UADDO": "bvuaddo", "SADDO": "bvsaddo",
	"UMULO": "bvumulo", "SMULO": "bvsmulo", "USUBO": "bvusubo", "SSUBO": "bvssubo", "SDIVO": "bvsdivo", "INT_TO_BV": "int_to_bv", "BV_TO_NAT": "ubv_to_int",
	"BV_DEC": "bvdec", "BV_INC": "bvinc", "BV_REDAND": "bvredand", "BV_REDOR": "bvredor", "BV_REDXOR": "bvredxor", "BV_ROL": "bvrol", "BV_ROR": "bvror",
	"BV_UADDO": "bvuaddo", "BV_UADD_OVERFLOW": "bvuaddo", "BV_SADDO": "bvsaddo", "BV_SADD_OVERFLOW": "bvsaddo", "BV_UMULO": "bvumulo", "BV_UMUL_OVERFLOW": "bvumulo",
	"BV_SMULO": "bvsmulo", "BV_SMUL_OVERFLOW": "bvsmulo", "BV_USUBO": "bvusubo", "BV_USUB_OVERFLOW": "bvusubo", "BV_SSUBO": "bvssubo", "BV_SSUB_OVERFLOW": "bvssubo",
	"BV_SDIVO": "bvsdivo", "BV_SDIV_OVERFLOW": "bvsdivo", "BV_ULTBV": "bvultbv", "BV_SLTBV": "bvsltbv", "BV_ITE": "bvite", "INT_IAND": "iand", "INT_POW2": "int.pow2",
	"STRING_UPDATE": "str.update", "STRING_TOLOWER": "str.to_lower", "STRING_TOUPPER": "str.to_upper", "STRING_REV": "str.rev", "STR_UPDATE": "str.update",
	"STR_TOLOWER": "str.to_lower", "STR_TOUPPER": "str.to_upper", "STR_REV": "str.rev", "IFF": "=",
}

// setFirst are the operators whose first argument is a set or a bag in Murxla and the last one in our table.
var setFirst = map[string]bool{"set.member": true, "set.insert": true, "bag.count": true}

// operatorOf returns the name in the operator table, "" if there is none.
func operatorOf(name string) string {
	name = strings.ToUpper(name)
	if i := strings.Index(name, "-OP_"); i >= 0 {
		return solverOperators[name[i+len("-OP_"):]]
	}
	return operators[strings.TrimPrefix(name, "OP_")]
}

// kinds maps Murxla's kinds of sorts, without SORT_, to the words of smt.SortKind.
var kinds = map[string]string{
	"ARRAY": "Array", "BAG": "Bag", "BOOL": "Bool", "BV": "BitVec", "DT": "datatype", "FF": "FiniteField", "FP": "FloatingPoint", "INT": "Int", "REAL": "Real",
	"REGLAN": "RegLan", "RM": "RoundingMode", "SEQ": "Seq", "SET": "Set", "STRING": "String", "UNINTERPRETED": "user sort",
}

func kindOf(name string) string { return strings.TrimPrefix(strings.ToUpper(name), "SORT_") }

// theories maps Murxla's theories, without THEORY_, to those of the operator table.
var theories = map[string][]string{
	"ARRAY": {"ArraysEx"}, "BAG": {"Bags"}, "BOOL": {"Core"}, "BV": {"FixedSizeBitVectors", "BitVectorExtensions"}, "DT": {"Datatypes"}, "FF": {"FiniteFields"},
	"FP": {"FloatingPoint", "FloatingPointExtensions"}, "INT": {"Ints", "Arith"}, "QUANT": {"Quantifiers"}, "REAL": {"Reals", "Arith"}, "SEQ": {"Sequences"},
	"SET": {"Sets"}, "STRING": {"Strings", "StringExtensions"}, "TRANSCENDENTAL": {"Transcendental"}, "UF": {"UF"},
}
