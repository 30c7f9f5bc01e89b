package normal

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Key is a hash of 128 bits.
type Key [2]uint64

// String writes the key as 32 hexadecimal digits.
func (k Key) String() string { return fmt.Sprintf("%016x%016x", k[0], k[1]) }

// Plus adds a key to a multiset of keys.
func (k Key) Plus(x Key) Key {
	lo, carry := bits.Add64(k[1], x[1], 0)
	hi, _ := bits.Add64(k[0], x[0], carry)
	return Key{hi, lo}
}

// Factors of the two halves: fractional parts of the golden ratio and of the square root of two, odd.
const (
	golden = 0x9E3779B97F4A7C15
	silver = 0x6A09E667F3BCC909
)

// fold multiplies two numbers and combines both halves of the product.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// With returns the hash of the sequence extended by a number.
func (k Key) With(n uint64) Key {
	x := fold(k[0]^n^golden, silver) + bits.RotateLeft64(k[1], 23)
	y := fold(k[1]^n^silver, golden|1) + bits.RotateLeft64(k[0], 41)
	return Key{x ^ x>>29, y ^ y>>31}.mixed()
}

// mixed makes every bit depend on all.
func (k Key) mixed() Key {
	x, y := k[0], k[1]
	x ^= fold(y^golden, 0xD6E8FEB86659FD93)
	y ^= fold(x^silver, 0xBF58476D1CE4E5B9)
	x ^= fold(y^0x94D049BB133111EB, golden)
	return Key{x, y}
}

// WithKey returns the hash of the sequence extended by a key.
func (k Key) WithKey(x Key) Key { return k.With(x[0]).With(x[1]) }

// WithText returns the hash of the sequence extended by a text.
func (k Key) WithText(text string) Key {
	k = k.With(uint64(len(text)))
	var block [8]byte
	for len(text) > 0 {
		n := copy(block[:], text)
		clear(block[n:])
		k, text = k.With(binary.LittleEndian.Uint64(block[:])), text[n:]
	}
	return k
}
