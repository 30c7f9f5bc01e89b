package literal

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFloatParts compares with the bits that IEEE 754 gives the numbers.
func TestFloatParts(t *testing.T) {
	for _, x := range []struct {
		exponentBits, bits    int
		odd                   int64
		power                 int
		exponent, significand int64
	}{
		{11, 53, 1, 0, 1023, 0},
		{11, 53, 1, -1, 1022, 0},                             // 0.5
		{11, 53, 5, -1, 1024, 1 << 50},                       // 2.5
		{5, 11, 7, -1, 16, 0b1100000000},                     // 3.5
		{2, 3, 1, -1, 0, 2},                                  // 0.5 is subnormal
		{5, 11, 1, -24, 0, 1},                                // the least subnormal number
		{5, 11, 1, -14, 1, 0},                                // the least normal number
		{5, 11, 1, 15, 30, 0}, {5, 11, 1, 16, 30, 1<<10 - 1}, // the greatest power of two, and the overflow beyond it
		{5, 11, 1, -25, 0, 0}, {3, 2, 5, -1, 4, 0}, {8, 24, 3, -1, 127, 1 << 22},
	} {
		exponent, significand := floatParts(x.exponentBits, x.bits, x.odd, x.power)
		require.Equal(t, big.NewInt(x.exponent).String()+" "+big.NewInt(x.significand).String(), exponent.String()+" "+significand.String(), "%+v", x)
	}
}
