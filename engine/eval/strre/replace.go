package strre

import (
	"fmt"
	"slices"
)

// maxSteps bounds the derivative steps of one search, which may be quadratic in
// the length of the string.
const maxSteps = 1 << 25

// search is the state of a search for matches in one string.
type search struct {
	b     *Builder
	r     Regex
	s     []rune // representatives of the characters
	limit int
	steps int
	what  string
}

func (b *Builder) newSearch(r Regex, s []rune, what string) *search {
	classes := make([]rune, len(s))
	for i, c := range s {
		classes[i] = b.representative(c)
	}
	return &search{b: b, r: r, s: classes, limit: b.limit(r), what: what}
}

// leftmost returns the first start >= from of a match and the shortest match
// there, which has at least min characters; start is -1 if there is none.
func (q *search) leftmost(from, min int) (start, end int, err error) {
	for start = from; start <= len(q.s); start++ {
		end, err = q.shortestAt(start, min)
		if err != nil || end >= 0 {
			return start, end, err
		}
	}
	return -1, -1, nil
}

// shortestAt returns the end of the shortest match of at least min characters
// that starts at the given position, or -1.
func (q *search) shortestAt(start, min int) (int, error) {
	r := q.r
	for i := start; ; i++ {
		n := &q.b.nodes[r]
		if n.nullable && i-start >= min {
			return i, q.b.check(q.limit, q.what)
		}
		if i == len(q.s) || r == None || n.minLen > uint64(len(q.s)-i) {
			return -1, q.b.check(q.limit, q.what)
		}
		r = q.b.derive(r, q.s[i])
		if q.steps++; q.steps > maxSteps {
			return -1, fmt.Errorf("%s: %w: more than %d steps", q.what, ErrTooLarge, maxSteps)
		}
		if err := q.b.check(q.limit, q.what); err != nil {
			return -1, err
		}
	}
}

// ReplaceRe is (str.replace_re s r t): the shortest leftmost match of r in s, if
// any, replaced by t. The match may be empty.
func (b *Builder) ReplaceRe(s []rune, r Regex, t []rune) ([]rune, error) {
	start, end, err := b.newSearch(r, s, "str.replace_re").leftmost(0, 0)
	if err != nil || start < 0 {
		return s, err
	}
	return slices.Concat(s[:start], t, s[end:]), nil
}

// ReplaceReAll is (str.replace_re_all s r t): from left to right every shortest
// leftmost match of r in s that is not empty replaced by t.
func (b *Builder) ReplaceReAll(s []rune, r Regex, t []rune) ([]rune, error) {
	const what = "str.replace_re_all"
	q := b.newSearch(r, s, what)
	var out []rune
	for at := 0; ; {
		start, end, err := q.leftmost(at, 1)
		if err != nil {
			return nil, err
		}
		if start < 0 {
			return append(out, s[at:]...), nil
		}
		out = append(append(out, s[at:start]...), t...)
		if len(out) > MaxLength {
			return nil, fmt.Errorf("%s: %w: more than %d characters", what, ErrTooLarge, MaxLength)
		}
		at = end
	}
}

// IndexOfRe is cvc5's (str.indexof_re s r i): the first position at or after i
// where a match of r starts, -1 if there is none or i is out of range.
func (b *Builder) IndexOfRe(s []rune, r Regex, i int64) (int64, error) {
	if i < 0 || i > int64(len(s)) {
		return -1, nil
	}
	start, _, err := b.newSearch(r, s, "str.indexof_re").leftmost(int(i), 0)
	return int64(start), err
}
