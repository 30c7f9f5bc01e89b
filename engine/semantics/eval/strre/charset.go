package strre

import "slices"

// span is a closed interval of code points.
type span struct{ lo, hi rune }

// Sets of characters are sorted spans that neither overlap nor touch.

// normaliseSpans sorts and joins spans in place.
func normaliseSpans(s []span) []span {
	if len(s) < 2 {
		return s
	}
	slices.SortFunc(s, func(a, b span) int { return int(a.lo - b.lo) })
	out := s[:1]
	for _, b := range s[1:] {
		if last := &out[len(out)-1]; b.lo <= last.hi+1 {
			last.hi = max(last.hi, b.hi)
		} else {
			out = append(out, b)
		}
	}
	return out
}

// intersectSpans appends the intersection of two sets to dst.
func intersectSpans(dst, a, b []span) []span {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		lo, hi := max(a[i].lo, b[j].lo), min(a[i].hi, b[j].hi)
		if lo <= hi {
			dst = append(dst, span{lo, hi})
		}
		if a[i].hi < b[j].hi {
			i++
		} else {
			j++
		}
	}
	return dst
}

// complementSpans appends the characters that are not in the set to dst.
func complementSpans(dst, a []span) []span {
	next := rune(0)
	for _, s := range a {
		if next < s.lo {
			dst = append(dst, span{next, s.lo - 1})
		}
		next = s.hi + 1
	}
	if next <= maxChar {
		dst = append(dst, span{next, maxChar})
	}
	return dst
}

func containsChar(a []span, c rune) bool {
	for len(a) > 4 {
		mid := len(a) / 2
		if c < a[mid].lo {
			a = a[:mid]
		} else {
			a = a[mid:]
		}
	}
	for _, s := range a {
		if c >= s.lo && c <= s.hi {
			return true
		}
	}
	return false
}

// pick returns a character of the span that is easy to read, if it has one: a
// letter, a digit, any printable one, else the first.
func (s span) pick() rune {
	for _, want := range [...]span{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'!', '~'}, {' ', ' '}} {
		if lo := max(s.lo, want.lo); lo <= min(s.hi, want.hi) {
			return lo
		}
	}
	return s.lo
}
