package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/testcase"
)

// Mixture is a technique made of others, of which each case takes one by weight.
//
// Where weights follow the yield, a case must still be the same on every machine. So weights change only from one
// epoch, a fixed range of case numbers, to the next; those of epoch e follow from the results of the epochs up to e-2,
// taken in the order of their cases, and nothing of an epoch is handed out before they are known. No time enters: a yield
// is a count of new verdicts and new features per case. What a run answers may depend on time, by a limit; so the weights
// travel with the job, are noted in the log and in the origin of every case, and --weights replays a case by them alone.
type Mixture interface {
	Technique
	// Parts returns the parts, or nil if weights do not follow the yield.
	Parts() []finding.Part
	// SetWeights sets the weights of the parts for the cases to come, and behind them how many cases the parts had before
	// the epoch (see Slot); nil stands for the parts' own.
	SetWeights(weights []uint32)
}

// laterFrom is the first epoch of parts that begin later, whose first case is 960: a second of the fastest solvers, half a
// minute of the slowest.
const laterFrom = 4

// Epochs begin small, so that weights can follow soon, and grow.
const (
	firstEpoch = 64
	doublings  = 6 // epochs up to this one are twice as long as the one before
)

// epochOf returns the epoch of a case, and the first case of the next one.
func epochOf(n uint64) (epoch int, end uint64) {
	size := uint64(firstEpoch)
	for {
		end += size
		if n < end {
			return epoch, end
		}
		if epoch >= doublings {
			more := (n - end) / size
			return epoch + 1 + int(more), end + (more+1)*size
		}
		epoch++
		size *= 2
	}
}

// epochSize returns the number of cases in an epoch.
func epochSize(epoch int) int { return firstEpoch << min(epoch, doublings) }

// lag is how many epochs before its own a weight's results end: one epoch can run while the one before ends.
const lag = 2

// yield is what a case brought.
type yield struct {
	n        uint64
	part     int // -1 when not known
	keys     []string
	features []uint32
	hazard   *hazard.Case
}

// bandit computes the weights of a mixture's parts.
type bandit struct {
	parts   []finding.Part
	byName  map[string]int
	open    map[int][]yield // results of epochs that are not folded
	folded  int             // epochs below have been taken in
	weights map[int][]uint32
	turns   []uint32 // by part: cases before the epoch
	turnsOf int      // that epoch
	keys    map[string]bool
	feats   map[uint32]bool
	hazards hazard.Table
	lethal  []hazard.Lethal  // of the latest epoch
	avoid   map[int][]string // by epoch: their entries
	cases   []float64        // by part, discounted
	reward  []float64
}

// newBandit begins with the epoch of the case given: what came before is not known.
func newBandit(parts []finding.Part, next uint64) *bandit {
	b := &bandit{parts: parts, byName: map[string]int{}, open: map[int][]yield{}, weights: map[int][]uint32{}, keys: map[string]bool{}, feats: map[uint32]bool{}, avoid: map[int][]string{},
		cases: make([]float64, len(parts)), reward: make([]float64, len(parts))}
	for i, p := range parts {
		b.byName[p.Name] = i
	}
	if next > 0 {
		epoch, _ := epochOf(next)
		b.folded = epoch + 1 // a part of it may be done
	}
	epoch, end := epochOf(next)
	b.turnsOf, b.turns = epoch, make([]uint32, len(parts))
	for i, n := range Quotas(b.compute(epoch), int(end)-epochSize(epoch)) { // of a run that goes on these are close to what was
		b.turns[i] = uint32(n)
	}
	return b
}

// done notes the result of a case.
func (b *bandit) done(n uint64, technique string, verdicts []finding.SignedVerdict, features []uint32, noted *hazard.Case) {
	epoch, _ := epochOf(n)
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
	b.open[epoch] = append(b.open[epoch], y)
}

// ready reports whether cases of an epoch can be handed out: all results that its weights follow from are there.
func (b *bandit) ready(epoch int) bool {
	for e := b.folded; e <= epoch-lag; e++ {
		if len(b.open[e]) < epochSize(e) {
			return false
		}
	}
	return true
}

// weightsOf returns the weights of an epoch that is ready, in thousandths, and behind them how many cases each part had
// before the epoch. Epochs are asked for one after the other.
func (b *bandit) weightsOf(epoch int) []uint32 {
	if w := b.weights[epoch]; w != nil {
		return w
	}
	for ; b.folded <= epoch-lag; b.folded++ {
		b.fold(b.folded)
	}
	for ; b.turnsOf < epoch; b.turnsOf++ {
		w := b.weights[b.turnsOf]
		if w == nil {
			w = b.compute(b.turnsOf)
		}
		for i, n := range Quotas(w[:len(b.parts)], epochSize(b.turnsOf)) {
			b.turns[i] += uint32(n)
		}
	}
	w := append(b.compute(epoch), b.turns...)
	b.weights[epoch] = w
	b.lethal = b.hazards.Lethal()
	for i := range b.lethal {
		b.avoid[epoch] = append(b.avoid[epoch], b.lethal[i].Name)
	}
	return w
}

