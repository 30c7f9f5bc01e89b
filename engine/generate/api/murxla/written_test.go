package murxla

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// written makes a trace in the format of Murxla's tracer: a seed and the call, and below it, indented, the returned
// value.
type written struct {
	text         strings.Builder
	sorts, terms int
	ids          map[string]string // ids of sorts and constants, by the names in these tests
}

func (w *written) line(format string, args ...any) {
	fmt.Fprintf(&w.text, "%d %s\n", 10000+w.text.Len(), fmt.Sprintf(format, args...))
}

func (w *written) returns(ids ...string) {
	fmt.Fprintf(&w.text, "      return %s\n", strings.Join(ids, " "))
}

func (w *written) sort(name, format string, args ...any) {
	w.line("mk-sort "+format, args...)
	w.sorts++
	id := fmt.Sprint("s", w.sorts)
	w.returns(id)
	w.ids[name] = id
	for i := range 3 {
		w.term(fmt.Sprint(name, i), false, "mk-const %s \"_x%d\"", id, w.terms)
	}
}

// term adds a call that returns a term and, where Murxla traces it, a sort.
func (w *written) term(name string, sorted bool, format string, args ...any) {
	w.line(format, args...)
	w.terms++
	ids := []string{fmt.Sprint("t", w.terms)}
	if sorted {
		w.sorts++
		ids = append(ids, fmt.Sprint("s", w.sorts))
	}
	w.returns(ids...)
	w.ids[name] = ids[0]
}

// words replaces the names in these tests by ids.
func (w *written) words(names string) string {
	words := strings.Fields(names)
	for i, n := range words {
		if id, ok := w.ids[n]; ok {
			words[i] = id
		}
	}
	return strings.Join(words, " ")
}

// operation is an operator as Murxla registers it: its kind, the kind of its sort, its arguments and its indices.
type operation struct{ kind, sort, args, indices string }

