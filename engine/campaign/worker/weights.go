package worker

import (
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/testcase"
)

// setWeights gives weights to the technique, if it takes any, and to the cases that it makes.
func (w *worker) setWeights(weights []uint32, epoch int) {
	m, ok := w.plan.Technique.(campaign.Mixture)
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
