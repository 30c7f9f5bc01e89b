package rule

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines are what a profile may lack, as the parameters of solver.lacks, as the line of a profile, and as the call that makes it.
var lines = []struct {
	lack       func(l *Lack)
	line, call string
}{
	{func(l *Lack) { l.Operator = "bvnego" }, "operator bvnego", `solver.lacks(operator = "bvnego")`},
	{func(l *Lack) { l.Operator, l.Before, l.Since = "bvnego", "4.13", "4" }, "operator bvnego before 4.13 since 4", `solver.lacks(operator = "bvnego", before = "4.13", since = "4")`},
	{func(l *Lack) { l.Operator, l.ManyArguments, l.OverText = "str.<", true, true }, "nary str.< over text", `solver.lacks(operator = "str.<", many_arguments = True, over_text = True)`},
	{func(l *Lack) { l.Operator, l.Argument = "=", "->" }, "argument = ->", `solver.lacks(operator = "=", argument = "->")`},
	{func(l *Lack) { l.Operator, l.Index = "int.pow2", "beyond" }, "index int.pow2 beyond", `solver.lacks(operator = "int.pow2", index = "beyond")`},
	{func(l *Lack) { l.Operator, l.Signature = "bvcomp", "BitVec(m) BitVec(m) -> BitVec(1)" }, "signature bvcomp BitVec(m) BitVec(m) -> BitVec(1)",
		`solver.lacks(operator = "bvcomp", signature = "BitVec(m) BitVec(m) -> BitVec(1)")`},
	{func(l *Lack) { l.Sort = "user sort" }, "sort user sort", `solver.lacks(sort = "user sort")`},
	{func(l *Lack) { l.Sort, l.Place = "->", "array-index" }, "array-index ->", `solver.lacks(sort = "->", place = "array-index")`},
	{func(l *Lack) { l.FpFormat = "other" }, "fp-format other", `solver.lacks(fp_format = "other")`},
	{func(l *Lack) { l.Theory, l.OverText, l.Before = "Bags", true, "1.2" }, "theory Bags before 1.2 over text", `solver.lacks(theory = "Bags", before = "1.2", over_text = True)`},
	{func(l *Lack) { l.Action = "get-info" }, "action get-info", `solver.lacks(action = "get-info")`},
	{func(l *Lack) { l.Option = "produce-proofs" }, "option produce-proofs", `solver.lacks(option = "produce-proofs")`},
	{func(l *Lack) { l.Conflict = []string{"a", "b"} }, "conflict a b", `solver.lacks(conflict = ["a", "b"])`},
	{func(l *Lack) { l.Logic = "QF_BV" }, "logic QF_BV", `solver.lacks(logic = "QF_BV")`},
	{func(l *Lack) { l.LogicAll = []string{"Strings", "Ints"} }, "logic-all Strings+Ints", `solver.lacks(logic_all = ["Strings", "Ints"])`},
	{func(l *Lack) { l.BitVectorArrays = "QF_ABV" }, "bit-vector-arrays QF_ABV", `solver.lacks(bit_vector_arrays = "QF_ABV")`},
	{func(l *Lack) { l.Always = "Ints" }, "always Ints", `solver.lacks(always = "Ints")`},
	{func(l *Lack) { l.Once = "Quantifiers" }, "once Quantifiers", `solver.lacks(once = "Quantifiers")`},
	{func(l *Lack) { l.Feature = "echo quotes" }, "echo quotes", `solver.lacks(feature = "echo quotes")`},
}

func TestLackIsOneLine(t *testing.T) {
	for _, row := range lines {
		var l Lack
		row.lack(&l)
		line, err := l.Line()
		require.NoError(t, err, row.line)
		require.Equal(t, row.line, line)
		for _, field := range LackFields {
			require.Equal(t, row.call, CallOf(field, line))
		}
		// In one configuration of the solver it is the same line, behind the name of the configuration.
		l.Configuration = "safe"
		inConfiguration, err := l.Line()
		require.NoError(t, err)
		require.Equal(t, "safe: "+row.line, inConfiguration)
		require.Equal(t, strings.TrimSuffix(row.call, ")")+`, configuration = "safe")`, CallOf(ConfigurationField, inConfiguration))
	}
}

