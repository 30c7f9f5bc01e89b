package corpus

import (
	"cmp"
	"slices"

	"github.com/smtlark/smtlark/solvers/coverage"
)

// Sized is a seed with the edges that a solver takes on it, each once.
type Sized struct {
	Size  int // in bytes
	Edges []coverage.Edge
}

// Cover chooses seeds that together take all edges that all of them take, beyond those in known, and returns their
// places in order. As afl-cmin does (AFL++), it goes through the edges from the rarest on and takes for each that is
// not there yet the smallest seed that has it.
func Cover(seeds []Sized, known *coverage.Seen) (chosen []int) {
	type holders struct {
		count    int
		smallest int
	}
	by := map[coverage.Edge]*holders{}
	for i := range seeds {
		for _, e := range seeds[i].Edges {
			h := by[e]
			if h == nil {
				by[e] = &holders{1, i}
				continue
			}
			if h.count++; seeds[i].Size < seeds[h.smallest].Size {
				h.smallest = i
			}
		}
	}
	edges := make([]coverage.Edge, 0, len(by))
	for e := range by {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b coverage.Edge) int { return cmp.Or(cmp.Compare(by[a].count, by[b].count), cmp.Compare(a, b)) })
	there := known.Clone()
	for _, e := range edges {
		if !there.Has(e) {
			i := by[e].smallest
			there.Add(seeds[i].Edges)
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	return chosen
}