// operations are all operators that Murxla's tracer can write: those of its theories and of its wrappers.
func operations() (all []operation) {
	add := func(sort, args, indices string, kinds string) {
		for _, k := range strings.Fields(kinds) {
			if !strings.Contains(k, "-OP_") {
				k = "OP_" + k
			}
			all = append(all, operation{k, sort, args, indices})
		}
	}
	for _, s := range []string{"bool", "bv", "fp", "int", "real", "str", "arr", "un", "fun", "set", "bag", "seq", "dt", "ff", "rm", "re"} {
		if s != "re" {
			add("SORT_BOOL", s+"0 "+s+"1", "", "DISTINCT EQUAL")
			add("SORT_BOOL", s+"0 "+s+"1 "+s+"2", "", "DISTINCT EQUAL")
		}
		add("SORT_ANY", "bool0 "+s+"0 "+s+"1", "", "ITE")
	}
	add("SORT_ANY", "arr0 bv0", "", "ARRAY_SELECT")
	add("SORT_ARRAY", "arr0 bv0 int0", "", "ARRAY_STORE")
	add("SORT_BOOL", "bool0 bool1", "", "AND OR IMPLIES XOR IFF bitwuzla-OP_IFF")
	add("SORT_BOOL", "bool0 bool1 bool2", "", "AND OR IMPLIES")
	add("SORT_BOOL", "bool0", "", "NOT")
	add("SORT_BV", "bv0 bv1 bv2", "", "BV_CONCAT BV_AND BV_OR BV_XOR BV_MULT BV_ADD")
	add("SORT_BV", "bv0", "", "BV_NOT BV_NEG bitwuzla-OP_BV_DEC bitwuzla-OP_BV_INC btor-OP_DEC btor-OP_INC")
	add("SORT_BV", "bv0 bv1", "", "BV_CONCAT BV_AND BV_OR BV_XOR BV_MULT BV_ADD BV_ASHR BV_COMP BV_LSHR BV_NAND BV_NOR BV_SDIV BV_SHL BV_SMOD BV_SREM BV_SUB BV_UDIV BV_UREM BV_XNOR "+
		"bitwuzla-OP_BV_ROL bitwuzla-OP_BV_ROR cvc5-OP_BV_ULTBV cvc5-OP_BV_SLTBV")
	add("SORT_BOOL", "bv0 bv1", "", "BV_SGE BV_SGT BV_SLE BV_SLT BV_UGE BV_UGT BV_ULE BV_ULT bitwuzla-OP_BV_UADDO bitwuzla-OP_BV_SADDO bitwuzla-OP_BV_UMULO bitwuzla-OP_BV_SMULO "+
		"bitwuzla-OP_BV_USUBO bitwuzla-OP_BV_SSUBO bitwuzla-OP_BV_SDIVO btor-OP_UADDO btor-OP_SADDO btor-OP_UMULO btor-OP_SMULO btor-OP_USUBO btor-OP_SSUBO btor-OP_SDIVO")
	add("SORT_BV", "bv0", "", "bitwuzla-OP_BV_REDAND bitwuzla-OP_BV_REDOR bitwuzla-OP_BV_REDXOR btor-OP_REDAND btor-OP_REDOR btor-OP_REDXOR cvc5-OP_BV_REDAND cvc5-OP_BV_REDOR")
	add("SORT_BV", "bit0 bv0 bv1", "", "cvc5-OP_BV_ITE")
	add("SORT_INT", "bv0", "", "BV_UBV_TO_INT BV_SBV_TO_INT cvc5-OP_BV_TO_NAT")
	add("SORT_BV", "bv0", "2 5 2", "BV_EXTRACT")
	add("SORT_BV", "bv0", "1 3", "BV_REPEAT BV_ROTATE_LEFT BV_ROTATE_RIGHT BV_SIGN_EXTEND BV_ZERO_EXTEND")
	add("SORT_FF", "ff0 ff1 ff2", "", "FINITE_FIELD_ADD FINITE_FIELD_MULT")
	add("SORT_FF", "ff0", "", "FINITE_FIELD_NEG")
	add("SORT_FP", "fp0", "", "FP_ABS FP_NEG")
	add("SORT_FP", "rm0 fp0 fp1", "", "FP_ADD FP_SUB FP_MUL FP_DIV")
	add("SORT_FP", "rm0 fp0 fp1 fp2", "", "FP_FMA")
	add("SORT_FP", "rm0 fp0", "", "FP_SQRT FP_RTI bitwuzla-OP_FP_TO_FP_FROM_REAL")
	add("SORT_FP", "fp0 fp1", "", "FP_REM FP_MAX FP_MIN")
	add("SORT_BOOL", "fp0 fp1 fp2", "", "FP_EQ FP_LT FP_LEQ FP_GT FP_GEQ")
	add("SORT_BOOL", "fp0", "", "FP_IS_NORMAL FP_IS_SUBNORMAL FP_IS_INF FP_IS_NAN FP_IS_NEG FP_IS_POS FP_IS_ZERO")
	add("SORT_FP", "bit0 bv50 bv100", "", "FP_FP")
	add("SORT_REAL", "fp0", "", "FP_TO_REAL")
	add("SORT_FP", "bv160", "2 5 11", "FP_TO_FP_FROM_BV")
	add("SORT_FP", "rm0 bv0", "2 8 24", "FP_TO_FP_FROM_SBV FP_TO_FP_FROM_UBV")
	add("SORT_FP", "rm0 fp0", "2 8 24", "FP_TO_FP_FROM_FP")
	add("SORT_FP", "rm0 real0", "2 8 24", "FP_TO_FP_FROM_REAL")
	add("SORT_BV", "rm0 fp0", "1 128", "FP_TO_SBV FP_TO_UBV")
	add("SORT_INT", "int0", "", "INT_NEG INT_ABS cvc5-OP_INT_POW2")
	add("SORT_INT", "int0 int1 int2", "", "INT_SUB INT_ADD INT_MUL INT_DIV")
	add("SORT_INT", "int0 int1", "", "INT_MOD")
	add("SORT_BOOL", "int0 int1 int2", "", "INT_LT INT_LTE INT_GT INT_GTE")
	add("SORT_BOOL", "int0", "1 4294967295", "INT_IS_DIV")
	add("SORT_BV", "int0", "1 128", "INT_TO_BV cvc5-OP_INT_TO_BV")
	add("SORT_INT", "int0 int1", "1 4294967295", "cvc5-OP_INT_IAND")
	add("SORT_REAL", "int0", "", "INT_TO_REAL")
	add("SORT_REAL", "real0", "", "REAL_NEG TRANS_SINE TRANS_COSINE TRANS_TANGENT TRANS_COTANGENT TRANS_SECANT TRANS_COSECANT TRANS_ARCSINE TRANS_ARCCOSINE TRANS_ARCTANGENT "+
		"TRANS_ARCCOTANGENT TRANS_ARCSECANT TRANS_ARCCOSECANT")
	add("SORT_REAL", "", "", "TRANS_PI")
	add("SORT_REAL", "real0 real1 real2", "", "REAL_SUB REAL_ADD REAL_MUL REAL_DIV")
	add("SORT_BOOL", "real0 real1 real2", "", "REAL_LT REAL_LTE REAL_GT REAL_GTE")
	add("SORT_BOOL", "real0", "", "REAL_IS_INT")
	add("SORT_INT", "real0", "", "REAL_TO_INT")
	add("SORT_STRING", "str0 str1 str2", "", "STR_CONCAT STR_REPLACE STR_REPLACE_ALL")
	add("SORT_INT", "str0", "", "STR_LEN STR_TO_CODE STR_TO_INT")
	add("SORT_BOOL", "str0 str1", "", "STR_LT STR_LE STR_PREFIXOF STR_SUFFIXOF STR_CONTAINS")
	add("SORT_STRING", "str0 int0", "", "STR_AT")
	add("SORT_STRING", "str0 int0 int1", "", "STR_SUBSTR")
	add("SORT_INT", "str0 str1 int0", "", "STR_INDEXOF")
	add("SORT_STRING", "str0 re0 str1", "", "STR_REPLACE_RE STR_REPLACE_RE_ALL")
	add("SORT_BOOL", "str0", "", "STR_IS_DIGIT")
	add("SORT_STRING", "int0", "", "STR_FROM_CODE STR_FROM_INT")
	add("SORT_REGLAN", "str0", "", "STR_TO_RE")
	add("SORT_BOOL", "str0 re0", "", "STR_IN_RE")
	add("SORT_REGLAN", "", "", "RE_ALL RE_ALLCHAR RE_NONE")
	add("SORT_REGLAN", "re0", "", "RE_COMP RE_OPT RE_PLUS RE_STAR")
	add("SORT_REGLAN", "re0 re1 re2", "", "RE_CONCAT RE_DIFF RE_INTER RE_UNION")
	add("SORT_REGLAN", "str0 str1", "", "RE_RANGE")
	add("SORT_REGLAN", "re0", "1 2147483647", "RE_POW")
	add("SORT_REGLAN", "re0", "2 4294967295 7", "RE_LOOP")
	add("SORT_STRING", "str0 int0 str1", "", "cvc5-OP_STRING_UPDATE")
	add("SORT_STRING", "str0", "", "cvc5-OP_STRING_TOLOWER cvc5-OP_STRING_TOUPPER cvc5-OP_STRING_REV")
	add("SORT_BAG", "bag0 bag1", "", "BAG_UNION_MAX BAG_UNION_DISJOINT BAG_INTERSECTION_MIN BAG_DIFFERENCE_SUBTRACT BAG_DIFFERENCE_REMOVE")
	add("SORT_BOOL", "bag0 bag1", "", "BAG_SUBBAG")
	add("SORT_INT", "bag0 int0", "", "BAG_COUNT")
	add("SORT_BAG", "bag0", "", "BAG_DUPLICATE_REMOVAL")
	add("SORT_BAG", "int0 int1", "", "BAG_MAKE")
	add("SORT_INT", "bag0", "", "BAG_CARD")
	add("SORT_ANY", "bag0", "", "BAG_CHOOSE")
	add("SORT_BOOL", "bag0", "", "BAG_IS_SINGLETON")
	add("SORT_BAG", "set0", "", "BAG_FROM_SET")
	add("SORT_SET", "bag0", "", "BAG_TO_SET")
	add("SORT_SEQ", "seq0 seq1 seq2", "", "SEQ_CONCAT SEQ_REPLACE SEQ_REPLACE_ALL")
	add("SORT_INT", "seq0", "", "SEQ_LENGTH")
	add("SORT_SEQ", "seq0 int0 int1", "", "SEQ_EXTRACT")
	add("SORT_SEQ", "seq0 int0 seq1", "", "SEQ_UPDATE")
	add("SORT_SEQ", "seq0 int0", "", "SEQ_AT")
	add("SORT_BOOL", "seq0 seq1", "", "SEQ_CONTAINS SEQ_PREFIX SEQ_SUFFIX")
	add("SORT_INT", "seq0 seq1 int0", "", "SEQ_INDEXOF")
	add("SORT_SEQ", "seq0", "", "SEQ_REV")
	add("SORT_SEQ", "int0", "", "SEQ_UNIT")
	add("SORT_ANY", "seq0 int0", "", "SEQ_NTH")
	add("SORT_INT", "set0", "", "SET_CARD")
	add("SORT_ANY", "set0", "", "SET_CHOOSE")
	add("SORT_SET", "set0", "", "SET_COMPLEMENT")
	add("SORT_SET", "set0 int0 int1 int2", "", "SET_INSERT")
	add("SORT_SET", "set0 set1", "", "SET_INTERSECTION SET_MINUS SET_UNION")
	add("SORT_BOOL", "set0 int0", "", "SET_MEMBER")
	add("SORT_BOOL", "set0 set1", "", "SET_SUBSET")
	add("SORT_BOOL", "set0", "", "SET_IS_SINGLETON")
	add("SORT_SET", "int0", "", "SET_SINGLETON")
	add("SORT_BOOL", "fun0 bv0 int0", "", "UF_APPLY")
	return all
}

