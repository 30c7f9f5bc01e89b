// Package growth makes seeds of the cases of a campaign that take new edges of a solver. Which cases these are, and how
// often each is chosen, changes from epoch to epoch of case numbers: what holds in epoch e follows from the results of
// the epochs up to e-2, in the order of their cases, as the weights of a mixture do (see package mixture). So no clock
// and no order of workers reaches a case.
package growth

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// Covered is the edges that a case took of a solver.
type Covered struct {
	Solver int    `json:"s,omitempty"` // its place in Plan.Counting
	Edges  string `json:"e"`           // see coverage.Pack
}

// Unpack returns the edges of a solver of a campaign that counts these.
func (c *Covered) Unpack(solvers []finding.Counting) ([]coverage.Edge, error) {
	if c.Solver < 0 || c.Solver >= len(solvers) {
		return nil, fmt.Errorf("edges of solver %d of %d", c.Solver, len(solvers))
	}
	return coverage.Unpack(c.Edges, solvers[c.Solver].Edges)
}

// Report is a worker's report on a case that took edges which the worker has not reported before.
type Report struct {
	Covered []Covered `json:"covered"`
	Text    string    `json:"text,omitempty"`    // the case as a seed; "" where it can be none
	Parents []uint64  `json:"parents,omitempty"` // the cases that have become the seeds of this one
}

// lag is the number of epochs between an epoch and the results from which its seeds follow: see mixture.
const lag = 2

// FirstEpoch is the first epoch whose cases may be made of cases.
const FirstEpoch = lag

const (
	// MaxText bounds the size of a case that becomes a seed: larger ones make slow cases.
	MaxText = 64 << 10
	// maxHolders is the greatest number of seeds that take an edge for it to be rare.
	maxHolders = 16
	// maxTable bounds how many seeds an epoch chooses among.
	maxTable = 512
	// maxSeeds bounds the number of seeds; those with the least weight are dropped.
	maxSeeds = 4 * maxTable
	// tired is the number of cases made of a seed that halve its weight, if none of them became a seed.
	tired = 256
	// enough is the size of a text, in bytes, that halves the weight of a seed.
	enough = 2 << 10
)

// seed is a case that has become a seed.
type seed struct {
	number   uint64
	size     int     // of its text
	rare     []place // edges that few seeds take
	near     []place // edges that are near where the campaign is led
	children int     // cases made of it that became seeds
	chosen   float64 // cases that were to be made of it
	weight   float64
}

// place is an edge of a solver, however often it is taken.
type place struct{ solver, number int }

// Direction is to where the cases of a campaign are led.
type Direction struct {
	// Near has, by solver and number of an edge, how near the edge is to the goal; 0 means that it is unrelated. A
	// solver that is unrelated to the goal has no entries.
	Near [][]float32
	// First is the number of cases at the beginning that are the given seeds, unchanged. Those that come near the goal
	// become grown seeds.
	First uint64
}

// of returns how near an edge is.
func (d *Direction) of(solver int, e coverage.Edge) float32 {
	if d == nil || solver >= len(d.Near) || e.Number() >= len(d.Near[solver]) {
		return 0
	}
	return d.Near[solver][e.Number()]
}

// Growth is the seeds that have grown in a campaign. It is used by one goroutine.
type Growth struct {
	solvers []finding.Counting
	union   []coverage.Seen
	holders [][]uint16 // by solver and number of an edge: how many seeds take it
	seeds   []*seed    // in the order of their cases
	byCase  map[uint64]*seed
	open    map[int]map[uint64]*Report // by epoch; a result without a report is nil
	folded  int                        // epochs below have been taken in
	next    int                        // epoch that was not asked for
	tables  map[int][]finding.GrownSeed
	texts   map[uint64]string // by case
	novel   map[uint64]int    // by case of the epochs folded last: how many edges it took first
	keep    Keeper
	toward  *Direction       // nil: everywhere
	along   map[place]uint32 // by an edge near there: how many seeds take it
}

