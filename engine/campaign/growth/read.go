package growth

import (
	"os"
	"path/filepath"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// Contents is the description that a grown corpus has of itself.
type Contents struct {
	Solvers []Reached
	Seeds   []Grown
}

// Reached is a solver with how many of its edges were taken by cases of the epochs that are over.
type Reached struct {
	finding.Counting
	Taken int
}

// Grown is a case that became a seed.
type Grown struct {
	Number  uint64
	Size    int      // of its text, in bytes
	Edges   int      // that it took
	Fresh   int      // of these, those that no seed before it took
	Parents []uint64 // cases that had become seeds and of which it was made
	Share   float64  // how often it was chosen among all seeds that had grown, in the latest epoch
}

// Read reads the index of a corpus.
func Read(dir string) (*Contents, error) {
	out := &Contents{}
	var solvers []finding.Counting
	var union, ofSeeds []coverage.Seen
	var table []finding.GrownSeed
	_, err := readIndex(dir, func(l *line) error {
		switch {
		case l.Solvers != nil:
			solvers = l.Solvers
			union, ofSeeds = make([]coverage.Seen, len(l.Solvers)), make([]coverage.Seen, len(l.Solvers))
		case l.Seed != nil:
			s := Grown{Number: l.Seed.Number, Parents: l.Seed.Took.Parents}
			if st, err := os.Stat(filepath.Join(dir, filepath.Base(l.Seed.File))); err == nil {
				s.Size = int(st.Size())
			}
			for _, c := range l.Seed.Took.Covered {
				edges, err := c.Unpack(solvers)
				if err != nil {
					return err
				}
				var own coverage.Seen
				_, taken := own.Add(edges)
				_, fresh := ofSeeds[c.Solver].Add(edges)
				s.Edges, s.Fresh = s.Edges+taken, s.Fresh+fresh
				union[c.Solver].Add(edges)
			}
			out.Seeds = append(out.Seeds, s)
		case l.Table != nil:
			table = l.Table.Seeds
			for _, c := range l.Table.Fresh {
				edges, err := c.Unpack(solvers)
				if err != nil {
					return err
				}
				union[c.Solver].Add(edges)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum := 0.0
	weights := map[uint64]float64{}
	for _, s := range table {
		weights[s.Number] = float64(s.Weight)
		sum += float64(s.Weight)
	}
	for i := range out.Seeds {
		out.Seeds[i].Share = weights[out.Seeds[i].Number] / max(sum, 1)
	}
	for i, s := range solvers {
		out.Solvers = append(out.Solvers, Reached{s, union[i].Edges()})
	}
	return out, nil
}
