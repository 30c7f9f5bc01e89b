package mixture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// laterFrom is the first epoch of parts that begin later, whose first case is 1024: a second of the fastest solvers,
// half a minute of the slowest.
const laterFrom = 9

// Epochs grow with the campaign, so that weights follow quickly at first, and later little time is spent waiting for
// results. repeats epochs have the same size, which then doubles.
const (
	firstEpoch = 64
	repeats    = 4
	doublings  = 6
)

// EpochOf returns the epoch of a case, and the first case of the next one.
func EpochOf(n uint64) (epoch int, end uint64) {
	for ; ; epoch++ {
		size := uint64(EpochSize(epoch))
		if end += size; n < end {
			return epoch, end
		}
		if epoch >= repeats*doublings {
			more := (n - end) / size
			return epoch + 1 + int(more), end + (more+1)*size
		}
	}
}

// FirstOf returns the first case of an epoch.
func FirstOf(epoch int) (n uint64) {
	for e := range epoch {
		n += uint64(EpochSize(e))
	}
	return n
}

// EpochSize returns the number of cases in an epoch.
func EpochSize(epoch int) int { return firstEpoch << min(epoch/repeats, doublings) }

// lag is the number of epochs between an epoch and the results that its weights rest on: one epoch can run while the
// one before ends.
const lag = 2

// yield has the results of one case.
type yield struct {
	n        uint64
	part     int // -1 when not known
	keys     []string
	features []uint32
	hazard   *hazard.CaseNote
}

// Bandit computes the weights of a mixture's parts.
type Bandit struct {
	parts   []finding.Part
	byName  map[string]int
	open    map[int]map[uint64]yield // results of epochs that are not folded, by case
	folded  int                      // epochs below have been taken in
	Weights map[int][]uint32
	turns   []uint32 // by part: cases before the epoch
	turnsOf int      // that epoch
	keys    map[string]bool
	feats   map[uint32]bool
	edges   map[uint64]int // by case: how many edges of solvers it took first; nil: solvers do not count them
	hazards hazard.Avoider
	Shapes  []hazard.Shape   // that are avoided in the latest epoch
	Avoid   map[int][]string // by epoch: their entries
	cases   []float64        // by part, discounted, by their cost
	reward  []float64
}

// NewBandit begins with the epoch of the given case: nothing is known about earlier epochs.
func NewBandit(parts []finding.Part, next uint64) *Bandit {
	b := &Bandit{parts: parts, byName: map[string]int{}, open: map[int]map[uint64]yield{}, Weights: map[int][]uint32{}, keys: map[string]bool{}, feats: map[uint32]bool{}, Avoid: map[int][]string{},
		cases: make([]float64, len(parts)), reward: make([]float64, len(parts))}
	for i, p := range parts {
		b.byName[p.Name] = i
	}
	if next > 0 {
		epoch, _ := EpochOf(next)
		b.folded = epoch + 1 // a part of it may be done
	}
	epoch, end := EpochOf(next)
	b.turnsOf, b.turns = epoch, make([]uint32, len(parts))
	for i, n := range quotasOf(b.compute(epoch), int(end)-EpochSize(epoch)) { // of a run that goes on these are close to what was
		b.turns[i] = uint32(n)
	}
	return b
}

// Done notes the result of a case; the latest one, where it is made again.
func (b *Bandit) Done(n uint64, technique string, verdicts []finding.SignedVerdict, features []uint32, noted *hazard.CaseNote) {
	epoch, _ := EpochOf(n)
	if epoch < b.folded {
		return
	}
	y := yield{n: n, part: -1, features: features, hazard: noted}
	if i, ok := b.byName[technique]; ok {
		y.part = i
	}
	for i := range verdicts {
		y.keys = append(y.keys, verdicts[i].Signature.Key)
	}
	if b.open[epoch] == nil {
		b.open[epoch] = map[uint64]yield{}
	}
	b.open[epoch][n] = y
}

// CountEdges sets the number of solver edges that cases were the first to take, for the cases of the epochs that will
// be folded next. From then on edges count, and the shapes of cases no longer do.
func (b *Bandit) CountEdges(first map[uint64]int) { b.edges = first }

// Ready reports whether cases of an epoch can be handed out: all results that its weights follow from are there.
func (b *Bandit) Ready(epoch int) bool {
	for e := b.folded; e <= epoch-lag; e++ {
		if len(b.open[e]) < EpochSize(e) {
			return false
		}
	}
	return true
}

