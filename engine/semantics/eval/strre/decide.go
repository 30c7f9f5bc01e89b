package strre

import (
	"fmt"
	"slices"
)

// maxMember bounds the length of members that are built.
const maxMember = 1 << 20

// Empty decides whether the language of r is empty.
func (b *Builder) Empty(r Regex) (bool, error) {
	if b.tooBig {
		return false, b.check(b.limit(r), "emptiness")
	}
	if b.nodes[r].plain {
		return r == None, nil
	}
	_, found, err := b.path(r)
	return !found, err
}

// Universal decides whether the language of r has every string.
func (b *Builder) Universal(r Regex) (bool, error) { return b.Empty(b.Complement(r)) }

// Equivalent decides whether two expressions have the same language.
func (b *Builder) Equivalent(r, s Regex) (bool, error) {
	if r == s && !b.tooBig {
		return true, nil
	}
	return b.Empty(b.Union(b.Diff(r, s), b.Diff(s, r)))
}

// Shortest returns a member of minimal length; found is false if the language is
// empty. The choice among members of that length is always the same.
func (b *Builder) Shortest(r Regex) (member []rune, found bool, err error) {
	if b.tooBig {
		return nil, false, b.check(b.limit(r), "shortest member")
	}
	if r == None {
		return nil, false, nil
	}
	if !b.nodes[r].plain {
		return b.path(r)
	}
	if b.nodes[r].minLen > maxMember {
		return nil, false, fmt.Errorf("shortest member: %w: more than %d characters", errTooLarge, maxMember)
	}
	return b.appendShortest(nil, r), true, nil
}

// appendShortest appends a shortest member of a plain expression.
func (b *Builder) appendShortest(dst []rune, r Regex) []rune {
	for {
		n := b.nodes[r]
		if n.nullable {
			return dst
		}
		switch n.kind {
		case kSet:
			return append(dst, b.pickFrom(b.setOf(r)))
		case kConcat:
			dst = b.appendShortest(dst, Regex(n.x))
			r = Regex(n.y)
		case kUnion:
			kids := b.kidsOf(r)
			best := kids[0]
			for _, k := range kids[1:] {
				if b.nodes[k].minLen < b.nodes[best].minLen {
					best = k
				}
			}
			r = best
		case kLoop:
			once := b.appendShortest(nil, Regex(n.x))
			for range b.loops[n.y].lo {
				dst = append(dst, once...)
			}
			return dst
		default:
			return dst
		}
	}
}

func (b *Builder) pickFrom(set []span) rune {
	best := set[0].pick()
	for _, s := range set[1:] {
		if c := s.pick(); rank(c) < rank(best) {
			best = c
		}
	}
	return best
}

// rank orders characters by how easy they are to read.
func rank(c rune) rune {
	switch {
	case 'a' <= c && c <= 'z':
		return c - 'a'
	case 'A' <= c && c <= 'Z':
		return 100 + c
	case '0' <= c && c <= '9':
		return 300 + c
	case ' ' <= c && c <= '~':
		return 500 + c
	}
	return 1000 + c
}

// path searches the derivatives of r breadth first for one with the empty string
// and returns the characters that lead there.
func (b *Builder) path(r Regex) (member []rune, found bool, err error) {
	type step struct {
		state Regex
		from  int
		by    rune
	}
	limit := b.limit(r)
	queue := []step{{state: r, from: -1}}
	seen := map[Regex]bool{None: true, r: true}
	for i := 0; i < len(queue); i++ {
		state := queue[i].state
		if b.nodes[state].nullable {
			for at := i; queue[at].from >= 0; at = queue[at].from {
				member = append(member, queue[at].by)
			}
			slices.Reverse(member)
			return member, true, b.check(limit, "search for a member")
		}
		for _, class := range b.classes(state) {
			c := class.pick()
			d := b.derive(state, b.representative(c))
			if err := b.check(limit, "search for a member"); err != nil {
				return nil, false, err
			}
			if !seen[d] {
				seen[d] = true
				queue = append(queue, step{d, i, c})
			}
		}
		if len(queue) > b.budget() {
			return nil, false, fmt.Errorf("search for a member: %w: more than %d derivatives", errTooLarge, b.budget())
		}
	}
	return nil, false, b.check(limit, "search for a member")
}

// classes partitions the characters so that the derivatives of r by all characters of one class are the same. Only sets
// that can contain the first character matter.
func (b *Builder) classes(r Regex) []span {
	starts := []rune{0}
	seen := map[Regex]bool{}
	stack := []Regex{r}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[r] {
			continue
		}
		seen[r] = true
		switch n := b.nodes[r]; n.kind {
		case kSet:
			for _, s := range b.setOf(r) {
				starts = append(starts, s.lo, s.hi+1)
			}
		case kConcat:
			stack = append(stack, Regex(n.x))
			// The first character may be of the second part only if the first part can be empty.
			if b.nodes[n.x].nullable {
				stack = append(stack, Regex(n.y))
			}
		case kUnion, kInter:
			stack = append(stack, b.kidsOf(r)...)
		case kComplement, kStar, kLoop:
			stack = append(stack, Regex(n.x))
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	out := make([]span, 0, len(starts))
	for i, lo := range starts {
		hi := maxChar
		if i+1 < len(starts) {
			hi = starts[i+1] - 1
		}
		if lo <= hi {
			out = append(out, span{lo, hi})
		}
	}
	// Readable characters first, so that members read well.
	slices.SortStableFunc(out, func(a, b span) int { return int(rank(a.pick()) - rank(b.pick())) })
	return out
}

// Sample returns a member determined by choose, where choose(n) must return a number in [0, n). It chooses about as
// many characters as steps says, then takes the nearest member; found is false if the language is empty.
func (b *Builder) Sample(r Regex, steps int, choose func(n int) int) (member []rune, found bool, err error) {
	limit := b.limit(r)
	states := []Regex{r}
	for len(states) <= steps {
		state := states[len(states)-1]
		classes := b.classes(state)
		first := choose(len(classes))
		moved := false
		for i := range classes { // the first class from there on that leads on
			class := classes[(first+i)%len(classes)]
			c := class.lo + rune(choose(int(class.hi-class.lo)+1))
			if choose(4) != 0 {
				c = class.pick()
			}
			if d := b.derive(state, b.representative(c)); d != None {
				states, member = append(states, d), append(member, c)
				moved = true
				break
			}
		}
		if err := b.check(limit, "random member"); err != nil {
			return nil, false, err
		}
		if !moved {
			break
		}
	}
	for i := len(states) - 1; i >= 0; i-- {
		rest, ok, err := b.Shortest(states[i])
		if err != nil {
			return nil, false, err
		}
		if ok {
			return append(member[:i:i], rest...), true, nil
		}
	}
	return nil, false, nil
}
