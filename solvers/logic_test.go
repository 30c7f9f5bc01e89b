package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogicTheories(t *testing.T) {
	for logic, want := range map[string][]string{
		"QF_BV":      {"FixedSizeBitVectors"},
		"QF_AUFBV":   {"ArraysEx", "UF", "FixedSizeBitVectors"},
		"QF_AX":      {"ArraysEx"},
		"QF_ABVFP":   {"ArraysEx", "FixedSizeBitVectors", "FloatingPoint"},
		"AUFBVDTLIA": {"Quantifiers", "ArraysEx", "UF", "FixedSizeBitVectors", "Datatypes", "Ints"},
		"QF_SLIA":    {"Strings", "Ints"},
		"LRA":        {"Quantifiers", "Reals"},
		"QF_UFLIRA":  {"UF", "Ints", "Reals"},
		"QF_IDL":     {"Ints"},
		"QF_FF":      {"FiniteFields"},
		"QF_NRAT":    {"Reals", "Transcendental"},
	} {
		got, known := LogicTheories(logic)
		require.True(t, known, logic)
		require.Equal(t, want, got, logic)
	}
	for _, logic := range []string{"", "ALL", "QF_", "QF_ALL", "HORN", "CSP", "qf_bv"} {
		_, known := LogicTheories(logic)
		require.False(t, known, logic)
	}
	p := &Profile{Name: "p", Binaries: []string{}, Theories: []string{"Core", "FixedSizeBitVectors", "ArraysEx"}}
	require.True(t, p.Takes("QF_ABV"))
	require.True(t, p.Takes("ALL"))
	require.False(t, p.Takes("ABV"), "quantifiers")
	require.False(t, p.Takes("QF_ABVFP"))
	require.True(t, (&Profile{}).Takes("QF_S"), "nothing is known about it")
}
