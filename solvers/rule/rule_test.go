package rule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// lines are examples of lacks: the line of a profile, the value, and the call that makes it.
var lines = []struct {
	line string
	rule VersionedLack
	call string
}{
	{"operator bvnego", VersionedLack{Lack: Operator.Of("bvnego")}, `operator = "bvnego"`},
	{"operator bvnego before 4.13 since 4", VersionedLack{Lack: Operator.Of("bvnego"), Bounds: Bounds{Before: "4.13", Since: "4"}},
		`operator = "bvnego", before = "4.13", since = "4"`},
	{"nary str.< over text", VersionedLack{Lack: ManyArguments.Of("str.<"), Bounds: Bounds{OverText: true}},
		`operator = "str.<", many_arguments = True, over_text = True`},
	{"argument = ->", VersionedLack{Lack: Argument.With("=", "->")}, `operator = "=", argument = "->"`},
	{"index int.pow2 beyond", VersionedLack{Lack: Index.With("int.pow2", "beyond")}, `operator = "int.pow2", index = "beyond"`},
	{"signature bvcomp BitVec(m) BitVec(m) -> BitVec(1)", VersionedLack{Lack: Signature.With("bvcomp", "BitVec(m) BitVec(m) -> BitVec(1)")},
		`operator = "bvcomp", signature = "BitVec(m) BitVec(m) -> BitVec(1)"`},
	{"sort user sort", VersionedLack{Lack: Sort.Of("user sort")}, `sort = "user sort"`},
	{"array-index ->", VersionedLack{Lack: Sort.With("->", "array-index")}, `sort = "->", place = "array-index"`},
	{"fp-format rare since 1.2.1", VersionedLack{Lack: FpFormat.Of(RareFormats), Bounds: Bounds{Since: "1.2.1"}}, `fp_format = "rare", since = "1.2.1"`},
	{"fp-format other", VersionedLack{Lack: FpFormat.Of("other")}, `fp_format = "other"`},
	{"theory Bags before 1.2 over text", VersionedLack{Lack: Theory.Of("Bags"), Bounds: Bounds{Before: "1.2", OverText: true}},
		`theory = "Bags", before = "1.2", over_text = True`},
	{"action get-info", VersionedLack{Lack: Action.Of("get-info")}, `action = "get-info"`},
	{"option produce-proofs", VersionedLack{Lack: Option.Of("produce-proofs")}, `option = "produce-proofs"`},
	{"conflict a b", VersionedLack{Lack: Conflict.With("a", "b")}, `conflict = ["a", "b"]`},
	{"logic QF_BV", VersionedLack{Lack: Logic.Of("QF_BV")}, `logic = "QF_BV"`},
	{"logic-all Strings+Ints", VersionedLack{Lack: LogicAll.Of("Strings+Ints")}, `logic_all = ["Strings", "Ints"]`},
	{"bit-vector-arrays QF_ABV", VersionedLack{Lack: BitVectorArrays.Of("QF_ABV")}, `bit_vector_arrays = "QF_ABV"`},
	{"always Ints", VersionedLack{Lack: Always.Of("Ints")}, `always = "Ints"`},
	{"once Quantifiers", VersionedLack{Lack: Once.Of("Quantifiers")}, `once = "Quantifiers"`},
	{"echo quotes", VersionedLack{Lack: Feature.Of(EchoQuotes)}, `feature = "echo quotes"`},
}

func TestLackIsOneLine(t *testing.T) {
	for _, row := range lines {
		require.Equal(t, row.line, row.rule.String())
		require.Equal(t, "solver.lacks("+row.call+")", row.rule.Call())
		text, err := row.rule.Lack.MarshalText()
		require.NoError(t, err)
		var back Lack
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, row.rule.Lack, back)
		line, bounds := CutBounds(row.line)
		require.Equal(t, row.rule.Lack.String(), line)
		require.Equal(t, row.rule.Bounds, bounds)
		// In one configuration of the solver it is the same line, behind the name of the configuration.
		configured := row.rule
		configured.Configuration = "safe"
		require.Equal(t, "safe: "+row.line, configured.String())
		require.Equal(t, "solver.lacks("+row.call+`, configuration = "safe")`, configured.Call())
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

func TestEachFeatureAndPlaceIsRead(t *testing.T) {
	for _, feature := range Features {
		l, err := ParseLack(feature)
		require.NoError(t, err)
		require.Equal(t, Feature.Of(feature), l)
	}
	for _, place := range PlacesOfSorts {
		l, err := ParseLack(place + " Int")
		require.NoError(t, err)
		require.Equal(t, Sort.With("Int", place), l)
	}
}

func TestOtherElements(t *testing.T) {
	for _, row := range []struct {
		element    Element
		line, call string
	}{
		{OptionSpec{Name: "cbqi", Kind: Bool}, "cbqi bool", `solver.option("cbqi")`},
		{OptionSpec{Name: "seed", Kind: Int, Hi: 100}, "seed int 0 100", `solver.option("seed", between = (0, 100))`},
		{OptionSpec{Name: "nl-ext", Kind: List, Values: []string{"none", "full"}}, "nl-ext list none,full",
			`solver.option("nl-ext", values = ["none", "full"])`},
		{OptionSpec{Name: "p", Kind: Bool, Expert: true, With: Setting{"n", "500"}}, "p bool with n=500 expert",
			`solver.option("p", along = {"n": "500"}, expert = True)`},
		{Limit{"timeout", 1, 1000}, "timeout 1 1000", `solver.limit("timeout", between = (1, 1000))`},
		{TheoryConflict{"Quantifiers", "UF"}, "Quantifiers UF", `solver.conflict("Quantifiers", "UF")`},
		{SpecialValue{"Real", "real.pi"}, "Real real.pi", `solver.value("Real", "real.pi")`},
		{OperatorSpec{"f", []string{"Int", "Int"}, "(_ BitVec 1)"}, "f (Int Int) (_ BitVec 1)",
			`solver.operator("f", args = ["Int", "Int"], result = "(_ BitVec 1)")`},
		{Contract{"bvite", []string{"BitVec", "Int"}}, "bvite: BitVec Int", `solver.contract("bvite", ["BitVec", "Int"])`},
		{Configuration{"two", []string{"-a", "-b"}}, "two: -a -b", `solver.configuration("two", ["-a", "-b"])`},
	} {
		require.Equal(t, row.line, row.element.String())
		require.Equal(t, row.call, row.element.Call())
	}
}

func TestLinesThatAreNoLack(t *testing.T) {
	for _, line := range []string{"", "  ", "colour blue", "operator", "argument =", "conflict a b c"} {
		_, err := ParseLack(line)
		require.ErrorContains(t, err, "excludes nothing", line)
	}
}
