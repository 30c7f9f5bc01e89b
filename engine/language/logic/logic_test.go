package logic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func TestParse(t *testing.T) {
	for name, want := range map[string]string{
		"QF_BV": "FixedSizeBitVectors", "QF_AUFBV": "ArraysEx UF FixedSizeBitVectors", "QF_AX": "ArraysEx",
		"QF_ABVFP": "ArraysEx FixedSizeBitVectors FloatingPoint", "AUFBVDTLIA": "Quantifiers ArraysEx UF FixedSizeBitVectors Datatypes Ints",
		"QF_SLIA": "Strings Ints", "LRA": "Quantifiers Reals", "QF_UFLIRA": "UF Ints Reals", "QF_IDL": "Ints", "QF_FF": "FiniteFields",
		"QF_NRAT": "Transcendental Reals", "QF_UFLIAFS": "UF Sets Ints", "QF_FPBV": "FixedSizeBitVectors FloatingPoint",
	} {
		f, known := Parse(name)
		require.True(t, known, name)
		require.Equal(t, strings.Fields(want), f.Theories(), name)
	}
	for _, name := range []string{"", "ALL", "QF_", "QF_ALL", "HORN", "CSP", "qf_bv", "HO_UF"} {
		_, known := Parse(name)
		require.False(t, known, name)
		require.Equal(t, Everything, allows(name))
	}
}

// TestNames checks that names are written as they are read, for every set of features that has a name.
func TestNames(t *testing.T) {
	for f := Features(1); f <= Everything; f++ {
		name := f.String()
		read, known := Parse(name)
		if !known {
			require.True(t, name == all || strings.HasPrefix(name, "HO_"), name)
			continue
		}
		require.Equal(t, name, read.String())
		require.Zero(t, f&(Arrays|Functions|BitVectors|FiniteFields|FloatingPoint|Datatypes|Strings|Ints|Reals|Quantifiers)&^read, name)
	}
	require.Equal(t, "HO_ALL", (HigherOrder | Sets).String())
	require.Equal(t, "HO_QF_UFLIA", (HigherOrder | Ints | Linear).String())
}

// TestTheories checks that each theory that profiles name is a feature, and the one that is read.
func TestTheories(t *testing.T) {
	for _, theory := range theories {
		f, ok := Theory(theory.name)
		require.True(t, ok)
		require.Equal(t, []string{theory.name}, f.Theories())
	}
	_, ok := Theory("Core")
	require.False(t, ok)
	f, _ := Theory("Sequences")
	require.Equal(t, all, f.String())
}

func TestJoin(t *testing.T) {
	for names, want := range map[string]string{
		"QF_BV QF_BV": "QF_BV", "QF_BV QF_FP": "QF_BVFP", "QF_ABV UF": "AUFBV", "QF_AX QF_AX": "QF_AX", "QF_AX QF_UF": "QF_AUF",
		"QF_LIA QF_LRA": "QF_LIRA", "QF_IDL QF_UF": "QF_UFIDL", "QF_IDL QF_LIA": "QF_LIA", "QF_IDL QF_RDL": "QF_LIRA", "QF_RDL QF_NIA": "QF_NIRA",
		"QF_SLIA QF_BV": "ALL", "QF_S LIA": "ALL", "QF_S QF_LIA": "QF_SLIA", "UFDTNIA QF_LRA": "UFDTNIRA", "ALL QF_BV": "ALL", "HORN HORN": "HORN", "QF_FF QF_BV": "ALL", "QF_FF QF_FF": "QF_FF",
	} {
		require.Equal(t, want, Join(strings.Fields(names)...), names)
	}
	require.Equal(t, "", Join("", ""))
	require.Equal(t, "ALL", Join("", "QF_BV"))
}

func TestFit(t *testing.T) {
	for _, tc := range []struct {
		logics string
		need   Features
		want   string
	}{
		{"QF_LIA", Ints | Linear, "QF_LIA"},
		{"QF_LIA", Ints | Nonlinear | Linear, "QF_NIA"},
		{"QF_LIA", Ints | Functions, "ALL"},
		{"QF_IDL", Ints | Linear, "QF_NIA"},
		{"QF_S QF_SLIA", Strings | Ints | Linear, "QF_SLIA"},
		{"QF_S", Strings | Ints, "QF_S"},
		{"QF_LIA AUFNIRA", Ints | Reals | Quantifiers, "AUFNIRA"},
		{"QF_BV QF_LRA", BitVectors | Reals, "ALL"},
		{"", BitVectors, ""},
		{"HORN", BitVectors, "ALL"},
		{"ALL", BitVectors | Other, "ALL"},
		{"QF_AUFBVDTNIRA", Arrays | Datatypes | Reals | Nonlinear, "QF_AUFBVDTNIRA"},
	} {
		require.Equal(t, tc.want, FitFirst(strings.Split(tc.logics, " "), tc.need), "%s", tc.logics)
	}
	for _, tc := range []struct {
		name string
		need Features
		want string
	}{
		{"QF_IDL", Ints | Linear, "QF_LIA"}, {"QF_LIA", Nonlinear, "QF_NIA"}, {"QF_FP", BitVectors, "QF_BVFP"}, {"QF_FPLRA", Conversions, "QF_FPLRA"},
		{"QF_SLIA", Nonlinear, "QF_SNIA"}, {"QF_S", Linear, "QF_SLIA"}, {"QF_S", Order, "QF_SLIA"}, {"QF_S", Ints, "QF_S"}, {"QF_SLIA", Order, "QF_SLIA"}, {"QF_IDL", Order, "QF_IDL"}, {"QF_UF", Ints | Order, "ALL"},
		{"QF_UFBV", Nonlinear, "ALL"}, {"QF_BV", Other, "ALL"}, {"", Other, ""}, {"HORN", Other, "HORN"},
	} {
		require.Equal(t, tc.want, Fit(tc.name, tc.need), "%s", tc.name)
	}
}

