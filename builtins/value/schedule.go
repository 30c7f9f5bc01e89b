package value

import (
	"github.com/smtlark/smtlark/engine/rng"
)

// seedGroups are the seeds of a corpus by something that they have in common.
type seedGroups struct {
	of    []int32   // by seed: its group
	place []int32   // by seed: its place in the group
	list  [][]int32 // by group: its seeds
}

// Next returns the seed whose turn it is: case n of a campaign gets the seed at place n of an endless sequence in which
// every stretch of as many cases as there are seeds has each of them once. So a campaign goes through its whole corpus
// first and deeper into each seed later, however many workers it has.
func (c *Corpus) Next(s *Session, r *Rng) (*Case, error) {
	src, err := r.Source()
	if err != nil {
		return nil, err
	}
	t := r.Turn()
	if t == nil || len(c.seeds) == 0 {
		return c.Pick(s, src)
	}
	return c.readable(s, c.turn(t), src)
}

// turn returns the number of the seed whose turn it is.
func (c *Corpus) turn(t *Turn) int {
	n := uint64(len(c.seeds))
	key := rng.New(t.Seed).SplitString("seeds").SplitSeed(t.Number / n)
	return int(rng.Permute(key, t.Number%n, n))
}

// readable returns seed i, or a random one where that cannot be read.
func (c *Corpus) readable(s *Session, i int, src *rng.Source) (*Case, error) {
	if k, err := c.at(s, i); err == nil {
		return k, nil
	}
	return c.Pick(s, src)
}

// Pair returns two seeds. The first is that of Next; the second lies a distance further in the order of the seeds that
// have the property in common ("", "status" or "logic"). The distance is the same for all cases of a round through the corpus
// and another one in each round, so each ordered pair comes once before any comes again.
func (c *Corpus) Pair(s *Session, r *Rng, same string) (*Case, *Case, error) {
	src, err := r.Source()
	if err != nil {
		return nil, nil, err
	}
	if len(c.seeds) == 0 {
		_, err := c.Pick(s, src)
		return nil, nil, err
	}
	g := c.grouped(same)
	t := r.Turn()
	if t == nil {
		t = &Turn{src.Uint64(), src.Uint64() >> 1}
	}
	i := c.turn(t)
	a, err := c.readable(s, i, src)
	if err != nil {
		return nil, nil, err
	}
	group := g.list[g.of[i]]
	if len(group) == 1 {
		return a, a, nil
	}
	round := t.Number / uint64(len(c.seeds))
	others := uint64(len(group) - 1)
	key := rng.New(t.Seed).SplitString("pairs").SplitSeed(round / others)
	step := 1 + int(rng.Permute(key, round%others, others))
	b, err := c.readable(s, int(group[(int(g.place[i])+step)%len(group)]), src)
	return a, b, err
}

// grouped returns the groups of a property, computed once.
func (c *Corpus) grouped(same string) *seedGroups {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.groups[same]; g != nil {
		return g
	}
	g := &seedGroups{of: make([]int32, len(c.seeds)), place: make([]int32, len(c.seeds))}
	number := map[string]int32{}
	for i, src := range c.seeds {
		key := ""
		if same != "" {
			if text, err := src.Read(); err == nil {
				logic, status := SeedInfo(src, text)
				if key = logic; same == "status" {
					key = status
				}
			}
		}
		n, ok := number[key]
		if !ok {
			n = int32(len(g.list))
			number[key] = n
			g.list = append(g.list, nil)
		}
		g.of[i], g.place[i] = n, int32(len(g.list[n]))
		g.list[n] = append(g.list[n], int32(i))
	}
	if c.groups == nil {
		c.groups = map[string]*seedGroups{}
	}
	c.groups[same] = g
	return g
}
