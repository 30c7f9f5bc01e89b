package corpus

import "github.com/smtlark/smtlark/engine/ground/rng"

// groups has the seeds of a corpus, grouped by a common property.
type groups struct {
	of    []int32   // by seed: its group
	place []int32   // by seed: its place in the group
	list  [][]int32 // by group: its seeds
}

// Turn returns the number of the seed whose turn it is: case n of a campaign gets the seed at place n of an endless
// sequence in which every stretch of as many cases as there are seeds has each of them once. So a campaign goes through
// its whole corpus first and deeper into each seed later, however many workers it has.
func (c *Corpus) Turn(seed, number uint64) int {
	n := uint64(len(c.seeds))
	key := rng.New(seed).SplitString("seeds").SplitSeed(number / n)
	return int(rng.Permute(key, number%n, n))
}

// Pair returns the numbers of two seeds. The first is that of Turn; the second lies a distance further in the order of
// the seeds that have the property in common ("", "status" or "logic"). The distance is the same for all cases of a
// round through the corpus and another one in each round, so each ordered pair comes once before any comes again. If no
// other seed has the property, the pair is the same seed twice.
func (c *Corpus) Pair(seed, number uint64, same string) (first, second int) {
	g := c.grouped(same)
	i := c.Turn(seed, number)
	group := g.list[g.of[i]]
	if len(group) == 1 {
		return i, i
	}
	round := number / uint64(len(c.seeds))
	others := uint64(len(group) - 1)
	key := rng.New(seed).SplitString("pairs").SplitSeed(round / others)
	step := 1 + int(rng.Permute(key, round%others, others))
	return i, int(group[(int(g.place[i])+step)%len(group)])
}

// Alike returns the numbers of the seeds that have a property in common with seed i, which is among them; not to be
// modified.
func (c *Corpus) Alike(i int, same string) []int32 {
	g := c.grouped(same)
	return g.list[g.of[i]]
}

// grouped returns the groups of a property, computed once.
func (c *Corpus) grouped(same string) *groups {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.groups[same]; g != nil {
		return g
	}
	g := &groups{of: make([]int32, len(c.seeds)), place: make([]int32, len(c.seeds))}
	number := map[string]int32{}
	for i, src := range c.seeds {
		key := ""
		if same != "" {
			if text, err := src.Read(); err == nil {
				logic, status := labelInfo(src, text)
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
		c.groups = map[string]*groups{}
	}
	c.groups[same] = g
	return g
}