// newWritten writes the calls that make sorts and operands for the operators.
func newWritten() *written {
	w := &written{ids: map[string]string{}}
	w.text.WriteString("set-murxla-options --cvc5 -t 1 -a out.trace\n")
	w.line("new")
	w.line("set-logic ALL")
	w.line("set-option produce-models true")
	w.sort("bool", "SORT_BOOL")
	w.sort("bv", "SORT_BV 8")
	w.sort("bit", "SORT_BV 1")
	w.sort("bv5", "SORT_BV 5")
	w.sort("bv10", "SORT_BV 10")
	w.sort("bv16", "SORT_BV 16")
	w.sort("fp", "SORT_FP 5 11")
	w.sort("rm", "SORT_RM")
	w.sort("int", "SORT_INT")
	w.sort("real", "SORT_REAL")
	w.sort("str", "SORT_STRING")
	w.sort("re", "SORT_REGLAN")
	w.sort("ff", "SORT_FF 13")
	w.sort("un", "SORT_UNINTERPRETED _u0")
	w.sort("named", "SORT_UNINTERPRETED |_u 1|")
	w.sort("arr", "SORT_ARRAY %s %s", w.ids["bv"], w.ids["int"])
	w.sort("set", "SORT_SET %s", w.ids["int"])
	w.sort("bag", "SORT_BAG %s", w.ids["int"])
	w.sort("seq", "SORT_SEQ %s", w.ids["int"])
	w.sort("fun", "SORT_FUN %s %s %s", w.ids["bv"], w.ids["int"], w.ids["bool"])
	w.sort("funs", "SORT_ARRAY %s %s", w.ids["int"], w.ids["fun"])
	w.line(`mk-sort SORT_DT 2 "_d0" 1 s"_p" 2 "_c0" 0 "_c1" 3 "_s0" s"_p" "_s1" s(nil) "_s2" s<"_d1"> 0 "_d1" 0 1 "_c2" 1 "_s3" %s`, w.ids["bv"])
	w.returns("s500", "s501")
	w.line("instantiate-sort s500 %s", w.ids["int"])
	w.returns("s502")
	w.ids["dt"] = "s502"
	for i := range 3 {
		w.term(fmt.Sprint("dt", i), false, "mk-const s502 \"_x%d\"", w.terms)
	}
	return w
}

