package value

import (
	"math/big"
)

// Mask returns a word with ones in the lowest width bits, at most 64.
func Mask(width int) uint64 { return ^uint64(0) >> uint(64-width) }

// Ones returns 2^width-1.
func Ones(width int) *big.Int {
	x := new(big.Int).Lsh(BigOne, uint(width))
	return x.Sub(x, BigOne)
}

// Bit returns 1 for true and 0 for false.
func Bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Signed returns the number of which n is the representation in two's complement of width w.
func Signed(n *big.Int, w int) *big.Int {
	if n.Bit(w-1) == 0 {
		return n
	}
	return new(big.Int).Sub(n, new(big.Int).Lsh(BigOne, uint(w)))
}

// Rotated rotates left by k < w.
func Rotated(x *big.Int, k uint, w int) *big.Int {
	z := new(big.Int).Lsh(x, k)
	return z.Or(z.And(z, Ones(w)), new(big.Int).Rsh(x, uint(w)-k))
}

// Integer returns an Int or a bit vector as an integer.
func Integer(v Value) (*big.Int, bool) {
	if n, ok := v.Int(); ok {
		return n, true
	}
	return v.BV()
}

// ClampInt returns an Int as an int64; beyond that range it does not matter which position or length it is.
func ClampInt(v Value) int64 {
	if v.kind == KindBigInt {
		if v.BigInt().Sign() < 0 {
			return -1
		}
		return 1<<62 - 1
	}
	return min(v.Small(), 1<<62-1)
}

// SmallIndex returns an Int as an index if it is from 0 to n-1.
func SmallIndex(v Value, n int) (int, bool) {
	if v.kind != KindInt || v.Small() < 0 || v.Small() >= int64(n) {
		return 0, false
	}
	return int(v.Small()), true
}

// BigOne is 1. It must not be changed.
var BigOne = big.NewInt(1)
