package mixture

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
)

func TestNamesOfParts(t *testing.T) {
	parts := []finding.Part{{Name: "storm"}, {Name: "fusion"}, {Name: "storm"}, {Name: "storm"}}
	Name(parts)
	require.Equal(t, []finding.Part{{Name: "storm"}, {Name: "fusion"}, {Name: "storm#2"}, {Name: "storm#3"}}, parts)
}

func TestWeightsAsWholeNumbers(t *testing.T) {
	require.Equal(t, []uint32{3, 1}, wholeWeights([]finding.Part{{Weight: 3}, {Weight: 1}}))
	require.Equal(t, []uint32{750, 250}, wholeWeights([]finding.Part{{Weight: 1.5}, {Weight: 0.5}}))
	require.Equal(t, []uint32{1000, 1}, wholeWeights([]finding.Part{{Weight: 1e9}, {Weight: 0.5}}), "none is lost")
}

func TestPartOfANumber(t *testing.T) {
	parts := []finding.Part{{Weight: 1}, {Weight: 3}}
	for at, want := range map[float64]int{0: 0, 0.24: 0, 0.26: 1, 0.99: 1} {
		require.Equal(t, want, PartAt(parts, at), "%v", at)
	}
}

// In a campaign each part has its share, and counts its own cases.
func TestPartOfACase(t *testing.T) {
	parts := []finding.Part{{Name: "a", Weight: 1}, {Name: "b", Weight: 3}}
	turns := []map[uint64]bool{{}, {}}
	for n := range uint64(400) {
		part, turn := PartOf(parts, false, nil, 7, n)
		require.False(t, turns[part][turn], "case %d: the turn comes again", n)
		turns[part][turn] = true
	}
	require.Len(t, turns[0], 100)
	require.Len(t, turns[1], 300)
	part, _ := PartOf(parts, true, []uint32{0, 1000}, 7, 0)
	require.Equal(t, 1, part, "given weights count")
}