// WeightsOf returns the weights of an epoch that is ready, in thousandths, and behind them how many cases each part had
// before the epoch. Epochs are asked for one after the other.
func (b *Bandit) WeightsOf(epoch int) []uint32 {
	if w := b.Weights[epoch]; w != nil {
		return w
	}
	for ; b.folded <= epoch-lag; b.folded++ {
		b.fold(b.folded)
	}
	for ; b.turnsOf < epoch; b.turnsOf++ {
		w := b.Weights[b.turnsOf]
		if w == nil {
			w = b.compute(b.turnsOf)
		}
		for i, n := range quotasOf(w[:len(b.parts)], EpochSize(b.turnsOf)) {
			b.turns[i] += uint32(n)
		}
	}
	w := append(b.compute(epoch), b.turns...)
	b.Weights[epoch] = w
	b.Shapes = b.hazards.Shapes()
	for i := range b.Shapes {
		b.Avoid[epoch] = append(b.Avoid[epoch], b.Shapes[i].Name)
	}
	return w
}

// Rewards of a case: a verdict that is new counts 1, new edges (or, where solvers do not count them, new features)
// together up to novelty. Older epochs count less.
const (
	novelty     = 0.1
	manyNew     = 10
	discount    = 0.8
	exploration = 0.05
	floor       = 0.05 // share of its own weight that a part keeps
	enough      = 8    // cases before anything is said of a part
)

// fold takes in the results of an epoch, in the order of its cases.
func (b *Bandit) fold(epoch int) {
	ys := slices.SortedFunc(maps.Values(b.open[epoch]), func(x, y yield) int { return cmp.Compare(x.n, y.n) })
	delete(b.open, epoch)
	for i := range b.parts {
		b.cases[i] *= discount
		b.reward[i] *= discount
	}
	for _, y := range ys {
		b.hazards.Add(y.n, y.hazard)
		found, fresh := 0, 0
		for _, k := range y.keys {
			if !b.keys[k] {
				b.keys[k] = true
				found++
			}
		}
		for _, f := range y.features {
			if !b.feats[f] {
				b.feats[f] = true
				fresh++
			}
		}
		if b.edges != nil {
			fresh = b.edges[y.n]
		}
		if y.part >= 0 {
			b.cases[y.part] += cmp.Or(b.parts[y.part].Cost, 1)
			b.reward[y.part] += float64(found) + float64(novelty*float64(min(fresh, manyNew)))/manyNew
		}
	}
}

// compute returns the weights of an epoch, in proportion to the parts' own and to upper confidence bounds of their
// yields (Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", 2002). Conversions
// keep compilers from fusing operations, which would round otherwise on other machines.
func (b *Bandit) compute(epoch int) []uint32 {
	all := 0.0
	for _, n := range b.cases {
		all += n
	}
	score := make([]float64, len(b.parts))
	sum, own := 0.0, 0.0
	absent := func(i int) bool {
		return b.parts[i].Later && epoch < laterFrom && slices.ContainsFunc(b.parts, func(p finding.Part) bool { return !p.Later })
	}
	for i, p := range b.parts {
		if absent(i) {
			continue
		}
		bound := exploration
		if b.cases[i] >= enough {
			bound = float64(b.reward[i]/b.cases[i]) + float64(exploration*math.Sqrt(float64(math.Log(1+all)/b.cases[i])))
		} else if all >= enough {
			bound = novelty + exploration
		}
		score[i] = float64(p.Weight * bound)
		sum += score[i]
		own += p.Weight
	}
	out := make([]uint32, len(b.parts))
	for i, p := range b.parts {
		if absent(i) {
			continue
		}
		share := float64((1-floor)*float64(score[i]/sum)) + float64(floor*float64(p.Weight/own))
		out[i] = uint32(max(1, math.Round(1000*share)))
	}
	return out
}

// NeedWeights returns an error if a single case is requested and the weights that the parts had for it are unknown.
func NeedWeights(parts []finding.Part, n *uint64, weights []uint32) error {
	if len(parts) == 0 || n == nil {
		return nil
	}
	switch epoch, _ := EpochOf(*n); {
	case weights == nil && epoch >= lag:
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("the weights of techniques follow from what they found before case %d: give --weights, as in the finding or the event \"weights\" of events.jsonl", *n)}
	case weights != nil && len(weights) != len(parts) && len(weights) != 2*len(parts):
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("%d numbers for %d techniques: want their weights, then how many cases each had before, as the finding says", len(weights), len(parts))}
	}
	return nil
}