// TestWrittenTraces reads a trace with every operator, action and kind of value that Murxla writes.
func TestWrittenTraces(t *testing.T) {
	w := newWritten()
	for _, value := range []string{`bool true`, `bv "01010101" 2`, `bv "-3" 10`, `bv "ff" 16`, `int "12345678901234567890"`, `real "12.50"`, `real "3" "7"`, `str ""`, `str "a\u{1f}"`,
		`fp "0111110000000001"`, `ff "12"`} {
		kind, rest, _ := strings.Cut(value, " ")
		w.term("value", false, "mk-value %s %s", w.ids[kind], rest)
	}
	for _, special := range []string{"bag bag.empty", "seq seq.empty", "set set.empty", "set set.universe", "ff ff.zero", "ff ff.one", "ff ff.negone", "fp nan", "fp +oo", "fp -oo", "fp +zero", "fp -zero",
		"rm rna", "rm rne", "rm rtn", "rm rtp", "rm rtz", "bv bv.zero", "bv bv.one", "bv bv.ones", "bv bv-min-signed", "bv bv-max-signed"} {
		kind, name, _ := strings.Cut(special, " ")
		w.term("special", false, "mk-special-value %s %q", w.ids[kind], name)
	}
	kinds := map[string]bool{}
	for _, o := range operations() {
		kinds[o.kind] = true
		args := fmt.Sprint(len(strings.Fields(o.args)))
		if o.args != "" {
			args += " " + w.words(o.args)
		}
		w.term("made", true, "mk-term %s %s %s %s", o.kind, o.sort, args, o.indices)
	}
	// Functions as values, variables of function sorts, and definitions.
	w.term("selected", true, "mk-term OP_ARRAY_SELECT SORT_FUN 2 %s", w.words("funs0 int0"))
	w.term("applied", true, "mk-term OP_UF_APPLY SORT_BOOL 3 %s", w.words("selected bv0 int0"))
	w.term("fv", false, "mk-var %s \"_f\"", w.ids["fun"])
	w.term("body", true, "mk-term OP_UF_APPLY SORT_BOOL 3 %s", w.words("fv bv0 int0"))
	w.term("all", true, "mk-term OP_FORALL SORT_BOOL 2 %s", w.words("fv body"))
	w.term("v", false, "mk-var %s \"_v\"", w.ids["int"])
	w.term("less", true, "mk-term OP_INT_LT SORT_BOOL 2 %s", w.words("v int0"))
	w.term("defined", true, "mk-fun \"_g\" 1 %s", w.words("v less"))
	w.term("called", true, "mk-term OP_UF_APPLY SORT_BOOL 2 %s", w.words("defined int1"))
	w.term("w", false, "mk-var %s \"_w\"", w.ids["int"])
	w.term("some", true, "mk-term OP_INT_LT SORT_BOOL 2 %s", w.words("w int0"))
	w.term("exists", true, "mk-term OP_EXISTS SORT_BOOL 2 %s", w.words("w some"))
	// Datatypes.
	w.term("nil", true, `mk-term OP_DT_APPLY_CONS SORT_DT s502 1 "_c0" 0`)
	w.term("leaf", true, `mk-term OP_DT_APPLY_CONS SORT_DT s501 1 "_c2" 1 %s`, w.ids["bv0"])
	w.term("cons", true, `mk-term OP_DT_APPLY_CONS SORT_DT s502 1 "_c1" 3 %s`, w.words("int0 nil leaf"))
	w.term("is", true, `mk-term OP_DT_APPLY_TESTER SORT_BOOL 1 "_c1" 1 %s`, w.ids["dt0"])
	w.term("field", true, `mk-term OP_DT_APPLY_SEL SORT_ANY 2 "_c1" "_s0" 1 %s`, w.ids["dt0"])
	w.term("updated", true, `mk-term OP_DT_APPLY_UPDATER SORT_DT 2 "_c1" "_s0" 2 %s`, w.words("dt0 int0"))
	w.term("case0", true, `mk-term OP_DT_MATCH_CASE SORT_INT s502 1 "_c0" 1 %s`, w.words("int0"))
	w.term("m0", false, "mk-var %s \"_m0\"", w.ids["int"])
	w.term("m1", false, "mk-var s502 \"_m1\"")
	w.term("m2", false, "mk-var s501 \"_m2\"")
	w.term("case1", true, `mk-term OP_DT_MATCH_BIND_CASE SORT_INT s502 1 "_c1" 4 %s`, w.words("m0 m1 m2 m0"))
	w.term("matched", true, "mk-term OP_DT_MATCH SORT_INT 3 %s", w.words("dt0 case0 case1"))
	// Actions.
	for _, id := range []string{"fun0", "defined", "called", "selected", "bv0"} {
		w.line("term-get-children %s", w.ids[id])
	}
	w.line("assert-formula %s", w.ids["called"])
	w.line("push 2")
	w.line("assert-formula %s", w.ids["exists"])
	w.line("check-sat")
	w.line("check-sat-assuming 2 %s", w.words("is applied"))
	w.line("get-value 3 %s", w.words("int0 fun0 matched"))
	w.line("get-value 1 %s", w.words("defined"))
	for _, action := range []string{"get-unsat-assumptions", "get-unsat-core", "print-model", "get-assertions"} {
		w.line("%s", action)
	}
	w.line("pop 1")
	left := []string{"cvc5-simplify", "cvc5-get-interpolant", "cvc5-get-abduct", "bitwuzla-term-value", "bitwuzla-get-fp-value", "btor-bv-assignment", "btor-failed"}
	for _, action := range left {
		w.line("%s %s", action, w.ids["called"])
	}
	w.line("cvc5-block-model-values 2 %s", w.words("int0 bv0"))
	w.line("cvc5-get-difficulty")
	w.line("reset-assertions")
	w.line("reset")
	w.line("delete")

	text := w.text.String()
	require.True(t, IsTrace([]byte(text)))
	trace, err := Read([]byte(text), nil)
	require.NoError(t, err, "%s", text)
	require.Contains(t, strings.Join(trace.Notes, "\n"), "the real number is none of the trace's")
	for _, action := range left {
		require.Contains(t, strings.Join(trace.Notes, "\n"), "left out: "+action)
	}
	// It is a script and a trace that we read.
	script := trace.Script("written").Text()
	_, err = smtlib.Parse("written", []byte(script), smt.NewArena())
	require.NoError(t, err, "%s", script)
	back, err := tracetext.Read([]byte(tracetext.Text(trace)), nil)
	require.NoError(t, err)
	require.Equal(t, script, back.Script("written").Text())
	// Every operator that the table knows is among those of the test, old names and special ones apart.
	for name := range operators {
		if !kinds["OP_"+name] && !slices.Contains([]string{"FF_NEG", "FF_ADD", "FF_MULT", "FP_LTE", "FP_GTE", "FP_TO_FP_FROM_INT_BV", "FP_TO_FP_FROM_UINT_BV"}, name) {
			t.Errorf("OP_%s is not tried", name)
		}
	}
}

