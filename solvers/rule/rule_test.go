package rule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// lines are what a profile may lack, as the line of a profile, as a value, and as the call that makes it.
var lines = []struct {
	line string
	rule Rule
	call string
}{
	{"operator bvnego", Rule{Lack: Operator.Of("bvnego")}, `operator = "bvnego"`},
	{"operator bvnego before 4.13 since 4", Rule{Lack: Operator.Of("bvnego"), Bounds: Bounds{Before: "4.13", Since: "4"}},
		`operator = "bvnego", before = "4.13", since = "4"`},
	{"nary str.< over text", Rule{Lack: ManyArguments.Of("str.<"), Bounds: Bounds{OverText: true}},
		`operator = "str.<", many_arguments = True, over_text = True`},
	{"argument = ->", Rule{Lack: Argument.With("=", "->")}, `operator = "=", argument = "->"`},
	{"index int.pow2 beyond", Rule{Lack: Index.With("int.pow2", "beyond")}, `operator = "int.pow2", index = "beyond"`},
	{"signature bvcomp BitVec(m) BitVec(m) -> BitVec(1)", Rule{Lack: Signature.With("bvcomp", "BitVec(m) BitVec(m) -> BitVec(1)")},
		`operator = "bvcomp", signature = "BitVec(m) BitVec(m) -> BitVec(1)"`},
	{"sort user sort", Rule{Lack: Sort.Of("user sort")}, `sort = "user sort"`},
	{"array-index ->", Rule{Lack: Sort.With("->", "array-index")}, `sort = "->", place = "array-index"`},
	{"fp-format other", Rule{Lack: FpFormat.Of("other")}, `fp_format = "other"`},
	{"theory Bags before 1.2 over text", Rule{Lack: Theory.Of("Bags"), Bounds: Bounds{Before: "1.2", OverText: true}},
		`theory = "Bags", before = "1.2", over_text = True`},
	{"action get-info", Rule{Lack: Action.Of("get-info")}, `action = "get-info"`},
	{"option produce-proofs", Rule{Lack: Option.Of("produce-proofs")}, `option = "produce-proofs"`},
	{"conflict a b", Rule{Lack: Conflict.With("a", "b")}, `conflict = ["a", "b"]`},
	{"logic QF_BV", Rule{Lack: Logic.Of("QF_BV")}, `logic = "QF_BV"`},
	{"logic-all Strings+Ints", Rule{Lack: LogicAll.Of("Strings+Ints")}, `logic_all = ["Strings", "Ints"]`},
	{"bit-vector-arrays QF_ABV", Rule{Lack: BitVectorArrays.Of("QF_ABV")}, `bit_vector_arrays = "QF_ABV"`},
	{"always Ints", Rule{Lack: Always.Of("Ints")}, `always = "Ints"`},
	{"once Quantifiers", Rule{Lack: Once.Of("Quantifiers")}, `once = "Quantifiers"`},
	{"echo quotes", Rule{Lack: Feature.Of(EchoQuotes)}, `feature = "echo quotes"`},
}

func TestLackIsOneLine(t *testing.T) {
	for _, row := range lines {
		require.Equal(t, row.line, row.rule.String())
		read, err := ParseRule(row.line)
		require.NoError(t, err)
		require.Equal(t, row.rule, read)
		for _, field := range LackFields {
			require.Equal(t, "solver.lacks("+row.call+")", CallOf(field, row.line))
		}
		text, err := row.rule.Lack.MarshalText()
		require.NoError(t, err)
		var back Lack
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, row.rule.Lack, back)
		// In one configuration of the solver it is the same line, behind the name of the configuration.
		read.Configuration = "safe"
		require.Equal(t, "safe: "+row.line, read.String())
		require.Equal(t, "solver.lacks("+row.call+`, configuration = "safe")`, CallOf(ConfigurationField, read.String()))
	}
}

func TestWhatIsAboutWalks(t *testing.T) {
	about := 0
	for _, row := range lines {
		if row.rule.AboutWalks() {
			about++
		}
	}
	require.Equal(t, 4, about, "action, option, conflict and quotes of echo")
}

func TestEachFeatureAndPlaceIsKnown(t *testing.T) {
	for _, feature := range Features {
		require.Equal(t, `solver.lacks(feature = "`+feature+`")`, CallOf("api_exclude", feature))
	}
	for _, place := range PlacesOfSorts {
		require.Equal(t, `solver.lacks(sort = "Int", place = "`+place+`")`, CallOf("api_exclude", place+" Int"))
	}
}

func TestCallsOfTheOtherFields(t *testing.T) {
	for _, row := range [][3]string{
		{"api_options", "cbqi bool", `solver.option("cbqi")`},
		{"api_options", "seed int 0 100", `solver.option("seed", between = (0, 100))`},
		{"api_options", "nl-ext list none,full", `solver.option("nl-ext", values = ["none", "full"])`},
		{"api_options", "p bool with n=500 with m=x expert", `solver.option("p", along = {"n": "500", "m": "x"}, expert = True)`},
		{"api_limits", "timeout 1 1000", `solver.limit("timeout", between = (1, 1000))`},
		{"api_conflicts", "Quantifiers UF", `solver.conflict("Quantifiers", "UF")`},
		{"api_values", "Real real.pi", `solver.value("Real", "real.pi")`},
		{"api_operators", "f (Int Int) (_ BitVec 1)", `solver.operator("f", args = ["Int", "Int"], result = "(_ BitVec 1)")`},
		{"contracts", "bvite: BitVec Int", `solver.contract("bvite", ["BitVec", "Int"])`},
		{"configurations", "two: -a -b", `solver.configuration("two", ["-a", "-b"])`},
	} {
		require.Equal(t, row[2], CallOf(row[0], row[1]))
	}
}

// A line that no call makes has none, so nobody is told to write one that means something else.
func TestLinesWithoutCall(t *testing.T) {
	for _, row := range [][2]string{
		{"api_exclude", ""}, {"api_exclude", "  "}, {"api_exclude", "colour blue"}, {"api_exclude", "operator"}, {"api_exclude", "argument ="}, {"api_exclude", "conflict a b c"}, {ConfigurationField, "operator x"},
		{"api_options", "seed"}, {"api_options", "seed float 1 2"}, {"api_options", "seed int 1"}, {"api_options", "seed int 1 2 3"}, {"api_options", "a bool expert with b=1"},
		{"api_limits", "timeout 1"}, {"api_conflicts", "UF"}, {"api_values", "Real"}, {"api_operators", "f Int Int"}, {"api_operators", "f ((_ BitVec 1)) Int"},
		{"api_operators", "f"}, {"contracts", "bvite BitVec"}, {"configurations", "safe"}, {"binaries", "operator x"},
	} {
		require.Empty(t, CallOf(row[0], row[1]), "%s: %q", row[0], row[1])
	}
}
