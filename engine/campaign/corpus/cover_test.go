package corpus

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers/coverage"
)

func TestCoverTakesTheSmallest(t *testing.T) {
	seeds := []Sized{{100, []coverage.Edge{8, 16}}, {10, []coverage.Edge{8}}, {20, []coverage.Edge{16}}, {500, []coverage.Edge{8, 16, 24}}, {5, nil}}
	require.Equal(t, []int{3}, Cover(seeds, &coverage.Seen{}), "the rarest edge comes first, and its seed has all")
	require.Equal(t, []int{1, 2}, Cover(seeds[:3], &coverage.Seen{}))
	var known coverage.Seen
	known.Add([]coverage.Edge{8, 24})
	require.Equal(t, []int{2}, Cover(seeds, &known))
	require.Empty(t, Cover(nil, &known))
}

func TestCoverLosesNoEdge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var seeds []Sized
		var all, kept coverage.Seen
		for range rapid.IntRange(0, 12).Draw(t, "seeds") {
			s := Sized{Size: rapid.IntRange(0, 5).Draw(t, "size")}
			for _, e := range rapid.SliceOfDistinct(rapid.Uint32Range(0, 40), func(e uint32) uint32 { return e }).Draw(t, "edges") {
				s.Edges = append(s.Edges, coverage.Edge(e))
			}
			all.Add(s.Edges)
			seeds = append(seeds, s)
		}
		for _, i := range Cover(seeds, &coverage.Seen{}) {
			kept.Add(seeds[i].Edges)
		}
		require.Equal(t, all.All(), kept.All())
	})
}