// Damaged traces are read or refused with the line, whatever is in them.
func TestDamagedTraces(t *testing.T) {
	w := newWritten()
	for _, o := range operations() {
		w.term("made", true, "mk-term %s %s %d %s %s", o.kind, o.sort, len(strings.Fields(o.args)), w.words(o.args), o.indices)
	}
	lines := strings.Split(w.text.String(), "\n")
	var words []string
	for _, line := range lines {
		words = append(words, strings.Fields(line)...)
	}
	words = append(words, "", "-1", "0", "99999999999999999999", "4294967296", "16777217", "return", "\"", "|", "\x00", "s1", "t1")
	rapid.Check(t, func(t *rapid.T) {
		damaged := slices.Clone(lines[1:])
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			n := rapid.IntRange(0, len(damaged)-1).Draw(t, "line")
			line := strings.Fields(damaged[n])
			if len(line) == 0 {
				continue
			}
			at := rapid.IntRange(0, len(line)-1).Draw(t, "word")
			switch rapid.IntRange(0, 2).Draw(t, "change") {
			case 0:
				line[at] = rapid.SampledFrom(words).Draw(t, "in its place")
			case 1:
				line = slices.Delete(line, at, at+1)
			case 2:
				line = slices.Insert(line, at, rapid.SampledFrom(words).Draw(t, "more"))
			}
			damaged[n] = strings.Join(line, " ")
		}
		trace, err := Read([]byte(strings.Join(damaged, "\n")), nil)
		if err != nil {
			if !strings.Contains(err.Error(), "line ") || strings.Contains(err.Error(), "%!") {
				t.Fatalf("the error %v does not say where", err)
			}
			return
		}
		trace.Script("damaged").Text()
		if _, err := tracetext.Read([]byte(tracetext.Text(trace)), nil); err != nil {
			t.Fatalf("what is written is not read: %v", err)
		}
	})
}

