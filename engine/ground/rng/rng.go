// Package rng is the only source of randomness: deterministic, the same on every machine, and splittable, so that
// case n of a campaign draws the same numbers whichever worker makes it, and in whatever order.
package rng

import (
	"math/bits"
)

// Source is a stream of random numbers: xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number
// generators", 2021), seeded by SplitMix64. It is not safe for concurrent use.
type Source struct {
	s    [4]uint64
	base uint64 // the seed from which Split derives others; drawing does not change it
}

// New returns the stream of a seed.
func New(seed uint64) *Source {
	r := &Source{}
	r.Reset(seed)
	return r
}

// Reset turns r into the stream of a seed, as New returns it.
func (r *Source) Reset(seed uint64) {
	r.base = seed
	x := seed
	for i := range r.s {
		r.s[i] = splitmix(&x)
	}
}

func splitmix(x *uint64) uint64 {
	*x += 0x9E3779B97F4A7C15
	z := *x
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Split returns an independent stream for a key. It depends on the seed of r and the key alone, not on earlier draws
// from r.
func (r *Source) Split(key uint64) *Source {
	return New(r.SplitSeed(key))
}

// SplitSeed returns the seed of the stream that Split returns.
func (r *Source) SplitSeed(key uint64) uint64 {
	x := r.base ^ 0xA0761D6478BD642F
	h := splitmix(&x)
	x ^= bits.RotateLeft64(key, 31) * 0xE7037ED1A0B428DB
	return h ^ splitmix(&x)
}

// SplitString is Split with a name as key.
func (r *Source) SplitString(key string) *Source {
	h := uint64(0xCBF29CE484222325) // FNV-1a
	for i := 0; i < len(key); i++ {
		h = (h ^ uint64(key[i])) * 0x100000001B3
	}
	return r.Split(h)
}

// Uint64 draws 64 random bits.
func (r *Source) Uint64() uint64 {
	s := &r.s
	out := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return out
}

// Intn draws from 0 to n-1, each with the same probability (Lemire, "Fast random integer generation in an
// interval", 2019). It panics if n < 1.
func (r *Source) Intn(n int) int {
	if n < 1 {
		panic("rng: Intn of a number below 1")
	}
	bound := uint64(n)
	hi, lo := bits.Mul64(r.Uint64(), bound)
	if lo < bound {
		for threshold := -bound % bound; lo < threshold; {
			hi, lo = bits.Mul64(r.Uint64(), bound)
		}
	}
	return int(hi)
}

// Range draws from lo to hi, both included. It panics if hi < lo.
func (r *Source) Range(lo, hi int) int {
	if hi < lo {
		panic("rng: empty Range")
	}
	if span := uint64(hi) - uint64(lo) + 1; span != 0 && span <= 1<<62 {
		return lo + r.Intn(int(span))
	}
	for {
		if x := int(r.Uint64()); x >= lo && x <= hi {
			return x
		}
	}
}

// Bool draws a fair coin.
func (r *Source) Bool() bool { return r.Uint64()>>63 == 1 }

// Chance is true with probability p.
func (r *Source) Chance(p float64) bool { return r.Float() < p }

// Float draws a multiple of 2^-53 from 0 up to but without 1.
func (r *Source) Float() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// Shuffle permutes n elements randomly by calls of swap (Fisher and Yates).
func (r *Source) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, r.Intn(i+1))
	}
}
