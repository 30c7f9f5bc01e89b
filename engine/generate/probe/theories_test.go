package probe_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/probe"
)

// TestTheories checks that the scripts a solver refuses tell which theories it supports, including those that other
// theories need.
func TestTheories(t *testing.T) {
	refusing := func(words ...string) func(string) (bool, error) {
		return func(script string) (bool, error) {
			for _, w := range words {
				if strings.Contains(script, w) {
					return false, nil
				}
			}
			return true, nil
		}
	}
	beyond := []string{"Int", "Real", "String", "RegLan", "Seq", "Set", "Bag", "FiniteField", "Array", "FloatingPoint", "RoundingMode", "declare-datatype", "exists", "forall"}
	got, err := probe.Theories("generic", "(set-logic ALL)\n", refusing(beyond...))
	require.NoError(t, err)
	require.Equal(t, []string{"Core", "FixedSizeBitVectors", "UF"}, got)

	got, err = probe.Theories("generic", "", refusing("BitVec", "String", "RegLan", "Seq", "Set", "Bag", "FiniteField", "FloatingPoint", "RoundingMode", "declare-datatype", "sin", "exp", "real.pi"))
	require.NoError(t, err)
	require.Equal(t, []string{"Core", "Ints", "Reals", "ArraysEx", "UF", "Quantifiers"}, got[:6])
	require.Contains(t, got, "Reals_Ints")
	require.NotContains(t, got, "Strings")

	asked := 0
	got, err = probe.Theories("generic", "", func(string) (bool, error) { asked++; return false, nil })
	require.NoError(t, err)
	require.Equal(t, []string{"Core"}, got)
	require.Less(t, asked, 150, "a solver that refuses everything is not asked for long")

	_, err = probe.Theories("generic", "", func(string) (bool, error) { return false, errors.New("it is gone") })
	require.ErrorContains(t, err, "it is gone")
}