// TestWhatIsNotRead checks that errors name the line of a call that has no counterpart.
func TestWhatIsNotRead(t *testing.T) {
	for line, want := range map[string]string{
		"mk-term OP_SET_COMPREHENSION SORT_SET 3 bool0 int0 int1": "the operator OP_SET_COMPREHENSION has no counterpart",
		"mk-term OP_BAG_MAP SORT_BAG 2 bag0 fun0":                 "the operator OP_BAG_MAP has no counterpart",
		"mk-term yices-OP_BVPOWER SORT_BV 1 bv0 1 3":              "the operator yices-OP_BVPOWER has no counterpart",
		"mk-term OP_SET_MEMBER SORT_BOOL 2 set0 bv0":              "set.member",
		"mk-term OP_UF_APPLY SORT_BOOL 1 fun0":                    "want a function and its arguments",
		"mk-sort SORT_UNINTERPRETED":                              "the name is missing",
	} {
		w := newWritten()
		w.line("%s", w.words(line))
		w.returns("t900", "s900")
		at := strings.Count(w.text.String(), "\n") - 1
		_, err := Read([]byte(w.text.String()), nil)
		require.ErrorContains(t, err, fmt.Sprintf("trace of Murxla, line %d: ", at), line)
		require.ErrorContains(t, err, want, line)
	}
}