func TestEachFeatureAndPlaceIsKnown(t *testing.T) {
	for _, feature := range Features {
		require.Equal(t, `solver.lacks(feature = "`+feature+`")`, CallOf("api_exclude", feature))
	}
	for _, place := range PlacesOfSorts {
		require.Equal(t, `solver.lacks(sort = "Int", place = "`+place+`")`, CallOf("api_exclude", place+" Int"))
	}
}

// A mistake names the parameter that it is about by the address of its field, since the words of scripts are not known here.
func TestMistakesOfLack(t *testing.T) {
	var l *Lack
	for _, row := range []struct {
		lack  Lack
		text  string
		field func() any
	}{
		{Lack{}, "say what it lacks", nil},
		{Lack{lackOfOperator: lackOfOperator{Operator: "f"}, lackOfTheories: lackOfTheories{Theory: "Ints"}}, "operator and theory are two things, and one call says one", func() any { return &l.Theory }},
		{Lack{lackOfCalls: lackOfCalls{Conflict: []string{"a"}}}, "got 1 names, want two", func() any { return &l.Conflict }},
		{Lack{lackOfCalls: lackOfCalls{Conflict: []string{"a", "b", "c"}}}, "got 3 names, want two", func() any { return &l.Conflict }},
		{Lack{lackOfCalls: lackOfCalls{Conflict: []string{"a b", "c"}}}, `"a b" has a blank; want one name`, func() any { return &l.Conflict }},
		{Lack{lackOfTheories: lackOfTheories{LogicAll: []string{"Ints", "Re als"}}}, `"Re als" has a blank; want one name`, func() any { return &l.LogicAll }},
		{Lack{lackOfTheories: lackOfTheories{Theory: "Ints"}, lackOfOperator: lackOfOperator{Argument: "x"}}, "it goes with operator", func() any { return &l.Argument }},
		{Lack{lackOfOperator: lackOfOperator{Operator: "f", Argument: "x", Index: "1"}}, "with one of argument, signature, index and many_arguments", func() any { return &l.Index }},
		{Lack{lackOfTheories: lackOfTheories{Theory: "Ints"}, lackOfSort: lackOfSort{Place: "var"}}, "it goes with sort", func() any { return &l.Place }},
		{Lack{lackOfOperator: lackOfOperator{Operator: "f before 2"}}, `"f before 2" has a blank; want one name`, func() any { return &l.Operator }},
		{Lack{lackOfTheories: lackOfTheories{BitVectorArrays: "QF_ABV since"}}, `"QF_ABV since" has a blank`, func() any { return &l.BitVectorArrays }},
		{Lack{Feature: "named term", lackingSolvers: lackingSolvers{Since: "1 over text"}}, `"1 over text" has a blank`, func() any { return &l.Since }},
		{Lack{Feature: "named term", lackingSolvers: lackingSolvers{Configuration: "a b"}}, `"a b" has a blank`, func() any { return &l.Configuration }},
	} {
		l = &row.lack
		_, err := l.Line()
		var wrong *Mistake
		require.True(t, errors.As(err, &wrong), row.text)
		require.ErrorContains(t, err, row.text)
		if row.field == nil {
			require.Nil(t, wrong.Field)
		} else {
			require.Same(t, row.field(), wrong.Field, row.text)
		}
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
		{"api_exclude", ""}, {"api_exclude", "  "}, {"api_exclude", "colour blue"}, {"api_exclude", "operator"}, {ConfigurationField, "operator x"},
		{"api_options", "seed"}, {"api_options", "seed float 1 2"}, {"api_options", "seed int 1"}, {"api_options", "seed int 1 2 3"}, {"api_options", "a bool expert with b=1"},
		{"api_limits", "timeout 1"}, {"api_conflicts", "UF"}, {"api_values", "Real"}, {"api_operators", "f Int Int"}, {"api_operators", "f ((_ BitVec 1)) Int"},
		{"api_operators", "f"}, {"contracts", "bvite BitVec"}, {"configurations", "safe"}, {"binaries", "operator x"},
	} {
		require.Empty(t, CallOf(row[0], row[1]), "%s: %q", row[0], row[1])
	}
}
