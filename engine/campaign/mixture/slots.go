package mixture

import (
	"cmp"
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// A mixture gives each case to one of its parts. Parts go through their seeds in turns, each seed once before any comes
// again, so a case must know how many cases its part had before it, without any memory of them. So cases come in
// blocks; in each block a part has a number of cases that is fixed by the weights, at places that a permutation says.

// quotasOf shares out size things by weights, so that they are all given out: what rounding leaves goes to the greatest
// remainders, the first of equal ones.
func quotasOf(weights []uint32, size int) []int {
	total := uint64(0)
	for _, w := range weights {
		total += uint64(w)
	}
	out := make([]int, len(weights))
	if total == 0 {
		return out
	}
	left := size
	rest := make([]int, len(weights))
	for i, w := range weights {
		rest[i] = i
		out[i] = int(uint64(size) * uint64(w) / total)
		left -= out[i]
	}
	slices.SortStableFunc(rest, func(i, j int) int {
		return cmp.Compare(uint64(size)*uint64(weights[j])%total, uint64(size)*uint64(weights[i])%total)
	})
	for _, i := range rest[:left] {
		out[i]++
	}
	return out
}

// placeIn returns the part whose range of a block has the number, and the number's place in the range.
func placeIn(quotas []int, s uint64) (part int, place uint64) {
	for i, q := range quotas {
		if s < uint64(q) {
			return i, s
		}
		s -= uint64(q)
	}
	return len(quotas) - 1, s
}

// fixedSlot says which part of a mixture whose weights stay makes case n of a campaign, and which of the part's cases
// that is, from 0. Cases come in blocks whose size is the sum of the weights, which is above 0. In each block, a part
// has as many cases as its weight.
func fixedSlot(seed, n uint64, weights []uint32) (part int, turn uint64) {
	quotas, total := make([]int, len(weights)), uint64(0)
	for i, w := range weights {
		quotas[i] = int(w)
		total += uint64(w)
	}
	round := n / total
	part, place := placeIn(quotas, rng.Permute(rng.New(seed).SplitString("mix").SplitSeed(round), n%total, total))
	return part, round*uint64(weights[part]) + place
}

// slotOf is fixedSlot for a mixture whose weights follow the yield. weights has the weights of the epoch of case n,
// followed by the numbers of cases that the parts had before the epoch.
func slotOf(seed, n uint64, weights []uint32) (part int, turn uint64) {
	k := len(weights) / 2
	epoch, end := EpochOf(n)
	size := uint64(EpochSize(epoch))
	key := rng.New(seed).SplitString("mix").SplitSeed(uint64(epoch))
	part, place := placeIn(quotasOf(weights[:k], int(size)), rng.Permute(key, n-(end-size), size))
	return part, uint64(weights[k+part]) + place
}

// firstWeights returns the arguments of slotOf for case n of the first two epochs, which have no yield to follow.
func firstWeights(parts []finding.Part, n uint64) (weights []uint32, ok bool) {
	epoch, _ := EpochOf(n)
	if epoch >= lag {
		return nil, false
	}
	return NewBandit(parts, 0).WeightsOf(epoch), true
}