// TestSetsComeLast checks that operators whose first argument in Murxla is a set or a bag have it last here.
func TestSetsComeLast(t *testing.T) {
	w := newWritten()
	w.term("member", true, "mk-term OP_SET_MEMBER SORT_BOOL 2 %s", w.words("set0 int0"))
	w.term("inserted", true, "mk-term OP_SET_INSERT SORT_SET 3 %s", w.words("set0 int0 int1"))
	w.term("equal", true, "mk-term OP_EQUAL SORT_BOOL 2 %s", w.words("set1 inserted"))
	w.term("count", true, "mk-term OP_BAG_COUNT SORT_INT 2 %s", w.words("bag0 int0"))
	w.term("positive", true, "mk-term OP_INT_GT SORT_BOOL 2 %s", w.words("count int1"))
	for _, t := range []string{"member", "equal", "positive"} {
		w.line("assert-formula %s", w.ids[t])
	}
	trace, err := Read([]byte(w.text.String()), nil)
	require.NoError(t, err)
	constant := func(name string) string {
		return fmt.Sprint("_x", slices.Index(strings.Fields(w.order()), w.ids[name]))
	}
	script := trace.Script("sets").Text()
	for _, want := range []string{
		fmt.Sprintf("(assert (set.member %s %s))", constant("int0"), constant("set0")),
		fmt.Sprintf("(set.insert %s %s %s)", constant("int0"), constant("int1"), constant("set0")),
		fmt.Sprintf("(bag.count %s %s)", constant("int0"), constant("bag0")),
	} {
		require.Contains(t, script, want)
	}
}