// Keeper writes down what grows; see Folder.
type Keeper interface {
	// Seed stores a case that has become a seed, with the edges that it took.
	Seed(number uint64, text string, took *Report) error
	// Table stores the seeds that an epoch chooses from, and the edges that have become known since the previous epoch.
	Table(epoch int, seeds []finding.GrownSeed, fresh []Covered) error
}

// New begins with the epoch of the given case: nothing is known about earlier epochs. keep and toward may be nil.
func New(solvers []finding.Counting, next uint64, keep Keeper, toward *Direction) *Growth {
	g := &Growth{solvers: solvers, union: make([]coverage.Seen, len(solvers)), holders: make([][]uint16, len(solvers)), byCase: map[uint64]*seed{},
		open: map[int]map[uint64]*Report{}, tables: map[int][]finding.GrownSeed{}, texts: map[uint64]string{}, keep: keep,
		toward: toward, along: map[place]uint32{}}
	if next > 0 {
		epoch, _ := mixture.EpochOf(next)
		g.folded = epoch + 1 // a part of it may be done
	}
	return g
}

// Done notes the result of a case; the latest one, where it is made again. r is nil if it told of no edges.
func (g *Growth) Done(n uint64, r *Report) {
	epoch, _ := mixture.EpochOf(n)
	if epoch < g.folded {
		return
	}
	if g.open[epoch] == nil {
		g.open[epoch] = map[uint64]*Report{}
	}
	g.open[epoch][n] = r
}

// Ready reports whether cases of an epoch can be handed out: all results that its seeds follow from are there.
func (g *Growth) Ready(epoch int) bool {
	for e := g.folded; e <= epoch-lag; e++ {
		if len(g.open[e]) < mixture.EpochSize(e) {
			return false
		}
	}
	return true
}

// News has the news of an epoch.
type News struct {
	Epoch int                 `json:"epoch"`
	Added []finding.GrownSeed `json:"added,omitempty"` // with their texts
	Table []finding.GrownSeed `json:"table,omitempty"` // all from which the epoch chooses, without their texts
	Fresh []Covered           `json:"fresh,omitempty"` // edges that are known now: nobody needs to tell of them again
}

