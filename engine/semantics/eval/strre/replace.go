package strre

import (
	"fmt"
	"slices"
)

const (
	// maxSteps bounds the derivative steps of one search, which can be quadratic in the length of the string: a case
	// can have hundreds of searches, so each may take about a tenth of a second.
	maxSteps = 1 << 21
	// longText is the length from which the starts of matches are first found from right to left, which is linear but
	// has a fixed cost.
	longText = 64
)

// search is a search for matches in one string. The field least is their minimum length.
type search struct {
	b      *Builder
	r      Regex
	s      []rune // representatives of the characters
	least  int
	starts []bool // if not nil, where matches start
	limit  int
	steps  int
	what   string
}

func (b *Builder) newSearch(r Regex, s []rune, least int, what string) *search {
	classes := make([]rune, len(s))
	for i, c := range s {
		classes[i] = b.representative(c)
	}
	q := &search{b: b, r: r, s: classes, least: least, what: what}
	if len(s) >= longText {
		q.findStarts()
	}
	q.limit = b.limit(r)
	return q
}

// findStarts matches any prefix of the reversed language from right to left: the
// derivative at position i has the empty string iff a match starts at i. If this
// needs too many derivatives, starts stays nil.
func (q *search) findStarts() {
	b, r := q.b, q.r
	if q.least > 0 {
		r = b.Diff(r, Epsilon)
	}
	limit := b.limit(r)
	state := b.concat(All, b.reverse(r))
	starts := make([]bool, len(q.s)+1)
	for i := len(q.s); ; i-- {
		starts[i] = b.nodes[state].nullable
		if i == 0 {
			break
		}
		state = b.derive(state, q.s[i-1])
		if b.check(limit, q.what) != nil {
			return
		}
	}
	q.starts = starts
}

// reverse returns the expression of the reversed strings.
func (b *Builder) reverse(r Regex) Regex {
	done := map[Regex]Regex{}
	var rev func(r Regex) Regex
	rev = func(r Regex) Regex {
		if d, ok := done[r]; ok {
			return d
		}
		n := b.nodes[r]
		d := r
		switch n.kind {
		case kConcat:
			acc, rest := rev(Regex(n.x)), Regex(n.y)
			for b.nodes[rest].kind == kConcat {
				acc = b.concat(rev(Regex(b.nodes[rest].x)), acc)
				rest = Regex(b.nodes[rest].y)
			}
			d = b.concat(rev(rest), acc)
		case kUnion, kInter:
			kids := make([]Regex, n.y)
			for i := range kids {
				kids[i] = rev(b.kids[n.x+uint32(i)])
			}
			if n.kind == kUnion {
				d = b.Union(kids...)
			} else {
				d = b.Inter(kids...)
			}
		case kComplement:
			d = b.Complement(rev(Regex(n.x)))
		case kStar:
			d = b.Star(rev(Regex(n.x)))
		case kLoop:
			d = b.repeat(rev(Regex(n.x)), b.loops[n.y])
		}
		done[r] = d
		return d
	}
	return rev(r)
}

// leftmost returns the first start >= from of a match and the end of the shortest
// match there; start is -1 if there is none.
func (q *search) leftmost(from int) (start, end int, err error) {
	for start = from; start <= len(q.s); start++ {
		if q.starts != nil && !q.starts[start] {
			continue
		}
		end, err = q.shortestAt(start)
		if err != nil || end >= 0 {
			return start, end, err
		}
	}
	return -1, -1, nil
}

// shortestAt returns the end of the shortest match that starts at the given
// position, or -1.
func (q *search) shortestAt(start int) (int, error) {
	r := q.r
	for i := start; ; i++ {
		n := &q.b.nodes[r]
		if n.nullable && i-start >= q.least {
			return i, q.b.check(q.limit, q.what)
		}
		if i == len(q.s) || r == None || n.minLen > uint64(len(q.s)-i) {
			return -1, q.b.check(q.limit, q.what)
		}
		r = q.b.derive(r, q.s[i])
		if q.steps++; q.steps > maxSteps {
			return -1, fmt.Errorf("%s: %w: more than %d steps", q.what, errTooLarge, maxSteps)
		}
		if err := q.b.check(q.limit, q.what); err != nil {
			return -1, err
		}
	}
}

// ReplaceRe is (str.replace_re s r t): the shortest leftmost match of r in s, if
// any, replaced by t. The match may be empty.
func (b *Builder) ReplaceRe(s []rune, r Regex, t []rune) ([]rune, error) {
	start, end, err := b.newSearch(r, s, 0, "str.replace_re").leftmost(0)
	if err != nil || start < 0 {
		return s, err
	}
	return slices.Concat(s[:start], t, s[end:]), nil
}

// ReplaceReAll is (str.replace_re_all s r t): from left to right every shortest
// leftmost match of r in s that is not empty replaced by t.
func (b *Builder) ReplaceReAll(s []rune, r Regex, t []rune) ([]rune, error) {
	const what = "str.replace_re_all"
	q := b.newSearch(r, s, 1, what)
	var out []rune
	for at := 0; ; {
		start, end, err := q.leftmost(at)
		if err != nil {
			return nil, err
		}
		if start < 0 {
			return append(out, s[at:]...), nil
		}
		out = append(append(out, s[at:start]...), t...)
		if len(out) > maxLength {
			return nil, fmt.Errorf("%s: %w: more than %d characters", what, errTooLarge, maxLength)
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
	start, _, err := b.newSearch(r, s, 0, "str.indexof_re").leftmost(int(i))
	return int64(start), err
}
