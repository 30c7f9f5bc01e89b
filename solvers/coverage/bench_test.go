package coverage

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// BenchmarkTake is what reading, clearing and comparing a map of 500,000 edges costs after a case that took some of
// them, all known by then: in processor time (cpu-ns/op), without filling the map again for the next round. Code that
// runs lies together, so half of the edges of stretches of a hundred are taken.
func BenchmarkTake(b *testing.B) {
	const edges = 500_000
	for _, want := range []int{0, 2_000, 10_000, 20_000} {
		words, filled := make([]uint64, edges/wordEdges), make([]uint64, edges/wordEdges)
		r := rand.New(rand.NewPCG(1, 2))
		for n := 0; n < want; {
			from := 1 + r.IntN(edges-200)
			for i := from; i < from+100 && n < want; i++ {
				if shift := i % wordEdges * 8; r.IntN(2) == 0 && filled[i/wordEdges]>>shift&255 == 0 {
					filled[i/wordEdges] |= uint64(1+r.IntN(255)) << shift
					n++
				}
			}
		}
		var seen Seen
		var run Taken
		copy(words, filled)
		run.read.readAndClear(words)
		seen.Add(run.All())
		b.Run(fmt.Sprintf("taken=%d", run.Edges()), func(b *testing.B) {
			begun := system.CPUTime()
			for range b.N {
				copy(words, filled)
			}
			fill := system.CPUTime() - begun
			begun = system.CPUTime()
			for range b.N {
				copy(words, filled)
				run.read.readAndClear(words)
				if len(run.Beyond(&seen)) > 0 {
					b.Fatal("all edges are known")
				}
			}
			b.ReportMetric(float64(system.CPUTime()-begun-fill)/float64(b.N), "cpu-ns/op")
		})
	}
}
