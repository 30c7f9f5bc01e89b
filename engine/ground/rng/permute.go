package rng

import "math/bits"

// Permute returns the image of i (i < n) under a permutation of the numbers below n that the key selects. It needs no
// memory: a Feistel network over the next power of four, walked until it comes back below n (Black and Rogaway,
// "Ciphers with Arbitrary Finite Domains", 2002).
func Permute(key, i, n uint64) uint64 {
	if n < 2 {
		return 0
	}
	half := (bits.Len64(n-1) + 1) / 2
	mask := uint64(1)<<half - 1
	for {
		l, r := i>>half, i&mask
		for round := range uint64(4) {
			l, r = r, l^mixBits(key+round*0x9E3779B97F4A7C15^r)&mask
		}
		if i = l<<half | r; i < n {
			return i
		}
	}
}

// mixBits is the finaliser of SplitMix64.
func mixBits(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