// order lists the ids of terms in the order of their calls: constant number n is named _xn.
func (w *written) order() string {
	var out strings.Builder
	for n := range w.terms {
		fmt.Fprintf(&out, "t%d ", n+1)
	}
	return out.String()
}

// TestEarlyReleases reads traces of early releases of Murxla: without seeds, with the state of the generator, sorts of
// terms in separate calls, one datatype per call, and terms that get-value and simplify return.
func TestEarlyReleases(t *testing.T) {
	const begin = "set-seed 12 34 56\nnew\nset-option produce-models true\nmk-sort SORT_BV 4\nreturn s1\nmk-const s1 \"|a \"quoted\" name|\"\nreturn t1\n" +
		"mk-term OP_BV_ADD SORT_BV 2 t1 t1\nreturn t2\nterm_get_sort t2\nreturn s2\nmk-const s2 \"_x1\"\nreturn t3\n" +
		"mk-sort SORT_DT \"_d0\" 2 \"_c0\" 0 \"_c1\" 1 \"_s0\" s1\nreturn s3\nmk-sort SORT_DT \"_d1\" 1 s\"_p\" 1 \"_c2\" 1 \"_s1\" s\"_p\"\nreturn s4\n" +
		"mk-const s3 \"_x2\"\nreturn t4\nmk-term OP_DT_APPLY_SEL SORT_BV 2 \"_c1\" \"_s0\" 1 t4\nreturn t5\ncvc5-simplify t5\nreturn t6\n" +
		"mk-term OP_EQUAL SORT_BOOL 3 t6 t3 t1\nreturn t7\nassert-formula t7\ncheck-sat\nget-value 1 t3\nreturn t8\n"
	require.True(t, IsTrace([]byte(begin)))
	trace, err := Read([]byte(begin), nil)
	require.NoError(t, err)
	script := trace.Script("early").Text()
	require.Contains(t, script, `(assert (= (_s0 _x2) _x1 |a "quoted" name|))`)
	require.Contains(t, strings.Join(trace.Notes, "\n"), "left out: cvc5-simplify t5; what it returned is taken to be the term itself")
	_, err = smtlib.Parse("early", []byte(script), smt.NewArena())
	require.NoError(t, err, "%s", script)
	_, err = Read([]byte(begin+"mk-term OP_EQUAL SORT_BOOL 2 t8 t1\nreturn t9\n"), nil)
	require.ErrorContains(t, err, "trace of Murxla, line 30: mk-term: t8 is what get-value returned, which is not known here")
	_, err = Read([]byte("new\nfoo bar\n"), nil)
	require.ErrorContains(t, err, "line 2: want a seed, an action and its arguments")
	_, err = Read([]byte("new\n17\n"), nil)
	require.ErrorContains(t, err, "line 2: want an action and its arguments behind the seed")
}

// TestIndented reads a trace that is indented as a whole, as traces in pages and mails are.
func TestIndented(t *testing.T) {
	var indented strings.Builder
	w := newWritten()
	w.term("sum", true, "mk-term OP_INT_ADD SORT_INT 2 %s", w.words("int0 int1"))
	for line := range strings.Lines(w.text.String()) {
		indented.WriteString("   " + strings.TrimSpace(line) + "\n")
	}
	require.True(t, IsTrace([]byte(indented.String())))
	want, err := Read([]byte(w.text.String()), nil)
	require.NoError(t, err)
	got, err := Read([]byte(indented.String()), nil)
	require.NoError(t, err)
	require.Equal(t, tracetext.Text(want), tracetext.Text(got))
}
