package corpus

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// Grown has the cases of a campaign that have become seeds; some cases of the campaign are made from them.
type Grown struct {
	seeds []Seed
	upTo  []uint64 // by seed: the sum of the weights up to its own
	led   bool
}

// NewGrown returns the seeds of a table; nil for none. led says that the campaign is directed at a part of a solver:
// then the grown seeds are those that come near this part, and all given seeds were tried at the start.
func NewGrown(table []finding.GrownSeed, led bool) *Grown {
	g := &Grown{led: led}
	sum := uint64(0)
	for _, s := range table {
		if s.Weight > 0 {
			sum += uint64(s.Weight)
			g.seeds, g.upTo = append(g.seeds, grownSeed(s)), append(g.upTo, sum)
		}
	}
	if sum == 0 {
		return nil
	}
	return g
}

// grownShare is the share of cases that are made from grown seeds, after a technique has used all given seeds once.
// Before that, the share is smaller, in proportion to the given seeds that were used: untried seeds find more.
const (
	grownShare = 0.5
	ledShare   = 0.875
)

// ShareOf returns that share for a campaign, which may be directed at a part of a solver (led) or not.
func ShareOf(led bool) float64 {
	if led {
		return ledShare
	}
	return grownShare
}

// Draw returns a grown seed to use for a case instead of the one whose turn it is in c; nil: use that one.
func (g *Grown) Draw(c *Corpus, seed, number uint64) Seed {
	if g == nil {
		return nil
	}
	r := rng.New(seed).SplitString("grown").Split(number)
	given := uint64(len(c.seeds))
	const whole = 1 << 20
	share := uint64(grownShare*whole) * min(number, given) / max(given, 1)
	if g.led {
		share = ledShare * whole
	}
	if uint64(r.Intn(whole)) >= share {
		return nil
	}
	return g.choose(r)
}

// Pick returns a grown seed to use instead of a random one; nil: use the random one. If it is not known how many seeds
// have been tried, the share of grown seeds is half of grownShare.
func (g *Grown) Pick(r *rng.Source) Seed {
	if g == nil {
		return nil
	}
	share := grownShare / 2
	if g.led {
		share = ledShare
	}
	if float64(r.Float()) >= share {
		return nil
	}
	return g.choose(r)
}

// choose draws a seed by the weights.
func (g *Grown) choose(r *rng.Source) Seed {
	at := uint64(r.Float() * float64(g.upTo[len(g.upTo)-1]))
	i := sort.Search(len(g.upTo), func(i int) bool { return at < g.upTo[i] })
	return g.seeds[min(i, len(g.seeds)-1)]
}

// grownSeed is a case as a seed.
type grownSeed finding.GrownSeed

const grownName = "grown/case-"

// Key implements Seed.
func (s grownSeed) Key() string { return s.Name() }

// Name implements Seed.
func (s grownSeed) Name() string { return fmt.Sprintf("%s%d", grownName, s.Number) }

// Read implements Seed.
func (s grownSeed) Read() ([]byte, error) { return []byte(s.Text), nil }

// GrownFrom returns the number of the case that a seed was, by its name; ok is false for other seeds.
func GrownFrom(name string) (number uint64, ok bool) {
	rest, ok := strings.CutPrefix(name, grownName)
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseUint(rest, 10, 64)
	return number, err == nil
}