func TestUsual(t *testing.T) {
	for name, want := range map[string]string{"QF_FPBV": "QF_BVFP", "QF_BVFP": "QF_BVFP", "QF_BV": "QF_BV", "ALL": "ALL", "": "", "QF_LIAUF": "QF_UFLIA", "MINE": "MINE"} {
		require.Equal(t, want, Usual(name), name)
	}
}

func TestSmaller(t *testing.T) {
	for name, want := range map[string]string{
		"QF_ABV": "QF_BV QF_AX", "QF_UFNIRA": "QF_NIRA QF_UFLIRA QF_UFNIA QF_UFNRA QF_UF", "QF_LIA": "QF_IDL", "ALL": "", "QF_UF": "", "LRA": "RDL",
	} {
		require.Equal(t, want, strings.Join(Smaller(name), " "), name)
	}
}

// TestNeeds checks the features that terms need.
func TestNeeds(t *testing.T) {
	head := `(declare-const x Int)(declare-const y Int)(declare-const r Real)(declare-const v (_ BitVec 8))(declare-const s String)(declare-fun f (Int) Int)`
	for text, want := range map[string]string{
		"(< (- x y) 3)": "QF_IDL", "(= x y)": "QF_IDL", "(< (- x y) (- y x))": "QF_LIA", "(< (+ x y) 3)": "QF_LIA", "(< (- 3) x)": "QF_IDL", "(< (- (ite (= x y) x y) x) 3)": "QF_LIA", "(= x (ite (= x y) x 3))": "QF_LIA",
		"(< (* 2 x) 3)": "QF_LIA", "(< (* (- (- 2)) x) 3)": "QF_LIA", "(< (* x y) 3)": "QF_NIA", "(< (* (+ 1 1) x) 3)": "QF_NIA",
		"(< (* (/ 1.0 (- 3.0)) r) 3.0)": "QF_LRA", "(< (* (/ (/ 1.0 2.0) 2.0) r) 3.0)": "QF_NRA", "(< (/ r 0.0) 3.0)": "QF_NRA", "(< (div x 2) 3)": "QF_LIA",
		"(< (to_real x) r)": "QF_LIRA", "(< (f x) y)": "QF_UFIDL", "(= (bvadd v #x01) v)": "QF_BV", "(= (ubv_to_int v) x)": "QF_BVIDL",
		"(< (str.len s) x)": "QF_SIDL", "(forall ((z Int)) (< z x))": "IDL", "(= #b1 (bvredxor v))": "ALL",
		"(bvult #b0 #b1)": "QF_BV", "(= #b0 #b1)": "QF_BV", "(fp.isNaN (fp #b0 #b11 #b0))": "QF_FP", "(fp.isNaN ((_ to_fp 2 2) #b0110))": "QF_FP",
	} {
		a := smt.NewArena()
		script, err := smtlib.Parse("x.smt2", []byte(head+"(assert "+text+")"), a)
		require.NoError(t, err, text)
		require.Equal(t, want, OfTerms(a, script.Asserts()).String(), text)
	}
}

// TestOrder checks the arithmetic of QF_S: only (dis)equality of lengths and positions, as in cvc5.
func TestOrder(t *testing.T) {
	for text, want := range map[string]string{
		"(= (str.len s) 3)": "QF_S", "(= (str.at s 0) s)": "QF_S", "(distinct (str.indexof s s 0) x)": "QF_S",
		"(< (str.len s) x)": "QF_SLIA", "(>= x 3)": "QF_SLIA", "(= x (- 1))": "QF_SLIA", "(= 1 (- x 3))": "QF_SLIA", "(= 1 (+ x 3))": "QF_SLIA", "(= 1 (* x x))": "QF_SNIA",
	} {
		a := smt.NewArena()
		script, err := smtlib.Parse("x.smt2", []byte("(declare-const x Int)(declare-const s String)(assert "+text+")"), a)
		require.NoError(t, err, text)
		require.Equal(t, want, Fit("QF_S", OfTerms(a, script.Asserts())), text)
	}
}
