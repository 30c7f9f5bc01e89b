// Package strre is the exact meaning of the SMT-LIB theory of Unicode strings
// and regular expressions.
//
// A string is a sequence of code points 0 to maxChar, held as []rune. Strings
// are immutable by convention: results may share memory with arguments.
//
// Positions and lengths are int64. Callers that hold larger integers may clamp
// them to the range of int64: no string is that long, so results do not change.
package strre

import (
	"errors"
	"slices"
)

const (
	// maxChar is the largest code point of the theory.
	maxChar rune = 0x2FFFF
	// maxLength is the length, in code points, up to which strings are computed.
	maxLength = 1 << 22
)

// errTooLarge says that the value exists but is beyond the limits of this package.
var errTooLarge = errors.New("too large")

// Concat is str.++.
func Concat(parts ...[]rune) ([]rune, error) {
	n := 0
	for _, p := range parts {
		n += len(p)
		if n > maxLength {
			return nil, errTooLarge
		}
	}
	return slices.Concat(parts...), nil
}

// At is str.at: the string of the one character at position i, "" out of range.
func At(s []rune, i int64) []rune {
	if i < 0 || i >= int64(len(s)) {
		return nil
	}
	return s[i : i+1 : i+1]
}

// Substr is str.substr: the longest part of s that starts at position i and has
// at most n characters; "" if i is out of range or n is not positive.
func Substr(s []rune, i, n int64) []rune {
	size := int64(len(s))
	if i < 0 || i >= size || n <= 0 {
		return nil
	}
	end := size
	if n < size-i {
		end = i + n
	}
	return s[i:end:end]
}

// PrefixOf is (str.prefixof prefix s).
func PrefixOf(prefix, s []rune) bool {
	return len(prefix) <= len(s) && slices.Equal(prefix, s[:len(prefix)])
}

// SuffixOf is (str.suffixof suffix s).
func SuffixOf(suffix, s []rune) bool {
	return len(suffix) <= len(s) && slices.Equal(suffix, s[len(s)-len(suffix):])
}

// Contains is (str.contains s t): t is a part of s.
func Contains(s, t []rune) bool { return find(s, t) >= 0 }

// IndexOf is (str.indexof s t i): the first position of t in s at or after i, -1
// if there is none or i is out of range. The empty t is found at i.
func IndexOf(s, t []rune, i int64) int64 {
	if i < 0 || i > int64(len(s)) {
		return -1
	}
	p := find(s[i:], t)
	if p < 0 {
		return -1
	}
	return i + int64(p)
}

// LastIndexOf is z3's (str.last_indexof s t): the last position of t in s, -1 if
// there is none. The empty t is found at the end.
func LastIndexOf(s, t []rune) int64 {
	p := find(Rev(s), Rev(t))
	if p < 0 {
		return -1
	}
	return int64(len(s) - p - len(t))
}

// Replace is (str.replace s t u): the first t in s replaced by u; an empty t puts
// u in front.
func Replace(s, t, u []rune) []rune {
	p := find(s, t)
	if p < 0 {
		return s
	}
	return slices.Concat(s[:p], u, s[p+len(t):])
}

// ReplaceAll is (str.replace_all s t u): from left to right every t in s replaced
// by u; s if t is empty.
func ReplaceAll(s, t, u []rune) ([]rune, error) {
	if len(t) == 0 {
		return s, nil
	}
	var out []rune
	rest := s
	next := finder(t)
	for {
		p := next(rest)
		if p < 0 {
			break
		}
		out = append(append(out, rest[:p]...), u...)
		if len(out) > maxLength {
			return nil, errTooLarge
		}
		rest = rest[p+len(t):]
	}
	if len(rest) == len(s) {
		return s, nil
	}
	return append(out, rest...), nil
}

// Compare orders strings by code points: -1, 0 or 1. str.< is Compare < 0 and
// str.<= is Compare <= 0.
func Compare(s, t []rune) int { return slices.Compare(s, t) }

// Rev is cvc5's str.rev.
func Rev(s []rune) []rune {
	out := slices.Clone(s)
	slices.Reverse(out)
	return out
}

// ToLower is cvc5's str.to_lower: ASCII letters only.
func ToLower(s []rune) []rune { return shiftCase(s, 'A', 'Z', 'a'-'A') }

// ToUpper is cvc5's str.to_upper: ASCII letters only.
func ToUpper(s []rune) []rune { return shiftCase(s, 'a', 'z', 'A'-'a') }

func shiftCase(s []rune, first, last, shift rune) []rune {
	out := slices.Clone(s)
	for i, c := range out {
		if first <= c && c <= last {
			out[i] = c + shift
		}
	}
	return out
}

// Update is cvc5's (str.update s i t): s with the characters from position i on overwritten by t, without extending s;
// s if i is out of range.
func Update(s []rune, i int64, t []rune) []rune {
	if i < 0 || i >= int64(len(s)) {
		return s
	}
	out := slices.Clone(s)
	copy(out[i:], t)
	return out
}

// find returns the first position of t in s, or -1.
func find(s, t []rune) int { return finder(t)(s) }

// finder returns a function that finds the first position of t. It uses the Knuth-Morris-Pratt algorithm for long
// patterns, so the time is linear.
func finder(t []rune) func(s []rune) int {
	const short = 8
	if len(t) == 0 {
		return func([]rune) int { return 0 }
	}
	if len(t) <= short {
		return func(s []rune) int {
			for i := 0; i+len(t) <= len(s); i++ {
				if s[i] == t[0] && slices.Equal(s[i:i+len(t)], t) {
					return i
				}
			}
			return -1
		}
	}
	border := make([]int, len(t)) // length of the longest border of t[:i+1]
	for i, k := 1, 0; i < len(t); i++ {
		for k > 0 && t[i] != t[k] {
			k = border[k-1]
		}
		if t[i] == t[k] {
			k++
		}
		border[i] = k
	}
	return func(s []rune) int {
		k := 0
		for i, c := range s {
			for k > 0 && c != t[k] {
				k = border[k-1]
			}
			if c == t[k] {
				k++
			}
			if k == len(t) {
				return i - len(t) + 1
			}
		}
		return -1
	}
}