// At returns the news of an epoch that is ready; nil if it was asked for before. Epochs are asked for one after the
// other.
func (g *Growth) At(epoch int) (*News, error) {
	if epoch < g.next {
		return nil, nil
	}
	g.next = epoch + 1
	c := &News{Epoch: epoch}
	g.novel = map[uint64]int{}
	fresh := make([][]coverage.Edge, len(g.solvers))
	for ; g.folded <= epoch-lag; g.folded++ {
		added, err := g.foldEpoch(g.folded, fresh)
		if err != nil {
			return nil, err
		}
		c.Added = append(c.Added, added...)
	}
	for i, edges := range fresh {
		if len(edges) > 0 {
			slices.Sort(edges)
			c.Fresh = append(c.Fresh, Covered{i, coverage.Pack(edges)})
		}
	}
	c.Table = g.weigh(epoch)
	g.tables[epoch] = c.Table
	g.trim()
	if g.keep != nil {
		if err := g.keep.Table(epoch, c.Table, c.Fresh); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// All returns the data for a worker that starts now: the seeds of the running epochs, and all known edges.
func (g *Growth) All() []*News {
	var out []*News
	told := map[uint64]bool{}
	for _, epoch := range slices.Sorted(maps.Keys(g.tables)) {
		c := &News{Epoch: epoch, Table: g.tables[epoch]}
		for _, s := range c.Table {
			if !told[s.Number] {
				told[s.Number] = true
				c.Added = append(c.Added, finding.GrownSeed{Number: s.Number, Text: g.texts[s.Number]})
			}
		}
		out = append(out, c)
	}
	if len(out) > 0 {
		for i := range g.union {
			if g.union[i].Pairs() > 0 {
				out[0].Fresh = append(out[0].Fresh, Covered{i, coverage.Pack(g.union[i].All())})
			}
		}
	}
	return out
}

// trim forgets the tables of epochs whose cases are all done, and the seeds that are in no table and cannot come into
// one.
func (g *Growth) trim() {
	needed := map[uint64]bool{}
	for epoch, table := range g.tables {
		if epoch < g.folded-lag { // after a stop, cases of the epoch that ran then may be left
			delete(g.tables, epoch)
			continue
		}
		for _, s := range table {
			needed[s.Number] = true
		}
	}
	maps.DeleteFunc(g.texts, func(n uint64, _ string) bool { return !needed[n] && g.byCase[n] == nil })
}

// Close ends what keeps the seeds.
func (g *Growth) Close() error {
	if c, ok := g.keep.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Novel returns, by case, the number of edges that the case was the first to take. It covers the epochs whose results
// the latest call of At for a new epoch took in; cases without such edges are left out.
func (g *Growth) Novel() map[uint64]int { return g.novel }

// Known returns the edges of a solver that are known.
func (g *Growth) Known(solver int) []coverage.Edge { return g.union[solver].All() }

// Seeds returns the number of seeds.
func (g *Growth) Seeds() int { return len(g.seeds) }

// foldEpoch takes in the results of an epoch, in the order of its cases, and adds to fresh the edges that nobody took
// before.
func (g *Growth) foldEpoch(epoch int, fresh [][]coverage.Edge) (added []finding.GrownSeed, err error) {
	results := g.open[epoch]
	delete(g.open, epoch)
	for _, n := range slices.Sorted(maps.Keys(results)) {
		r := results[n]
		if r == nil {
			continue
		}
		before := g.taken()
		took, beyond, err := g.takeIn(r)
		if err != nil {
			return nil, fmt.Errorf("case %d: %w", n, err)
		}
		news := 0
		for i, edges := range beyond {
			fresh[i] = append(fresh[i], edges...)
			news += len(edges)
		}
		first := g.taken() - before
		if g.toward != nil {
			first = g.countNear(beyond)
		}
		if first > 0 {
			g.novel[n] = first
		}
		if r.Text == "" || news == 0 && (g.toward == nil || n >= g.toward.First || g.countNear(took) == 0) {
			continue
		}
		g.addSeed(n, r.Text, took)
		g.creditParents(r)
		added = append(added, finding.GrownSeed{Number: n, Text: r.Text})
		if g.keep != nil {
			if err := g.keep.Seed(n, r.Text, r); err != nil {
				return nil, err
			}
		}
	}
	return added, nil
}

// taken returns the number of edges known of all solvers.
func (g *Growth) taken() (n int) {
	for i := range g.union {
		n += g.union[i].Edges()
	}
	return n
}

// countNear returns how many of some edges, by solver, are near the place that the campaign is led to.
func (g *Growth) countNear(edges [][]coverage.Edge) (n int) {
	for i := range edges {
		for _, e := range edges[i] {
			if g.toward.of(i, e) > 0 {
				n++
			}
		}
	}
	return n
}

// takeIn adds the edges of a case to the known ones. It returns all edges of the case, and those that were not known
// before, by solver.
func (g *Growth) takeIn(r *Report) (took, fresh [][]coverage.Edge, err error) {
	took, fresh = make([][]coverage.Edge, len(g.solvers)), make([][]coverage.Edge, len(g.solvers))
	for _, c := range r.Covered {
		edges, err := c.Unpack(g.solvers)
		if err != nil {
			return nil, nil, err
		}
		took[c.Solver] = edges
		for _, e := range edges {
			if !g.union[c.Solver].Has(e) {
				fresh[c.Solver] = append(fresh[c.Solver], e)
			}
		}
		g.union[c.Solver].Add(edges)
	}
	return took, fresh, nil
}

// creditParents counts a case for the seeds that it was made of.
func (g *Growth) creditParents(r *Report) {
	for _, p := range r.Parents {
		if parent := g.byCase[p]; parent != nil {
			parent.children++
		}
	}
}

// addSeed makes a case a seed.
func (g *Growth) addSeed(n uint64, text string, took [][]coverage.Edge) {
	s := &seed{number: n, size: len(text)}
	for i, edges := range took {
		if g.holders[i] == nil {
			g.holders[i] = make([]uint16, g.solvers[i].Edges)
		}
		for k, e := range edges {
			if k > 0 && e.Number() == edges[k-1].Number() { // in another mode, more often
				continue
			}
			if g.toward.of(i, e) > 0 {
				g.along[place{i, e.Number()}]++
				s.near = append(s.near, place{i, e.Number()})
			}
			if h := &g.holders[i][e.Number()]; *h < maxHolders {
				*h++
				s.rare = append(s.rare, place{i, e.Number()})
			} else if *h == maxHolders { // for all who had it
				*h++
			}
		}
	}
	g.seeds = append(g.seeds, s)
	g.byCase[n], g.texts[n] = s, text
}

// weigh says how often each seed is chosen in an epoch.
//
// A seed is weighted by the rarity of its edges: the sum, over edges that few seeds take, of one over the number of
// these seeds. This follows the idea of Entropic (Böhme, Manès and Cha, "Boosting Fuzzer Efficiency: An Information
// Theoretic Perspective", 2020), which gives energy to seeds that show rare features. Here only seeds are counted and
// not all inputs, since only cases with new edges report their edges. The number of times that a case takes an edge can
// make the case a seed, but not the edge rare: large cases take many edges a few more times. As in AFLFast (Böhme, Pham
// and Roychoudhury, "Coverage-based Greybox Fuzzing as Markov Chain", 2016), a seed of which many cases were made
// without a new edge gets fewer. The speed of a seed is that of its size: times would differ from one machine to the
// next, and with them the cases.
//
// If the campaign is directed at a change, a seed counts by its edges near the change, each by its distance and by the
// number of seeds that take it.
func (g *Growth) weigh(epoch int) []finding.GrownSeed {
	for _, s := range g.seeds {
		rarity := 0.0
		kept := s.rare[:0]
		for _, p := range s.rare {
			if h := g.holders[p.solver][p.number]; h <= maxHolders {
				kept = append(kept, p)
				rarity += 1 / float64(h)
			}
		}
		s.rare = kept
		if g.toward != nil {
			rarity = g.nearness(s) + float64(rarity*aside)
		}
		fresh := float64(1+s.children) / float64(1+float64(s.chosen/tired))
		s.weight = float64(float64(rarity*fresh) / float64(1+float64(s.size)/enough))
	}
	best := slices.Clone(g.seeds)
	slices.SortFunc(best, func(a, b *seed) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.number, b.number)) })
	g.dropWorst(best)
	best = best[:min(len(best), maxTable)]
	sum := 0.0
	for _, s := range best {
		sum += s.weight
	}
	var table []finding.GrownSeed
	const whole = 1e6
	for _, s := range best {
		if s.weight == 0 {
			break
		}
		share := s.weight / sum
		s.chosen += float64(float64(mixture.EpochSize(epoch)) * float64(share*corpus.ShareOf(g.toward != nil)))
		table = append(table, finding.GrownSeed{Number: s.number, Weight: uint32(max(1, math.Round(float64(whole*share))))})
	}
	slices.SortFunc(table, func(a, b finding.GrownSeed) int { return cmp.Compare(a.Number, b.Number) })
	return table
}

// aside is the weight of rare edges that are not near the place that a campaign is led to.
const aside = 1e-3

// nearness returns a sum over the edges of a seed that are near the campaign's goal: how near each edge is, divided by
// the number of seeds that take it.
func (g *Growth) nearness(s *seed) (sum float64) {
	for _, p := range s.near {
		sum += float64(g.toward.Near[p.solver][p.number]) / float64(g.along[p])
	}
	return sum
}

// dropWorst forgets seeds beyond the bound, and those without a rare edge. Dropped seeds still count as holders of
// their edges.
func (g *Growth) dropWorst(best []*seed) {
	for i, s := range best {
		if i >= maxSeeds || s.weight == 0 {
			delete(g.byCase, s.number)
		}
	}
	g.seeds = slices.DeleteFunc(g.seeds, func(s *seed) bool { return g.byCase[s.number] == nil })
}