// Rewards of a case: a verdict that is new counts 1, new features together up to novelty. Older epochs count less.
const (
	novelty     = 0.1
	manyNew     = 10
	discount    = 0.8
	exploration = 0.05
	floor       = 0.05 // share of its own weight that a part keeps
	enough      = 8    // cases before anything is said of a part
)

// fold takes in the results of an epoch, in the order of its cases.
func (b *bandit) fold(epoch int) {
	ys := b.open[epoch]
	delete(b.open, epoch)
	slices.SortFunc(ys, func(x, y yield) int { return cmp.Compare(x.n, y.n) })
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
		if y.part >= 0 {
			b.cases[y.part]++
			b.reward[y.part] += float64(found) + float64(novelty*float64(min(fresh, manyNew)))/manyNew
		}
	}
}

// compute returns the weights of an epoch, in proportion to the parts' own and to upper confidence bounds of their yields (Auer,
// Cesa-Bianchi and Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", 2002). Conversions keep compilers from
// fusing operations, which would round otherwise on other machines.
func (b *bandit) compute(epoch int) []uint32 {
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

// setWeights gives weights to the technique, if it takes any, and to the cases that it makes.
func (w *worker) setWeights(weights []uint32, epoch int) {
	m, ok := w.plan.Technique.(Mixture)
	if !ok || m.Parts() == nil {
		return
	}
	m.SetWeights(weights)
	w.weights = weights
	if epoch != w.epoch {
		w.epoch = epoch
		for f := range w.feats {
			w.forget(f)
		}
		clear(w.feats)
	}
}

// forget notes a feature that was reported in an earlier epoch: nobody needs to hear of it again.
func (w *worker) forget(f uint32) {
	if w.oldFeats == nil {
		w.oldFeats = map[uint32]bool{}
	}
	w.oldFeats[f] = true
}

// features returns what is new in the shape of a case, as far as this worker knows: which operator is an argument of
// which, and what the case is known to be. It leaves out what the worker reported in earlier epochs, but not what it
// reported in this one: the coordinator decides, by case numbers, which case had it first.
func (w *worker) features(c *testcase.Case) []uint32 {
	if w.weights == nil {
		return nil
	}
	if w.feats == nil {
		w.feats = map[uint32]bool{}
	}
	a := c.Script.Arena
	var out []uint32
	in := map[uint32]bool{}
	a.PostOrder(c.Script.Asserts(), func(t smt.Term) {
		for i := range min(a.NumArgs(t), 4) {
			h := uint32(a.Op(t))<<16 | uint32(a.Op(a.Arg(t, i)))<<2&0xFFFF | uint32(i)
			if !in[h] && !w.oldFeats[h] {
				in[h] = true
				out = append(out, h)
			}
		}
	})
	for _, f := range out {
		w.feats[f] = true
	}
	return out
}

// room returns the first case that may not be in the next job, 0 for no bound; ok is false while new cases must wait.
func (c *coordinator) room() (end uint64, ok bool) {
	if c.bandit == nil || c.cfg.Case != nil {
		return 0, true
	}
	epoch, end := epochOf(c.queue.next)
	return end, c.bandit.ready(epoch)
}

// weigh puts the weights for its cases into an order.
func (c *coordinator) weigh(o *order) {
	if c.bandit == nil {
		return
	}
	if c.cfg.Case != nil || c.cfg.Options.Weights != nil {
		o.Weights, o.Avoid = c.cfg.Options.Weights, c.cfg.Options.Avoid
		return
	}
	epoch, _ := epochOf(o.From)
	known := c.bandit.weights[epoch] != nil
	o.Epoch, o.Weights = epoch, c.bandit.weightsOf(epoch)
	o.Avoid = c.bandit.avoid[epoch]
	if !known {
		first := o.From
		c.stats.Lethal = c.bandit.lethal
		c.event("weights", map[string]any{"epoch": epoch, "first_case": first, "cases": epochSize(epoch), "weights": o.Weights, "avoid": o.Avoid})
	}
}

// settled tells the bandit of a case that needs no more work.
func (c *coordinator) settled(n uint64, r *report) {
	if c.bandit == nil {
		return
	}
	if r == nil {
		r = &report{}
	}
	c.bandit.done(n, r.Technique, r.Verdicts, r.Features, r.Hazard)
}

// needWeights returns an error if a single case is asked for and nobody knows how the parts were weighed for it.
func needWeights(parts []finding.Part, n *uint64, weights []uint32) error {
	if len(parts) == 0 || n == nil {
		return nil
	}
	switch epoch, _ := epochOf(*n); {
	case weights == nil && epoch >= lag:
		return &LoadError{FaultUsage, fmt.Errorf("how often each technique is used follows from what they found before case %d: say it with --weights, as the finding or the event \"weights\" in events.jsonl does", *n)}
	case weights != nil && len(weights) != len(parts) && len(weights) != 2*len(parts):
		return &LoadError{FaultUsage, fmt.Errorf("%d numbers for %d techniques: want their weights, and behind them how many cases they had had, as the finding says", len(weights), len(parts))}
	}
	return nil
}
