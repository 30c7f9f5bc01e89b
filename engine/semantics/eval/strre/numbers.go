package strre

import (
	"math/big"
	"strings"
)

// IsDigit is str.is_digit: s is one of the characters 0 to 9.
func IsDigit(s []rune) bool { return len(s) == 1 && isDigit(s[0]) }

func isDigit(c rune) bool { return '0' <= c && c <= '9' }

// ToCode is str.to_code: the code point of a string of one character, else -1.
func ToCode(s []rune) int64 {
	if len(s) != 1 {
		return -1
	}
	return int64(s[0])
}

// FromCode is str.from_code: the string of the character n, "" if n is no code point.
func FromCode(n int64) []rune {
	if n < 0 || n > int64(maxChar) {
		return nil
	}
	return []rune{rune(n)}
}

// ToInt is str.to_int: the value of a string of digits only, -1 for any other
// string, also for "".
func ToInt(s []rune) *big.Int {
	if len(s) == 0 {
		return big.NewInt(-1)
	}
	var digits strings.Builder
	digits.Grow(len(s))
	for _, c := range s {
		if !isDigit(c) {
			return big.NewInt(-1)
		}
		digits.WriteByte(byte(c))
	}
	n, _ := new(big.Int).SetString(digits.String(), 10)
	return n
}

// FromInt is str.from_int: the decimal digits without leading zeros, "" if n is negative.
func FromInt(n *big.Int) []rune {
	if n.Sign() < 0 {
		return nil
	}
	return []rune(n.String())
}
