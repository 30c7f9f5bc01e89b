package theory

import (
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// The functions on strings and on sequences differ only in how elements are compared.

// list is a string or a sequence: its length, and whether its parts are equal.
type list[E any] struct {
	same func(x, y E) bool
}

func (l list[E]) equal(x, y []E) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !l.same(x[i], y[i]) {
			return false
		}
	}
	return true
}

// index returns the first position, at or after from, at which part begins in s, or -1.
func (l list[E]) index(s, part []E, from int) int {
	for i := from; i+len(part) <= len(s); i++ {
		if l.equal(s[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

func (l list[E]) lastIndex(s, part []E) int {
	for i := len(s) - len(part); i >= 0; i-- {
		if l.equal(s[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// replace replaces the first occurrence of from, which is at the front if from is empty (theory Strings).
func (l list[E]) replace(s, from, to []E) []E {
	i := l.index(s, from, 0)
	if i < 0 {
		return s
	}
	out := make([]E, 0, len(s)-len(from)+len(to))
	return append(append(append(out, s[:i]...), to...), s[i+len(from):]...)
}

// replaceAll replaces occurrences from the left that do not overlap; nothing if from is empty. ok is false if the
// result is longer than limit.
func (l list[E]) replaceAll(s, from, to []E, limit int) (out []E, ok bool) {
	if len(from) == 0 {
		return s, true
	}
	for {
		i := l.index(s, from, 0)
		if i < 0 {
			return append(out, s...), len(out)+len(s) <= limit
		}
		out = append(append(out, s[:i]...), to...)
		if len(out) > limit {
			return nil, false
		}
		s = s[i+len(from):]
	}
}

// part returns n elements from i on as str.substr does: nothing if i is out of range or n not positive.
func part[E any](s []E, i, n value.Value) []E {
	from, inside := value.SmallIndex(i, len(s))
	if !inside {
		return nil
	}
	count := len(s) - from
	switch {
	case n.Kind() == value.KindInt && n.Small() <= 0, n.Kind() == value.KindBigInt && n.BigInt().Sign() < 0:
		return nil
	case n.Kind() == value.KindInt && n.Small() < int64(count):
		count = int(n.Small())
	}
	return s[from : from+count : from+count]
}

// overwrite is cvc5's update: it returns s with the elements from index i on replaced by those of with, without
// extending s.
func overwrite[E any](s []E, i value.Value, with []E) []E {
	from, inside := value.SmallIndex(i, len(s))
	if !inside {
		return s
	}
	out := append([]E(nil), s...)
	copy(out[from:], with)
	return out
}

func reversed[E any](s []E) []E {
	out := make([]E, len(s))
	for i, x := range s {
		out[len(s)-1-i] = x
	}
	return out
}

// indexFrom is str.indexof: the first occurrence of part in s at or after position i, or -1 if there is none or i is
// out of range. The length of s is still in range.
func (l list[E]) indexFrom(s, part []E, i value.Value) value.Value {
	from, inside := value.SmallIndex(i, len(s)+1)
	if !inside {
		return value.Int64(-1)
	}
	return value.Int64(int64(l.index(s, part, from)))
}
